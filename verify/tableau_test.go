package verify

import (
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/model/ltl"
)

// lasso reports whether there is a fair run of which the tableau's formula holds. For strong fairness it tries every
// set of processes: those in it are disabled from some point on, the others act infinitely often.
func (g *naive) lasso(t *testing.T, f *temporal, tableau *tableau) bool {
	t.Helper()
	edges, enabled := g.edges(t, f)
	initial := slices.Index(append(slices.Clone(g.level), 1), 1) // initial states come first
	fairness := (&ir.Temporal{Fair: f.property.Temporal.Fair}).String()
	n := g.protocol.N
	choices := 1
	if fairness == "strongly fair" {
		choices = 1 << n
	}
	for never := range choices {
		marks := func(e naiveEdge) uint64 { // of the processes that must be seen infinitely often
			m := e.takes
			if fairness == "fair" {
				m |= ^enabled[e.from]
			}
			return m
		}
		wanted := uint64(0)
		if fairness != "" {
			wanted = (1<<n - 1) &^ uint64(never)
		}
		allowed := func(s int) bool { return enabled[s]&uint64(never) == 0 }
		if tableau.product(edges, initial, allowed, marks, wanted) {
			return true
		}
	}
	return false
}

type naiveEdge struct {
	from, to int
	letter   uint64
	takes    uint64
}

// edges returns the transitions by state, and which processes are enabled. From a state in which a run can end, a
// transition leads to one more state, with a loop.
func (g *naive) edges(t *testing.T, f *temporal) (edges [][]naiveEdge, enabled []uint64) {
	t.Helper()
	in := step.New(g.protocol, step.Options{})
	index := make(map[string]int)
	for i, s := range g.states {
		index[s.Key()] = i
	}
	n := len(g.states)
	edges, enabled = make([][]naiveEdge, 2*n), make([]uint64, 2*n)
	for i, s := range g.states {
		letter, err := f.letter(s, g.protocol)
		if err != nil {
			t.Fatal(err)
		}
		transitions, err := spectest.Successors(in, s)
		if err != nil {
			t.Fatal(err)
		}
		var out []naiveEdge
		can := uint64(0)
		for _, tr := range transitions {
			e := naiveEdge{from: i, to: index[tr.Target.Key()], letter: letter}
			if p := kindOf(model.LabelInfo{Kind: tr.Kind, Process: tr.Process, Own: tr.Action.Own}).Process; p >= 0 {
				e.takes = 1 << p
			}
			for _, a := range f.steps {
				whose := a.process == anyone || a.process == tr.Process
				if a.event != nil && whose &&
					(tr.Label == a.event.Name || strings.HasPrefix(tr.Label, a.event.Name+"(")) {
					e.letter |= 1 << a.atom
				}
			}
			can |= e.takes
			out = append(out, e)
		}
		var stay []naiveEdge
		if g.ends[i] {
			for _, a := range f.steps {
				if a.event == nil {
					letter |= 1 << a.atom
				}
			}
			out = append(out, naiveEdge{i, n + i, letter, 0})
			stay = append(stay, naiveEdge{n + i, n + i, letter, 0})
		}
		edges[i], edges[n+i], enabled[i] = out, stay, can
	}
	return edges, enabled
}

// A tableau is the textbook automaton of a formula: its states are the sets of subformulas that can hold together.
type tableau struct {
	formulas []*ltl.Formula // with their parts before them
	parts    [][]int
	sets     []uint64 // the consistent sets
}

// newTableau returns nil if there are too many sets.
func newTableau(f *ltl.Formula) *tableau {
	b := &tableau{}
	b.add(f)
	if len(b.formulas) > 10 {
		return nil
	}
	for set := range uint64(1) << len(b.formulas) {
		if b.consistent(set) {
			b.sets = append(b.sets, set)
		}
	}
	return b
}

func (b *tableau) add(f *ltl.Formula) int {
	for i, g := range b.formulas {
		if g.String() == f.String() {
			return i
		}
	}
	var parts []int
	for _, p := range f.Parts() {
		parts = append(parts, b.add(p))
	}
	b.formulas, b.parts = append(b.formulas, f), append(b.parts, parts)
	return len(b.formulas) - 1
}

// consistent reports whether the formulas of a set, and no others, can hold as far as one position tells.
func (b *tableau) consistent(set uint64) bool {
	has := func(i int) bool { return set>>i&1 == 1 }
	for i, f := range b.formulas {
		p := b.parts[i]
		ok := true
		switch operator(f) {
		case "1", "0":
			ok = has(i) == (operator(f) == "1")
		case "&":
			ok = has(i) == !slices.ContainsFunc(p, func(j int) bool { return !has(j) })
		case "|":
			ok = has(i) == slices.ContainsFunc(p, has)
		case "U": // g, or f and the same next
			ok = has(i) || !has(p[1])
			ok = ok && (!has(i) || has(p[0]) || has(p[1]))
		case "R":
			ok = !has(i) || has(p[1])
			ok = ok && (has(i) || !has(p[0]) || !has(p[1]))
		}
		if !ok {
			return false
		}
	}
	return true
}

// fits reports whether the literals of a set agree with a letter.
func (b *tableau) fits(set, letter uint64) bool {
	for i, f := range b.formulas {
		if atom, yes, ok := f.Literal(); ok && (letter>>atom&1 == 1) == yes != (set>>i&1 == 1) {
			return false
		}
	}
	return true
}

func (b *tableau) leads(set, to uint64) bool {
	has := func(s uint64, i int) bool { return s>>i&1 == 1 }
	for i, f := range b.formulas {
		p := b.parts[i]
		switch operator(f) {
		case "X":
			if has(set, i) != has(to, p[0]) {
				return false
			}
		case "U":
			if has(set, i) != (has(set, p[1]) || has(set, p[0]) && has(to, i)) {
				return false
			}
		case "R":
			if has(set, i) != (has(set, p[1]) && (has(set, p[0]) || has(to, i))) {
				return false
			}
		}
	}
	return true
}

// product reports whether there is a run that the tableau accepts, that has every wanted mark infinitely often and
// almost all of whose states are allowed: a greatest fixed point of least ones.
func (b *tableau) product(edges [][]naiveEdge, initial int, allowed func(int) bool, marks func(naiveEdge) uint64,
	wanted uint64) bool {
	type node struct {
		state int
		set   uint64
	}
	type step struct {
		from, to node
		edge     naiveEdge
	}
	var steps []step
	for _, out := range edges {
		for _, e := range out {
			for _, set := range b.sets {
				if !b.fits(set, e.letter) {
					continue
				}
				for _, to := range b.sets {
					if b.leads(set, to) {
						steps = append(steps, step{node{e.from, set}, node{e.to, to}, e})
					}
				}
			}
		}
	}
	var conditions []func(s step) bool
	for i, f := range b.formulas {
		if operator(f) == "U" {
			conditions = append(conditions, func(s step) bool {
				return s.from.set>>i&1 == 0 ||
					s.from.set>>b.parts[i][1]&1 == 1
			})
		}
	}
	for p := range 64 {
		if wanted>>p&1 == 1 {
			conditions = append(conditions, func(s step) bool { return marks(s.edge)>>p&1 == 1 })
		}
	}
	conditions = append(conditions, func(step) bool { return true })
	good := map[node]bool{}
	for _, s := range steps {
		if allowed(s.from.state) {
			good[s.from] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for _, condition := range conditions {
			reach := map[node]bool{}
			for grown := true; grown; {
				grown = false
				for _, s := range steps {
					if good[s.from] && good[s.to] && !reach[s.from] && (reach[s.to] || condition(s)) {
						reach[s.from], grown = true, true
					}
				}
			}
			for n := range good {
				if !reach[n] {
					delete(good, n)
					changed = true
				}
			}
		}
	}
	reached := map[node]bool{}
	for _, s := range steps { // a state of level 0 with the whole formula in the set
		if s.from.state < initial && s.from.set>>(len(b.formulas)-1)&1 == 1 {
			reached[s.from] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, s := range steps {
			if reached[s.from] && !reached[s.to] {
				reached[s.to], grown = true, true
			}
		}
	}
	for n := range reached {
		if good[n] {
			return true
		}
	}
	return false
}
