package ltl

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// A Cube is a set of letters: those with all atoms of Yes and none of No.
type Cube struct{ Yes, No uint64 }

// Has reports whether a letter is in the cube.
func (c Cube) Has(letter uint64) bool { return letter&c.Yes == c.Yes && letter&c.No == 0 }

// Within reports whether c is a subset of d.
func (c Cube) Within(d Cube) bool { return d.Yes&^c.Yes == 0 && d.No&^c.No == 0 }

// atoms returns the number of atoms whose value c determines.
func (c Cube) atoms() int { return bits.OnesCount64(c.Yes | c.No) }

// Disjoint reports whether no letter is in both.
func (c Cube) Disjoint(d Cube) bool { return (c.Yes|d.Yes)&(c.No|d.No) != 0 }

// An Automaton is a generalised Büchi automaton with acceptance on its edges.
type Automaton struct {
	Initial int
	Edges   [][]Edge // by state
	Sets    int      // acceptance sets: at most MaxSets. With none, every infinite run is accepting.
}

// MaxSets is the maximum number of acceptance sets.
const MaxSets = 24

// An Edge leads to a state with the letters of Guard.
type Edge struct {
	Guard  Cube
	To     int
	Accept uint32 // the acceptance sets that it is in, a bit each
}

// All returns the acceptance sets as bits.
func (a *Automaton) All() uint32 { return 1<<a.Sets - 1 }

// Translate returns an automaton that accepts the words of which f holds; nil if it would need more than MaxSets
// acceptance sets. Without a word that it accepts it has one state and no edge.
func Translate(f *Formula) *Automaton { return translate(f, math.MaxInt) }

// translate is Translate; it also returns nil if it would have to join more than a number of pairs of steps.
func translate(f *Formula, maxPairs int) *Automaton {
	t := &translation{numbers: make(map[string]int), untils: make(map[string]int), memo: make(map[string][]step),
		pairs: maxPairs}
	t.number(conjuncts(f))
	for i := 0; i < len(t.states) && t.pairs >= 0; i++ {
		t.edges = append(t.edges, t.expandAll(t.states[i]))
	}
	if len(t.untils) > MaxSets || t.pairs < 0 {
		return nil
	}
	a := &Automaton{Sets: len(t.untils)}
	for _, steps := range t.edges {
		var edges []Edge
		for _, s := range steps {
			edges = append(edges, Edge{s.guard, t.number(s.next), a.All() &^ s.promised})
		}
		a.Edges = append(a.Edges, edges)
	}
	a.reduce()
	return a
}

// Satisfiable reports whether f holds of some word. It may be wrong that it does if f is too large for Translate.
func Satisfiable(f *Formula) bool {
	a := Translate(f)
	return a == nil || len(a.Edges[a.Initial]) > 0
}

// A translation makes the states of an automaton: conjunctions of formulas.
type translation struct {
	states  [][]*Formula
	numbers map[string]int
	edges   [][]step
	untils  map[string]int // their acceptance sets
	memo    map[string][]step
	pairs   int // the number of pairs of steps that may still be joined
}

// A step is a way to satisfy formulas: by a letter now, by formulas from the next position on, and with some promises
// kept later.
type step struct {
	guard    Cube
	next     []*Formula // by ascending key
	promised uint32     // untils
}

// number returns the number of a state, which is new if need be.
func (t *translation) number(fs []*Formula) int {
	var b strings.Builder
	for _, f := range fs {
		b.WriteString(f.key)
	}
	n, ok := t.numbers[b.String()]
	if !ok {
		n = len(t.states)
		t.numbers[b.String()] = n
		t.states = append(t.states, fs)
	}
	return n
}

// conjuncts returns the conjuncts of f.
func conjuncts(f *Formula) []*Formula {
	switch {
	case f == True:
		return nil
	case f.op == and:
		return f.args
	}
	return []*Formula{f}
}

func union(a, b []*Formula) []*Formula {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(f, g *Formula) int { return strings.Compare(f.key, g.key) })
	return slices.CompactFunc(all, func(f, g *Formula) bool { return f.key == g.key })
}

var always = []step{{}}

// expandAll returns the steps of a conjunction, and numbers the states that they lead to.
func (t *translation) expandAll(fs []*Formula) []step {
	steps := always
	for _, f := range fs {
		steps = t.both(steps, t.expand(f))
	}
	for _, s := range steps {
		t.number(s.next)
	}
	return steps
}

// expand returns the steps of one formula.
func (t *translation) expand(f *Formula) []step {
	if s, ok := t.memo[f.key]; ok {
		return s
	}
	s := t.steps(f)
	t.memo[f.key] = s
	return s
}

func (t *translation) steps(f *Formula) []step {
	switch f.op {
	case constant:
		if f.yes {
			return always
		}
		return nil
	case literal:
		if f.yes {
			return []step{{guard: Cube{Yes: 1 << f.atom}}}
		}
		return []step{{guard: Cube{No: 1 << f.atom}}}
	case next:
		return []step{{next: conjuncts(f.args[0])}}
	case until:
		set, ok := t.untils[f.key]
		if !ok {
			set = len(t.untils)
			t.untils[f.key] = set
		}
		later := []step{{next: []*Formula{f}, promised: 1 << min(set, 31)}}
		return either(t.expand(f.args[1]), t.both(t.expand(f.args[0]), later))
	case release:
		later := []step{{next: []*Formula{f}}}
		return t.both(t.expand(f.args[1]), either(t.expand(f.args[0]), later))
	case and:
		return t.fold(f.args, t.both)
	}
	return t.fold(mergeUntils(f.args), either)
}

// mergeUntils makes one formula of a U b and a U c: a U (b | c). The automaton waits for both in one state.
func mergeUntils(fs []*Formula) []*Formula {
	var all []*Formula
	for _, f := range fs {
		same := func(g *Formula) bool { return f.op == until && g.op == until && g.args[0].key == f.args[0].key }
		if i := slices.IndexFunc(all, same); i >= 0 {
			all[i] = compound(until, f.args[0], Or(all[i].args[1], f.args[1]))
		} else {
			all = append(all, f)
		}
	}
	return all
}

func (t *translation) fold(fs []*Formula, join func(a, b []step) []step) []step {
	steps := t.expand(fs[0])
	for _, f := range fs[1:] {
		steps = join(steps, t.expand(f))
	}
	return steps
}

// both returns the steps that are one of a and one of b; none if they have too many pairs.
func (t *translation) both(a, b []step) []step {
	if t.pairs -= len(a) * len(b); t.pairs < 0 {
		return nil
	}
	var all []step
	for _, s := range a {
		for _, u := range b {
			g := Cube{s.guard.Yes | u.guard.Yes, s.guard.No | u.guard.No}
			if g.Yes&g.No == 0 {
				all = append(all, step{g, union(s.next, u.next), s.promised | u.promised})
			}
		}
	}
	return useful(all)
}

func either(a, b []step) []step { return useful(slices.Concat(a, b)) }

// useful leaves out steps that are harder than others: fewer letters, more to come, more promises.
func useful(steps []step) []step {
	slices.SortStableFunc(steps, func(a, b step) int {
		return cmp.Or(a.guard.atoms()-b.guard.atoms(), len(a.next)-len(b.next))
	})
	var kept []step
	for _, s := range steps {
		if !slices.ContainsFunc(kept, func(k step) bool { return s.harder(k) }) {
			kept = slices.DeleteFunc(kept, func(k step) bool { return k.harder(s) })
			kept = append(kept, s)
		}
	}
	return kept
}

func (s step) harder(t step) bool {
	if !s.guard.Within(t.guard) || t.promised&^s.promised != 0 {
		return false
	}
	for _, f := range t.next {
		if !slices.ContainsFunc(s.next, func(g *Formula) bool { return g.key == f.key }) {
			return false
		}
	}
	return true
}
