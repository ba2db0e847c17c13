package syntax

import (
	"slices"
	"strings"
)

// The declarations of this file speak of runs rather than of states, or of how states are shown.
type (
	// RoleDecl: role leader = p at Leader "elected" green. The name of the process number in the process
	// declaration stands for the process.
	RoleDecl struct {
		Pos    Pos
		Name   string
		Body   Expr
		Doc    string
		Colour *Ident // nil: the tool chooses one
	}
	// RewardDecl: reward bits "…" = log2ceil(id) per send M. Per is "step", "send", "event" or "tick". The value may
	// use the fields of the message or event.
	RewardDecl struct {
		Pos   Pos
		Name  string
		Doc   string
		Value Expr
		Per   string
		Of    *Ident // nil: every step, every send, every tick
	}
	// BoundDecl: probability quick "…" = P(within 100: leader happens) >= 0.9, or expected cheap "…" =
	// E(messages until terminal) <= 2 * n. The goal may hold HappensExpr and EndExpr.
	BoundDecl struct {
		Pos      Pos
		Name     string
		Doc      string
		Reward   *Ident // nil: a probability
		Within   Expr   // steps; nil: without limit
		Goal     Expr
		Relation string // < <= >= >
		Bound    Expr
		Uniform  bool // under uniform
		If       Expr // as in PropertyDecl
	}
	// TemporalDecl: ltl served "…" = always eventually 0 at Critical under strongly fair of Deliver and probability
	// one.
	TemporalDecl struct {
		Pos     Pos
		Name    string
		Doc     string
		Formula Expr
		Fair    []*FairClause
		Chance  string // "probability one", "positive probability"; "": none
		If      Expr   // as in PropertyDecl
	}
	// FairClause: fair, strongly fair, fair of A, B, where the names are those of equations, events and messages.
	FairClause struct {
		Strongly bool
		Names    []*Ident
	}

	// HappensExpr: leader happens, leader happens at p: the next step is that event, of process p.
	HappensExpr struct {
		Pos   Pos
		Event *Ident
		At    Expr // nil: of whichever process
	}
	// EndExpr: terminal: the state has no transitions.
	EndExpr struct{ Pos Pos }
)

func (e *HappensExpr) ExprPos() Pos { return e.Pos }
func (e *EndExpr) ExprPos() Pos     { return e.Pos }

// Colours lists the colours of roles.
var Colours = []string{"amber", "blue", "green", "grey", "purple", "red", "teal"}

func (p *parser) role(pos Pos) Decl {
	d := &RoleDecl{Pos: pos, Name: p.name("the name of a role").Name}
	p.expect("=")
	d.Body = p.expr()
	d.Doc = p.doc()
	if t := p.peek(); t.kind == name && !t.first {
		d.Colour = p.oneOf(Colours...)
	}
	return d
}

// oneOf takes one of some words.
func (p *parser) oneOf(words ...string) *Ident {
	for _, w := range words {
		if t := p.peek(); p.accept(w) {
			return &Ident{t.pos, t.str}
		}
	}
	p.unexpected("one of "+strings.Join(words, ", "), p.misspelt(words...))
	return nil
}

func (p *parser) reward(pos Pos) Decl {
	d := &RewardDecl{Pos: pos, Name: p.name("the name of a reward").Name}
	d.Doc = p.doc()
	p.expect("=")
	d.Value = p.expr()
	p.expect("per")
	d.Per = p.oneOf("step", "send", "event", "tick").Name
	if t := p.peek(); d.Per == "event" || d.Per == "send" && t.kind == name && !t.first {
		d.Of = p.name("the name of an event")
	}
	return d
}

func (p *parser) probability(pos Pos) Decl {
	d := &BoundDecl{Pos: pos, Name: p.name("the name of a property").Name, Doc: p.doc()}
	p.expect("=")
	p.expect("P")
	p.expect("(")
	if p.accept("within") {
		d.Within = p.sum()
		p.expect(":")
	}
	return p.bound(d)
}

func (p *parser) expected(pos Pos) Decl {
	d := &BoundDecl{Pos: pos, Name: p.name("the name of a property").Name, Doc: p.doc()}
	p.expect("=")
	p.expect("E")
	p.expect("(")
	d.Reward = p.name("the name of a reward")
	p.expect("until")
	return p.bound(d)
}

// bound reads the goal and what is claimed.
func (p *parser) bound(d *BoundDecl) Decl {
	d.Goal = p.formula()
	p.expect(")")
	switch t := p.peek(); {
	case p.accept("<="), p.accept(">="), p.accept("<"), p.accept(">"):
		d.Relation = t.str
	default:
		p.unexpected(`"<=", ">=", "<" or ">"`, "")
	}
	d.Bound = p.sum()
	if p.accept("under") {
		p.expect("uniform")
		d.Uniform = true
	}
	d.If = p.condition()
	return d
}

func (p *parser) ltl(pos Pos) Decl {
	d := &TemporalDecl{Pos: pos, Name: p.name("the name of a property").Name, Doc: p.doc()}
	p.expect("=")
	d.Formula = p.formula()
	if p.accept("under") {
		p.assumption(d)
		for p.accept("and") {
			p.assumption(d)
		}
	}
	d.If = p.condition()
	return d
}

// assumption reads what a temporal property assumes of runs.
func (p *parser) assumption(d *TemporalDecl) {
	for _, words := range [][2]string{{"probability", "one"}, {"positive", "probability"}} {
		if !p.is(words[0]) {
			continue
		}
		if d.Chance != "" {
			p.fail(p.peek().pos, "", "the probability is given twice")
		}
		p.next++
		p.expect(words[1])
		d.Chance = words[0] + " " + words[1]
		return
	}
	f := &FairClause{Strongly: p.accept("strongly")}
	p.expect("fair")
	if p.accept("of") {
		f.Names = p.names(",", "the name of an equation, event or message")
	}
	d.Fair = append(d.Fair, f)
}

// under returns what a temporal property assumes of runs.
func (d *TemporalDecl) under() string {
	var parts []string
	for _, f := range d.Fair {
		s := "fair"
		if f.Strongly {
			s = "strongly fair"
		}
		if len(f.Names) > 0 {
			s += " of " + idents(f.Names, ", ")
		}
		parts = append(parts, s)
	}
	if d.Chance != "" {
		parts = append(parts, d.Chance)
	}
	if len(parts) == 0 {
		return ""
	}
	return "under " + strings.Join(parts, " and ")
}

// formula reads an expression in which temporal operators may stand.
func (p *parser) formula() Expr {
	p.temporal = true
	defer func() { p.temporal = false }()
	return p.expr()
}

// temporalWords are the operators of formulas, with their abbreviations. None is reserved: elsewhere they are names.
var temporalWords = map[string]string{
	"always": "always", "G": "always",
	"eventually": "eventually", "F": "eventually",
	"next": "next", "X": "next",
	"until": "until", "U": "until",
	"unless": "unless", "W": "unless",
	"releases": "releases", "R": "releases",
	"leads": "leads to",
}

// temporalOperator returns the temporal operator that comes next, "" if there is none of the given sort.
func (p *parser) temporalOperator(sort ...string) string {
	t := p.peek()
	if op := temporalWords[t.str]; p.temporal && t.kind == name && slices.Contains(sort, op) {
		return op
	}
	return ""
}

// leadsTo reads P leads to Q, which binds as loosely as an implication.
func (p *parser) leadsTo(x Expr) Expr {
	t := p.peek()
	if p.temporalOperator("leads to") == "" {
		return x
	}
	p.next++
	p.expect("to")
	return &BinaryExpr{t.pos, "leads to", x, p.expr()}
}

// until reads operands with until, unless or releases between them; they group to the right.
func (p *parser) until() Expr {
	x := p.negation()
	t := p.peek()
	if op := p.temporalOperator("until", "unless", "releases"); op != "" {
		p.enter()
		defer p.leave(1)
		p.next++
		return &BinaryExpr{t.pos, op, x, p.until()}
	}
	return x
}
