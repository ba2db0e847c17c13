package export

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ringcheck/model/language/channel"
	"ringcheck/model/language/ir"
	semantics "ringcheck/model/language/step"
)

// MCRL2 writes p for the mCRL2 toolset as a single linear process. Each action is one summand for all values that are
// drawn or received, since the time of mCRL2's parser is cubic in the number of summands. With one process for each
// control point instead, linearisation would evaluate conditionals early, and there would be fewer states. The channels
// are bags, or lists whose head is received first.
func MCRL2(ctx context.Context, w io.Writer, p *ir.Protocol) error {
	return write(ctx, w, p, target{"mcrl2", ir.InMCRL2, false}, func(m *instance) { (&mcrl2{m}).write() })
}

// An mcrl2 writes numbers as Int, booleans as Bool and sets as FSet(Int).
type mcrl2 struct{ *instance }

func (e *mcrl2) write() {
	e.line("%% %s, %s", e.Name, e.settings())
	e.line("%%")
	e.line("%% pc_P is the control point of process P, NAME_P its variable NAME; those that are not live hold a " +
		"fixed value.")
	e.line("%% Values of an enumeration count from 0. To generate the state space:")
	e.line("%%   mcrl22lps -n FILE x.lps && lps2lts x.lps x.aut")
	e.sorts()
	e.actions()
	e.process()
	e.start()
}

func (e *mcrl2) sorts() {
	var points, messages []string
	for _, p := range e.Points {
		points = append(points, e.point(p))
	}
	for _, m := range e.Messages {
		messages = append(messages, inParentheses("m_"+m.Name, sorts(m.Fields)))
	}
	e.line("\nsort Point = struct %s;", strings.Join(points, " | "))
	if len(messages) > 0 {
		e.line("     Message = struct %s;", strings.Join(messages, " | "))
	}
}

// actions declares the actions. Their arguments are the process and, for a message, its target or source. An event has
// its name and fields, as in ringcheck.
func (e *mcrl2) actions() {
	e.line("\nact internal: Int;")
	if len(e.Messages) > 0 {
		if e.Numbered() {
			e.line("    send, recv: Int # Int # Message;")
		} else {
			e.line("    send_left, send_right, recv_left, recv_right: Int # Message;")
		}
	}
	for _, ev := range e.Events {
		if sorts := sorts(ev.Fields); len(sorts) == 0 {
			e.line("    %s;", mcrl2Name(ev.Name))
		} else {
			e.line("    %s: %s;", mcrl2Name(ev.Name), strings.Join(sorts, " # "))
		}
	}
}

// mcrl2Name returns the name of an event, made different from the reserved words of mCRL2 and from the other actions.
func mcrl2Name(name string) string {
	switch name {
	case "act", "allow", "bes", "block", "comm", "cons", "delay", "delta", "dist", "div", "end", "eqn", "exists",
		"false", "forall", "glob",
		"hide", "if", "in", "init", "lambda", "map", "mod", "mu", "nil", "nu", "pbes", "pred", "proc", "rename", "sort",
		"struct", "sum", "tau",
		"true", "val", "var", "whr", "yaled", "condeq", "condsm", "eqinf", "eqninf", "inf", "pres", "sup", "Bool",
		"Pos", "Nat", "Int", "Real", "List", "Set", "Bag", "FSet", "FBag",
		"Network", "internal", "send", "recv", "send_left", "send_right", "recv_left", "recv_right":
		return name + "_"
	}
	return name
}

// sorts returns the sorts of the fields that are not absent.
func sorts(fields []ir.Field) []string {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = mcrl2Sort(f.Type)
	}
	return present(all, fields)
}

func mcrl2Sort(t *ir.Type) string {
	switch t.Kind {
	case ir.Bool:
		return "Bool"
	case ir.Set:
		return "FSet(Int)"
	}
	return "Int"
}

// params calls do for each parameter of the process, with its name, its sort and a function for its value in an initial
// state.
func (e *mcrl2) params(do func(name, sort string, initial func(*semantics.State) string)) {
	vars := e.variables()
	for process := range e.N {
		at := func(c *semantics.State) string { return e.point(c.Processes[process].Point) }
		do(fmt.Sprintf("pc_%d", process), "Point", at)
		for _, v := range vars {
			e.Tick()
			do(variable(process)(v), mcrl2Sort(v.Type), func(c *semantics.State) string {
				value, _ := c.Processes[process].Var(v)
				return e.constant(v.Type, value)
			})
		}
	}
	sort := "FBag(Message)"
	if e.Channel.Ordered() {
		sort = "List(Message)"
	}
	for link := range e.Links {
		do(e.channel(link), sort, func(c *semantics.State) string { return e.contents(c.Channels[link]) })
	}
}

// contents writes the contents of a channel.
func (e *mcrl2) contents(messages []ir.Content) string {
	var all []string
	for _, c := range messages {
		all = append(all, message(e, c))
	}
	if e.Channel.Ordered() {
		return "[" + strings.Join(all, ", ") + "]"
	}
	bag := "{:}"
	for _, m := range all {
		bag = fmt.Sprintf("%s + {%s: 1}", bag, m)
	}
	return bag
}

func (e *mcrl2) process() {
	var params []string
	e.params(func(name, sort string, _ func(*semantics.State) string) {
		params = append(params, name+": "+sort)
	})
	e.line("\nproc Network(%s) =", strings.Join(params, ", "))
	separator := "   "
	for process := range e.N {
		e.eachStep(e, process, func(at *ir.Point, s *step) {
			e.line("  %% %s", e.describe(s))
			e.line("%s%s", separator, e.summand(process, at, s))
			separator = "  +"
		})
	}
	if separator == "   " {
		e.line("  delta")
	}
	e.line("  ;")
}

func (e *mcrl2) summand(process int, at *ir.Point, s *step) string {
	guards := append([]string{fmt.Sprintf("pc_%d == %s", process, e.point(at))}, s.guards...)
	changes := []string{fmt.Sprintf("pc_%d = %s", process, e.point(s.at))}
	action := fmt.Sprintf("internal(%d)", process)
	switch a := s.action.(type) {
	case *ir.Send:
		c := e.channel(s.link)
		m := inParentheses("m_"+a.Message.Name, s.args)
		action = e.communication("send", process, e.Links[s.link].Out, m)
		changes = append(changes, c+" = "+e.put(c, m))
	case *ir.Receive:
		c := e.channel(s.link)
		m := inParentheses("m_"+a.Message.Name, s.args)
		action = e.communication("recv", process, e.Links[s.link].In, m)
		if e.Channel.Ordered() {
			guards = append(guards, fmt.Sprintf("%s != []", c), fmt.Sprintf("head(%s) == %s", c, m))
			changes = append(changes, fmt.Sprintf("%s = tail(%s)", c, c))
		} else {
			guards = append(guards, fmt.Sprintf("%s in %s", m, c))
			changes = append(changes, fmt.Sprintf("%s = %s - {%s: 1}", c, c, m))
		}
	case *ir.Emit:
		action = inParentheses(mcrl2Name(a.Event.Name), s.args)
	case *ir.Assign, *ir.Skip, *ir.Crash: // internal
	}
	s.eachAssignment(e, at, process, func(name, value string) { changes = append(changes, name+" = "+value) })
	sum := ""
	if len(s.sums) > 0 {
		sum = "sum " + strings.Join(s.sums, ", ") + " . "
	}
	return fmt.Sprintf("%s(%s) -> %s . Network(%s)",
		sum, strings.Join(guards, " && "), action, strings.Join(changes, ", "))
}

// put returns the contents of channel c with another message.
func (e *mcrl2) put(c, message string) string {
	switch e.Channel.Entry {
	case channel.Sorted:
		return fmt.Sprintf("%s + {%s: 1}", c, message)
	case channel.Back:
		return fmt.Sprintf("%s <| %s", c, message)
	case channel.Front:
		return fmt.Sprintf("%s |> %s", message, c)
	}
	refuse("channel %s cannot be exported", e.Channel.Keyword)
	return ""
}

func (e *mcrl2) communication(verb string, process int, port int64, message string) string {
	if e.Numbered() {
		return fmt.Sprintf("%s(%d, %d, %s)", verb, process, port, message)
	}
	return fmt.Sprintf("%s_%s(%d, %s)", verb, e.FormatPort(port), process, message)
}

// start writes the initial state or, if there are several, a τ step to each, as in the .aut files of ringcheck.
func (e *mcrl2) start() {
	var states []string
	for _, c := range e.initial {
		var args []string
		e.params(func(_, _ string, initial func(*semantics.State) string) { args = append(args, initial(c)) })
		states = append(states, fmt.Sprintf("Network(%s)", strings.Join(args, ", ")))
	}
	if len(states) == 1 {
		e.line("\ninit %s;", states[0])
		return
	}
	e.line("\ninit tau . %s;", strings.Join(states, "\n   + tau . "))
}

func (*mcrl2) constant(t *ir.Type, v int64) string {
	switch t.Kind {
	case ir.Bool:
		return strconv.FormatBool(v != 0)
	case ir.Array:
		refuse("there is no mCRL2 for arrays")
	case ir.Set:
		var parts []string
		for x := range t.Elements(v) {
			parts = append(parts, integer(x))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return strconv.FormatInt(v, 10)
}

// integer writes an element of a set as an Int: the plain numeral 1 would have the sort Pos.
func integer(v int64) string {
	if v < 0 {
		return fmt.Sprintf("-%d", -v)
	}
	return fmt.Sprintf("Nat2Int(%d)", v)
}

func (*mcrl2) folded(t *ir.Type, name string) (declared, bound, value string, ok bool) {
	switch n, finite := t.Size(); {
	case !finite || n < 2 || t.Kind == ir.Set || t.Kind == ir.Array:
		return "", "", "", false
	case t.Kind == ir.Bool:
		return name + ": Bool", "", name, true
	case t.Lo == 0:
		return name + ": Nat", fmt.Sprintf("%s <= %d", name, t.Hi), fmt.Sprintf("Nat2Int(%s)", name), true
	default:
		bound = fmt.Sprintf("%s <= %d", name, uint64(t.Hi)-uint64(t.Lo))
		return name + ": Nat", bound, fmt.Sprintf("(Nat2Int(%s) %+d)", name, t.Lo), true
	}
}
func (*mcrl2) contains(set string, _ *ir.Type, v int64) string {
	return fmt.Sprintf("(%s in %s)", integer(v), set)
}

var mcrl2Forms = &forms{
	unary: map[ir.Op]string{
		ir.Not: "!(%s)", ir.Opposite: "(1 - %s)", ir.Neg: "(-%s)", ir.Abs: "abs(%s)", ir.Card: "#(%s)",
	},
	binary: map[ir.Op]string{
		ir.Add: "(%s + %s)", ir.Sub: "(%s - %s)", ir.Mul: "(%s * %s)", ir.Div: "(%s div Int2Pos(%s))",
		ir.Mod: "(%s mod Int2Pos(%s))", ir.Pow: "exp(%s, Int2Nat(%s))", ir.Eq: "(%s == %s)", ir.Ne: "(%s != %s)",
		ir.Lt: "(%s < %s)", ir.Le: "(%s <= %s)", ir.And: "(%s && %s)", ir.Or: "(%s || %s)", ir.Implies: "(%s => %s)",
		ir.Min: "min(%s, %s)", ir.Max: "max(%s, %s)", ir.In: "(%s in %s)", ir.Union: "(%s + %s)", ir.Minus: "(%s - %s)",
	},
	equal: "(%s == %s)", cond: "if(%s, %s, %s)",
}

func (*mcrl2) forms() *forms { return mcrl2Forms }

func (*mcrl2) compound(e ir.Expr, parts []string) string {
	switch e.(type) {
	case *ir.Convert:
		return parts[0]
	case *ir.SetLit:
		return "{" + strings.Join(parts, ", ") + "}"
	}
	refuseExpr("mCRL2", e)
	return ""
}
