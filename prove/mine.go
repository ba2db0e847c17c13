package prove

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/prove/sat"
)

// A miner records which atoms occur together in states of small rings. Its patterns are the sets of atoms that never
// occurred together.
type miner struct {
	*translation
	width      int             // the most atoms of a pattern, 2 or 3
	atoms      []atom          // over three nodes, from 1 on
	number     map[atom]int    // of these
	cooccurred []uint64        // bits, for sets of up to three atoms: see index
	views      map[string]bool // the sets of atoms that have been noted
	effort     *effort.Effort
}

func newMiner(f *effort.Effort, x *translation, width int) *miner {
	m := &miner{translation: x, width: width, effort: f, atoms: []atom{{}}, number: make(map[atom]int),
		views: make(map[string]bool)}
	add := func(a atom) {
		m.number[a] = len(m.atoms)
		m.atoms = append(m.atoms, a)
	}
	for relation := range x.relations() {
		x.tuples(relation, 3, func(a atom) {
			add(a)
			if x.exact(relation) {
				add(a.not())
			}
		})
	}
	last := len(m.atoms) - 1
	size := m.index(last, last, last) + 1
	f.Hold(uint64(size / 8))
	m.cooccurred = make([]uint64, size/64+1)
	return m
}

// index numbers sets of up to three atoms (two if the width is 2). a is the largest, and 0 means none.
func (m *miner) index(a, b, c int) int {
	i := a*len(m.atoms) + b
	if m.width > 2 {
		i = i*len(m.atoms) + c
	}
	return i
}

// sets calls yield with the sets of up to three of some atoms (two if the width is 2).
func (m *miner) sets(there []int, yield func(a, b, c int)) {
	for i, a := range there {
		yield(a, 0, 0)
		for j, b := range there[:i] {
			yield(a, b, 0)
			for k := 0; m.width > 2 && k < j; k++ {
				yield(a, b, there[k])
			}
		}
	}
}

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
	node := func(k kind, value int64, at int, right bool) int {
		switch {
		case k != hops:
			return slices.Index(uid, value)
		case right:
			return (at + p.N - int(value)%p.N) % p.N
		default:
			return (at + int(value)) % p.N
		}
	}
	for q := range p.N {
		l := w.Local(state[w.SlotOfProcess(q)])
		c := w.controlAt(l)
		if c < 0 {
			return nil, fmt.Errorf("%s: no rule leads there", l.Point.Pos)
		}
		atoms = append(atoms, newAtom(w.relation(stands, c), q))
		for i, h := range w.controls[c].holders {
			if h < 0 {
				continue
			}
			held, elements := w.holders[h], []int64{l.Env[i]}
			if held.Set {
				elements = slices.Collect(held.Type.Elements(l.Env[i]))
			}
			for _, v := range elements {
				o := node(w.kinds[held.Var], v, q, w.controls[c].values[i] == 1)
				atoms = append(atoms, newAtom(w.relation(holds, h), q, o))
			}
		}
		for other := range uid {
			if uid[q] < uid[other] {
				atoms = append(atoms, newAtom(w.relation(smaller, 0), q, other))
			}
		}
	}
	for i, link := range p.Links {
		value := state[w.SlotOfLink(i)]
		contents := w.Contents
		if w.past != nil {
			contents = w.past.sent
		}
		var coming []atom
		for _, content := range contents(value) {
			t := transit{message: w.translation.Messages[content.Message.ID], Right: link.In == ir.Left,
				values: make([]int64, len(content.Args))}
			at := []int{link.To}
			for j, v := range content.Args {
				switch k := w.kinds[field{t.message, j}]; k {
				case finite:
					t.values[j] = v
				case nodes, hops:
					at = append(at, node(k, v, link.To, t.Right))
				}
			}
			number, ok := w.byKey[t.key()]
			if !ok {
				return nil, fmt.Errorf("%s: no rule sends this message", t.message.Name)
			}
			coming = append(coming, newAtom(w.relation(comes, number), at...))
		}
		if w.past != nil {
			coming = w.historyAtoms(coming, w.past.received(value), link.From)
		}
		atoms = append(atoms, coming...)
	}
	return w.whole(atoms, p.N), nil
}

// historyAtoms returns the history atoms for the messages that have been sent to a process, of which it has received
// the first.
func (w *viewer) historyAtoms(sent []atom, count, sender int) (atoms []atom) {
	for k, a := range sent {
		_, t := w.sort(a.relation)
		got := a
		if got.relation = w.relation(received, t); k < count {
			atoms = append(atoms, got)
		}
		sent[k].nodes[0] = int8(sender)
		a = sent[k]
		atoms = append(atoms, a)
		for o := 0; o < w.Protocol().N && a.nodes[1] >= 0; o++ {
			other := a
			if other.nodes[1] = int8(o); o != int(a.nodes[1]) && !slices.Contains(sent[:k], other) {
				atoms = append(atoms, newAtom(w.relation(ahead, t), int(a.nodes[0]), int(a.nodes[1]), o))
			}
		}
	}
	return atoms
}

// controlAt returns the control of a local state, -1 if there is none. A hop counter counts in the direction for which
// members is one.
func (x *translation) controlAt(l ir.Local) int {
	c := control{point: x.Points[l.Point.ID], values: make([]int64, len(l.Env))}
	var directions []int
	for i, v := range c.point.Live {
		switch x.kinds[v] {
		case finite:
			c.values[i] = l.Env[i]
		case hops:
			directions = append(directions, i)
		}
	}
	for bits := range 1 << len(directions) {
		for k, i := range directions {
			c.values[i] = int64(bits >> k & 1)
		}
		if number, ok := x.numbers[c.key()]; ok {
			return number
		}
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

// mostInitial is the maximum number of initial states from which runs begin.
const mostInitial = 10000

// faulted returns the fault of the model that an error is; nil if it is none, or growth beyond a limit.
func faulted(err error) error {
	if fault := (*model.Fault)(nil); errors.As(err, &fault) && !fault.Growth {
		return fault
	}
	return nil
}

// walk notes the states of random runs. A fault of the model in one of them is an error.
func (m *miner) walk(ctx context.Context, sys *compile.System, runs, steps int, random *rand.Rand) error {
	var initial [][]model.Value
	w := newViewer(m.translation, sys)
	if err := w.system().Initial(func(s []model.Value) bool {
		initial = append(initial, slices.Clone(s))
		return len(initial) < mostInitial
	}); err != nil {
		return err
	}
	for range runs {
		state := initial[random.IntN(len(initial))]
		for range steps {
			if ctx.Err() != nil {
				break
			}
			atoms, err := w.atoms(state)
			if err != nil {
				return err
			}
			m.note(sys.Protocol().N, atoms)
			var next [][]model.Value
			err = model.Each(w.system(), state, func(_ int, _ model.Step, to []model.Value) bool {
				next = append(next, slices.Clone(to))
				return true
			})
			if fault := faulted(err); fault != nil {
				return fault
			}
			if err != nil || len(next) == 0 { // growth beyond a limit of the runs ends one, too
				break
			}
			state = next[random.IntN(len(next))]
		}
	}
	return context.Cause(ctx)
}

// note notes what occurs together in a state.
func (m *miner) note(n int, atoms []atom) {
	var key []byte
	m.eachView(n, atoms, func(view []int) {
		key = key[:0]
		for _, a := range view {
			key = binary.AppendUvarint(key, uint64(a))
		}
		if m.views[string(key)] {
			return
		}
		m.effort.Hold(64 + uint64(len(key)))
		m.views[string(key)] = true
		m.sets(view, func(a, b, c int) {
			i := m.index(a, b, c)
			m.cooccurred[i/64] |= 1 << (i % 64)
		})
	})
}

// eachView calls yield for all three nodes in order around a ring, with their view: the ascending numbers of the atoms
// over them. The view is overwritten afterwards.
func (m *miner) eachView(n int, atoms []atom, yield func(view []int)) {
	place := make([]int8, n) // of the nodes, among the three; -1: it is not one of them
	wheres := [][]int8{{0, 1, 2}}
	if n == 2 {
		wheres = [][]int8{{0, 1}, {0, 2}, {1, 2}}
	}
	var view []int
	tuples(n, min(3, n), func(nodes []int) {
		for _, where := range wheres {
			for i := range place {
				place[i] = -1
			}
			for i, at := range where {
				place[nodes[i]] = at
			}
			view = view[:0]
		next:
			for _, a := range atoms {
				for i, n := range a.nodes {
					if n < 0 {
						break
					}
					if a.nodes[i] = place[n]; a.nodes[i] < 0 {
						continue next
					}
				}
				view = append(view, m.number[a])
			}
			slices.Sort(view)
			yield(view)
		}
	})
}

// recordPattern records that a pattern can occur.
func (m *miner) recordPattern(p pattern) {
	if len(p.atoms) <= m.width {
		m.note(max(2, p.width), p.atoms)
	}
}

// mayOccur reports whether the atoms of a pattern have been observed together.
func (m *miner) mayOccur(p pattern) bool {
	missing := len(p.atoms) > m.width // larger sets are not recorded
	m.eachView(max(2, p.width), p.atoms, func(view []int) {
		m.unobserved(view, func(...int) { missing = true })
	})
	return !missing
}

// unobserved calls yield with the sets of atoms of a view that have never been observed together.
func (m *miner) unobserved(view []int, yield func(set ...int)) {
	m.sets(view, func(a, b, c int) {
		if i := m.index(a, b, c); m.cooccurred[i/64]>>(i%64)&1 == 0 {
			yield(slices.DeleteFunc([]int{a, b, c}, func(a int) bool { return a == 0 })...)
		}
	})
}

// choose returns the smallest pattern that has never been observed and occurs in the last state that the solver found,
// preferably over atoms that must hold in that state.
func (m *miner) choose(r *ring, before []sat.Lit) (best pattern, ok bool) {
	cost := math.MaxInt
	look := func(view []int) {
		m.unobserved(view, func(list ...int) {
			var atoms []atom
			for _, a := range list {
				atoms = append(atoms, m.atoms[a])
			}
			p := canonical(atoms)
			if c := 10*len(list) + p.width; c < cost && !m.mayBeInitial(p) {
				best, cost, ok = p, c, true
			}
		})
	}
	state := r.state(before)
	required := slices.DeleteFunc(slices.Clone(state), func(a atom) bool { return !slices.Contains(before, r.lit(a)) })
	if m.eachView(r.n, required, look); !ok {
		m.eachView(r.n, state, look)
	}
	return best, ok
}

// mayBeInitial reports whether a pattern may occur in an initial state.
func (x *translation) mayBeInitial(p pattern) bool {
	return !slices.ContainsFunc(p.atoms, func(a atom) bool {
		switch s, i := x.sort(a.relation); {
		case s == stands:
			return !slices.Contains(x.initial, i)
		case s == holds && !a.absent:
			return a.nodes[0] != a.nodes[1] || !slices.Contains(x.initial, x.holders[i].Control)
		default:
			return s != smaller && !a.absent
		}
	})
}
