package compile

import (
	"math"
	"slices"
	"unsafe"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// ownOutcomes are the outcomes of a process's own actions in a local state, by group.
type ownOutcomes struct {
	sends         [][]Outcome // by target
	events        []Outcome   // and skips
	mixedOutcomes []Outcome
}

// localOutcomes returns the outcomes of the own actions in local state v. The error is a model error that names no
// process yet.
func (s *System) localOutcomes(v model.Value) (*ownOutcomes, error) {
	l := s.locals.at(v)
	if own := l.own.Load(); own != nil {
		return own, nil
	}
	own := s.listOwn(l.Local)
	if own == nil {
		var err error
		if own, err = s.divide(l.Local); err != nil {
			return nil, err
		}
	}
	switch kept := s.locals.cache.keeps(v); {
	case kept && l.own.CompareAndSwap(nil, own):
		if s.ownBytes.Add(own.bytes()) > maxOwnBytes {
			s.locals.cache.most.Store(v + 1) // local states are met about in the order of their numbers
		}
	case kept:
		return l.own.Load(), nil
	case own.bytes() <= maxRecentBytes:
		l.own.Store(own)
	}
	return own, nil
}

// maxOwnBytes bounds the own outcomes that are kept for good.
const maxOwnBytes = 1 << 22

// maxRecentBytes bounds the outcomes of a local state that are not kept for good.
const maxRecentBytes = 1 << 14

// bytes returns about how much memory own takes; own may be nil.
func (own *ownOutcomes) bytes() (n int64) {
	if own == nil {
		return 0
	}
	for list := range own.lists() {
		n += listBytes(list)
	}
	return n
}

// listBytes returns about how much memory a list takes.
func listBytes(list []Outcome) int64 {
	return int64(cap(list))*int64(unsafe.Sizeof(Outcome{})) + int64(unsafe.Sizeof(list))
}

// divide returns the outcomes of the own actions in a local state, divided by group.
func (s *System) divide(l ir.Local) (*ownOutcomes, error) {
	alternatives, err := s.machine.OwnSteps(l, step.Site{Full: step.NeverFull}) // see fitting
	if err != nil {
		return nil, err
	}
	own := &ownOutcomes{sends: make([][]Outcome, s.layout.ports)}
	lists := make([]*[]Outcome, len(alternatives))
	mixed, repeated := false, false
	for i, d := range alternatives {
		if lists[i], err = s.list(own, d); err != nil {
			return nil, err
		}
		mixed = mixed || lists[i] == &own.mixedOutcomes
		repeated = repeated || slices.ContainsFunc(d, func(o step.Outcome) bool { return o.Repeated })
	}
	for i, d := range alternatives {
		list := lists[i]
		// Different lists may share a transition. Then all belong to the group of draws.
		if mixed && repeated {
			list = &own.mixedOutcomes
		}
		if *list, err = s.outcomes(*list, d, l.Point); err != nil {
			return nil, err
		}
	}
	return own, nil
}

// list returns the list to which all outcomes of d belong.
func (s *System) list(own *ownOutcomes, d step.Distribution) (*[]Outcome, error) {
	var first int64
	for i := range d {
		target, err := s.target(&d[i])
		switch {
		case err != nil:
			return nil, err
		case i == 0:
			first = target
		case target != first:
			return &own.mixedOutcomes, nil
		}
	}
	if first == NoTarget {
		return &own.events, nil
	}
	return &own.sends[first], nil
}

// target returns the target that o sends to, or NoTarget. It fails if no process has a channel there.
func (s *System) target(o *step.Outcome) (int64, error) {
	if !o.Action.Sends() {
		return NoTarget, nil
	}
	if port := o.Action.Port; port >= 0 && port < int64(s.layout.ports) {
		return port, nil
	}
	return 0, s.machine.NoChannel(o.Action.Port, o.Place)
}

// ReceiveOutcomes returns the outcomes of receiving a message from a source in local state v. The caller must not
// change them. The error is a *model.Error that names no process.
func (s *System) ReceiveOutcomes(v model.Value, source int64, message uint32) ([]Outcome, error) {
	key := intern.Pair(v, message)
	known := &s.receives[source]
	if n, ok := known.Load(key); ok {
		return *s.answers.at(n), nil
	}
	list, err := s.answer(s.Local(v), step.Site{}, &step.Arrival{Source: source, Message: *s.messages.at(message)})
	if err != nil || s.answerBytes.Load() >= maxAnswerBytes {
		return list, err
	}
	s.answerBytes.Add(listBytes(list))
	return *s.answers.at(known.LoadOrStore(key, s.answers.add(list))), nil
}

// maxAnswerBytes bounds the tables of outcomes, some tens of MiB. Other outcomes are computed each time.
const maxAnswerBytes = 1 << 26

// answer returns the outcomes of a process with an arriving message, or of its own actions, as one list. The error is a
// *model.Error that names no process.
func (s *System) answer(l ir.Local, at step.Site, arrival *step.Arrival) ([]Outcome, error) {
	if list, ok := s.listAll(l, at, arrival); ok {
		return list, nil
	}
	var alternatives []step.Distribution
	var err error
	if arrival == nil {
		at.Full = step.NeverFull // see fitting
		alternatives, err = s.machine.OwnSteps(l, at)
	} else {
		alternatives, err = s.machine.Receive(l, at, arrival.Source, arrival.Message)
	}
	if err != nil {
		return nil, err
	}
	return s.outcomesOf(alternatives, l.Point)
}

// outcomes appends the outcomes of d, reached by an action at point, to list as its next choice.
func (s *System) outcomes(list []Outcome, d step.Distribution, point *ir.Point) ([]Outcome, error) {
	choice := choices(list)
	for i := range d {
		o := &d[i]
		num, den := o.Probability.Num(), o.Probability.Denom()
		if den.BitLen() > 32 {
			return nil, &model.Error{
				Place:   point.Pos.String(),
				Message: "the probability " + o.Probability.String() + " does not fit in two numbers of 32 bits",
			}
		}
		m := Outcome{
			Next: s.locals.number(o.Next), Choice: choice, Place: o.Place,
			Visible: o.Action.Kind == model.EventAction, Repeated: o.Repeated,
			Weight: model.Weight{Num: uint32(num.Uint64()), Den: uint32(den.Uint64())},
		}
		m.Writes = s.numberOfWrites(o.Writes)
		if o.Action.Message.Message != nil {
			m.Message = s.NumberOf(o.Action.Message)
		}
		var err error
		if m.Target, err = s.target(o); err != nil {
			return nil, err
		}
		if m.Action = s.actions.number(&o.Action, m.Message); m.Action > math.MaxUint32/uint32(s.protocol.N)-1 {
			return nil, &model.Error{Message: "there are more labels than 32 bits can number", Growth: true}
		}
		list = append(list, m)
	}
	return list, nil
}

// choices returns the number of choices in a list.
func choices(list []Outcome) uint32 {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1].Choice + 1
}
