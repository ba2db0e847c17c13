package export

import (
	"fmt"
	"maps"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/model/language/ir"
)

// A notation writes expressions in the language of a tool. It panics with cannot if the language has no such
// expression.
type notation interface {
	// constant writes a value.
	constant(t *ir.Type, v int64) string
	// forms returns the formats of operators; compound writes other expressions, given the texts of their operands.
	forms() *forms
	compound(e ir.Expr, parts []string) string
	// contains writes the condition that the set has the constant element v.
	contains(set string, t *ir.Type, v int64) string
	// folded returns a bound variable for all values of t: its declaration, the condition that bounds it, and its value
	// as an expression; ok is false if there must be a step for each value.
	folded(t *ir.Type, name string) (declared, bound, value string, ok bool)
}

type forms struct {
	unary, binary map[ir.Op]string
	equal, cond   string
}

func not(x string) string { return "!(" + x + ")" }

// refuse ends the export of the spec, or of a property, with an error.
func refuse(format string, args ...any) { effort.Abort(fmt.Errorf(format, args...)) }

// An env has the expressions for the values of the variables of a process.
type env map[*ir.Var]string

// A path holds the decisions that lead to a step.
type path struct {
	guards []string
	sums   []string // the declarations of the variables of folded values
}

// addGuard returns the path with another guard, unless that is empty.
func (p path) addGuard(guard string) path {
	if guard != "" {
		p.guards = appendCopy(p.guards, guard)
	}
	return p
}

// A step is a transition of a process from a control point, for one value of each draw, choice and received field, or
// for all.
type step struct {
	path
	action ir.Action
	link   int      // of a send or receive
	args   []string // the fields that are sent, received or emitted, without absent ones
	at     *ir.Point
	values []string      // of the live variables at that point
	writes []sharedWrite // to shared variables
	where  string        // file:line:column
}

// A sharedWrite is the value that a step gives to a shared variable.
type sharedWrite struct {
	variable *ir.Var
	value    string
}

// maxSteps is the maximum number of steps of an exported model: the tools do not read larger ones in a reasonable time.
// It is a variable because tests lower it.
var maxSteps = 200_000

type stepper struct {
	notation
	model   *instance
	process int
	from    *ir.Point
	steps   []step
	tried   int // values of loops
}

// eachStep calls do with the steps of a process.
func (m *instance) eachStep(n notation, process int, do func(at *ir.Point, s *step)) {
	for _, at := range m.Points {
		steps := m.stepsAt(n, process, at)
		for i := range steps {
			do(at, &steps[i])
		}
	}
}

// stepsAt returns the steps of a process from a control point.
func (m *instance) stepsAt(n notation, process int, at *ir.Point) []step {
	s := &stepper{notation: n, model: m, process: process, from: at}
	e, name := make(env), variable(process)
	for _, v := range at.Live {
		e[v] = name(v)
	}
	for _, v := range m.Shared {
		e[v] = sharedName(v)
	}
	if number := m.Start.Number; number != nil && e[number] != "" {
		e[number] = n.constant(number.Type, int64(process)) // a process knows no other number under this name
	}
	err := m.part(func() { s.term(at.Term, e, path{}) })
	m.Check()
	if err != nil {
		refuse("%v: %w", at.Pos, err)
	}
	return s.steps
}

// appendCopy returns a copy of a list with one more element.
func appendCopy(list []string, one string) []string { return append(slices.Clip(list), one) }

// fold adds a bound variable for all values of t to a path and returns its value.
func (s *stepper) fold(t *ir.Type, on path) (value string, _ path, ok bool) {
	// No other name contains a prime.
	declared, bound, value, ok := s.folded(t, fmt.Sprintf("x%d'", len(on.sums)+1))
	if ok {
		on.sums = appendCopy(on.sums, declared)
	}
	return value, on.addGuard(bound), ok
}

// bound returns a copy of e in which v has another value.
func (e env) bound(v *ir.Var, value string) env {
	e = maps.Clone(e)
	e[v] = value
	return e
}

func (s *stepper) term(t ir.Term, e env, on path) {
	s.model.Check()
	switch t := t.(type) {
	case *ir.Stop:
	case *ir.Call:
		s.term(t.Equation.Start.Term, s.call(t, e), on)
	case *ir.Prefix:
		s.prefix(t, e, on)
	case *ir.Draw:
		s.draw(t, e, on)
	case *ir.Let:
		s.term(t.Then, e.bound(t.Var, s.expression(t.Value, e)), on)
	case *ir.If:
		cond := s.expression(t.Cond, e)
		s.term(t.Then, e, on.addGuard(cond))
		s.term(t.Else, e, on.addGuard(not(cond)))
	case *ir.Choice:
		for _, u := range t.Terms {
			s.term(u, e, on)
		}
	case *ir.For:
		s.rounds(t.Loop, "", e, on, s.pass)
	case *ir.LoopEnd:
		s.rounds(t.Loop, e[t.Var], e, on, s.pass)
	default:
		refuse("a term %T cannot be exported", t)
	}
}

// pass continues with the term of a point that a process passes.
func (s *stepper) pass(at *ir.Point, e env, on path) { s.term(at.Term, e, on) }

// call returns the environment at the start of the called equation.
func (s *stepper) call(c *ir.Call, e env) env {
	args := s.exprTexts(c.Args, e)
	e = maps.Clone(e)
	for i, v := range c.Equation.Params {
		e[v] = args[i]
	}
	return e
}

func (s *stepper) exprTexts(exprs []ir.Expr, e env) []string {
	var all []string
	for _, x := range exprs {
		all = append(all, s.expression(x, e))
	}
	return all
}

// expression writes e with the texts of its variables.
func (s *stepper) expression(e ir.Expr, vars env) string {
	switch e := e.(type) {
	case *ir.ProcessVar:
		return s.register(e, vars)
	case *ir.VarRef:
		return vars[e.Var]
	case *ir.SharedVar:
		return vars[e.Var]
	case *ir.Apply:
		fits(e)
		args := make(env, len(e.Args))
		for _, v := range s.model.Shared {
			args[v] = vars[v]
		}
		for i, x := range s.exprTexts(e.Args, vars) {
			args[e.Define.Params[i]] = x
		}
		return s.expression(e.Define.Body, args)
	}
	return s.exprText(e, s.exprTexts(ir.Children(e), vars))
}

// refuseExpr ends the export with an error: the language has no equivalent of e.
func refuseExpr(language string, e ir.Expr) {
	what := "this expression"
	switch e := e.(type) {
	case *ir.Unary:
		what = map[ir.Op]string{ir.Log2Ceil: "log2ceil", ir.SqrtCeil: "sqrtceil"}[e.Op]
	case *ir.Quantifier:
		what = "a quantifier in a process"
	case *ir.Interval:
		what = "a range whose ends depend on the state"
	case *ir.Index:
		what = "an element of an array"
	case *ir.Update, *ir.Fill:
		what = "an array that depends on the state"
	case *ir.Neighbours:
		what = "neighbours of a process that depends on the state"
	}
	refuse("there is no %s for %s", language, what)
}

// exprText writes e, given the texts of its operands.
func (s *stepper) exprText(e ir.Expr, parts []string) string {
	forms := s.forms()
	switch e := e.(type) {
	case *ir.Const:
		return s.constant(e.T, e.Value)
	case *ir.Unary:
		if form, ok := forms.unary[e.Op]; ok {
			return fmt.Sprintf(form, parts[0])
		}
		if e.Op == ir.Least || e.Op == ir.Greatest {
			return s.extreme(e, parts[0])
		}
	case *ir.Binary:
		if form, ok := forms.binary[e.Op]; ok {
			return fmt.Sprintf(form, parts[0], parts[1])
		}
	case *ir.Cond:
		return fmt.Sprintf(forms.cond, parts[0], parts[1], parts[2])
	}
	return s.compound(e, parts)
}

// An option is a value and the condition under which an expression has it.
type option struct{ guard, value string }

// choose writes the value of the first option whose guard is true; one always is.
func (s *stepper) choose(options []option) string {
	if len(options) == 0 {
		refuse("an expression without a value cannot be exported")
	}
	text := options[len(options)-1].value
	for _, o := range slices.Backward(options[:len(options)-1]) {
		text = fmt.Sprintf(s.forms().cond, o.guard, o.value, text)
	}
	return text
}

// register writes the register of another process, which is given by its number or by a port.
func (s *stepper) register(read *ir.ProcessVar, vars env) string {
	name, peer := read.Process, func(q int64) (int, bool) { return int(q), q >= 0 && q < int64(s.model.N) }
	if p, ok := name.(*ir.Peer); ok {
		name, peer = p.Port, func(port int64) (int, bool) { return s.model.Peer(s.process, port) }
	}
	var options []option
	for v := range name.Type().Values() {
		q, ok := peer(v)
		if guard, possible := s.port(name, v, vars); ok && possible {
			options = append(options, option{guard, variable(q)(read.Var)})
		}
	}
	return s.choose(options)
}

// extreme writes the least or the greatest element of a set.
func (s *stepper) extreme(e *ir.Unary, set string) string {
	t := e.X.Type()
	values := slices.Collect(t.Elem.Values())
	if e.Op == ir.Greatest {
		slices.Reverse(values)
	}
	var options []option
	for _, v := range values {
		options = append(options, option{s.contains(set, t, v), s.constant(e.T, v)})
	}
	return s.choose(options)
}

func (s *stepper) prefix(p *ir.Prefix, e env, on path) {
	switch a := p.Action.(type) {
	case *ir.Send:
		s.send(p, a, e, on)
	case *ir.Receive:
		s.receive(p, a, e, on)
	case *ir.Emit:
		s.add(p, step{path: on, args: present(s.exprTexts(a.Args, e), a.Event.Fields), where: a.Pos.String()}, e)
	case *ir.Skip:
		s.add(p, step{path: on, where: a.Pos.String()}, e)
	case *ir.Assign:
		value := s.expression(a.Value, e)
		s.add(p, step{path: on, args: []string{value}, where: a.Pos.String()}, e.bound(a.Var, value))
	case *ir.Crash:
		refuse("a crash cannot be exported")
	}
}

// message writes a message whose fields are constants.
func message(n notation, c ir.Content) string {
	args := make([]string, len(c.Args))
	for i, f := range c.Message.Fields {
		if f.Type.Kind != ir.Absent {
			args[i] = n.constant(f.Type, c.Args[i])
		}
	}
	return inParentheses("m_"+c.Message.Name, present(args, c.Message.Fields))
}

// present returns the args whose fields are not absent.
func present(args []string, fields []ir.Field) []string {
	var some []string
	for i, f := range fields {
		if f.Type.Kind != ir.Absent {
			some = append(some, args[i])
		}
	}
	return some
}

// add adds a step that leads to p.Next; if that is nil, the process stays at its point.
func (s *stepper) add(p *ir.Prefix, st step, e env) {
	st.action, st.at = p.Action, p.Next
	if st.at == nil {
		s.stay(st, s.from, s.staying(e), st.path)
		return
	}
	s.arrive(st.at, e, st.path, func(at *ir.Point, e env, on path) { s.stay(st, at, e, on) })
}

// stay adds a step after which the process stays at a control point.
func (s *stepper) stay(st step, at *ir.Point, e env, on path) {
	if s.model.steps++; s.model.steps > maxSteps {
		refuse("there are more than %d steps: too many to be written down", maxSteps)
	}
	st.at, st.path, st.values = at, on, nil
	for _, v := range at.Live {
		st.values = append(st.values, e[v])
	}
	st.writes = nil
	for _, v := range s.model.Shared {
		if e[v] != sharedName(v) {
			st.writes = append(st.writes, sharedWrite{v, e[v]})
		}
	}
	s.steps = append(s.steps, st)
}

// staying returns the environment after an action, with e, that leaves the process at its control point.
func (s *stepper) staying(e env) env {
	name, after := variable(s.process), make(env)
	for _, v := range s.from.Live {
		if after[v] = name(v); v.Lasting() {
			after[v] = e[v]
		}
	}
	for _, v := range s.model.Shared {
		after[v] = e[v]
	}
	return after
}

// send adds a step for each channel that the target can be.
func (s *stepper) send(p *ir.Prefix, a *ir.Send, e env, on path) {
	args := present(s.exprTexts(a.Args, e), a.Message.Fields)
	for port := range a.Target.Type().Values() {
		link := s.model.OutLink(s.process, port)
		if guard, possible := s.port(a.Target, port, e); link >= 0 && possible {
			s.add(p, step{path: on.addGuard(guard), link: link, args: args, where: a.Pos.String()}, e)
		}
	}
}

// port returns the condition under which x equals port: "" for always; possible is false for never.
func (s *stepper) port(x ir.Expr, port int64, e env) (guard string, possible bool) {
	if c, ok := x.(*ir.Const); ok {
		return "", c.Value == port
	}
	return fmt.Sprintf(s.forms().equal, s.expression(x, e), s.constant(x.Type(), port)), true
}

// receive adds a step for each channel and message that matches.
func (s *stepper) receive(p *ir.Prefix, a *ir.Receive, e env, on path) {
	lo, hi := s.model.InLinks(s.process)
	for link := lo; link < hi; link++ {
		m := &reception{stepper: s, prefix: p, action: a, link: link, before: e}
		after, guard := m.match(a.Source, s.model.Links[link].In, e)
		if guard != never {
			m.fields(nil, after, on.addGuard(guard))
		}
	}
}

// A reception generates the steps of a receive from one channel.
type reception struct {
	*stepper
	prefix *ir.Prefix
	action *ir.Receive
	link   int
	before env // the environment in which the patterns are evaluated
}

// never is the guard of a match that is impossible.
const never = "\x00"

// match returns the condition under which v matches a pattern, and the environment after the match.
func (m *reception) match(p ir.Pattern, v int64, e env) (env, string) {
	switch {
	case p.Bind != nil:
		if p.Bind.Type.Kind != ir.Absent && !p.Bind.Type.Contains(v) {
			return e, never // a model error
		}
		return e.bound(p.Bind, m.constant(p.Bind.Type, v)), ""
	case p.Equal == nil:
		return e, ""
	}
	guard, possible := m.port(p.Equal, v, m.before)
	if !possible {
		guard = never
	}
	return e, guard
}

// fields adds the steps for each message whose first fields are args.
func (m *reception) fields(args []string, e env, on path) {
	i, all := len(args), m.action.Message.Fields
	if i == len(all) {
		m.finish(args, e, on)
		return
	}
	t := all[i].Type
	switch t.Kind {
	case ir.Absent:
		if after, guard := m.match(m.action.Patterns[i], 0, e); guard != never {
			m.fields(appendCopy(args, ""), after, on.addGuard(guard))
		}
		return
	case ir.Nat:
		refuse("%s.%s is of type nat: only messages of finitely many values can be exported",
			m.action.Message.Name, all[i].Name)
	}
	if value, on, ok := m.matchAll(m.action.Patterns[i], t, on); ok {
		if bind := m.action.Patterns[i].Bind; bind != nil {
			e = e.bound(bind, value)
		}
		m.fields(appendCopy(args, value), e, on)
		return
	}
	for v := range t.Values() {
		m.model.Check()
		if after, guard := m.match(m.action.Patterns[i], v, e); guard != never {
			m.fields(appendCopy(args, m.constant(t, v)), after, on.addGuard(guard))
		}
	}
}

// matchAll returns one value for all values of type t that match a pattern; ok is false if they must be matched one by
// one.
func (m *reception) matchAll(p ir.Pattern, t *ir.Type, on path) (value string, _ path, ok bool) {
	if p.Bind != nil && p.Bind.Type.Kind != ir.Absent && !t.SubtypeOf(p.Bind.Type) {
		return "", on, false // a value outside of the variable's type is a model error
	}
	value, folded, ok := m.fold(t, on)
	if !ok || p.Equal == nil {
		return value, folded, ok
	}
	return m.expression(p.Equal, m.before), on, true
}

func (m *reception) finish(args []string, e env, on path) {
	if m.action.Where != nil {
		on = on.addGuard(m.expression(m.action.Where, e))
	}
	st := step{path: on, link: m.link, args: present(args, m.action.Message.Fields), where: m.action.Pos.String()}
	m.add(m.prefix, st, e)
}
