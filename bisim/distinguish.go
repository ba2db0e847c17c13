package bisim

import (
	"fmt"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/lts"
)

// A distinguisher finds formulas that tell classes of a history apart, following R. Cleaveland, "On
// automatically explaining bisimulation inequivalence" (CAV 1990) and, for until, H. Korver, "Computing
// distinguishing formulas for branching bisimulation" (CAV 1991). Two classes were told apart because one
// can make a step that the other cannot:
//
//	through N a step a into C        F ⟨a⟩ G  with F true in all of N and G in all of C
//
// F and G start as true. As long as the formula holds in a state of the other class, the way on which it
// does leaves N or misses C, and a formula that tells the class found there from N, or from C, is added to
// F or G. These were told apart in an earlier round, so this ends. Conjuncts that turn out not to be needed
// are left out again.
//
// That takes time for every state of the other class. When much has been spent, F and G become, without looking at
// states, the conjunction of the formulas that tell N from every class that the other class can leave N to, and C from
// every class that it can do a into. The formula is as deep, but may say more than is needed.
//
// There is one formula for each pair of parts of a class, so at most as many as states, however often they are used.
type distinguisher struct {
	*history
	l       *lts.LTS // states numbered as in the history's graph, and minimal
	checker *checker
	known   map[[2]uint32]*Formula
	looks   int // how many more states may be asked whether a formula holds
}

// manyLooks is what distinguisher.looks begins with: about a second.
const manyLooks = 1 << 18

// distinguish returns a formula that holds in state x of l and not in y, which are not equivalent. l is the
// quotient by e.
func distinguish(f *effort.Effort, l *lts.LTS, e Equivalence, x, y uint32, looks int) (*Formula, error) {
	g, node := reduce(f, l, e, false)
	if node != nil {
		var err error
		if l, err = permuted(f, l, node); err != nil {
			return nil, err
		}
		x, y = node[x], node[y]
	}
	h, err := newHistory(f, g, x, y)
	if err != nil {
		return nil, err
	}
	d := &distinguisher{history: h, l: l, checker: newChecker(f, l), known: map[[2]uint32]*Formula{}, looks: looks}
	return d.formula(h.leaf[h.name[x]], h.leaf[h.name[y]])
}

// permuted returns a system with other numbers for its states.
func permuted(f *effort.Effort, l *lts.LTS, number []uint32) (*lts.LTS, error) {
	b := lts.NewBuilder()
	out := b.Appender()
	translate := newTranslator(l, b)
	for a := range l.Labels() {
		translate.row([]lts.Edge{{Label: lts.Label(a)}}) // so that labels keep their numbers
	}
	var row []lts.Edge
	for s := range uint32(l.States()) {
		f.Tick()
		row = row[:0]
		for _, e := range l.Out(s) {
			row = append(row, lts.Edge{Label: e.Label, To: number[e.To]})
		}
		out.Add(number[s], row...)
	}
	return b.Build(f.Context, number[l.Initial()], l.States())
}

// formula returns a formula that holds in all of class b and nowhere in class c.
func (d *distinguisher) formula(b, c uint32) (*Formula, error) {
	d.effort.Check()
	b, c = d.fork(b, c)
	if f, ok := d.known[[2]uint32{b, c}]; ok {
		return f, nil
	}
	f, err := d.explain(b, c)
	if err != nil {
		return nil, err
	}
	d.known[[2]uint32{b, c}] = f
	d.known[[2]uint32{c, b}] = not(f)
	return f, nil
}

// explain does formula for two parts of one class. Of several differences it takes one that has little to be told
// from, and better one of what b can do than one of what it cannot.
func (d *distinguisher) explain(b, c uint32) (*Formula, error) {
	ofB, ofC := d.signature(b), d.signature(c)
	best, cost, negated := observation{}, -1, false
	look := func(from, other []observation, negate bool) {
		for _, o := range from {
			if slices.Contains(other, o) {
				continue
			}
			n := 0
			if negate {
				n++ // a sentence without "not" is easier to read
			}
			for _, p := range other {
				if p.label == o.label && !p.diverges {
					n++
				}
			}
			if cost < 0 || n < cost {
				best, cost, negated = o, n, negate
			}
		}
	}
	look(ofB, ofC, false)
	look(ofC, ofB, true)
	switch {
	case cost < 0:
		return nil, fmt.Errorf("classes %d and %d have no difference", b, c)
	case negated:
		f, err := d.observe(best, b, ofB)
		if err != nil {
			return nil, err
		}
		return not(f), nil
	}
	return d.observe(best, c, ofC)
}

// An observation is what a class can do, in terms of the round before it was made: reach a transition
// through states of its parent, or diverge within it.
type observation struct {
	within   uint32
	label    lts.Label
	to       uint32 // a class; void if diverges
	diverges bool
}

// signature returns the observations of a class, by those of its first state.
func (d *distinguisher) signature(b uint32) []observation {
	round, within := d.tree[b].round-1, d.tree[b].parent
	first := d.members(b)[0]
	seen := map[uint32]bool{first: true}
	var all []observation
	for todo := []uint32{first}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, e := range d.row(s) {
			d.effort.Tick()
			to := d.classAt(e.To, round)
			switch {
			case e.Label == d.diverge:
				all = append(all, observation{within: within, label: lts.Tau, diverges: true})
			case !d.inert || e.Label != lts.Tau || to != within:
				all = append(all, observation{within: within, label: e.Label, to: to})
			case !seen[e.To]:
				seen[e.To] = true
				todo = append(todo, e.To)
			}
		}
	}
	return all
}

// observe returns a formula for an observation that holds nowhere in class c, where it cannot be made. other is
// the signature of c.
func (d *distinguisher) observe(o observation, c uint32, other []observation) (*Formula, error) {
	p := &candidate{observation: o, round: d.tree[c].round - 1, label: d.l.Label(o.label), inert: d.inert}
	for {
		if d.looks < 0 {
			return d.exclude(p, other)
		}
		i := d.counterexample(p.formula(), c)
		if i == none {
			break
		}
		if err := d.strengthen(p, i); err != nil {
			return nil, err
		}
	}
	d.prune(p, &p.through, c)
	d.prune(p, &p.into, c)
	return p.formula(), nil
}

// counterexample returns a state of a class in which a formula holds, or none.
func (d *distinguisher) counterexample(f *Formula, c uint32) uint32 {
	for _, s := range d.members(c) {
		d.looks--
		if d.checker.holds(f, s) {
			return s
		}
	}
	return none
}

// exclude makes a formula for p that holds nowhere in the class with signature other.
func (d *distinguisher) exclude(p *candidate, other []observation) (*Formula, error) {
	p.through, p.into = nil, nil
	add := func(to *[]*Formula, b, c uint32) error {
		f, err := d.formula(b, c)
		if err == nil && !slices.Contains(*to, f) {
			*to = append(*to, f)
		}
		return err
	}
	if p.inert && p.observation.label == lts.Tau && !p.diverges {
		if err := add(&p.into, p.to, p.within); err != nil { // φ⟨τ⟩ψ holds where ψ does
			return nil, err
		}
	}
	for _, o := range other {
		if o.diverges {
			continue
		}
		if p.inert && o.label == lts.Tau {
			if err := add(&p.through, p.within, o.to); err != nil {
				return nil, err
			}
		}
		if !p.diverges && o.label == p.observation.label {
			if err := add(&p.into, p.to, o.to); err != nil {
				return nil, err
			}
		}
	}
	return p.formula(), nil
}

// A candidate is a formula F ⟨a⟩ G, ⟨a⟩G or ΔF being made for an observation.
type candidate struct {
	observation
	round         uint32 // what the classes of the observation refer to
	label         string
	inert         bool
	through, into []*Formula // the conjuncts of F and G
}

func (p *candidate) formula() *Formula {
	switch {
	case p.diverges:
		return &Formula{Op: Diverge, Args: []*Formula{and(p.through)}}
	case p.inert:
		return &Formula{Op: Until, Label: p.label, Args: []*Formula{and(p.through), and(p.into)}}
	}
	return &Formula{Op: Next, Label: p.label, Args: []*Formula{and(p.into)}}
}

// strengthen adds a conjunct to p, which holds in state s, for one of the reasons why it should not.
func (d *distinguisher) strengthen(p *candidate, s uint32) error {
	var outside, end uint32
	if p.diverges {
		outside, end = d.escape(p, s), none
	} else {
		outside, end = d.witness(p, s)
	}
	if end != none {
		if c := d.classAt(end, p.round); c != p.to {
			f, err := d.formula(p.to, c)
			p.into = append(p.into, f)
			return err
		}
	}
	if outside == none {
		return fmt.Errorf("state %d can do what its class cannot", s)
	}
	f, err := d.formula(p.within, d.classAt(outside, p.round))
	p.through = append(p.through, f)
	return err
}

// witness finds a way on which Next or Until holds in s: the state where it ends, and the first state on it
// that is not in p.within, or none.
func (d *distinguisher) witness(p *candidate, s uint32) (outside, end uint32) {
	through, into := and(p.through), and(p.into)
	if p.inert && p.observation.label == lts.Tau && d.checker.holds(into, s) {
		return none, s
	}
	type visit struct{ state, outside uint32 }
	seen := map[uint32]bool{s: true}
	for todo := []visit{{s, none}}; len(todo) > 0; {
		v := todo[0]
		todo = todo[1:]
		for _, e := range d.l.Out(v.state) {
			if e.Label == p.observation.label && d.checker.holds(into, e.To) {
				return v.outside, e.To
			}
			if !p.inert || e.Label != lts.Tau || seen[e.To] || !d.checker.holds(through, e.To) {
				continue
			}
			seen[e.To] = true
			next := visit{e.To, v.outside}
			if next.outside == none && d.classAt(e.To, p.round) != p.within {
				next.outside = e.To
			}
			todo = append(todo, next)
		}
	}
	return none, none
}

// escape returns a state, not in p.within, that is reached from s by τ's through states where p holds.
func (d *distinguisher) escape(p *candidate, s uint32) uint32 {
	f := p.formula()
	seen := map[uint32]bool{s: true}
	for todo := []uint32{s}; len(todo) > 0; {
		v := todo[0]
		todo = todo[1:]
		if d.classAt(v, p.round) != p.within {
			return v
		}
		for _, e := range d.l.Out(v) {
			if e.Label == lts.Tau && !seen[e.To] && d.checker.holds(f, e.To) {
				seen[e.To] = true
				todo = append(todo, e.To)
			}
		}
	}
	return none
}

// prune leaves out conjuncts of p without which it still holds nowhere in class c.
func (d *distinguisher) prune(p *candidate, conjuncts *[]*Formula, c uint32) {
	for i := 0; i < len(*conjuncts) && d.looks >= 0; {
		all := *conjuncts
		*conjuncts = slices.Delete(slices.Clone(all), i, i+1)
		if d.counterexample(p.formula(), c) != none {
			*conjuncts = all
			i++
		}
	}
}
