package bisim

import (
	"fmt"
	"slices"
	"strings"

	"ringcheck/bisim/lts"
	"ringcheck/internal/effort"
)

// A Formula of Hennessy–Milner logic, with the until of R. De Nicola and F. Vaandrager, "Three logics for
// branching bisimulation" (J. ACM 42, 1995), and an operator for divergence (R. van Glabbeek, B. Luttik and
// N. Trčka, "Branching bisimilarity with explicit divergence", Fundam. Inform. 93, 2009). Two states are
// strongly bisimilar if they satisfy the same formulas without Until and Diverge, branching bisimilar if
// the same without Next and Diverge, and in the sense of Divergence if the same without Next.
//
// Formulas share parts and are immutable.
type Formula struct {
	Op    Op
	Label string // of Next and Until; TauName for τ
	Args  []*Formula
}

// Op is the outermost operator of a formula.
type Op int

const (
	// True holds everywhere and has no arguments.
	True Op = iota
	// Not is negation.
	Not
	// And is conjunction.
	And
	// Next, written ⟨a⟩φ, holds in s if s −a→ t for some t where φ holds.
	Next
	// Until, written φ⟨a⟩ψ, holds in s if there is a path of zero or more τ's through states where φ holds, s and
	// the last included, followed by an a to a state where ψ holds. If a is τ, it also holds if ψ holds in s.
	Until
	// Diverge, written Δφ, holds in s if there is an infinite path of τ's from s through states where φ holds.
	Diverge
)

var truth = &Formula{Op: True}

func not(f *Formula) *Formula {
	if f.Op == Not {
		return f.Args[0]
	}
	return &Formula{Op: Not, Args: []*Formula{f}}
}

func and(fs []*Formula) *Formula {
	switch len(fs) {
	case 0:
		return truth
	case 1:
		return fs[0]
	}
	return &Formula{Op: And, Args: append([]*Formula(nil), fs...)}
}

// or returns the disjunction of fs.
func or(fs []*Formula) *Formula {
	if len(fs) == 1 {
		return fs[0]
	}
	var opposites []*Formula
	for _, f := range fs {
		opposites = append(opposites, not(f))
	}
	return not(and(opposites))
}

// String returns the formula as one line. In a long formula, repeated parts and long parts get names, whose definitions
// follow: "⟨a⟩X1 ∧ ⟨b⟩X1 where X1 = …; X2 = …". A repeated operator, as in ⟨a⟩⟨a⟩⟨a⟩⟨a⟩φ, is written once: (⟨a⟩)^4 φ.
func (f *Formula) String() string { return strings.Join(f.Lines(), " ") }

// Lines is like String but returns each definition as a separate line.
func (f *Formula) Lines() []string {
	p := printer{uses: map[*Formula]int{}, texts: map[*Formula]string{}}
	if p.long(f) {
		p.count(f)
	}
	p.write(f)
	if len(p.definitions) == 0 {
		return []string{p.texts[f]}
	}
	lines := append([]string{p.texts[f] + " where"}, p.definitions...)
	for i := range p.definitions[1:] {
		lines[i+1] += ";"
	}
	return lines
}

// A formula with at most treeLimit operators is written without names. In a longer one, parts of at least partLimit
// bytes get names, and repeatLimit or more equal operators in a row are written once.
const (
	treeLimit   = 60
	partLimit   = 100
	repeatLimit = 4
)

type printer struct {
	uses        map[*Formula]int    // of the parts of a long formula
	texts       map[*Formula]string // the text of a part as an operand
	definitions []string            // definitions of named parts: "X1 = …"
}

// long reports whether the formula, as a tree, has more than treeLimit operators.
func (p *printer) long(f *Formula) bool {
	n := 0
	var walk func(*Formula) bool
	walk = func(f *Formula) bool {
		n++
		for _, g := range f.Args {
			if n > treeLimit || walk(g) {
				return true
			}
		}
		return n > treeLimit
	}
	return walk(f)
}

func (p *printer) count(f *Formula) {
	for todo := []*Formula{f}; len(todo) > 0; {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.uses[f]++; p.uses[f] == 1 {
			todo = append(todo, f.Args...)
		}
	}
}

// write writes the parts of f, the inner ones first. It does not recurse, since a formula can be too deep for the
// stack.
func (p *printer) write(f *Formula) {
	for todo := []*Formula{f}; len(todo) > 0; {
		g := todo[len(todo)-1]
		if _, done := p.texts[g]; done {
			todo = todo[:len(todo)-1]
			continue
		}
		before := len(todo)
		for _, part := range slices.Backward(p.operands(g)) {
			if _, done := p.texts[part]; !done {
				todo = append(todo, part)
			}
		}
		if len(todo) == before {
			p.texts[g] = p.operand(g, g == f)
			todo = todo[:before-1]
		}
	}
}

// operand returns the text of a part as an operand: its name, or the part itself, in brackets unless it is closed. The
// whole formula has neither name nor brackets.
func (p *printer) operand(f *Formula, whole bool) string {
	body, closed := p.body(f)
	text := body
	if !closed && !whole {
		text = "(" + body + ")"
	}
	if uses := p.uses[f]; whole || f.Op == True || uses == 0 || uses == 1 && len(text) < partLimit {
		return text
	}
	name := fmt.Sprintf("X%d", len(p.definitions)+1)
	p.definitions = append(p.definitions, name+" = "+body)
	return name
}

// operands returns the parts whose texts occur in the text of f.
func (p *printer) operands(f *Formula) []*Formula {
	if f.Op != Next && f.Op != Until {
		return f.Args
	}
	last, n := p.repetition(f)
	if n < repeatLimit {
		return f.Args
	}
	return append(slices.Clone(f.Args[:len(f.Args)-1]), target(last))
}

// body returns the text of a part; closed says that it needs no brackets.
func (p *printer) body(f *Formula) (s string, closed bool) {
	switch f.Op {
	case True:
		return "true", true
	case Not:
		return "¬" + p.texts[f.Args[0]], true
	case Diverge:
		return "Δ" + p.texts[f.Args[0]], true
	case And:
		parts := make([]string, len(f.Args))
		for i, g := range f.Args {
			parts[i] = p.texts[g]
		}
		return strings.Join(parts, " ∧ "), false
	}
	last, n := p.repetition(f)
	if s = "⟨" + f.Label + "⟩"; f.Label == lts.TauName {
		s = "⟨τ⟩"
	}
	if f.Op == Until {
		s = p.texts[f.Args[0]] + " " + s
	}
	switch {
	case n >= repeatLimit:
		return fmt.Sprintf("(%s)^%d %s", s, n, p.texts[target(last)]), false
	case f.Op == Until:
		return s + " " + p.texts[target(f)], false
	}
	return s + p.texts[target(f)], true
}

// target returns the last argument of Next or Until.
func target(f *Formula) *Formula { return f.Args[len(f.Args)-1] }

// repetition returns the number of equal Next or Until operators in a row from f on in a long formula, and the last of
// them.
func (p *printer) repetition(f *Formula) (last *Formula, n int) {
	same := func(g *Formula) bool {
		return g.Op == f.Op && g.Label == f.Label && (f.Op == Next || g.Args[0] == f.Args[0]) && p.uses[g] == 1
	}
	n, last = 1, f
	for p.uses[f] > 0 && same(target(last)) {
		n, last = n+1, target(last)
	}
	return last, n
}

// A checker decides where formulas hold in one system, by the definitions of the operators. It works on demand and
// caches answers: time and memory are at most the product of the sizes of the system and the formula, with shared parts
// counted once.
type checker struct {
	l      *lts.LTS
	effort *effort.Effort
	label  map[string]lts.Label
	known  map[question]bool
	depth  int // number of nested questions
}

// A question asks whether a formula holds in a state.
type question struct {
	f *Formula
	s uint32
}

func newChecker(w *effort.Effort, l *lts.LTS) *checker {
	return &checker{l: l, effort: w, label: labelsByName(l), known: map[question]bool{}}
}

func labelsByName(l *lts.LTS) map[string]lts.Label {
	label := map[string]lts.Label{}
	for a := range lts.Label(l.Labels()) {
		label[l.Label(a)] = a
	}
	return label
}

// maxDepth is the maximum number of nested questions. A formula can be as deep as there are states, too deep for the
// stack: a question beyond maxDepth is answered first, and then the waiting ones are asked again.
const maxDepth = 1 << 13

// A deferral is the panic value for a question to be answered first.
type deferral question

func (c *checker) holds(f *Formula, s uint32) bool {
	if c.depth > 0 {
		return c.decide(f, s)
	}
	for todo := []question{{f, s}}; ; {
		answer, first := c.try(todo[len(todo)-1])
		switch {
		case first != nil:
			todo = append(todo, question(*first))
		case len(todo) == 1:
			return answer
		default:
			todo = todo[:len(todo)-1]
		}
	}
}

// try answers a question, or returns one to be answered first.
func (c *checker) try(q question) (answer bool, first *deferral) {
	defer func() {
		c.depth = 0
		if v := recover(); v != nil {
			d, ok := v.(deferral)
			if !ok {
				panic(v)
			}
			first = &d
		}
	}()
	c.depth = 1
	return c.decide(q.f, q.s), nil
}

func (c *checker) decide(f *Formula, s uint32) bool {
	c.effort.Tick()
	switch f.Op {
	case Not:
		return !c.holds(f.Args[0], s)
	case And:
		for _, g := range f.Args {
			if !c.holds(g, s) {
				return false
			}
		}
		return true
	case True:
		return true
	}
	q := question{f, s}
	answer, ok := c.known[q]
	if !ok {
		if c.depth++; c.depth > maxDepth {
			panic(deferral(q))
		}
		switch f.Op {
		case Next:
			answer = c.steps(f, f.Args[0], s)
		case Until:
			answer = c.until(q)
		default:
			answer = c.diverges(q)
		}
		c.depth--
		c.answer(q, answer)
	}
	return answer
}

func (c *checker) answer(q question, holds bool) {
	const entry = 48 // bytes per map entry
	c.effort.Hold(entry)
	c.known[q] = holds
}

// steps reports whether s has a transition with the label of f to a state where into holds.
func (c *checker) steps(f, into *Formula, s uint32) bool {
	a, ok := c.label[f.Label]
	for _, e := range c.l.Out(s) {
		if ok && e.Label == a && c.holds(into, e.To) {
			return true
		}
	}
	return false
}

// until searches along τ's, breadth first, for a state with the required step. If there is one, the formula holds in
// all states on the path to it; otherwise in none of the visited states.
func (c *checker) until(q question) bool {
	through, into := q.f.Args[0], q.f.Args[1]
	if q.f.Label == lts.TauName && c.holds(into, q.s) {
		return true
	}
	if !c.holds(through, q.s) {
		return false
	}
	type visit struct {
		state uint32
		from  int
	}
	visits := []visit{{q.s, 0}}
	seen := map[uint32]bool{q.s: true}
	for i := 0; i < len(visits); i++ {
		v := visits[i].state
		if c.known[question{q.f, v}] || c.steps(q.f, into, v) {
			for ; i > 0; i = visits[i].from {
				c.answer(question{q.f, visits[i].state}, true)
			}
			return true
		}
		for _, e := range c.l.Out(v) {
			if e.Label != lts.Tau || seen[e.To] {
				continue
			}
			seen[e.To] = true
			if c.holds(through, e.To) {
				visits = append(visits, visit{e.To, i})
			}
		}
	}
	for _, v := range visits {
		c.answer(question{q.f, v.state}, false)
	}
	return false
}

// A call is a state being visited and the index of its next transition to follow.
type call struct{ state, edge uint32 }

// diverges searches depth first for a cycle of τ's through states where the argument holds.
func (c *checker) diverges(q question) bool {
	if !c.holds(q.f.Args[0], q.s) {
		return false
	}
	path := []call{{state: q.s}}
	onPath := map[uint32]bool{q.s: true}
	for len(path) > 0 {
		top := &path[len(path)-1]
		out := c.l.Out(top.state)
		if int(top.edge) == len(out) {
			c.answer(question{q.f, top.state}, false)
			onPath[top.state] = false
			path = path[:len(path)-1]
			continue
		}
		e := out[top.edge]
		top.edge++
		if e.Label != lts.Tau || !c.holds(q.f.Args[0], e.To) {
			continue
		}
		does, known := c.known[question{q.f, e.To}]
		if onPath[e.To] || does {
			for _, v := range path {
				c.answer(question{q.f, v.state}, true)
			}
			return true
		}
		if !known {
			onPath[e.To] = true
			path = append(path, call{state: e.To})
		}
	}
	return false
}
