package spectest

import (
	"fmt"
	"slices"

	"ringcheck/model/language/channel"
	"ringcheck/model/language/syntax"
)

func withRegister(p *plan) { p.register = true }
func withGhost(p *plan)    { p.ghost = true }
func withTimer(p *plan)    { p.timer = true }

// clause describes a clause of the channel, with a limit or without.
func clause(word string, limited bool) pattern {
	return of(func(c *syntax.ChannelClause) bool { return c.Word == word && (c.Most != nil) == limited })
}

// delayed describes a delay.
func delayed(lo, hi int64) pattern {
	return of(func(c *syntax.ChannelClause) bool {
		if c.Delay == nil {
			return false
		}
		l, h := c.Delay.Lo.(*syntax.IntLit), c.Delay.Hi.(*syntax.IntLit)
		return l.Value == lo && h.Value == hi
	})
}

// kindOf describes the channels of one kind.
func kindOf(word string) pattern {
	return of(func(d *syntax.ChannelDecl) bool { return len(d.Kinds) == 1 && d.Kinds[0].Name == word })
}

// capacious describes channels with a capacity that drop messages or not, and with another clause, if any.
func capacious(dropping bool, other string) pattern {
	return of(func(d *syntax.ChannelDecl) bool {
		has := func(word string) bool {
			return slices.ContainsFunc(d.Clauses, func(c *syntax.ChannelClause) bool { return c.Word == word })
		}
		return d.Capacity != nil && has("dropping") == dropping && (other == "" || has(other))
	})
}

// capacityFeatures are channels with a capacity, alone and with what makes them full and empty.
var capacityFeatures = []feature{
	{name: "capacity: one message", in: capacious(false, ""),
		declare: func(p *plan) { p.capacity, p.dropping = 1, false }},
	{name: "capacity: two messages", in: capacious(false, ""),
		declare: func(p *plan) { p.capacity, p.dropping, p.initial = 2, false, 1 }},
	{name: "capacity: full to begin with", in: capacious(false, ""),
		declare: func(p *plan) { p.capacity, p.dropping, p.initial = 1, false, 1 }},
	{name: "capacity: a draw that decides where to send", in: draw.and(part(of[syntax.Send]())),
		declare: func(p *plan) { p.capacity, p.dropping, p.initial = 1, false, 1 },
		write:   before("draw f; if f then send TARGET M0(NUMBER); END else EVENT; ")},
	{name: "capacity: a draw with a send that is also an alternative",
		in:      of[syntax.ChoiceTerm]().and(part(draw)),
		declare: func(p *plan) { p.capacity, p.dropping, p.initial = 1, false, 1 },
		write:   or("(draw f; if f then send TARGET M0(0); stop else ping; stop | send TARGET M0(0); stop)")},
	{name: "capacity: dropping", in: capacious(true, ""), declare: func(p *plan) { p.capacity, p.dropping = 1, true }},
	{name: "capacity: loss", in: capacious(false, "lossy"), declare: func(p *plan) {
		p.capacity, p.dropping, p.limits, p.initial = 1, false, limit("1", "lossy"), 1
	}},
	{name: "capacity: duplicates", in: capacious(false, "duplicating"), declare: func(p *plan) {
		p.capacity, p.dropping, p.limits, p.initial = 2, false, limit("1", "duplicating"), 1
	}},
	{name: "capacity: dropping and duplicates", in: capacious(true, "duplicating"), declare: func(p *plan) {
		p.capacity, p.dropping, p.limits, p.initial = 2, true, limit("1", "duplicating"), 1
	}},
	{name: "capacity: delay", in: capacious(false, "delay"), declare: func(p *plan) {
		p.capacity, p.dropping, p.delay, p.initial = 1, false, "0..1", 1
	}},
	{name: "capacity: race", in: capacious(false, "racing"), declare: func(p *plan) {
		p.capacity, p.dropping, p.delay, p.racing, p.initial = 1, false, "0..1", ", racing", 1
	}},
	{name: "capacity: dropping and delay", in: capacious(true, "delay"), declare: func(p *plan) {
		p.capacity, p.dropping, p.delay, p.initial = 1, true, "1..2", 1
	}},
	{name: "capacity: timer", in: capacious(false, ""),
		declare: func(p *plan) { p.capacity, p.dropping, p.timer, p.initial = 1, false, true, 1 }},
}

// disciplineFeatures are the kinds of channels.
func disciplineFeatures() (all []feature) {
	for _, word := range channel.Buffers() {
		all = append(all, feature{
			name: "channel: " + word, in: kindOf(word), declare: func(p *plan) { p.channel = word },
		})
	}
	return all
}

// messageFaults returns the faults of messages, one at a time.
func messageFaults() []feature {
	all := []feature{{name: "fault: any number", in: clause("lossy", false),
		declare: func(p *plan) { p.limits, p.initial = limit("unlimited", "lossy"), 0 }}}
	for word := range faultKinds() {
		all = append(all, feature{name: "fault: " + word, in: clause(word, true),
			declare: func(p *plan) { p.limits, p.initial = limit("1", word), 1 }})
	}
	return all
}

// channelFeatures are what can go wrong with channels, and time.
var channelFeatures = []feature{
	{name: "channel: a kind by option", in: of(func(d *syntax.ChannelDecl) bool { return len(d.Kinds) > 1 }),
		declare: func(p *plan) { p.channel = "unordered | fifo = fifo" }},
	{name: "fault: loss and duplication of a queue", in: of(func(d *syntax.ChannelDecl) bool {
		return len(d.Clauses) > 1 && d.Clauses[0].Most != nil && d.Clauses[1].Most != nil && d.Kinds[0].Name == "fifo"
	}), declare: func(p *plan) { p.limits, p.initial, p.channel = limit("1", "lossy", "duplicating"), 1, "fifo" }},
	{name: "channel: messages to begin with", in: of[syntax.InitiallyDecl](), declare: func(p *plan) { p.initial = 1 }},
	{name: "channel: several messages to begin with", in: of(func(d *syntax.InitiallyDecl) bool {
		return len(d.Messages) > 1
	}), declare: func(p *plan) { p.initial = 2 }},
	{name: "time: no delay", in: delayed(0, 0), declare: func(p *plan) { p.delay, p.initial = "0..0", 1 }},
	{name: "time: delay or none", in: delayed(0, 1), declare: func(p *plan) { p.delay, p.initial = "0..1", 1 }},
	{name: "time: fixed delay", in: delayed(1, 1), declare: func(p *plan) { p.delay, p.initial = "1..1", 1 }},
	{name: "time: delays", in: delayed(1, 2), declare: func(p *plan) { p.delay, p.initial = "1..2", 1 }},
	{name: "time: race", in: of(func(c *syntax.ChannelClause) bool { return c.Word == "racing" }),
		declare: func(p *plan) { p.delay, p.racing, p.initial = "0..1", ", racing", 1 }},
	{name: "time: race on a condition", in: of(func(c *syntax.ChannelClause) bool {
		return c.Word == "racing" && c.If != nil
	}),
		declare: func(p *plan) { p.delay, p.racing, p.initial = "1..1", ", racing if flag", 1 }},
	{name: "fault: loss and delay", in: of(func(d *syntax.ChannelDecl) bool {
		return len(d.Clauses) > 1 && d.Clauses[0].Word == "lossy" && d.Clauses[len(d.Clauses)-1].Delay != nil
	}), declare: func(p *plan) { p.delay, p.limits, p.initial = "1..2", limit("1", "lossy"), 1 }},
	{name: "time: timer", in: of(func(d *syntax.VarDecl) bool { return d.Kind == "timer" }), declare: withTimer},
	{name: "time: timer in a when", in: timer.and(place(of[syntax.WhenTerm](), "Cond")), declare: withTimer,
		write: or("when t = 0: EVENT; ", "when t > 0: EVENT; ")},
	{name: "time: timer in an if", in: timer.and(place(of[syntax.IfTerm](), "Cond")), declare: withTimer,
		write: before("skip; if t = 0 then END else ", "skip; if t = 1 then stop else ")},
	{name: "time: timer set with an action", in: of(func(l *syntax.LetTerm) bool { return l.Name.Name == "t" }),
		declare: withTimer, write: before("let t = 1; EVENT; ", "choose x in {0, 1}; let t = x; skip; ")},
	{name: "time: timer set by an action", in: of(func(a *syntax.Assign) bool { return a.Name.Name == "t" }),
		declare: withTimer, write: before("t := 1; ", "t := 2; ")},
	{name: "time: waiting for a timer", in: timer.and(place(of[syntax.WhenTerm](), "Cond")).and(
		inside(in(of[syntax.PrefixTerm](), "Next"), "Cond")), declare: withTimer,
		write: before("let t = 2; ping; when t = 0: skip; ")},
}

var timer = of(func(n *syntax.Name) bool { return n.Name == "t" })

// assigned describes the assignments to a register or a ghost by an action of their own.
func assigned(name string) pattern {
	return of(func(a *syntax.Assign) bool { return a.Name.Name == name }).and(in(of[syntax.PrefixTerm](), "Action"))
}

// crash returns an alternative in which a process crashes itself.
func crash(s *scope, depth int) string {
	return "(crash | " + s.event() + "; " + s.fall().term(depth-1) + ")"
}

// faultFeatures are crashes and recoveries.
var faultFeatures = []feature{
	{name: "fault: crash, any process", in: of(func(d *syntax.CrashDecl) bool { return d.Where == nil }),
		declare: func(p *plan) { p.crash = "1" }},
	{name: "fault: crash, some processes", in: of(func(d *syntax.CrashDecl) bool { return d.Where != nil }),
		declare: func(p *plan) { p.crash = "1 of p where p = 0" }},
	{name: "fault: recovery", in: of(func(d *syntax.CrashDecl) bool { return d.Recover != nil }),
		declare: func(p *plan) { p.crash, p.recovery = "1", "E" }},
	{name: "fault: recovery with a loop", in: of(func(d *syntax.CrashDecl) bool {
		return d.Recover != nil && d.Recover.Name == "Rounds"
	}), declare: func(p *plan) { p.crash, p.recovery, p.rounds = "1", "Rounds(0)", true }},
	{name: "fault: recovery of some processes", in: of(func(d *syntax.CrashDecl) bool {
		return d.Recover != nil && d.Where != nil
	}), declare: func(p *plan) { p.crash, p.recovery = "1 of p where p = 0", "E" }},
	{name: "process: crashes itself", in: of[syntax.CrashTerm](), declare: func(p *plan) { p.crash = "0" },
		write: crash},
	{name: "fault: crash, by chance", in: of[syntax.CrashTerm]().and(in(of[syntax.IfTerm](), "Then", "Else")),
		declare: func(p *plan) { p.crash = "1" }, write: func(s *scope, depth int) string {
			return fmt.Sprintf("draw f with 1/3; if f then crash else %s; %s", s.event(), s.fall().term(depth-1))
		}},
	{name: "fault: crash, own action and recovery", in: of(func(d *syntax.CrashDecl) bool { return d.Recover != nil }),
		declare: func(p *plan) { p.crash, p.recovery = "0", "E" },
		write:   crash},
}

// processFeatures are registers, ghosts, the ways in which processes begin, and equations.
var processFeatures = []feature{
	{name: "register: set by an action", in: assigned("r"), declare: withRegister, write: before("r := NUMBER; ")},
	{name: "register: set with an action", in: of(func(l *syntax.LetTerm) bool { return l.Name.Name == "r" }),
		declare: withRegister, write: before("let r = NUMBER; EVENT; ")},
	{name: "register: any initial value", in: of(func(d *syntax.VarDecl) bool {
		return d.Kind == "register" && d.Init == nil
	}), declare: func(p *plan) { p.register, p.start = true, "none" }},
	{name: "register: initial value of a process", in: of(func(d *syntax.VarDecl) bool {
		return d.Kind == "register" && d.Init != nil && part(of[syntax.CondExpr]())(&node{value: d})
	}), declare: func(p *plan) { p.register, p.start = true, "if p = 0 then high else 0" }},
	{name: "ghost: set by an action", in: assigned("g"), declare: withGhost, write: before("g := NUMBER; ")},
	{name: "ghost: set with an action", in: of(func(l *syntax.LetTerm) bool { return l.Name.Name == "g" }),
		declare: withGhost, write: before("let g = (g + NUMBER) mod (high + 1); EVENT; ")},
	{name: "ghost: set by a receive", in: of(func(a *syntax.Assign) bool { return a.Name.Name == "g" }).and(
		in(of[syntax.Receive](), "Then")), declare: withGhost, write: or("TAKE then g := (g + 1) mod (high + 1); ")},
	{name: "process: kinds", in: of(func(d *syntax.ProcessDecl) bool { return d.Index != nil }),
		declare: func(p *plan) { p.species = "zero[p in 0..0]" }},
	{name: "process: a single one of a kind", in: of(func(d *syntax.ProcessDecl) bool { return d.Name == "hub" }),
		declare: func(p *plan) { p.species = "hub" }},
	{name: "process: a kind by name", in: of(func(n *syntax.Name) bool { return n.Name == "hub" }),
		declare: func(p *plan) { p.species = "hub" }, write: both("hub = 0", "(exists q in rest: q = hub + 1)")},
	{name: "process: begins with alternatives", in: of[syntax.ChoiceTerm]().and(in(of[syntax.ProcessDecl](), "Body")),
		declare: func(p *plan) { p.species, p.begin = "", "when" }},
	{name: "process: begins with a draw", in: draw.and(in(of[syntax.ProcessDecl](), "Body")),
		declare: func(p *plan) { p.begin = "draw f; skip; " }},
	{name: "process: begins with a choose", in: choose.and(in(of[syntax.ProcessDecl](), "Body")),
		declare: func(p *plan) { p.begin = "choose x in {0, high}; pong(x, true); " }},
	{name: "process: begins with a let", in: of[syntax.LetTerm]().and(inside(of[syntax.ProcessDecl](), "Body")),
		declare: func(p *plan) { p.begin, p.register = "let r = 1; skip; ", true }},
	{name: "process: kept parameter", in: of(func(d *syntax.EquationDecl) bool {
		for _, kept := range d.Kept {
			if kept {
				return true
			}
		}
		return false
	}), declare: func(p *plan) { p.near = true }, write: or("ping; Near(NUMBER)")},
	{name: "process: ignore", in: of[syntax.IgnoreTerm](), declare: func(p *plan) { p.ignores = true },
		write: func(s *scope, depth int) string {
			return fmt.Sprintf("(ignore M0 | skip; %s)", s.fall().term(depth-1))
		}},
	{name: "process: ignore in an equation", in: of(func(c *syntax.CallTerm) bool { return c.Name == "Junk" }),
		declare: func(p *plan) { p.ignores = true }, write: func(s *scope, depth int) string {
			return fmt.Sprintf("(Junk | skip; %s)", s.fall().term(depth-1))
		}},
	{name: "process: ignore behind a condition", in: of[syntax.IgnoreTerm]().and(
		inside(of[syntax.IfTerm]().or(of[syntax.WhenTerm]()), "Then", "Else")),
		declare: func(p *plan) { p.ignores = true },
		write: func(s *scope, depth int) string {
			return s.fill("(when BOOL: ignore M0 | skip; ") + s.fall().term(depth-1) + ")"
		}},
	{name: "process: ignore behind a let", in: of[syntax.IgnoreTerm]().and(in(of[syntax.LetTerm](), "Next")),
		declare: func(p *plan) { p.ignores, p.register = true, true }, write: func(s *scope, depth int) string {
			return s.fill("(let r = (r + 1) mod (high + 1); ignore M0 | skip; ") + s.fall().term(depth-1) + ")"
		}},
}
