package check

import (
	"slices"

	"ringcheck/model/language/syntax"
)

func (c *checker) temporalDecl(d *syntax.TemporalDecl) {
	c.body(c.formulas(), d.Formula, d.If, "property")
	for _, f := range d.Fair {
		for _, id := range f.Names {
			c.fairName(id)
		}
	}
}

// fairName resolves the target of a fairness clause: an equation, an event or a message.
func (c *checker) fairName(id *syntax.Ident) {
	var names []string
	for _, t := range []namespace{c.equations, c.events, c.messages} {
		if sym := t[id.Name]; sym != nil {
			sym.asked, sym.used = true, sym.used || sym.kind != equationSymbol
			id.Binding = sym
			c.refer(id.Pos, sym)
			return
		}
		names = append(names, t.names(func(*symbol) bool { return true })...)
	}
	c.unknown(id.Pos, syntax.Suggest(id.Name, names), "no equation, event or message %s", id.Name)
}

// boundDecl checks a claim about a probability or an expected reward.
func (c *checker) boundDecl(d *syntax.BoundDecl) {
	c.goal(d.Goal, d.If)
	if d.Within != nil {
		c.expect(c.constants(), d.Within, anInteger, "number of steps")
	}
	c.reward(d.Reward)
	c.reward(d.Unit)
	c.probability(d.Bound)
}

// predefinedRewards are the rewards that need no declaration.
var predefinedRewards = []string{"steps", "messages", "ticks"}

// reward resolves the name of a reward, which may be nil.
func (c *checker) reward(id *syntax.Ident) {
	if id != nil && (c.rewards[id.Name] != nil || !slices.Contains(predefinedRewards, id.Name)) {
		c.resolve(c.rewards, id.Pos, rewardSymbol, id.Name)
	}
}

// goal checks a goal, which is there if cond holds.
func (c *checker) goal(goal, cond syntax.Expr) {
	s := c.formulas()
	s.goal = true
	c.body(s, goal, cond, "goal")
}

// roles checks the roles, in which the name of the process number denotes the process.
func (c *checker) roles() {
	for _, d := range syntax.All[*syntax.RoleDecl](c.file) {
		s := scope{context: propertyContext, order: len(c.file.Order)}
		if c.self != nil {
			sym := c.bind(s, d.Pos, c.self.name, anInteger, d)
			c.places = c.places[:len(c.places)-1] // it denotes the process that the declaration names
			d.Process, sym.at = sym, c.self.at
			c.refer(sym.at, sym)
			s = s.bind(sym)
		}
		c.body(s, d.Body, nil, "role")
	}
}

// rewardDecl checks a reward, whose value may use the fields of what it is for.
func (c *checker) rewardDecl(d *syntax.RewardDecl) {
	if d.Per == "tick" && !c.timed() {
		c.errs.Add(d.Pos, "reward %s per tick: the protocol has no time", d.Name).
			Hint = "declare a timer, or channels with a delay"
	}
	s := c.constants()
	d.Fields = nil
	for _, f := range c.rewardFields(d) {
		// A field hides all other declarations of its name.
		sh := symbolOf(f.Binding).shape
		sym := &symbol{kind: binderSymbol, name: f.Name, pos: f.Pos, shape: sh, decl: f, used: true}
		d.Fields = append(d.Fields, sym)
		c.refer(f.Pos, sym)
		s = s.bind(sym)
	}
	if q, ok := d.Value.(*syntax.BinaryExpr); ok && q.Op == "/" {
		c.expect(s, q.X, anInteger, "reward")
		c.expect(c.constants(), q.Y, anInteger, "reward")
		return
	}
	c.expect(s, d.Value, anInteger, "reward")
}

// rewardFields returns the fields of the message or event that d is for.
func (c *checker) rewardFields(d *syntax.RewardDecl) []*syntax.Field {
	if d.Of == nil {
		return nil
	}
	in, kind := c.messages, messageSymbol
	if d.Per == "event" {
		in, kind = c.events, eventSymbol
	}
	sym := c.resolve(in, d.Of.Pos, kind, d.Of.Name)
	if sym == nil {
		return nil
	}
	d.Of.Binding = sym
	return sym.fields
}

// connective reports whether the operands of e may be temporal formulas wherever e may be one.
func connective(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.UnaryExpr:
		return e.Op != "-"
	case *syntax.BinaryExpr:
		return temporal(e.Op) || e.Op == "and" || e.Op == "or" || e.Op == "=>"
	case *syntax.HappensExpr, *syntax.EndExpr:
		return true
	case *syntax.QuantExpr:
		return e.Op == "forall" || e.Op == "exists"
	}
	return false
}

// temporal reports whether op is an operator of temporal logic.
func temporal(op string) bool { return formulaOperators[op].Temporal() || op == "leads to" }

// temporalAtom checks an atom about a step or the end of a run, such as "leader happens" or "terminal".
func (c *checker) temporalAtom(s scope, e syntax.Expr) *shape {
	c.stateful = true
	if h, ok := e.(*syntax.HappensExpr); ok && c.isTick(h) {
		c.tickHappens(s, h)
	} else if ok {
		h.Event.Binding = c.resolve(c.events, h.Event.Pos, eventSymbol, h.Event.Name)
		if h.At != nil {
			c.expect(s, h.At, anInteger, "process")
			if s.goal {
				c.errs.Add(h.At.ExprPos(), "the event of a goal cannot name a process")
			}
		}
	}
	c.needTemporal(s, e.ExprPos(), "this")
	return aBoolean
}

// isTick reports whether an atom says that time advances: no event is called tick.
func (i *info) isTick(h *syntax.HappensExpr) bool {
	return h.Event.Name == "tick" && i.events["tick"] == nil
}

// tickHappens checks the atom "tick happens".
func (c *checker) tickHappens(s scope, h *syntax.HappensExpr) {
	switch {
	case !c.timed():
		c.errs.Add(h.Event.Pos, "the protocol has no time, so no tick happens").
			Hint = "declare a timer, or channels with a delay"
	case h.At != nil:
		c.errs.Add(h.At.ExprPos(), "a tick is not a step of a process")
	case s.goal:
		c.errs.Add(h.Event.Pos, "a tick cannot be a goal")
	}
}

func (c *checker) needTemporal(s scope, pos syntax.Pos, what string) {
	switch {
	case !s.temporal:
		c.errs.Add(pos, "%s can stand only in ltl and in goals, outside of definitions, comparisons, count and sum",
			what)
	case s.goal && temporal(what):
		c.errs.Add(pos, "a goal is reached at one moment, so %s cannot stand here", what)
	}
}

// formulas is the scope of temporal formulas and goals.
func (c *checker) formulas() scope {
	return scope{context: propertyContext, order: len(c.file.Order), temporal: true}
}

// hasTemporal reports whether e is more than a predicate of states.
func hasTemporal(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.HappensExpr, *syntax.EndExpr:
		return true
	case *syntax.UnaryExpr:
		return temporal(e.Op) || hasTemporal(e.X)
	case *syntax.QuantExpr:
		return connective(e) && hasTemporal(e.Body)
	case *syntax.BinaryExpr:
		return temporal(e.Op) || connective(e) && (hasTemporal(e.X) || hasTemporal(e.Y))
	}
	return false
}
