package check

import (
	"ringcheck/model/language/syntax"
)

// connective reports whether the operands of e may be temporal where e may.
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
func temporal(op string) bool {
	switch op {
	case "always", "eventually", "next", "until", "unless", "releases", "leads to":
		return true
	}
	return false
}

// temporalAtom checks what is true of a step or a run rather than of the parts of a state.
func (c *checker) temporalAtom(s scope, e syntax.Expr) *shape {
	if h, ok := e.(*syntax.HappensExpr); ok {
		c.uses[h] = c.resolve(c.events, h.Event.Pos, eventSymbol, h.Event.Name)
		if h.At != nil {
			c.expect(s, h.At, anInteger, "process")
		}
	}
	c.needTemporal(s, e.ExprPos(), "this")
	return aBoolean
}

func (c *checker) needTemporal(s scope, pos syntax.Pos, what string) {
	if !s.temporal {
		c.errs.Add(pos, "%s can stand only in ltl and in goals, outside of definitions, comparisons, count and sum", what)
	}
}

// formulas is the scope of temporal formulas and goals.
func (c *checker) formulas() scope {
	return scope{place: propertyPlace, order: len(c.file.Order), temporal: true}
}

func (c *checker) temporalDecl(d *syntax.TemporalDecl) {
	c.body(c.formulas(), d.Formula, d.If, "property")
	for _, f := range d.Fair {
		for _, id := range f.Names {
			c.fairName(id)
		}
	}
}

// fairName resolves what there is to be fairness of: an equation, an event or a message.
func (c *checker) fairName(id *syntax.Ident) {
	var names []string
	for _, t := range []namespace{c.equations, c.events, c.messages} {
		if sym := t[id.Name]; sym != nil {
			sym.asked, sym.used = true, sym.used || sym.kind != equationSymbol
			c.uses[id] = sym
			return
		}
		names = append(names, t.names(func(*symbol) bool { return true })...)
	}
	c.errs.Add(id.Pos, "no equation, event or message %s", id.Name).Hint = syntax.Suggest(id.Name, names)
}

// boundDecl checks a claim about a probability or an expected reward.
func (c *checker) boundDecl(d *syntax.BoundDecl) {
	c.goal(d.Goal, d.If)
	if d.Within != nil {
		c.expect(c.constants(), d.Within, anInteger, "number of steps")
	}
	if d.Reward != nil && !builtinReward(d.Reward.Name) {
		c.resolve(c.rewards, d.Reward.Pos, rewardSymbol, d.Reward.Name)
	}
	c.probability(d.Bound)
}

// goal checks a goal, which is there if cond holds.
func (c *checker) goal(goal, cond syntax.Expr) {
	c.body(c.formulas(), goal, cond, "goal")
	c.plainGoal(goal)
}

// builtinReward reports whether every spec has a reward of that name.
func builtinReward(name string) bool { return name == "steps" || name == "messages" }

// plainGoal reports temporal operators in a goal, which is a thing of one moment.
func (c *checker) plainGoal(e syntax.Expr) {
	refuse := func(pos syntax.Pos, op string) {
		if temporal(op) {
			c.errs.Add(pos, "a goal is reached at one moment: %s cannot stand here", op)
		}
	}
	switch e := e.(type) {
	case *syntax.HappensExpr:
		if e.At != nil {
			c.errs.Add(e.At.ExprPos(), "a goal speaks of an event of any process")
		}
	case *syntax.UnaryExpr:
		refuse(e.Pos, e.Op)
		c.plainGoal(e.X)
	case *syntax.BinaryExpr:
		refuse(e.Pos, e.Op)
		c.plainGoal(e.X)
		c.plainGoal(e.Y)
	case *syntax.QuantExpr:
		c.plainGoal(e.Body)
	}
}

// roles checks the roles, in which the name of the process number stands for the process.
func (c *checker) roles() {
	seen := map[string]syntax.Pos{}
	for _, d := range c.file.Roles {
		if old, found := seen[d.Name]; found {
			c.errs.Add(d.Pos, "a second role %s, the first is on line %d", d.Name, old.Line)
		}
		seen[d.Name] = d.Pos
		s := scope{place: propertyPlace, order: len(c.file.Order)}
		if c.self != nil {
			s = s.with(c.bind(s, d.Pos, c.self.name, anInteger, d))
		}
		c.body(s, d.Body, nil, "role")
	}
}

// A rewardField is a field of a message or event as the value of a reward reads it.
type rewardField struct {
	reward *syntax.RewardDecl
	field  *syntax.Field
}

// rewardDecl checks a reward, whose value may use the fields of what it is for.
func (c *checker) rewardDecl(d *syntax.RewardDecl) {
	if d.Per == "tick" && !c.timed() {
		c.errs.Add(d.Pos, "reward %s per tick: the protocol has no time", d.Name).Hint = "declare a timer, or channels with a delay"
	}
	s := c.constants()
	for _, f := range c.rewarded(d) {
		// A field hides whatever else has its name.
		sym := &symbol{kind: binderSymbol, name: f.Name, pos: f.Pos, shape: c.types[f.Type], decl: f, used: true}
		c.fieldBinders[rewardField{d, f}] = sym
		s = s.with(sym)
	}
	if q, ok := d.Value.(*syntax.BinaryExpr); ok && q.Op == "/" {
		c.expect(s, q.X, anInteger, "reward")
		c.expect(c.constants(), q.Y, anInteger, "reward")
		c.shapes[d.Value] = anInteger
		return
	}
	c.expect(s, d.Value, anInteger, "reward")
}

// rewarded returns the fields of the message or event that d is for.
func (c *checker) rewarded(d *syntax.RewardDecl) []*syntax.Field {
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
	c.uses[d] = sym
	return sym.fields
}
