package prove

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	states "ringcheck/model/language/step"
)

// An abstractor maps the states of a system to sets of atoms.
type abstractor struct {
	*translation
	*compile.System
	identityExpr ir.Expr   // the identity of a process, in its declaration in the system
	recorder     *recorder // not nil with a history: the system with its history
}

func newAbstractor(x *translation, sys *compile.System) *abstractor {
	w := &abstractor{translation: x, System: sys}
	w.identityExpr = &ir.VarRef{Var: sys.Protocol().Start.Number} // the default
	for i, e := range subexpressions(expressions(x.Start.Term)) {
		if x.identity != "" && x.identityIn(e) == x.identity {
			w.identityExpr = subexpressions(expressions(sys.Protocol().Start.Term))[i]
		}
	}
	if x.hasHistory {
		w.recorder = &recorder{System: sys, language: sys}
	}
	return w
}

// system returns the system whose states are mapped.
func (w *abstractor) system() model.System {
	if w.recorder != nil {
		return w.recorder
	}
	return w.System
}

// atoms returns the atoms that are true in a state.
func (w *abstractor) atoms(state []model.Value) (atoms []atom, err error) {
	p, uid := w.Protocol(), w.identities(state)
	for q := range p.N {
		about, err := w.processAtoms(q, w.Local(state[w.SlotOfProcess(q)]), uid)
		if err != nil {
			return nil, err
		}
		atoms = append(atoms, about...)
	}
	for i, link := range p.Links {
		about, err := w.messageAtoms(link, state[w.SlotOfLink(i)], uid)
		if err != nil {
			return nil, err
		}
		atoms = append(atoms, about...)
	}
	seen, err := w.sightAtoms(state)
	if err != nil {
		return nil, err
	}
	atoms = append(atoms, seen...)
	if w.hasZero {
		atoms = append(atoms, newAtom(w.relation(isZero, 0), 0))
	}
	return w.withNegations(atoms, p.N), nil
}

// randomInitial returns a random initial state. All combinations of assigned values have the same probability.
func (w *abstractor) randomInitial(random *rand.Rand) (state []model.Value, err error) {
	var start states.State
	assign := func(a *ir.Assignment, values []int64) {
		for i, v := range random.Perm(len(values)) {
			if values[i] = a.Values.Lo + int64(v); !a.Permutation {
				values[i] = a.Values.Random(random)
			}
		}
	}
	start.Processes, start.Channels, _, _, err = w.Protocol().Begin(nil, assign)
	if err != nil {
		return nil, states.AsModelError(err)
	}
	state = w.Encode(nil, &start)
	if w.recorder != nil {
		w.recorder.clearHistory(state)
	}
	return state, nil
}

// withoutHistory returns a state of the system without its history.
func (w *abstractor) withoutHistory(state []model.Value) []model.Value {
	state = slices.Clone(state)
	for slot, v := range state {
		if w.recorder != nil && w.recorder.isChannel(slot) {
			state[slot] = w.recorder.histories.At(v).contents
		}
	}
	return state
}

// processAtoms returns the atoms about a process.
func (w *abstractor) processAtoms(q int, l ir.Local, uid []int64) (atoms []atom, err error) {
	number := w.controlAt(l)
	if number < 0 {
		return nil, fmt.Errorf("%s: no rule leads there", l.Point.Pos)
	}
	atoms = append(atoms, newAtom(w.relation(atControl, number), q))
	c := &w.controls[number]
	for i, h := range c.nodeVars {
		if h < 0 {
			continue
		}
		held, elements := w.nodeVars[h], []int64{l.Env[i]}
		if held.Set {
			elements = slices.Collect(held.Type.Elements(l.Env[i]))
		}
		for _, v := range elements {
			o := w.node(w.sorts[held.Var], v, q, held.right, uid)
			if o < 0 {
				return nil, fmt.Errorf("%s: %s is the identity of no process", l.Point.Pos, held.Name)
			}
			atoms = append(atoms, newAtom(w.relation(stores, h), q, o))
		}
	}
	for other := range uid {
		if uid[q] < uid[other] {
			atoms = append(atoms, newAtom(w.relation(smallerIdentity, 0), q, other))
		}
	}
	return atoms, nil
}

// messageAtoms returns the atoms about the messages of a channel.
func (w *abstractor) messageAtoms(link ir.Link, v model.Value, uid []int64) (atoms []atom, err error) {
	contents := w.Contents
	if w.recorder != nil {
		contents = w.recorder.sentMessages
	}
	for _, content := range contents(v) {
		t := messageKind{message: w.translation.Messages[content.Message.ID], Right: link.In == ir.Left,
			values: make([]int64, len(content.Args))}
		named := []int{link.To}
		for j, arg := range content.Args {
			switch k := w.sorts[field{t.message, j}]; k {
			case numberSort:
				t.values[j] = arg
			case nodeSort, hopSort:
				named = append(named, w.node(k, arg, link.To, t.Right, uid))
			}
		}
		number, ok := w.messageIndex[t.key()]
		if !ok {
			return nil, fmt.Errorf("%s: no rule sends this message", t.message.Name)
		}
		one := newAtom(w.relation(inTransit, number), named...)
		if w.counts && slices.Contains(atoms, one) {
			one.relation = w.relation(twiceInTransit, number)
		}
		if !w.counts || !slices.Contains(atoms, one) {
			atoms = append(atoms, one)
		}
	}
	if w.recorder != nil {
		atoms = w.historyAtoms(atoms, w.recorder.numberReceived(v), link.From)
	}
	return atoms, nil
}

// node returns the process that represents a value of a process, or of a message to it.
func (w *abstractor) node(k valueSort, value int64, at int, right bool, uid []int64) int {
	n := w.Protocol().N
	switch {
	case k != hopSort:
		return slices.Index(uid, value)
	case right:
		return (at + n - int(value)%n) % n
	default:
		return (at + int(value)) % n
	}
}

// historyAtoms returns the atoms about the history of a channel. The atoms of the receiver for all messages that have
// been sent to it are given in their order. It has received the first count of them.
func (w *abstractor) historyAtoms(sent []atom, count, sender int) (atoms []atom) {
	for k, a := range sent {
		_, t := w.kindOf(a.relation)
		got := a
		if got.relation = w.relation(hasReceived, t); k < count {
			atoms = append(atoms, got)
		}
		a.nodes[0] = int8(sender)
		sent[k], atoms = a, append(atoms, a)
		for o := 0; o < w.Protocol().N && a.nodes[1] >= 0; o++ {
			other := a
			if other.nodes[1] = int8(o); o != int(a.nodes[1]) && !slices.Contains(sent[:k], other) {
				atoms = append(atoms, newAtom(w.relation(sentBefore, t), int(a.nodes[0]), int(a.nodes[1]), o))
			}
		}
	}
	return atoms
}

// controlAt returns the control of a local state, -1 if no rule leads to it.
func (x *translation) controlAt(l ir.Local) int {
	if id := l.Point.ID; id >= len(x.Points) || len(x.Points[id].Live) != len(l.Env) { // points depend on the size
		return -1
	}
	c := control{point: x.Points[l.Point.ID], values: make([]int64, len(l.Env))}
	for i, v := range c.point.Live {
		if x.sorts[v] == numberSort {
			c.values[i] = l.Env[i]
		}
	}
	if number, ok := x.controlIndex[c.key()]; ok {
		return number
	}
	return -1
}

// identities returns the identities of processes in a state, nil without identities. The assigned values are part of
// the state, because a goal reads them.
func (w *abstractor) identities(state []model.Value) (uid []int64) {
	n := w.Protocol().N
	for q := 0; w.identity != "" && q < n; q++ {
		l := w.Local(state[w.SlotOfProcess(q)])
		at := slices.IndexFunc(l.Point.Live, func(v *ir.Var) bool { return v.Name == w.identity })
		if at >= 0 {
			uid = append(uid, l.Env[at])
		} else {
			env := w.Protocol().NewEnv(nil)
			env.Vars[w.Protocol().Start.Number.ID] = int64(q)
			id, _ := w.identityExpr.Eval(env)
			uid = append(uid, id)
		}
	}
	return uid
}

// mix returns a state of channels and processes from states of one run, which may be unreachable. Each process has the
// local state of some process in some state.
func (w *abstractor) mix(run [][]model.Value, random *rand.Rand) []model.Value {
	one := func() []model.Value { return run[random.IntN(len(run))] }
	state, p := slices.Clone(one()), w.Protocol()
	uid := w.identities(state)
	locals := states.State{Channels: make([][]ir.Content, len(p.Links))}
	for q := range p.N {
		from := random.IntN(p.N)
		l, ok := w.relocate(w.Local(one()[w.SlotOfProcess(from)]), q-from, uid)
		if !ok {
			l = w.Local(one()[w.SlotOfProcess(q)])
		}
		locals.Processes = append(locals.Processes, l)
	}
	processes := w.Encode(nil, &locals)
	for slot := range state {
		if w.Slots()[slot].Kind == model.ChannelSlot {
			state[slot] = one()[slot]
		} else {
			state[slot] = processes[slot]
		}
	}
	return state
}

// relocate returns the local state of a process for the process some places to the right, with other identities. ok is
// false if a variable stores a set of them.
func (w *abstractor) relocate(l ir.Local, places int, uid []int64) (_ ir.Local, ok bool) {
	l.Env = slices.Clone(l.Env)
	for i, v := range w.translation.Points[l.Point.ID].Live {
		switch kind := w.sorts[v]; {
		case kind == setSort:
			return l, false
		case kind == ownSort, kind == nodeSort, v.Name == w.identity:
			at := slices.Index(uid, l.Env[i])
			if at < 0 {
				return l, false
			}
			l.Env[i] = uid[(at+places+len(uid))%len(uid)]
		}
	}
	return l, true
}
