package check

import (
	"cmp"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// behaviour resolves roles, rewards, bounds, goals and temporal properties.
func (b *builder) behaviour() {
	for _, d := range syntax.All[*syntax.RoleDecl](b.file) {
		b.role(d)
	}
	rewards := b.rewards()
	for _, d := range syntax.All[*syntax.BoundDecl](b.file) {
		if b.holds(d.If) {
			b.protocol.Bounds = append(b.protocol.Bounds, b.bound(d, rewards))
		}
	}
	for _, goal := range b.file.Goals {
		b.protocol.Goals = append(b.protocol.Goals, b.formula(goal))
	}
	for _, d := range syntax.All[*syntax.TemporalDecl](b.file) {
		if b.holds(d.If) {
			b.noticed = notice{}
			temporal := &ir.Temporal{Formula: b.formula(d.Formula), Chance: chances[d.Chance]}
			for _, f := range d.Fair {
				temporal.Fair = append(temporal.Fair, b.fairness(f))
			}
			b.protocol.Properties = append(b.protocol.Properties, &ir.Property{
				Kind: ir.LTL, Name: d.Name, Doc: d.Doc, Body: boolean(true), Pos: d.Pos,
				Temporal: temporal, Warnings: b.noticed.warnings(d.Pos, false),
			})
		}
	}
}

// chances are how likely a temporal formula can have to be.
var chances = map[string]ir.Chance{
	"": ir.AllRuns, "probability one": ir.ProbabilityOne, "positive probability": ir.PositiveProbability,
}

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
			c.uses[id] = sym
			return
		}
		names = append(names, t.names(func(*symbol) bool { return true })...)
	}
	c.errs.Add(id.Pos, "no equation, event or message %s", id.Name).Hint = syntax.Suggest(id.Name, names)
}

func (b *builder) fairness(f *syntax.FairClause) ir.FairClause {
	clause := ir.FairClause{Strongly: f.Strongly}
	for _, id := range f.Names {
		clause.Names = append(clause.Names, id.Name)
		switch sym := b.uses[id]; sym.kind {
		case equationSymbol:
			if eq := b.equations[sym]; eq != nil {
				clause.Equations = append(clause.Equations, eq)
			}
		case eventSymbol:
			clause.Events = append(clause.Events, b.events[sym])
		default:
			clause.Messages = append(clause.Messages, b.messages[sym])
		}
	}
	return clause
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

func (b *builder) bound(d *syntax.BoundDecl, rewards map[string]*ir.Reward) *ir.Bound {
	relations := map[string]ir.Relation{"<": ir.Less, "<=": ir.AtMost, ">=": ir.AtLeast, ">": ir.Greater}
	bound := &ir.Bound{
		Name: d.Name, Doc: d.Doc, Within: -1, Goal: b.formula(d.Goal),
		Relation: relations[d.Relation], Value: b.rational(d.Bound), Uniform: d.Uniform, Pos: d.Pos,
	}
	if d.Reward != nil {
		bound.Reward = rewards[d.Reward.Name]
	}
	if d.Within != nil {
		if bound.Within = b.constant(d.Within, nil).Value; bound.Within < 0 {
			b.errs.Add(d.Within.ExprPos(), "within %d steps: the number must not be negative", bound.Within)
		}
	}
	return bound
}

// roles checks the roles, in which the name of the process number stands for the process.
func (c *checker) roles() {
	seen := map[string]syntax.Pos{}
	for _, d := range syntax.All[*syntax.RoleDecl](c.file) {
		if old, found := seen[d.Name]; found {
			c.errs.Add(d.Pos, "a second role %s, the first is on line %d", d.Name, old.Line)
		}
		seen[d.Name] = d.Pos
		s := scope{context: propertyContext, order: len(c.file.Order)}
		if c.self != nil {
			s = s.with(c.bind(s, d.Pos, c.self.name, anInteger, d))
		}
		c.body(s, d.Body, nil, "role")
	}
}

func (b *builder) role(d *syntax.RoleDecl) {
	r := &ir.Role{Name: d.Name, Word: cmp.Or(d.Doc, d.Name)}
	if d.Colour != nil {
		r.Colour = d.Colour.Name
	}
	r.Var = b.binder(b.uses[d], ir.NodeType(b.protocol.N))
	r.Body = b.logical(d.Body)
	b.protocol.Roles = append(b.protocol.Roles, r)
}

// A rewardField is a field of a message or event as the value of a reward reads it.
type rewardField struct {
	reward *syntax.RewardDecl
	field  *syntax.Field
}

// rewardDecl checks a reward, whose value may use the fields of what it is for.
func (c *checker) rewardDecl(d *syntax.RewardDecl) {
	if d.Per == "tick" && !c.timed() {
		c.errs.Add(d.Pos, "reward %s per tick: the protocol has no time", d.Name).
			Hint = "declare a timer, or channels with a delay"
	}
	s := c.constants()
	for _, f := range c.rewarded(d) {
		// A field hides whatever else has its name.
		sym := &symbol{kind: binderSymbol, name: f.Name, pos: f.Pos, shape: c.types[f.Type].shape, decl: f, used: true}
		c.fieldBinders[rewardField{d, f}] = sym
		s = s.with(sym)
	}
	if q, ok := d.Value.(*syntax.BinaryExpr); ok && q.Op == "/" {
		c.expect(s, q.X, anInteger, "reward")
		c.expect(c.constants(), q.Y, anInteger, "reward")
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

// rewards resolves the rewards of the spec and those that every spec has.
func (b *builder) rewards() map[string]*ir.Reward {
	named := map[string]*ir.Reward{}
	add := func(r *ir.Reward) {
		named[r.Name] = r
		b.protocol.Rewards = append(b.protocol.Rewards, r)
	}
	if b.info.rewards["steps"] == nil {
		add(&ir.Reward{Name: "steps", Per: ir.PerStep, Value: integer(1)})
	}
	if b.info.rewards["messages"] == nil {
		add(&ir.Reward{Name: "messages", Per: ir.PerSend, Value: integer(1)})
	}
	for _, d := range syntax.All[*syntax.RewardDecl](b.file) {
		add(b.reward(d))
	}
	return named
}

func (b *builder) reward(d *syntax.RewardDecl) *ir.Reward {
	r := &ir.Reward{Name: d.Name, Doc: d.Doc, Pos: d.Pos}
	var fields []*syntax.Field
	var types []ir.Field
	switch d.Per {
	case "tick":
		r.Per = ir.PerTick
	case "event":
		r.Per, r.Event = ir.PerEvent, b.events[b.uses[d]]
		fields, types = b.uses[d].fields, r.Event.Fields
	case "send":
		r.Per = ir.PerSend
		if d.Of != nil {
			r.Message = b.messages[b.uses[d]]
			fields, types = b.uses[d].fields, r.Message.Fields
		}
	}
	for i, f := range fields {
		r.Fields = append(r.Fields, b.binder(b.fieldBinders[rewardField{d, f}], types[i].Type))
	}
	value := d.Value
	if q, ok := value.(*syntax.BinaryExpr); ok && q.Op == "/" {
		value = q.X
		if r.Over = b.constant(q.Y, nil).Value; r.Over < 1 {
			b.errs.Add(q.Y.ExprPos(), "a reward is divided by %d: want at least 1", r.Over)
		}
	}
	r.Value = b.expr(value, nil)
	return r
}
