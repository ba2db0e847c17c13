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

// A viewer translates states of a system to sets of atoms.
type viewer struct {
	*translation
	*compile.System
	uid  ir.Expr   // in the process declaration of the system: its identity
	past *recorder // with a history: the system whose states are translated
}

func newViewer(x *translation, sys *compile.System) *viewer {
	w := &viewer{translation: x, System: sys}
	w.uid = &ir.VarRef{Var: sys.Protocol().Start.Number} // unless an expression computes it
	for i, e := range applied(expressions(x.Start.Term)) {
		if x.identity != "" && x.own(e) == x.identity {
			w.uid = applied(expressions(sys.Protocol().Start.Term))[i]
		}
	}
	if x.history {
		w.past = &recorder{System: sys, compiled: sys}
	}
	return w
}

// system returns the system whose states are translated.
func (w *viewer) system() model.System {
	if w.past != nil {
		return w.past
	}
	return w.System
}

// atoms returns the atoms that are true in a state.
func (w *viewer) atoms(state []model.Value) (atoms []atom, err error) {
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
	return w.withNegations(atoms, p.N), nil
}

// begin returns an initial state, each combination of assigned values being equally likely.
func (w *viewer) begin(random *rand.Rand) (state []model.Value, err error) {
	var start states.State
	start.Processes, start.Channels, err = w.Protocol().Begin(nil, func(a *ir.Assignment, values []int64) {
		for i, v := range random.Perm(len(values)) {
			if values[i] = a.Values.Lo + int64(v); !a.Permutation {
				values[i] = a.Values.Lo + random.Int64N(a.Values.Hi-a.Values.Lo+1)
			}
		}
	})
	if err != nil {
		return nil, states.Failed(err)
	}
	state = w.Encode(nil, &start)
	if w.past != nil {
		w.past.begin(state)
	}
	return state, nil
}

// plain returns a state without the past.
func (w *viewer) plain(state []model.Value) []model.Value {
	state = slices.Clone(state)
	for slot, v := range state {
		if w.past != nil && w.past.channel(slot) {
			state[slot] = w.past.pasts.At(v).contents
		}
	}
	return state
}

// processAtoms returns the atoms about a process.
func (w *viewer) processAtoms(q int, l ir.Local, uid []int64) (atoms []atom, err error) {
	number := w.controlAt(l)
	if number < 0 {
		return nil, fmt.Errorf("%s: no rule leads there", l.Point.Pos)
	}
	atoms = append(atoms, newAtom(w.relation(stands, number), q))
	c := &w.controls[number]
	for i, h := range c.holders {
		if h < 0 {
			continue
		}
		held, elements := w.holders[h], []int64{l.Env[i]}
		if held.Set {
			elements = slices.Collect(held.Type.Elements(l.Env[i]))
		}
		for _, v := range elements {
			o := w.node(w.kinds[held.Var], v, q, held.right, uid)
			if o < 0 {
				return nil, fmt.Errorf("%s: %s is the identity of no process", l.Point.Pos, held.Name)
			}
			atoms = append(atoms, newAtom(w.relation(holds, h), q, o))
		}
	}
	for other := range uid {
		if uid[q] < uid[other] {
			atoms = append(atoms, newAtom(w.relation(smaller, 0), q, other))
		}
	}
	return atoms, nil
}

// messageAtoms returns the atoms about the messages of a channel.
func (w *viewer) messageAtoms(link ir.Link, v model.Value, uid []int64) (atoms []atom, err error) {
	contents := w.Contents
	if w.past != nil {
		contents = w.past.sent
	}
	for _, content := range contents(v) {
		t := transit{message: w.translation.Messages[content.Message.ID], Right: link.In == ir.Left,
			values: make([]int64, len(content.Args))}
		named := []int{link.To}
		for j, arg := range content.Args {
			switch k := w.kinds[field{t.message, j}]; k {
			case finite:
				t.values[j] = arg
			case nodes, hops:
				named = append(named, w.node(k, arg, link.To, t.Right, uid))
			}
		}
		number, ok := w.byKey[t.key()]
		if !ok {
			return nil, fmt.Errorf("%s: no rule sends this message", t.message.Name)
		}
		atoms = append(atoms, newAtom(w.relation(comes, number), named...))
	}
	if w.past != nil {
		atoms = w.historyAtoms(atoms, w.past.received(v), link.From)
	}
	return atoms, nil
}

// node returns the process that a value of a process, or of a message to it, represents.
func (w *viewer) node(k kind, value int64, at int, right bool, uid []int64) int {
	n := w.Protocol().N
	switch {
	case k != hops:
		return slices.Index(uid, value)
	case right:
		return (at + n - int(value)%n) % n
	default:
		return (at + int(value)) % n
	}
}

// historyAtoms returns the atoms about the past of a channel, given the atoms of a receiver for all messages that have
// been sent to it, in their order. It has received the first count of them.
func (w *viewer) historyAtoms(sent []atom, count, sender int) (atoms []atom) {
	for k, a := range sent {
		_, t := w.sort(a.relation)
		got := a
		if got.relation = w.relation(received, t); k < count {
			atoms = append(atoms, got)
		}
		a.nodes[0] = int8(sender)
		sent[k], atoms = a, append(atoms, a)
		for o := 0; o < w.Protocol().N && a.nodes[1] >= 0; o++ {
			other := a
			if other.nodes[1] = int8(o); o != int(a.nodes[1]) && !slices.Contains(sent[:k], other) {
				atoms = append(atoms, newAtom(w.relation(ahead, t), int(a.nodes[0]), int(a.nodes[1]), o))
			}
		}
	}
	return atoms
}

// controlAt returns the control of a local state, -1 if there is none.
func (x *translation) controlAt(l ir.Local) int {
	if id := l.Point.ID; id >= len(x.Points) || len(x.Points[id].Live) != len(l.Env) { // they depend on the size
		return -1
	}
	c := control{point: x.Points[l.Point.ID], values: make([]int64, len(l.Env))}
	for i, v := range c.point.Live {
		if x.kinds[v] == finite {
			c.values[i] = l.Env[i]
		}
	}
	if number, ok := x.numbers[c.key()]; ok {
		return number
	}
	return -1
}

// identities returns the identities of processes in a state, nil if they have none. The assigned values are part of the
// state, because a goal reads them.
func (w *viewer) identities(state []model.Value) (uid []int64) {
	n := w.Protocol().N
	for q := 0; w.identity != "" && q < n; q++ {
		l := w.Local(state[w.SlotOfProcess(q)])
		at := slices.IndexFunc(l.Point.Live, func(v *ir.Var) bool { return v.Name == w.identity })
		if at >= 0 {
			uid = append(uid, l.Env[at])
		} else {
			env := w.Protocol().NewEnv(nil)
			env.Vars[w.Protocol().Start.Number.ID] = int64(q)
			id, _ := w.uid.Eval(env)
			uid = append(uid, id)
		}
	}
	return uid
}

// mix returns a state, which may be unreachable, of channels and processes from states of one run: each process is as
// one of the processes was in one of them.
func (w *viewer) mix(run [][]model.Value, random *rand.Rand) []model.Value {
	one := func() []model.Value { return run[random.IntN(len(run))] }
	state, p := slices.Clone(one()), w.Protocol()
	uid := w.identities(state)
	locals := states.State{Channels: make([][]ir.Content, len(p.Links))}
	for q := range p.N {
		from := random.IntN(p.N)
		l, ok := w.moved(w.Local(one()[w.SlotOfProcess(from)]), q-from, uid)
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

// moved returns the local state of a process as it is for another, so many places to the right: with other identities.
// ok is false if a variable holds a set of them.
func (w *viewer) moved(l ir.Local, places int, uid []int64) (_ ir.Local, ok bool) {
	l.Env = slices.Clone(l.Env)
	for i, v := range w.translation.Points[l.Point.ID].Live {
		switch kind := w.kinds[v]; {
		case kind == sets:
			return l, false
		case kind == own, kind == nodes, v.Name == w.identity:
			at := slices.Index(uid, l.Env[i])
			if at < 0 {
				return l, false
			}
			l.Env[i] = uid[(at+places+len(uid))%len(uid)]
		}
	}
	return l, true
}
