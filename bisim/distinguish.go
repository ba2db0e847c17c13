package bisim

import (
	"fmt"
	"slices"

	"ringcheck/bisim/lts"
	"ringcheck/internal/effort"
)

// A distinguisher constructs distinguishing formulas from the history of a refinement, following R. Cleaveland, "On
// automatically explaining bisimulation inequivalence" (CAV 1990) and, for until, H. Korver, "Computing distinguishing
// formulas for branching bisimulation" (CAV 1991). A round separated states x and y because x has an observation that y
// did not have in the partition before the round:
//
//	through N a step a into C        F ⟨a⟩ G  with F true on x's path through N and G at its end
//
// F and G start as true. As long as the formula holds in y, its witnessing path from y leaves N or misses C, and a
// formula that distinguishes x's states from the offending one is added to F or G. These were separated by an earlier
// round, so the construction terminates. Of several offending states, the one separated last comes first, since its
// formula often excludes the others as well. Finally, unnecessary conjuncts are dropped.
//
// Formulas can be as deep as there are states, so nothing here is recursive.
type distinguisher struct {
	*history
	l        *lts.LTS // minimal; its states are the states of the history
	inert    bool     // the equivalence abstracts from τ
	checker  *checker
	formulas map[[2]uint32]*Formula // by pair: holds in the first, not in the second
	shared   map[uint32][]*Formula  // by class: some formulas that distinguish states of different parts of it
}

// manyShared limits the number of shared formulas per class.
const manyShared = 4

// distinguish returns a formula of minimal depth that holds in state x of l but not in y. The states must not be
// equivalent, and l must be the quotient by e.
func distinguish(f *effort.Effort, l *lts.LTS, e Equivalence, x, y uint32) (*Formula, error) {
	g, node := reduce(f, l, e, false)
	h, err := tellApart(f, g, node[x], node[y])
	if err != nil {
		return nil, err
	}
	for s, n := range node {
		node[s] = h.name[n]
	}
	h.name = node
	d := &distinguisher{
		history: h, l: l, inert: e != Strong, checker: newChecker(f, l),
		formulas: map[[2]uint32]*Formula{}, shared: map[uint32][]*Formula{},
	}
	return d.formula(x, y)
}

// A task is to find a formula that holds in x and not in y.
type task struct {
	x, y      uint32
	class     uint32     // the class whose division separated x and y
	round     uint32     // the last round before that
	candidate *candidate // nil until begin has chosen an exit of x
	other     []exit     // the exits of y
	lacks     *lack      // what candidate lacks, nil if not yet determined
}

// formula returns a formula that holds in x and not in y.
func (d *distinguisher) formula(x, y uint32) (*Formula, error) {
	for todo := []*task{{x: x, y: y}}; len(todo) > 0; {
		d.effort.Check()
		t := todo[len(todo)-1]
		if d.find(t.x, t.y) != nil {
			todo = todo[:len(todo)-1]
			continue
		}
		first, err := d.work(t)
		if err != nil {
			return nil, err
		}
		if first != nil {
			todo = append(todo, first)
		}
	}
	return d.find(x, y), nil
}

// know stores a formula that holds in x and not in y.
func (d *distinguisher) know(x, y uint32, f *Formula) {
	d.effort.Hold(192)
	d.formulas[[2]uint32{x, y}] = f
}

// find returns a formula known to hold in x and not in y, or nil.
func (d *distinguisher) find(x, y uint32) *Formula {
	f := d.formulas[[2]uint32{x, y}]
	if g := d.formulas[[2]uint32{y, x}]; f == nil && g != nil {
		f = not(g)
		d.know(x, y, f)
	}
	return f
}

// work advances a task until it is done or depends on another task, which it returns.
func (d *distinguisher) work(t *task) (first *task, err error) {
	if t.candidate == nil {
		if err := d.begin(t); err != nil || t.candidate == nil {
			return nil, err
		}
	}
	for {
		if t.lacks == nil {
			f := t.candidate.formula()
			if !d.checker.holds(f, t.y) {
				f = d.prune(t.candidate, t.y, f)
				d.know(t.x, t.y, f)
				if shared := d.shared[t.class]; len(shared) < manyShared {
					d.shared[t.class] = append(shared, f)
				}
				return nil, nil
			}
			if t.lacks, err = d.lack(t); err != nil {
				return nil, err
			}
		}
		if first = d.supply(t.lacks); first != nil {
			return first, nil
		}
		t.candidate.add(t.lacks)
		t.lacks = nil
	}
}

// begin chooses the exit that distinguishes x from y, which may swap. If a shared formula distinguishes them, t is
// done.
func (d *distinguisher) begin(t *task) error {
	part := d.separationClass(t.x, t.y)
	t.class, t.round = d.tree[part].parent, d.tree[part].round-1
	for _, f := range d.shared[t.class] {
		switch ofX, ofY := d.checker.holds(f, t.x), d.checker.holds(f, t.y); {
		case ofX && !ofY:
			d.know(t.x, t.y, f)
			return nil
		case ofY && !ofX:
			d.know(t.y, t.x, f)
			return nil
		}
	}
	ofX, ofY := d.look(t.x, t), d.look(t.y, t)
	at, cost := cheapest(ofX.exits, ofY.exits)
	back, costBack := cheapest(ofY.exits, ofX.exits)
	if at < 0 || back >= 0 && costBack+1 < cost { // a formula without negation is easier to read
		t.x, t.y, ofX, ofY, at = t.y, t.x, ofY, ofX, back
	}
	if at < 0 {
		return fmt.Errorf("states %d and %d have no difference", t.x, t.y)
	}
	e := ofX.exits[at]
	t.other = ofY.exits
	t.candidate = &candidate{
		exit: e, path: ofX.path(e.from), class: t.class, round: t.round, label: d.l.Label(e.label), inert: d.inert,
	}
	return nil
}

// An observation is a transition of a state into a class, after inert τ's, or its divergence.
type observation struct {
	label    lts.Label
	to       uint32 // a class; meaningless if diverges
	diverges bool
}

// An exit is a transition that yields an observation.
type exit struct {
	observation
	from int    // index of its source in the states of the view
	end  uint32 // its target state
}

// A view is the set of exits of a state through states of its class.
type view struct {
	states []visit
	exits  []exit
}

// A visit is a state and the index of its predecessor in a list of visits.
type visit struct {
	state uint32
	from  int
}

// path returns the states on the path to state number to.
func (v *view) path(to int) []uint32 {
	path := []uint32{v.states[to].state}
	for to > 0 {
		to = v.states[to].from
		path = append(path, v.states[to].state)
	}
	slices.Reverse(path)
	return path
}

// look returns the view of a state just before its class was divided.
func (d *distinguisher) look(s uint32, t *task) *view {
	v := &view{states: []visit{{s, 0}}}
	var seen map[uint32]bool
	for i := 0; i < len(v.states); i++ {
		for _, e := range d.l.Out(v.states[i].state) {
			d.effort.Tick()
			to := d.classAt(e.To, t.round)
			switch {
			case d.inert && e.Label == lts.Tau && e.To == v.states[i].state:
				v.exits = append(v.exits, exit{observation{label: lts.Tau, diverges: true}, i, e.To})
			case !d.inert || e.Label != lts.Tau || to != t.class:
				v.exits = append(v.exits, exit{observation{label: e.Label, to: to}, i, e.To})
			case !seen[e.To]: // not s: loops are the only τ-cycles
				if seen == nil {
					seen = make(map[uint32]bool)
				}
				seen[e.To] = true
				v.states = append(v.states, visit{e.To, i})
			}
		}
	}
	return v
}

// cheapest returns the index of an exit that no exit of other matches and whose label has the fewest observations in
// other, and that number; or -1.
func cheapest(of, other []exit) (at, cost int) {
	has, rivals := make(map[observation]bool, len(other)), make(map[lts.Label]int, 8)
	for _, e := range other {
		if !has[e.observation] && !e.diverges {
			rivals[e.label]++
		}
		has[e.observation] = true
	}
	at = -1
	for i, e := range of {
		if n := rivals[e.label]; !has[e.observation] && (at < 0 || n < cost) {
			at, cost = i, n
		}
	}
	return at, cost
}

// A candidate is a formula F ⟨a⟩ G, ⟨a⟩G or ΔF under construction for an exit of a state.
type candidate struct {
	exit
	path          []uint32 // the path to the exit, within one class
	class         uint32   // that class
	round         uint32   // the last round before its division
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

// add adds the disjunction of the formulas found for l to the candidate, as one conjunct.
func (p *candidate) add(l *lack) {
	if l.into {
		p.into = append(p.into, or(l.formulas))
	} else {
		p.through = append(p.through, or(l.formulas))
	}
}

// A lack describes a missing conjunct of a candidate: a formula that holds in some states and not in another.
type lack struct {
	into     bool
	states   []uint32
	not      uint32
	formulas []*Formula // disjuncts: each state handled so far satisfies one
}

// supply looks for the missing formulas. It returns a task that must be done first, or nil when l is complete.
func (d *distinguisher) supply(l *lack) *task {
	for ; len(l.states) > 0; l.states = l.states[1:] {
		s := l.states[0]
		if slices.ContainsFunc(l.formulas, func(f *Formula) bool { return d.checker.holds(f, s) }) {
			continue
		}
		f := d.find(s, l.not)
		if f == nil {
			return &task{x: s, y: l.not}
		}
		l.formulas = append(l.formulas, f)
	}
	return nil
}

// lack returns the conjunct that the candidate of a task, which still holds in y, lacks.
func (d *distinguisher) lack(t *task) (*lack, error) {
	p := t.candidate
	outside, end := none, none
	if p.diverges {
		outside = d.escape(p, t.y)
	} else {
		outside, end = d.witness(p, t.y)
	}
	switch {
	case end != none && d.classAt(end, p.round) != p.to:
		return &lack{into: true, states: []uint32{p.end}, not: d.hardest(t, end)}, nil
	case outside == none:
		return nil, fmt.Errorf("state %d can do what its class cannot", t.y)
	}
	return &lack{states: p.path, not: outside}, nil
}

// hardest considers the targets of y's steps that satisfy the candidate's G, among them end. It returns the target that
// was separated last from the target of x's step.
func (d *distinguisher) hardest(t *task, end uint32) uint32 {
	into := and(t.candidate.into)
	separated := func(end uint32) uint32 { return d.tree[d.separationClass(t.candidate.end, end)].round }
	last := separated(end)
	for _, e := range t.other {
		if e.label != t.candidate.exit.label || e.diverges {
			continue
		}
		if round := separated(e.end); round > last && d.checker.holds(into, e.end) {
			end, last = e.end, round
		}
	}
	return end
}

// separationClass returns the class of state x when refinement first separated it from y.
func (d *distinguisher) separationClass(x, y uint32) uint32 {
	return d.fork(d.leaf[d.name[x]], d.leaf[d.name[y]])
}

// witness finds a way on which Next or Until holds in s: the state where it ends, and the first state on it
// that is not in p.within, or none.
func (d *distinguisher) witness(p *candidate, s uint32) (outside, end uint32) {
	through, into := and(p.through), and(p.into)
	if p.inert && p.exit.label == lts.Tau && d.checker.holds(into, s) {
		return none, s
	}
	type visit struct{ state, outside uint32 }
	seen := map[uint32]bool{s: true}
	for todo := []visit{{s, none}}; len(todo) > 0; {
		v := todo[0]
		todo = todo[1:]
		for _, e := range d.l.Out(v.state) {
			d.effort.Tick()
			if e.Label == p.exit.label && d.checker.holds(into, e.To) {
				return v.outside, e.To
			}
			if !p.inert || e.Label != lts.Tau || seen[e.To] || !d.checker.holds(through, e.To) {
				continue
			}
			seen[e.To] = true
			next := visit{e.To, v.outside}
			if next.outside == none && d.classAt(e.To, p.round) != p.class {
				next.outside = e.To
			}
			todo = append(todo, next)
		}
	}
	return none, none
}

// escape returns a state outside p.within that s reaches by τ's through states where p holds.
func (d *distinguisher) escape(p *candidate, s uint32) uint32 {
	f := p.formula()
	seen := map[uint32]bool{s: true}
	for todo := []uint32{s}; len(todo) > 0; {
		v := todo[0]
		todo = todo[1:]
		if d.classAt(v, p.round) != p.class {
			return v
		}
		for _, e := range d.l.Out(v) {
			d.effort.Tick()
			if e.Label == lts.Tau && !seen[e.To] && d.checker.holds(f, e.To) {
				seen[e.To] = true
				todo = append(todo, e.To)
			}
		}
	}
	return none
}

// prune drops conjuncts of p, whose formula is f, without which the formula still does not hold in y.
func (d *distinguisher) prune(p *candidate, y uint32, f *Formula) *Formula {
	if len(p.through)+len(p.into) < 2 {
		return f // the last one was needed
	}
	for _, conjuncts := range []*[]*Formula{&p.through, &p.into} {
		for i := 0; i < len(*conjuncts); {
			all := *conjuncts
			*conjuncts = slices.Delete(slices.Clone(all), i, i+1)
			if shorter := p.formula(); d.checker.holds(shorter, y) {
				*conjuncts = all
				i++
			} else {
				f = shorter
			}
		}
	}
	return f
}
