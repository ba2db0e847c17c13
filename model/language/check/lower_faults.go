package check

import (
	"cmp"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// crashedName is the name of the control point of a process that has crashed.
const crashedName = "crashed"

// environment lowers faults and time.
func (b *builder) environment() {
	f, t := &b.protocol.Faults, &b.protocol.Time
	for _, v := range b.protocol.Vars {
		if v.Kind == ir.Timer && v.Lasting() && !t.Ticks {
			t.Ticks, t.Pos = true, v.Pos
		}
	}
	if d := b.file.Channel; d != nil {
		b.capacity(d.Capacity)
		for _, c := range b.file.Channel.Clauses {
			if kind, ok := ir.FaultOf(c.Word); ok {
				if f.Most[kind] = b.limit(c.Most); f.Most[kind] != 0 {
					f.Pos = cmp.Or(f.Pos, c.Pos)
				}
				b.effects(c, kind)
				continue
			}
			switch c.Word {
			case "delay":
				d := b.rangeType(c.Delay)
				if d.Lo < 0 || d.Hi > maxDelay {
					b.errs.Add(c.Delay.Pos, "a delay of %s ticks: it must be 0 to %d", d, maxDelay)
				}
				t.Ticks, t.Delay, t.Lo, t.Hi = true, true, d.Lo, d.Hi
				t.Pos = c.Pos
			case "dropping":
				b.protocol.Capacity.Drops = true
			case "racing":
				t.Racing = b.holds(c.If)
			}
		}
	}
	b.synchronous()
	b.crashes()
}

// synchronous checks that nothing is said of messages in synchronous channels, which hold none.
func (b *builder) synchronous() {
	p := b.protocol
	if !p.Channel.Sync {
		return
	}
	refuse := func(pos syntax.Pos, what string) {
		b.errs.Add(pos, "%s: a %s channel holds no messages", what, p.Channel.Keyword)
	}
	if p.Capacity.Most > 0 {
		refuse(p.Capacity.Pos, "a capacity")
	}
	for _, c := range b.file.Channel.Clauses {
		kind, fault := ir.FaultOf(c.Word)
		if fault && p.Faults.Most[kind] != 0 || c.Word == "delay" || c.Word == "racing" && p.Time.Racing {
			refuse(c.Pos, c.Word)
		}
	}
}

// capacity sets the number of messages that each channel has room for; nil for any number.
func (b *builder) capacity(most syntax.Expr) {
	if most == nil {
		return
	}
	n := b.constant(most, nil).Value
	if n < 1 || n > maxCapacity {
		b.errs.Add(most.ExprPos(), "a capacity of %d messages: it must be 1 to %d", n, maxCapacity)
	}
	b.protocol.Capacity.Most, b.protocol.Capacity.Pos = int(n), most.ExprPos()
}

// maxCapacity bounds the capacity of a channel.
const maxCapacity = 1 << 20

// effects checks that the effects of a fault on each message can be listed.
func (b *builder) effects(c *syntax.ChannelClause, kind ir.FaultKind) {
	for _, m := range b.protocol.Messages {
		if b.protocol.Faults.Most[kind] != 0 && kind.Count(m) > ir.MostEffects {
			b.errs.Add(c.Pos, "%s: message %s can be %s in more than %d ways", c.Word, m.Name, kind.Info().Participle,
				ir.MostEffects).Hint = "give its fields smaller types"
		}
	}
}

// maxDelay bounds the delay of a message, in ticks.
const maxDelay = 1 << 10

// limit returns the maximum number of faults.
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

// crashes lowers the crash clause: it lists the processes that can crash.
func (b *builder) crashes() {
	d := b.file.Crash
	if d == nil {
		return
	}
	f := &b.protocol.Faults
	f.Most[ir.CrashFault] = b.limit(d.Most)
	f.Mortal = make([]bool, b.protocol.N)
	if d.Name != nil {
		f.Number = b.binder(symbolOf(d.Name.Binding), ir.NodeType(b.protocol.N))
	}
	where := ir.Expr(boolean(true))
	if d.Where != nil {
		where = b.logical(d.Where)
	}
	env := b.env()
	for p := range f.Mortal {
		if f.Number != nil {
			env.Vars[f.Number.ID] = int64(p)
		}
		f.Mortal[p] = len(b.errs) == 0 && b.value(where, env) != 0
	}
	if !slices.Contains(f.Mortal, true) {
		f.Most[ir.CrashFault] = 0
	}
	if f.Most[ir.CrashFault] != 0 {
		b.crashEquation(d.Pos)
		f.Pos = cmp.Or(f.Pos, d.Pos)
	}
}

// recovery lowers the call with which a crashed process restarts, if one can crash: by a fault or by its own action.
func (b *builder) recovery() {
	d, f := b.file.Crash, &b.protocol.Faults
	if d == nil || d.Recover == nil || f.Crashed == nil {
		return
	}
	f.Recover, f.Pos = b.call(d.Recover), cmp.Or(f.Pos, d.Pos)
	if b.own.used { // then it is the last argument
		f.Number = cmp.Or(f.Number, b.vars[b.self])
		f.Recover.Args[len(f.Recover.Args)-1] = &ir.VarRef{Var: f.Number}
	}
	b.begins(f)
}

// crashEquation returns the equation of crashed processes; pos is the place of the crash.
func (b *builder) crashEquation(pos syntax.Pos) *ir.Equation {
	f := &b.protocol.Faults
	if f.Crashed == nil {
		f.Crashed = &ir.Equation{Name: crashedName}
		f.Crashed.Start = &ir.Point{Equation: f.Crashed, Start: true, Term: &ir.Stop{}, Pos: pos}
	}
	return f.Crashed
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
