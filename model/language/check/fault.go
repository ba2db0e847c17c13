package check

import (
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// crashedName is the name of the control point of a process that has crashed.
const crashedName = "crashed"

// faults checks the clauses about faults and delays.
func (c *checker) faults() {
	if d := c.file.Channel; d != nil {
		seen := map[string]bool{}
		for _, clause := range d.Clauses {
			if seen[clause.Word] {
				c.errs.Add(clause.Pos, "a second %s", clause.Word)
			}
			seen[clause.Word] = true
			if clause.Most != nil {
				c.expect(c.constants(), clause.Most, anInteger, "number of faults")
			}
			if clause.Delay != nil {
				c.typ(c.constants(), clause.Delay)
			}
			c.condition(clause.If)
		}
	}
	d := c.file.Crash
	if d == nil {
		return
	}
	c.expect(c.constants(), d.Most, anInteger, "number of crashes")
	s := c.constants()
	if d.Name != nil {
		s = s.with(c.bind(scope{context: propertyContext}, d.Name.Pos, d.Name.Name, anInteger, d))
	}
	if d.Where != nil {
		c.expect(s, d.Where, aBoolean, "condition")
	}
	if d.Recover != nil {
		c.term(s, d.Recover)
	}
}

// timed reports whether a spec has time.
func (c *checker) timed() bool {
	timer := func(d *syntax.VarDecl) bool { return d.Kind == "timer" }
	delay := func(f *syntax.ChannelClause) bool { return f.Word == "delay" }
	return slices.ContainsFunc(syntax.All[*syntax.VarDecl](c.file), timer) ||
		c.file.Channel != nil && slices.ContainsFunc(c.file.Channel.Clauses, delay)
}

// environment resolves faults and time.
func (b *builder) environment() {
	f, t := &b.protocol.Faults, &b.protocol.Time
	for _, v := range b.protocol.Vars {
		t.Ticks = t.Ticks || v.Kind == ir.Timer && v.Lasting()
	}
	if b.file.Channel != nil {
		for _, c := range b.file.Channel.Clauses {
			switch c.Word {
			case "lossy":
				f.Losses = b.limit(c.Most)
			case "duplicating":
				f.Duplicates = b.limit(c.Most)
			case "delay":
				d := b.rangeType(c.Delay)
				if d.Lo < 0 || d.Hi > maxDelay {
					b.errs.Add(c.Delay.Pos, "a delay of %s ticks: it must be 0 to %d", d, maxDelay)
				}
				t.Ticks, t.Delay, t.Lo, t.Hi = true, true, d.Lo, d.Hi
			case "racing":
				t.Racing = b.holds(c.If)
			}
		}
	}
	b.crashes()
}

// maxDelay is how many ticks a message can take at most.
const maxDelay = 1 << 10

// limit returns how many faults there can be.
func (b *builder) limit(most syntax.Expr) int64 {
	if most == nil {
		return ir.Unlimited
	}
	n := b.constant(most, nil).Value
	if n < 0 {
		b.errs.Add(most.ExprPos(), "at most %d: the number must not be negative", n)
	}
	return n
}

// crashes resolves which processes can crash, and how they recover.
func (b *builder) crashes() {
	d := b.file.Crash
	if d == nil {
		return
	}
	f := &b.protocol.Faults
	f.Crashes = b.limit(d.Most)
	f.Mortal = make([]bool, b.protocol.N)
	if d.Name != nil {
		f.Number = b.binder(b.uses[d], ir.NodeType(b.protocol.N))
	}
	for p := range f.Mortal {
		f.Mortal[p] = d.Where == nil || b.mortal(d, p)
	}
	if d.Recover != nil {
		f.Recover = b.call(d.Recover)
		if b.own.used {
			b.recoverAs(f)
		}
		b.begins(f)
	}
	b.crashed(d.Pos)
}

// recoverAs makes self, the last argument of the call with which a process recovers, the number in f.
func (b *builder) recoverAs(f *ir.Faults) {
	if f.Number == nil {
		f.Number = b.vars[b.self]
	}
	f.Recover.Args[len(f.Recover.Args)-1] = &ir.VarRef{Var: f.Number}
}

// crashed returns the equation of crashed processes; pos is the place of the crash.
func (b *builder) crashed(pos syntax.Pos) *ir.Equation {
	f := &b.protocol.Faults
	if f.Crashed == nil {
		f.Crashed = &ir.Equation{Name: crashedName}
		f.Crashed.Start = &ir.Point{Equation: f.Crashed, Start: true, Term: &ir.Stop{}, Pos: pos}
	}
	return f.Crashed
}

// mortal evaluates the condition for process p.
func (b *builder) mortal(d *syntax.CrashDecl, p int) bool {
	env := b.env()
	env.Vars[b.protocol.Faults.Number.ID] = int64(p)
	v, err := b.logical(d.Where).Eval(env)
	if err != nil {
		b.errs.Add(d.Where.ExprPos(), "%s", err)
	}
	return v != 0
}

// begins checks the arguments with which processes recover, which are the same in every state.
func (b *builder) begins(f *ir.Faults) {
	for p, can := range f.Mortal {
		env := b.env()
		if f.Number != nil {
			env.Vars[f.Number.ID] = int64(p)
		}
		for _, a := range f.Recover.Args {
			if _, err := a.Eval(env); can && err != nil {
				b.errs.Add(f.Recover.Pos, "process %d: %s", p, err)
				return
			}
		}
	}
}
