package export

import (
	"context"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/model/language/channel"
	"ringcheck/model/language/ir"
)

// Promela writes p for SPIN: a process type for each process, and a d_step for each action. An unordered channel is an
// array that counts the messages of each kind and content. There is no synchronous channel, but a d_step of the sender
// for each way in which a message can be received: a rendezvous of SPIN would leave states between the changes of the
// sender and the changes of the receiver. If a channel exceeds its bound, CAPACITY, an assertion of
// the model fails. If there are several initial states, an additional state with a transition to each precedes them.
func Promela(ctx context.Context, w io.Writer, p *ir.Protocol) error {
	to := target{"promela", ir.InPromela, true}
	return write(ctx, w, p, to, func(m *instance) { (&promela{instance: m}).write() })
}

// A promela writes all values as integers; sets and arrays have the representation of package ir.
type promela struct {
	*instance
	first []int64 // by kind of message: the least number of its messages
	kinds int64   // the number of distinct messages

	receipts map[int][]receipt // over synchronous channels, by link
	meetings int               // steps of two processes so far
}

func (e *promela) write() {
	e.line("/* %s, %s", e.Name, e.settings())
	e.line(" *")
	e.line(" * A process is at a control point, pc_P, with its variables; those that are not live are 0. Directions: " +
		"0 is left,")
	e.line(" * 1 is right; values of an enumeration count from 0. To count states, generate without partial-order " +
		"reduction:")
	e.line(" *   spin -o2 -a FILE && cc -O2 -DNOREDUCE -DNOCLAIM -o pan pan.c && ./pan -m1000000 -c0")
	e.line(" */")
	e.line("#define DIV(x, y) ((x) >= 0 -> (x) / (y) : -((-(x) + (y) - 1) / (y)))")
	e.line("#define MOD(x, y) (((x) %% (y) + (y)) %% (y))")
	e.messages()
	e.line("\n/* control points */")
	for i, p := range e.Points {
		e.line("#define %s %d", e.point(p), i)
	}
	e.state()
	e.listReceipts()
	for process := range e.N {
		e.process(process)
	}
	e.start()
	e.properties()
}

func (e *promela) messages() {
	e.line("\n/* messages, as numbers */")
	for _, m := range e.Messages {
		e.first = append(e.first, e.kinds)
		size := int64(1)
		var params []string
		number := ""
		for _, f := range m.Fields {
			if f.Type.Kind == ir.Absent {
				continue
			}
			n, ok := f.Type.Size()
			if !ok || n > 1<<16 || size*int64(n) > 1<<16 {
				refuse("message %s has too many values to be numbered", m.Name)
			}
			params = append(params, f.Name)
			digit := fmt.Sprintf("((%s) - %d)", f.Name, f.Type.Lo)
			if number != "" {
				digit = fmt.Sprintf("(%s * %d + %s)", number, n, digit)
			}
			number = digit
			size *= int64(n)
		}
		switch {
		case number == "":
			e.line("#define m_%s %d", m.Name, e.kinds)
		default:
			e.line("#define %s (%d + %s)", inParentheses("m_"+m.Name, params), e.kinds, number)
		}
		e.kinds += size
	}
}

func (e *promela) state() {
	e.line("\n/* processes */")
	pc := "byte"
	if len(e.Points) > 256 {
		pc = "short"
	}
	vars := e.variables()
	for process := range e.N {
		e.line("%s pc_%d%s;", pc, process, e.initially(func(l []ir.Local) string { return e.point(l[process].Point) }))
		for _, v := range vars {
			initial := e.initially(func(l []ir.Local) string {
				value, _ := l[process].Var(v)
				return strconv.FormatInt(value, 10)
			})
			e.line("%s %s%s;", promelaType(v), variable(process)(v), initial)
		}
	}
	for _, v := range e.Shared {
		initial := ""
		if e.direct() {
			initial = fmt.Sprintf(" = %d", e.initial[0].Shared[v.Slot])
		}
		e.line("%s %s%s; /* of all processes */", promelaType(v), sharedName(v), initial)
	}
	e.line("hidden int before[%d];", max(1, len(vars)+len(e.Shared)))
	if !e.direct() {
		e.line("bit started;")
	}
	if e.Channel.Sync {
		return
	}
	e.line("\n/* channels */")
	switch {
	case e.Capacity.Most > maxSlots:
		refuse("%v: there is no Promela for channels with room for more than %d messages", e.Capacity.Pos, maxSlots)
	case e.Capacity.Most > 0 && e.Channel.Ordered():
		e.line("#define CAPACITY %d /* messages in a channel */", e.Capacity.Most)
	case e.Channel.Ordered():
		e.line("#define CAPACITY 16 /* messages; more in a channel fail an assertion */")
	default:
		e.line("#define CAPACITY 255 /* messages of a kind and content; more in a channel fail an assertion */")
	}
	if e.Channel.Entry == channel.Front {
		e.line("hidden short pushed, moved, turns;")
		e.line("inline push(c) { /* puts the message pushed before the others, which move behind it */")
		e.line("  c!pushed; turns = len(c) - 1;")
		e.line("  do :: turns > 0 -> c?moved; c!moved; turns-- :: else -> break od")
		e.line("}")
	}
	for link := range e.Links {
		if e.Channel.Ordered() {
			e.line("chan %s = [CAPACITY] of { short };", e.channel(link))
		} else {
			e.line("byte %s[%d];", e.channel(link), max(1, e.kinds))
		}
	}
}

// initially returns the initializer of a variable, "" unless the model begins in the initial state.
func (e *promela) initially(value func([]ir.Local) string) string {
	if !e.direct() {
		return ""
	}
	return " = " + value(e.initial[0].Processes)
}

func promelaType(v *ir.Var) string {
	switch t := v.Type; {
	case t.Kind == ir.Nat || t.Lo < math.MinInt32 || t.Hi > math.MaxInt32:
		refuse("variable %s: the type %s does not fit in 32 bits", v.Name, t)
	case t.Lo >= 0 && t.Hi <= math.MaxUint8:
		return "byte"
	case t.Lo >= math.MinInt16 && t.Hi <= math.MaxInt16:
		return "short"
	}
	return "int"
}

func (e *promela) process(process int) {
	active := "active "
	if !e.direct() {
		active = ""
	}
	e.line("\n%sproctype process_%d() {", active, process)
	e.line("end: do")
	written := 0
	e.eachStep(e, process, func(at *ir.Point, s *step) {
		if e.Channel.Sync && (s.sends() || s.receives()) {
			written += e.meet(process, at, s)
			return
		}
		e.step(process, at, s)
		written++
	})
	if written == 0 {
		e.line("  :: false")
	}
	e.line("  od")
	e.line("}")
}

func (e *promela) step(process int, at *ir.Point, s *step) {
	guards := append([]string{fmt.Sprintf("pc_%d == %s", process, e.point(at))}, s.guards...)
	var effects []string
	switch a := s.action.(type) {
	case *ir.Send:
		if e.Capacity.Blocks() {
			guards = append(guards, e.room(s.link))
		}
		effects = append(effects, e.put(s.link, inParentheses("m_"+a.Message.Name, s.args)))
	case *ir.Receive:
		m := e.number(a.Message, s.args)
		if c := e.channel(s.link); e.Channel.Ordered() {
			guards = append(guards, fmt.Sprintf("%s?[%d]", c, m))
			effects = append(effects, fmt.Sprintf("%s?%d", c, m))
		} else {
			guards = append(guards, fmt.Sprintf("%s[%d] > 0", c, m))
			effects = append(effects, fmt.Sprintf("%s[%d]--", c, m))
		}
	case *ir.Emit:
		effects = append(effects, fmt.Sprintf("printf(\"process %d: %s\\n\")", process, a.Event.Name))
	case *ir.Assign, *ir.Skip, *ir.Crash: // s has the assignments
	}
	effects = append(effects, s.assignments(e, at, process)...)
	effects = append(effects, fmt.Sprintf("pc_%d = %s", process, e.point(s.at)))
	e.line("  :: d_step { (%s) -> %s } /* %s */",
		strings.Join(guards, " && "), strings.Join(effects, "; "), e.describe(s))
}

// assignments returns the assignments of a step. Promela executes them in sequence, so the value of an assignment that
// reads a variable that was assigned earlier is computed beforehand.
func (s *step) assignments(n notation, at *ir.Point, process int) []string {
	var names, values, saved, all []string
	s.eachAssignment(n, at, process, func(name, value string) {
		for _, other := range names {
			if regexp.MustCompile(`\b` + regexp.QuoteMeta(other) + `\b`).MatchString(value) {
				saved = append(saved, fmt.Sprintf("before[%d] = %s", len(saved), value))
				value = fmt.Sprintf("before[%d]", len(saved)-1)
				break
			}
		}
		names, values = append(names, name), append(values, value)
	})
	for i, name := range names {
		all = append(all, name+" = "+values[i])
	}
	return append(saved, all...)
}

// number returns the number of a message, all of whose fields are constants.
func (e *promela) number(m *ir.Message, args []string) int64 {
	n := int64(0)
	for _, f := range m.Fields {
		if f.Type.Kind == ir.Absent {
			continue
		}
		v, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			effort.Abort(err)
		}
		args = args[1:]
		size, _ := f.Type.Size()
		n = n*int64(size) + v - f.Type.Lo
	}
	return e.first[m.ID] + n
}

// start writes the process that chooses an initial state and sets it up, if that takes a step.
func (e *promela) start() {
	if e.direct() {
		return
	}
	e.line("\ninit {")
	e.line("  atomic {")
	switch {
	case e.product == nil:
		var states []string
		for _, c := range e.initial {
			all := e.deposits(c.Channels)
			for process, l := range c.Processes {
				all = append(all, e.local(process, l)...)
			}
			for _, v := range e.Shared {
				all = append(all, fmt.Sprintf("%s = %d", sharedName(v), c.Shared[v.Slot]))
			}
			states = append(states, strings.Join(append(all, "started = 1"), "; "))
		}
		e.choose(states)
	default: // process by process
		for process, locals := range e.product.Locals {
			var states []string
			for _, l := range locals {
				states = append(states, strings.Join(e.local(process, l), "; "))
			}
			e.choose(states)
		}
		for _, v := range e.Shared {
			var states []string
			for _, x := range e.product.Shared[v.Slot] {
				states = append(states, fmt.Sprintf("%s = %d", sharedName(v), x))
			}
			e.choose(states)
		}
		e.line("    d_step { %s };", strings.Join(append(e.deposits(e.product.Channels), "started = 1"), "; "))
	}
	for process := range e.N {
		e.line("    run process_%d();", process)
	}
	e.line("  }")
	e.line("}")
}

// choose writes a choice between statements.
func (e *promela) choose(alternatives []string) {
	e.line("    if")
	for _, statements := range alternatives {
		e.line("    :: d_step { %s }", statements)
	}
	e.line("    fi;")
}

// deposits returns the statements that put messages into the empty channels.
func (e *promela) deposits(channels [][]ir.Content) (all []string) {
	for link, messages := range channels {
		for i := range messages {
			all = append(all, e.put(link, message(e, messages[e.Channel.Index(i, len(messages))])))
		}
	}
	return all
}

// local returns the statements that set the local state of a process.
func (e *promela) local(process int, l ir.Local) []string {
	e.Tick()
	all := []string{fmt.Sprintf("pc_%d = %s", process, e.point(l.Point))}
	for i, v := range l.Point.Live {
		if v.Type.Kind != ir.Absent {
			all = append(all, fmt.Sprintf("%s = %d", variable(process)(v), l.Env[i]))
		}
	}
	return all
}

// maxSlots is the maximum number of messages in a channel of SPIN.
const maxSlots = 255

// room writes the condition that a channel has room for another message.
func (e *promela) room(link int) string {
	return fmt.Sprintf("%s < %d", e.length(link), e.Capacity.Most)
}

// put writes the statements that put a message into a channel. They do nothing if the channel drops it.
func (e *promela) put(link int, message string) string {
	if e.Capacity.Drops {
		return fmt.Sprintf("if :: %s -> %s :: else fi", e.room(link), e.putIn(e.channel(link), message))
	}
	return e.putIn(e.channel(link), message)
}

// putIn writes the statements that put a message into channel c, which has room.
func (e *promela) putIn(c, message string) string {
	switch e.Channel.Entry {
	case channel.Sorted:
		return fmt.Sprintf("assert(%s[%s] < CAPACITY); %s[%s]++", c, message, c, message)
	case channel.Back:
		return fmt.Sprintf("assert(nfull(%s)); %s!%s", c, c, message)
	case channel.Front:
		// A parameter of an inline cannot be a conditional expression.
		return fmt.Sprintf("assert(nfull(%s)); pushed = %s; push(%s)", c, message, c)
	}
	refuse("channel %s cannot be exported", e.Channel.Keyword)
	return ""
}

// maxCounters is the maximum number of counters whose sum is the number of messages in a channel.
const maxCounters = 256

func (*promela) constant(_ *ir.Type, v int64) string {
	if v < math.MinInt32 || v > math.MaxInt32 {
		refuse("%d does not fit in 32 bits", v)
	}
	return strconv.FormatInt(v, 10)
}

func (e *promela) find(link int, message string) (number, present string) {
	c := e.channel(link)
	switch {
	case e.Channel.Sync:
		return "0", "false"
	case e.kinds > maxCounters:
		refuse("messages of %d kinds cannot be exported", e.kinds)
	case e.Channel.Ordered():
		return "", fmt.Sprintf("%s??[eval(%s)]", c, message)
	}
	number = fmt.Sprintf("%s[%s]", c, message)
	return number, "(" + number + " > 0)"
}
func (e *promela) length(link int) string {
	c := e.channel(link)
	if e.Channel.Sync {
		return "0"
	}
	if e.Channel.Ordered() {
		return fmt.Sprintf("len(%s)", c)
	}
	if e.kinds > maxCounters {
		refuse("the number of messages of %d kinds cannot be exported", e.kinds)
	}
	counters := []string{"0"}
	for i := range e.kinds {
		counters = append(counters, fmt.Sprintf("%s[%d]", c, i))
	}
	return "(" + strings.Join(counters, " + ") + ")"
}
func (*promela) folded(*ir.Type, string) (declared, bound, value string, ok bool) { return }
func (*promela) contains(set string, t *ir.Type, v int64) string {
	return fmt.Sprintf("((%s >> %d) & 1) == 1", set, v-t.Elem.Lo)
}

var promelaForms = &forms{
	unary: map[ir.Op]string{
		ir.Not: "(!%s)", ir.Opposite: "(1 - %s)", ir.Neg: "(-%s)", ir.Abs: "(%[1]s < 0 -> -%[1]s : %[1]s)",
	},
	binary: map[ir.Op]string{
		ir.Add: "(%s + %s)", ir.Sub: "(%s - %s)", ir.Mul: "(%s * %s)", ir.Div: "DIV(%s, %s)", ir.Mod: "MOD(%s, %s)",
		ir.Eq: "(%s == %s)", ir.Ne: "(%s != %s)", ir.Lt: "(%s < %s)", ir.Le: "(%s <= %s)",
		ir.And: "(%s && %s)", ir.Or: "(%s || %s)", ir.Implies: "(!%s || %s)",
		ir.Min: "(%[1]s < %[2]s -> %[1]s : %[2]s)", ir.Max: "(%[1]s > %[2]s -> %[1]s : %[2]s)",
		ir.Union: "(%s | %s)", ir.Minus: "(%s & ~(%s))",
	},
	equal: "%s == %s", cond: "(%s -> %s : %s)",
}

func (*promela) forms() *forms { return promelaForms }

// promelaSize writes the number of elements of a set of a type: the sum of its bits.
func promelaSize(t *ir.Type, set string) string {
	var bits []string
	for v := range t.Elem.Values() {
		if v-t.Elem.Lo > 30 {
			refuse("the size of a set of type %s, with more than 31 possible elements, cannot be exported", t)
		}
		bits = append(bits, fmt.Sprintf("((%s >> %d) & 1)", set, v-t.Elem.Lo))
	}
	return "(" + strings.Join(bits, " + ") + ")"
}

func (*promela) compound(e ir.Expr, parts []string) string {
	switch e := e.(type) {
	case *ir.Unary:
		if e.Op == ir.Card {
			return promelaSize(e.X.Type(), parts[0])
		}
	case *ir.Binary:
		return promelaBinary(e, parts)
	case *ir.Convert:
		return promelaConvert(e, parts[0])
	case *ir.Index:
		return promelaIndex(e, parts)
	case *ir.Update:
		return promelaUpdate(e, parts)
	case *ir.Fill:
		return promelaFill(e, parts)
	case *ir.SetLit:
		text := "0"
		for i := range parts {
			text = fmt.Sprintf("(%s | (1 << (%s - %d)))", text, parts[i], e.T.Elem.Lo)
		}
		return text
	}
	refuseExpr("Promela", e)
	return ""
}

func promelaBinary(e *ir.Binary, parts []string) string {
	base, isConst := e.X.(*ir.Const)
	switch {
	case e.Op == ir.In:
		return fmt.Sprintf("(((%s >> (%s - %d)) & 1) == 1)", parts[1], parts[0], e.Y.Type().Elem.Lo)
	case e.Op == ir.Pow && isConst && base.Value == 2:
		return fmt.Sprintf("(1 << %s)", parts[1])
	}
	refuse("there is no Promela for this operator")
	return ""
}

// promelaConvert converts the value x to another type, in whose sets bit 0 may represent another element.
func promelaConvert(e *ir.Convert, x string) string {
	from, to := e.X.Type(), e.To
	switch {
	case to.Kind == ir.Array && (!from.SubtypeOf(to) || !to.SubtypeOf(from)):
		refuse("there is no Promela for an array of %s as one of %s", from, to)
	case to.Kind != ir.Set || from.Elem.Lo == to.Elem.Lo:
		return x
	case from.Elem.Lo > to.Elem.Lo:
		return fmt.Sprintf("(%s << %d)", x, from.Elem.Lo-to.Elem.Lo)
	}
	return fmt.Sprintf("(%s >> %d)", x, to.Elem.Lo-from.Elem.Lo)
}
