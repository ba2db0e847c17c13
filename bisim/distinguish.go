package bisim

import (
	"context"
	"fmt"
	"slices"

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
// The system is minimal and, but for loops that stand for divergence, without τ-cycles.
type distinguisher struct {
	*history
	ctx       context.Context
	l         *lts.LTS
	abstracts bool // from τ
	checker   *checker
	members   [][]uint32 // by class
	known     map[[2]uint32]*Formula
}

// distinguish returns a formula that holds in state x of l and not in y, which are not equivalent. l is the
// quotient by e.
func distinguish(ctx context.Context, l *lts.LTS, e Equivalence, x, y uint32) (*Formula, error) {
	h, err := newHistory(ctx, l, e, x, y)
	if err != nil {
		return nil, err
	}
	d := &distinguisher{
		history:   h,
		ctx:       ctx,
		l:         l,
		abstracts: e != Strong,
		checker:   newChecker(l),
		members:   make([][]uint32, len(h.parent)),
		known:     map[[2]uint32]*Formula{},
	}
	for s, c := range h.class {
		for {
			d.members[c] = append(d.members[c], uint32(s))
			if c == 0 {
				break
			}
			c = h.parent[c]
		}
	}
	return d.formula(h.class[x], h.class[y])
}

// formula returns a formula that holds in all of class b and nowhere in class c.
func (d *distinguisher) formula(b, c uint32) (*Formula, error) {
	b, c = d.fork(b, c)
	if f, ok := d.known[[2]uint32{b, c}]; ok {
		return f, nil
	}
	if err := d.ctx.Err(); err != nil {
		return nil, fmt.Errorf("looking for a difference: %w", err)
	}
	f, err := d.explain(b, c)
	if err != nil {
		return nil, err
	}
	d.known[[2]uint32{b, c}] = f
	d.known[[2]uint32{c, b}] = not(f)
	return f, nil
}

// explain does formula for two parts of one class.
func (d *distinguisher) explain(b, c uint32) (*Formula, error) {
	can, other := d.signature(b), d.signature(c)
	for _, o := range can {
		if !slices.Contains(other, o) {
			return d.observe(o, c)
		}
	}
	for _, o := range other {
		if !slices.Contains(can, o) {
			f, err := d.observe(o, b)
			if err != nil {
				return nil, err
			}
			return not(f), nil
		}
	}
	return nil, fmt.Errorf("classes %d and %d have no difference", b, c)
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
	round, within := d.round[b]-1, d.parent[b]
	seen := map[uint32]bool{}
	var all []observation
	var visit func(s uint32)
	visit = func(s uint32) {
		seen[s] = true
		for _, e := range d.l.Out(s) {
			to := d.at(d.class[e.To], round)
			switch {
			case !d.abstracts || e.Label != lts.Tau || to != within:
				all = append(all, observation{within: within, label: e.Label, to: to})
			case e.To == s:
				all = append(all, observation{within: within, diverges: true})
			case !seen[e.To]:
				visit(e.To)
			}
		}
	}
	visit(d.members[b][0])
	return all
}

// observe returns a formula for an observation that holds nowhere in class c, where it cannot be made.
func (d *distinguisher) observe(o observation, c uint32) (*Formula, error) {
	p := &pattern{observation: o, round: d.round[c] - 1, label: d.l.Label(o.label), abstracts: d.abstracts}
	for {
		set := d.checker.once(p.formula())
		i := slices.IndexFunc(d.members[c], set.has)
		if i < 0 {
			break
		}
		if err := d.strengthen(p, d.members[c][i]); err != nil {
			return nil, err
		}
	}
	holds := func() bool { return slices.ContainsFunc(d.members[c], d.checker.once(p.formula()).has) }
	p.through = prune(&p.through, holds)
	p.into = prune(&p.into, holds)
	return p.formula(), nil
}

// A pattern is a formula F ⟨a⟩ G, ⟨a⟩G or ΔF being made for an observation.
type pattern struct {
	observation
	round         uint32 // what the classes of the observation refer to
	label         string
	abstracts     bool
	through, into []*Formula // the conjuncts of F and G
}

func (p *pattern) formula() *Formula {
	switch {
	case p.diverges:
		return &Formula{Op: Diverge, Args: []*Formula{and(p.through)}}
	case p.abstracts:
		return &Formula{Op: Until, Label: p.label, Args: []*Formula{and(p.through), and(p.into)}}
	}
	return &Formula{Op: Next, Label: p.label, Args: []*Formula{and(p.into)}}
}

// strengthen adds a conjunct to p, which holds in state s, for one of the reasons why it should not.
func (d *distinguisher) strengthen(p *pattern, s uint32) error {
	through := d.checker.eval(and(p.through))
	var outside, end uint32
	if p.diverges {
		outside, end = d.escape(p, d.checker.once(p.formula()), s), none
	} else {
		outside, end = d.witness(p, through, d.checker.eval(and(p.into)), s)
	}
	if end != none {
		if c := d.at(d.class[end], p.round); c != p.to {
			f, err := d.formula(p.to, c)
			p.into = append(p.into, f)
			return err
		}
	}
	if outside == none {
		return fmt.Errorf("state %d can do what its class cannot", s)
	}
	f, err := d.formula(p.within, d.at(d.class[outside], p.round))
	p.through = append(p.through, f)
	return err
}

// witness finds a way on which Next or Until holds in s: the state where it ends, and the first state on it
// that is not in p.within, or none.
func (d *distinguisher) witness(p *pattern, through, into bitset, s uint32) (outside, end uint32) {
	if p.abstracts && p.label == lts.TauName && into.has(s) {
		return none, s
	}
	type visit struct{ state, outside uint32 }
	seen := map[uint32]bool{s: true}
	for todo := []visit{{s, none}}; len(todo) > 0; {
		v := todo[0]
		todo = todo[1:]
		for _, e := range d.l.Out(v.state) {
			if d.l.Label(e.Label) == p.label && into.has(e.To) {
				return v.outside, e.To
			}
			if !p.abstracts || e.Label != lts.Tau || seen[e.To] || !through.has(e.To) {
				continue
			}
			seen[e.To] = true
			next := visit{e.To, v.outside}
			if next.outside == none && d.at(d.class[e.To], p.round) != p.within {
				next.outside = e.To
			}
			todo = append(todo, next)
		}
	}
	return none, none
}

// escape returns a state, not in p.within, that is reached from s by τ's within a set.
func (d *distinguisher) escape(p *pattern, set bitset, s uint32) uint32 {
	seen := map[uint32]bool{s: true}
	for todo := []uint32{s}; len(todo) > 0; {
		v := todo[0]
		todo = todo[1:]
		if d.at(d.class[v], p.round) != p.within {
			return v
		}
		for _, e := range d.l.Out(v) {
			if e.Label == lts.Tau && set.has(e.To) && !seen[e.To] {
				seen[e.To] = true
				todo = append(todo, e.To)
			}
		}
	}
	return none
}

// prune leaves out conjuncts without which the formula still does not hold where it should not.
func prune(conjuncts *[]*Formula, holds func() bool) []*Formula {
	for i := 0; i < len(*conjuncts); {
		all := *conjuncts
		*conjuncts = slices.Delete(slices.Clone(all), i, i+1)
		if holds() {
			*conjuncts = all
			i++
		}
	}
	return *conjuncts
}
