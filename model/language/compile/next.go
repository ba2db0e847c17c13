package compile

import (
	"slices"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// Next implements model.System.
func (s *System) Next(g int, in []model.Value, out *model.Successors) error {
	grp := &s.groups[g]
	switch grp.Kind {
	case Receives:
		return s.receive(grp, in, out)
	case reads:
		return s.readAndAct(grp, in, out)
	case faults:
		return s.fail(grp, in, out)
	case ticks:
		return s.tick(grp, in, out)
	}
	if s.readsOwn(in[grp.Self]) {
		return nil // the process acts in the group reads
	}
	own, err := s.localOutcomes(in[grp.Self])
	if err != nil {
		return step.Blame(grp.Process, err)
	}
	for _, port := range grp.missing {
		if len(own.sends[port]) > 0 {
			return s.NoChannel(grp.Process, &own.sends[port][0])
		}
	}
	switch grp.Kind {
	case Sends:
		if s.protocol.Channel.Sync {
			return s.meet(grp, own.sends[grp.Port], in, out)
		}
		return s.act(grp, own.sends[grp.Port], in, out)
	case Mixed:
		if s.protocol.Channel.Sync {
			return s.meet(grp, own.mixedOutcomes, in, out)
		}
		return s.act(grp, own.mixedOutcomes, in, out)
	}
	return s.act(grp, own.events, in, out)
}

// Idle implements model.Idler.
func (s *System) Idle(g int, in []model.Value) bool {
	grp := &s.groups[g]
	switch grp.Kind {
	case Receives:
		return in[grp.Channel] == Empty
	case Sends:
		own := s.locals.at(in[grp.Self]).own.Load()
		fails := func(port int64) bool { return len(own.sends[port]) > 0 }
		return own != nil && len(own.sends[grp.Port]) == 0 && !slices.ContainsFunc(grp.missing, fails)
	}
	return false
}

// Guard implements model.Guarder: a process that reads acts in a group at some control points only, and nothing is
// received from an empty channel. Over synchronous channels, a process has one group for all control points.
func (s *System) Guard(g int) int {
	switch grp := &s.groups[g]; grp.Kind {
	case Receives:
		return grp.Channel
	case reads:
		if !s.machine.TakesFirst() && !s.protocol.Channel.Sync {
			return grp.Self
		}
	}
	return -1
}

// Bars implements model.Guarder.
func (s *System) Bars(g int, v model.Value) bool {
	if grp := &s.groups[g]; grp.Kind == reads {
		return !s.actsIn(grp, v)
	}
	return v == Empty
}

// act adds the transitions of a process's own actions.
func (s *System) act(g *group, outcomes []Outcome, in []model.Value, out *model.Successors) error {
	if s.blocks {
		outcomes = s.fitting(g, outcomes, in)
	}
	for i := range outcomes {
		m := &outcomes[i]
		values := s.add(g, m, 0, in, out)
		if m.Target == NoTarget {
			continue
		}
		c := g.Channel
		if g.targets != nil {
			c = g.targets[m.Target]
		}
		if c < 0 {
			return s.NoChannel(g.Process, m)
		}
		after, err := s.Put(g.Process, in[c], m)
		if err != nil {
			return err
		}
		values[c] = after
	}
	return nil
}

// receive adds the transitions of a process that receives a message.
func (s *System) receive(g *group, in []model.Value, out *model.Successors) error {
	var first uint32 // choice of this message
	var few [1]removal
	for _, r := range s.removals(in[g.Channel], few[:0]) {
		outcomes, err := s.receiptOutcomes(g, in, g.Port, r.message)
		if err != nil {
			return step.Blame(g.Process, err)
		}
		for i := range outcomes {
			values := s.add(g, &outcomes[i], first, in, out)
			values[g.Channel] = r.rest
		}
		first += choices(outcomes)
	}
	return nil
}

// add adds a transition that moves the process and returns its target for the caller to change other slots.
func (s *System) add(g *group, m *Outcome, firstChoice uint32, in []model.Value, out *model.Successors) []model.Value {
	values := out.Add(model.Step{
		Label:  s.ActionLabel(m.Action, g.Process),
		Choice: firstChoice + m.Choice,
		Weight: m.Weight, Repeated: m.Repeated,
	})
	copy(values, in)
	values[g.Self] = m.Next
	s.write(g, m, values)
	return values
}

// outcomesOf returns alternatives as one list of outcomes.
func (s *System) outcomesOf(alternatives []step.Distribution, point *ir.Point) (list []Outcome, err error) {
	for _, d := range alternatives {
		if list, err = s.outcomes(list, d, point); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// happen adds a transition of the environment and returns its target, a copy of in for the caller to change.
func (s *System) happen(a step.Action, process int, in []model.Value, out *model.Successors) []model.Value {
	message := uint32(0)
	if a.Message.Message != nil {
		message = s.NumberOf(a.Message)
	}
	label := s.ActionLabel(s.actions.number(&a, message), max(process, 0))
	values := out.Add(model.Step{Label: label, Choice: uint32(out.Len()), Weight: model.Certain})
	copy(values, in)
	return values
}

// mayFail reports whether the limit allows another fault of a kind, and returns the slot of its counter, -1 if none.
func (s *System) mayFail(g *group, kind ir.FaultKind, in []model.Value) (ok bool, at int) {
	limit, _ := s.machine.Limit(kind)
	at = g.counters[kind]
	return limit != 0 && (at < 0 || int64(in[at]) < limit), at
}

// fail adds the faults of a channel or a process.
func (s *System) fail(g *group, in []model.Value, out *model.Successors) error {
	if len(g.links) > 0 {
		return s.failChannel(g, in, out)
	}
	l := s.Local(in[0])
	if ok, at := s.mayFail(g, ir.CrashFault, in); ok {
		if after, can := s.machine.Crash(g.Process, l); can {
			values := s.happen(step.Action{Kind: model.CrashAction}, g.Process, in, out)
			values[0] = s.locals.number(after)
			count(values, at)
		}
	}
	after, ok, err := s.machine.Recover(g.Process, l)
	if ok {
		values := s.happen(step.Action{Kind: model.RecoverAction}, g.Process, in, out)
		values[0] = s.locals.number(after)
	}
	return err
}

// count increments the fault counter at an index, if any.
func count(values []model.Value, at int) {
	if at >= 0 {
		values[at]++
	}
}

// failChannel adds the faults of each message in a channel.
func (s *System) failChannel(g *group, in []model.Value, out *model.Successors) error {
	list, link := s.Contents(in[0]), g.links[0]
	for _, kind := range g.kinds {
		ok, counter := s.mayFail(g, kind, in)
		if !ok {
			continue
		}
		for _, i := range s.machine.Targets(kind, list) {
			for a, place := range s.machine.Befall(kind, link, list[i]) {
				if len(place) > 1 && s.protocol.Capacity.Full(len(list)) {
					continue // there is no room for a copy
				}
				if len(list)-1+len(place) > max(len(list), s.options.MaxMessages) {
					return s.machine.Overflow(kind, link)
				}
				values := s.happen(a, -1, in, out)
				values[0] = s.replace(in[0], i, place)
				count(values, counter)
			}
		}
	}
	return nil
}

// tick adds the tick, if no process has to act first and time changes something.
func (s *System) tick(g *group, in []model.Value, out *model.Successors) error {
	if link, message := s.waiting(in); message != nil {
		if !s.receivable(in, link) && s.nothingElse(in) {
			return s.machine.Timelock(link, *message)
		}
		return nil
	}
	for p := range s.protocol.N {
		if acts, err := s.acts(g, p, in); err != nil || acts {
			return err
		}
	}
	buffer := s.buffers.Get().(*[]model.Value)
	defer s.buffers.Put(buffer)
	later, changed := (*buffer)[:0], false
	for i, slot := range s.layout.slots {
		v := in[i]
		switch slot.Kind {
		case model.ProcessSlot:
			v = s.later(&s.laterLocals, v, func() model.Value {
				later, _ := s.Local(v).Tick()
				return s.locals.number(later)
			})
		case model.ChannelSlot:
			v = s.later(&s.laterContents, v, func() model.Value {
				return s.EncodeContents(s.machine.TickContents(s.Contents(v)))
			})
		}
		changed = changed || v != in[i]
		later = append(later, v)
	}
	if *buffer = later; changed {
		copy(s.happen(step.Action{Kind: model.TickAction}, -1, in, out), later)
	}
	return nil
}

// later returns v one tick later, cached in known.
func (s *System) later(known *intern.Map, v model.Value, tick func() model.Value) model.Value {
	if after, ok := known.Load(uint64(v)); ok {
		return after
	}
	return known.LoadOrStore(uint64(v), tick())
}

// waiting returns a due message to a process that has not ended, nil if no message is due.
func (s *System) waiting(in []model.Value) (link int, message *ir.Content) {
	for link, slot := range s.layout.channels {
		if in[slot] == Empty {
			continue
		}
		c := s.contents.cache.at(in[slot])
		if c.due != nil && !s.locals.view(in[s.layout.processes[s.protocol.Links[link].To]]).ended {
			return link, c.due
		}
	}
	return 0, nil
}

// acts reports whether process p can act on its own or send over a synchronous channel.
func (s *System) acts(g *group, p int, in []model.Value) (bool, error) {
	v := in[s.layout.processes[p]]
	if s.protocol.Channel.Sync {
		alternatives, err := s.machine.Steps(step.Site{Process: p, View: &neighbourhood{s, g, in}})
		return len(alternatives) > 0, err
	}
	if s.readsOwn(v) {
		full := func(link int) bool { return s.full(in[s.layout.channels[link]]) }
		at := step.Site{Process: p, View: &neighbourhood{s, g, in}, Full: full}
		alternatives, err := s.machine.OwnSteps(s.Local(v), at)
		return len(alternatives) > 0, err
	}
	own, err := s.localOutcomes(v)
	if err != nil {
		return false, nil // the group in which the process acts reports it
	}
	for list := range own.lists() {
		if len(list) > 0 && (!s.blocks || s.someFits(p, list, in)) {
			return true, nil
		}
	}
	return false, nil
}

// receivable reports whether a message in a channel is surely received, or fails to be. In a state where one of them is
// due, it usually is.
func (s *System) receivable(in []model.Value, link int) bool {
	l := &s.protocol.Links[link]
	v := in[s.layout.processes[l.To]]
	if s.receipts[link] < 0 || s.reading != nil && s.reading.receipts[s.locals.at(v).Point.ID] {
		return false // not known
	}
	var few [1]removal
	for _, r := range s.removals(in[s.layout.channels[link]], few[:0]) {
		if outcomes, err := s.ReceiveOutcomes(v, l.In, r.message); err != nil || len(outcomes) > 0 {
			return true
		}
	}
	return false
}

// nothingElse reports whether no transition other than a tick is possible in a state.
func (s *System) nothingElse(in []model.Value) bool {
	cursor := model.NewCursor(s)
	for g := range s.groups {
		if s.groups[g].Kind != ticks && (cursor.Next(g, in) != nil || cursor.Len() > 0) {
			return false
		}
	}
	return true
}
