package bisim

import (
	"fmt"
	"strings"

	"ringcheck/lts"
)

// A Formula of Hennessy–Milner logic, with the until of R. De Nicola and F. Vaandrager, "Three logics for
// branching bisimulation" (J. ACM 42, 1995), and an operator for divergence (R. van Glabbeek, B. Luttik and
// N. Trčka, "Branching bisimilarity with explicit divergence", Fundam. Inform. 93, 2009). Two states are
// strongly bisimilar if they satisfy the same formulas without Until and Diverge, branching bisimilar if
// the same without Next and Diverge, and in the sense of Divergence if the same without Next.
//
// Formulas share parts, and are not changed.
type Formula struct {
	Op    Op
	Label string // of Next and Until; TauName for τ
	Args  []*Formula
}

// Op is the outermost operator of a formula.
type Op int

const (
	// True holds everywhere. No arguments.
	True Op = iota
	// Not holds where its argument does not.
	Not
	// And holds where all its arguments do.
	And
	// Next, written ⟨a⟩φ, holds in s if s −a→ t for some t where φ holds.
	Next
	// Until, written φ⟨a⟩ψ, holds in s if s can do τ's, perhaps none, through states where φ holds, s and
	// the last included, and then a to a state where ψ holds. If a is τ, it is enough that ψ holds in s.
	Until
	// Diverge, written Δφ, holds in s if s can do τ for ever through states where φ holds, s included.
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

// treeLimit is the number of operators up to which a formula is written out.
const treeLimit = 60

// String writes the formula out. Parts of long formulas that occur more than once are named and defined
// behind the formula: "⟨a⟩X1 ∧ ⟨b⟩X1 where X1 = …".
func (f *Formula) String() string {
	p := printer{uses: map[*Formula]int{}, names: map[*Formula]string{}}
	if p.long(f) {
		p.count(f)
	}
	var b strings.Builder
	b.WriteString(p.text(f, false))
	for i, g := range p.defined {
		sep := "; "
		if i == 0 {
			sep = " where "
		}
		fmt.Fprintf(&b, "%s%s = %s", sep, p.names[g], p.bodies[i])
	}
	return b.String()
}

type printer struct {
	uses    map[*Formula]int
	names   map[*Formula]string
	defined []*Formula
	bodies  []string
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
	p.uses[f]++
	if p.uses[f] == 1 {
		for _, g := range f.Args {
			p.count(g)
		}
	}
}

// text writes f, in brackets if it is an operand and would be ambiguous without.
func (p *printer) text(f *Formula, operand bool) string {
	if p.uses[f] < 2 || f.Op == True {
		return p.body(f, operand)
	}
	if _, ok := p.names[f]; !ok {
		p.names[f] = fmt.Sprintf("X%d", len(p.names)+1)
		body := p.body(f, false)
		p.defined = append(p.defined, f)
		p.bodies = append(p.bodies, body)
	}
	return p.names[f]
}

func (p *printer) body(f *Formula, operand bool) string {
	s := ""
	switch f.Op {
	case True:
		return "true"
	case Not:
		return "¬" + p.text(f.Args[0], true)
	case Next:
		return actionText(f.Label) + p.text(f.Args[0], true)
	case Diverge:
		return "Δ" + p.text(f.Args[0], true)
	case Until:
		s = p.text(f.Args[0], true) + " " + actionText(f.Label) + " " + p.text(f.Args[1], true)
	case And:
		parts := make([]string, len(f.Args))
		for i, g := range f.Args {
			parts[i] = p.text(g, true)
		}
		s = strings.Join(parts, " ∧ ")
	}
	if operand {
		return "(" + s + ")"
	}
	return s
}

func actionText(label string) string {
	if label == lts.TauName {
		return "⟨τ⟩"
	}
	return "⟨" + label + "⟩"
}
