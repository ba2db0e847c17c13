package prove

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/prove/sat"
)

// A miner looks at states of small rings and notes which atoms occur together. Its patterns are those that never did.
type miner struct {
	*translation
	width  int    // the most atoms of a pattern, 2 or 3
	atoms  []atom // over three nodes, from 1 on
	number map[atom]int
	met    []uint64 // bits: by up to three atoms, see index
}

// mostMet is what the atoms that occur together may take, in bytes.
const mostMet = 1 << 30

func newMiner(x *translation, width int) *miner {
	m := &miner{translation: x, width: width, number: make(map[atom]int), atoms: []atom{{}}}
	for relation := range x.relations() {
		x.tuples(relation, 3, func(a atom) {
			m.number[a] = len(m.atoms)
			m.atoms = append(m.atoms, a)
		})
	}
	last := len(m.atoms) - 1
	size := m.index(last, last, last) + 1
	if size/8 > mostMet {
		effort.Try(effort.ErrMemory)
	}
	m.met = make([]uint64, size/64+1)
	return m
}

// index numbers sets of up to three atoms, or two, of which a is the last, and 0 is none.
func (m *miner) index(a, b, c int) int {
	if n := len(m.atoms); m.width > 2 {
		return (a*n+b)*n + c
	} else {
		return a*n + b
	}
}

// sets calls yield with the sets of up to three of some atoms, or two.
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

// A viewer shows states of a system as those of rings.
type viewer struct {
	*translation
	*compile.System
	seen sync.Map // by sight: []said
}

// A sight is the value of a slot: a local state, or a channel whose messages move in a direction.
type sight struct {
	value          model.Value
	channel, right bool
}

// What a slot says: a relation, and values that stand for nodes behind the first.
type said struct {
	relation int
	values   []nodeValue
}

type nodeValue struct {
	value       int64
	hops, right bool
}

// look returns what a slot says.
func (w *viewer) look(s sight) ([]said, error) {
	if all, ok := w.seen.Load(s); ok {
		return all.([]said), nil
	}
	var all []said
	if s.channel {
		for _, content := range w.Contents(s.value) {
			t := transit{message: w.translation.Messages[content.Message.ID], right: s.right,
				values: make([]int64, len(content.Args))}
			var values []nodeValue
			for j, v := range content.Args {
				switch f := (field{t.message, j}); w.kindOf(f) {
				case finite:
					t.values[j] = v
				case nodes:
					values = append(values, nodeValue{v, w.countsHops(f), t.right})
				}
			}
			number, ok := w.kinds[t.key()]
			if !ok {
				return nil, fmt.Errorf("%s: no rule sends this message", t.message.Name)
			}
			all = append(all, said{w.transitRelation(number), values})
		}
	} else {
		l := w.Local(s.value)
		c := w.controlAt(l)
		if c < 0 {
			return nil, fmt.Errorf("%s: no rule leads there", l.Point.Pos)
		}
		all = append(all, said{relation: c})
		for i, h := range w.controls[c].holders {
			if h >= 0 {
				v := nodeValue{l.Env[i], w.countsHops(w.holders[h].Var), w.controls[c].values[i] == 1}
				all = append(all, said{w.holderRelation(h), []nodeValue{v}})
			}
		}
	}
	w.seen.Store(s, all)
	return all, nil
}

// atoms returns the atoms that are true in a state.
func (w *viewer) atoms(state []model.Value) (atoms []atom, err error) {
	p, uid := w.Protocol(), w.identities(state)
	say := func(at int, s sight) {
		all, failed := w.look(s)
		err = cmp.Or(err, failed)
		for _, said := range all {
			list := []int{at}
			for _, v := range said.values {
				switch {
				case !v.hops:
					list = append(list, slices.Index(uid, v.value))
				case v.right:
					list = append(list, (at+p.N-int(v.value)%p.N)%p.N)
				default:
					list = append(list, (at+int(v.value))%p.N)
				}
			}
			atoms = append(atoms, newAtom(said.relation, list...))
		}
	}
	for q := range p.N {
		say(q, sight{value: state[w.SlotOfProcess(q)]})
		for other := range uid {
			if uid[q] < uid[other] {
				atoms = append(atoms, newAtom(w.orderRelation(), q, other))
			}
		}
	}
	for i, link := range p.Links {
		say(link.To, sight{state[w.SlotOfLink(i)], true, link.In == ir.Left})
	}
	return atoms, err
}

// controlAt returns the control of a local state, -1 if there is none. What counts hops does so in the direction for
// which there is one.
func (x *translation) controlAt(l ir.Local) int {
	c := control{point: x.Points[l.Point.ID], values: make([]int64, len(l.Env))}
	var directions []int
	for i, v := range c.point.Live {
		switch kind := x.kindOf(v); {
		case kind == finite:
			c.values[i] = l.Env[i]
		case kind == nodes && x.countsHops(v):
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

// identities returns the identities of processes in a state, nil if they have none. What is assigned is part of the
// state, since a goal reads it.
func (w *viewer) identities(state []model.Value) (uid []int64) {
	n := w.Protocol().N
	for q := 0; w.identity != "" && q < n; q++ {
		l := w.Local(state[w.SlotOfProcess(q)])
		at := slices.IndexFunc(l.Point.Live, func(v *ir.Var) bool { return v.Name == w.identity })
		if at >= 0 {
			uid = append(uid, l.Env[at])
		} else {
			uid = append(uid, w.computed(n, q))
		}
	}
	return uid
}

// computed returns the identity of a process of n that follows from its number.
func (x *translation) computed(n, process int) int64 {
	b, ok := x.identityOf.(*ir.Binary)
	if !ok {
		return int64(process)
	}
	c, first := strip(b.X).(*ir.Const)
	if !first {
		c = strip(b.Y).(*ir.Const)
	}
	value := c.Value
	if x.other[c] != value {
		value = int64(n)
	}
	switch {
	case b.Op == ir.Add:
		return value + int64(process)
	case first:
		return value - int64(process)
	}
	return int64(process) - value
}

// mostInitial is how many initial states runs begin in.
const mostInitial = 10000

// walk notes the states of random runs.
func (m *miner) walk(ctx context.Context, sys *compile.System, runs, steps int, random *rand.Rand) error {
	var initial [][]model.Value
	if err := sys.Initial(func(s []model.Value) bool {
		initial = append(initial, slices.Clone(s))
		return len(initial) < mostInitial
	}); err != nil {
		return err
	}
	w := &viewer{translation: m.translation, System: sys}
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
			if err := model.Each(sys, state, func(_ int, _ model.Step, to []model.Value) bool {
				next = append(next, slices.Clone(to))
				return true
			}); err != nil || len(next) == 0 {
				break // a fault ends a run, too
			}
			state = next[random.IntN(len(next))]
		}
	}
	return context.Cause(ctx)
}

// note notes what occurs together in a state.
func (m *miner) note(n int, atoms []atom) {
	m.together(n, atoms, func(there []int) {
		m.sets(there, func(a, b, c int) {
			i := m.index(a, b, c)
			m.met[i/64] |= 1 << (i % 64)
		})
	})
}

// together calls yield with the atoms over three nodes in order around a ring, ascending by number, for all nodes.
func (m *miner) together(n int, atoms []atom, yield func(there []int)) {
	visit := func(place []int8) {
		var there []int
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
			there = append(there, m.number[a])
		}
		slices.Sort(there)
		yield(there)
	}
	tuples(n, min(3, n), func(nodes []int) {
		place := slices.Repeat([]int8{-1}, n)
		if n > 2 {
			for i, n := range nodes {
				place[n] = int8(i)
			}
			visit(place)
			return
		}
		for _, where := range [][2]int8{{0, 1}, {0, 2}, {1, 2}} {
			place[nodes[0]], place[nodes[1]] = where[0], where[1]
			visit(place)
		}
	})
}

// seen notes that a pattern can occur.
func (m *miner) seen(p pattern) {
	if len(p.atoms) <= m.width {
		m.note(max(2, p.width), p.atoms)
	}
}

// occurred reports whether the atoms of a pattern may occur together, as far as that has been seen.
func (m *miner) occurred(p pattern) bool {
	missing := false
	m.together(max(2, p.width), p.atoms, func(there []int) {
		m.unseen(there, func(...int) { missing = true })
	})
	return !missing
}

// unseen calls yield with those sets of some atoms that have never been seen together.
func (m *miner) unseen(there []int, yield func(set ...int)) {
	m.sets(there, func(a, b, c int) {
		if i := m.index(a, b, c); m.met[i/64]>>(i%64)&1 == 0 {
			yield(slices.DeleteFunc([]int{a, b, c}, func(a int) bool { return a == 0 })...)
		}
	})
}

// choose returns a pattern that has never been seen, and which occurs in the state that was found last: the smallest
// one, if possible of what must hold in it.
func (m *miner) choose(r *ring, before []sat.Lit) (best pattern, ok bool) {
	cost := math.MaxInt
	look := func(there []int) {
		m.unseen(there, func(list ...int) {
			var atoms []atom
			for _, a := range list {
				atoms = append(atoms, m.atoms[a])
			}
			p := canonical(atoms)
			if c := 10*len(list) + p.width; c < cost && !m.begins(p) {
				best, cost, ok = p, c, true
			}
		})
	}
	state := r.state(before)
	required := slices.DeleteFunc(slices.Clone(state), func(a atom) bool { return !slices.Contains(before, r.lit(a)) })
	if m.together(r.n, required, look); !ok {
		m.together(r.n, state, look)
	}
	return best, ok
}

// begins reports whether a pattern may occur in an initial state.
func (x *translation) begins(p pattern) bool {
	return !slices.ContainsFunc(p.atoms, func(a atom) bool {
		switch {
		case a.relation < len(x.controls):
			return !slices.Contains(x.initial, a.relation)
		case a.relation < x.transitRelation(0):
			h := x.holders[a.relation-len(x.controls)]
			return a.nodes[0] != a.nodes[1] || !slices.Contains(x.initial, h.control)
		}
		return a.relation < x.orderRelation()
	})
}
