package export

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"ringcheck/model/language/ir"
)

// A notation writes expressions in the language of a tool.
type notation interface {
	// constant writes a value.
	constant(t *ir.Type, v int64) (string, error)
	// forms returns how operators are written, as formats; compound writes the other expressions, whose parts are
	// given.
	forms() (unary, binary map[ir.Op]string)
	compound(e ir.Expr, parts []string) (string, error)
	equal(x, y string) string
	not(x string) string
	// count writes a boolean as 1 or 0, length how many messages are in a channel.
	count(x string) string
	length(m *instance, link int) (string, error)
	// within writes how often a message is in a channel, "" if there is no way, and that it is there.
	within(m *instance, link int, message string) (number, present string, err error)
	// contains says that the set has the constant element v.
	contains(set string, t *ir.Type, v int64) (string, error)
	// folded returns how a variable for all values of t is declared, what bounds it, and the value; ok is false if a
	// step is written for each value.
	folded(t *ir.Type, name string) (declared, bound, value string, ok bool)
}

// An env says what the variables of a process stand for.
type env map[*ir.Var]string

// A path is what is decided on the way to a step.
type path struct {
	guards []string
	sums   []string // the variables for values that are folded
}

// with returns the path with another guard, unless that is empty.
func (p path) with(guard string) path {
	if guard != "" {
		p.guards = with(p.guards, guard)
	}
	return p
}

// A step is a transition of a process from a control point, for certain values drawn, chosen and received, or for all
// at once.
type step struct {
	path
	action ir.Action
	link   int      // of a send or receive
	args   []string // of what is sent, received or emitted, without the absent ones
	at     *ir.Point
	values []string // of the live variables at that point
	where  string   // file:line:column
}

// maxSteps is how many steps an exported model can have: tools do not read larger ones in a reasonable time.
const maxSteps = 200_000

// A stepper finds the steps of one process.
type stepper struct {
	notation
	model   *instance
	process int
	from    *ir.Point
	steps   []step
}

// stepsAt returns the steps of a process from a control point.
func (m *instance) stepsAt(n notation, process int, at *ir.Point) ([]step, error) {
	s := &stepper{notation: n, model: m, process: process, from: at}
	e, name := make(env), variable(process)
	for _, v := range at.Live {
		e[v] = name(v)
	}
	if err := s.term(at.Term, e, path{}); err != nil {
		return nil, fmt.Errorf("%v: %w", at.Pos, err)
	}
	return s.steps, nil
}

// with returns a list with one more, without a change to the list.
func with(list []string, one string) []string { return append(slices.Clip(list), one) }

// fold returns the value of a new variable for all values of t.
func (s *stepper) fold(t *ir.Type, on path) (value string, _ path, ok bool) {
	// No name of ours has a prime in it.
	declared, bound, value, ok := s.folded(t, fmt.Sprintf("x%d'", len(on.sums)+1))
	if ok {
		on.sums = with(on.sums, declared)
	}
	return value, on.with(bound), ok
}

// bound returns e with another value of v.
func (e env) bound(v *ir.Var, value string) env {
	e = maps.Clone(e)
	e[v] = value
	return e
}

func (s *stepper) term(t ir.Term, e env, on path) error {
	s.model.Check()
	switch t := t.(type) {
	case *ir.Stop:
		return nil
	case *ir.Call:
		e, err := s.call(t, e)
		if err != nil {
			return err
		}
		return s.term(t.Equation.Start.Term, e, on)
	case *ir.Prefix:
		return s.prefix(t, e, on)
	case *ir.Draw:
		return s.draw(t, e, on)
	case *ir.Let:
		value, err := s.expression(t.Value, e)
		if err != nil {
			return err
		}
		return s.term(t.Then, e.bound(t.Var, value), on)
	case *ir.If:
		cond, err := s.expression(t.Cond, e)
		if err != nil {
			return err
		}
		if err := s.term(t.Then, e, on.with(cond)); err != nil {
			return err
		}
		return s.term(t.Else, e, on.with(s.not(cond)))
	case *ir.Choice:
		for _, u := range t.Terms {
			if err := s.term(u, e, on); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("a term %T cannot be exported", t)
}

// call returns what the variables are at the start of the called equation.
func (s *stepper) call(c *ir.Call, e env) (env, error) {
	args, err := s.all(c.Args, e)
	if err != nil {
		return nil, err
	}
	e = maps.Clone(e)
	for i, v := range c.Equation.Params {
		e[v] = args[i]
	}
	return e, nil
}

func (s *stepper) all(exprs []ir.Expr, e env) ([]string, error) {
	var all []string
	for _, x := range exprs {
		text, err := s.expression(x, e)
		if err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, nil
}

// expression writes e, with what its variables stand for.
func (s *stepper) expression(e ir.Expr, vars env) (string, error) {
	if read, ok := e.(*ir.ProcessVar); ok {
		return s.register(read, vars)
	}
	parts, err := s.all(ir.Children(e), vars)
	if err != nil {
		return "", err
	}
	if ref, ok := e.(*ir.VarRef); ok {
		return vars[ref.Var], nil
	}
	return s.written(e, parts)
}

// written writes e, whose parts are given.
func (s *stepper) written(e ir.Expr, parts []string) (string, error) {
	unary, binary := s.forms()
	switch e := e.(type) {
	case *ir.Const:
		return s.constant(e.T, e.Value)
	case *ir.Unary:
		if form, ok := unary[e.Op]; ok {
			return fmt.Sprintf(form, parts[0]), nil
		}
		if e.Op == ir.Least || e.Op == ir.Greatest {
			return s.extreme(e, parts[0])
		}
	case *ir.Binary:
		if form, ok := binary[e.Op]; ok {
			return fmt.Sprintf(form, parts[0], parts[1]), nil
		}
	}
	return s.compound(e, parts)
}

// An option is a value where something is true.
type option struct{ guard, value string }

// choose writes the value of the first option whose guard is true; one of them is.
func (s *stepper) choose(options []option) (string, error) {
	if len(options) == 0 {
		return "", errors.New("an expression without a value cannot be exported")
	}
	text := options[len(options)-1].value
	for _, o := range slices.Backward(options[:len(options)-1]) {
		var err error
		if text, err = s.compound(&ir.Cond{}, []string{o.guard, o.value, text}); err != nil {
			return "", err
		}
	}
	return text, nil
}

// register writes what a register of another process holds, which an expression or a port names.
func (s *stepper) register(read *ir.ProcessVar, vars env) (string, error) {
	name, peer := read.Process, func(q int64) (int, bool) { return int(q), q >= 0 && q < int64(s.model.N) }
	if p, ok := name.(*ir.Peer); ok {
		name, peer = p.Port, func(port int64) (int, bool) { return s.model.Peer(s.process, port) }
	}
	var options []option
	for v := range name.Type().Values() {
		q, ok := peer(v)
		guard, possible, err := s.port(name, v, vars)
		if err != nil {
			return "", err
		}
		if ok && possible {
			options = append(options, option{guard, variable(q)(read.Var)})
		}
	}
	return s.choose(options)
}

// extreme writes the least or the greatest element of a set.
func (s *stepper) extreme(e *ir.Unary, set string) (string, error) {
	t := e.X.Type()
	values := slices.Collect(t.Elem.Values())
	if e.Op == ir.Greatest {
		slices.Reverse(values)
	}
	var options []option
	for _, v := range values {
		guard, err := s.contains(set, t, v)
		if err != nil {
			return "", err
		}
		text, err := s.constant(e.T, v)
		if err != nil {
			return "", err
		}
		options = append(options, option{guard, text})
	}
	return s.choose(options)
}

// draw adds the steps for each value.
func (s *stepper) draw(d *ir.Draw, e env, on path) error {
	set := ""
	values := slices.Values(d.Values)
	if d.Weights != nil {
		values = weighted(d.Weights)
	}
	if d.Among != nil {
		var err error
		if set, err = s.expression(d.Among, e); err != nil {
			return err
		}
		values = d.Among.Type().Elem.Values()
	}
	if t := drawnRange(d); t != nil {
		if value, on, ok := s.fold(t, on); ok {
			if d.Among != nil {
				_, binary := s.forms()
				on = on.with(fmt.Sprintf(binary[ir.In], value, set))
			}
			return s.term(d.Then, e.bound(d.Var, value), on)
		}
	}
	for v := range values {
		text, err := s.constant(d.Var.Type, v)
		if err != nil {
			return err
		}
		some := on
		if d.Among != nil {
			guard, err := s.contains(set, d.Among.Type(), v)
			if err != nil {
				return err
			}
			some = on.with(guard)
		}
		if err := s.term(d.Then, e.bound(d.Var, text), some); err != nil {
			return err
		}
	}
	return nil
}

// drawnRange returns the range of the values that may be drawn, nil if they are none, or have weights.
func drawnRange(d *ir.Draw) *ir.Type {
	n := len(d.Values)
	switch {
	case d.Weights != nil:
		return nil
	case d.Among != nil:
		return d.Among.Type().Elem
	case n == 0 || !slices.IsSorted(d.Values) || d.Values[n-1]-d.Values[0] != int64(n-1):
		return nil
	}
	t := *d.Var.Type
	t.Lo, t.Hi = d.Values[0], d.Values[n-1]
	return &t
}

func weighted(all []ir.Weighted) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for _, w := range all {
			if !yield(w.Value) {
				return
			}
		}
	}
}

func (s *stepper) prefix(p *ir.Prefix, e env, on path) error {
	switch a := p.Action.(type) {
	case *ir.Send:
		return s.send(p, a, e, on)
	case *ir.Receive:
		return s.receive(p, a, e, on)
	case *ir.Emit:
		args, err := s.all(a.Args, e)
		if err != nil {
			return err
		}
		return s.add(p, step{path: on, args: present(args, a.Event.Fields), where: a.Pos.String()}, e)
	case *ir.Skip:
		return s.add(p, step{path: on, where: a.Pos.String()}, e)
	case *ir.Assign:
		value, err := s.expression(a.Value, e)
		if err != nil {
			return err
		}
		return s.add(p, step{path: on, args: []string{value}, where: a.Pos.String()}, e.bound(a.Var, value))
	}
	return fmt.Errorf("an action %T cannot be exported", p.Action)
}

// present returns those of args whose fields are not absent.
func present(args []string, fields []ir.Field) []string {
	var some []string
	for i, f := range fields {
		if f.Type.Kind != ir.Absent {
			some = append(some, args[i])
		}
	}
	return some
}

// add adds a step that leads to p.Next, or to where the process is.
func (s *stepper) add(p *ir.Prefix, st step, e env) error {
	if s.model.steps++; s.model.steps > maxSteps {
		return fmt.Errorf("there are more than %d steps: too many to be written down", maxSteps)
	}
	st.action, st.at = p.Action, p.Next
	if st.at == nil {
		st.at, e = s.from, s.staying(e)
	}
	for {
		c, ok := st.at.Term.(*ir.Call)
		if !ok {
			break
		}
		var err error
		if e, err = s.call(c, e); err != nil {
			return err
		}
		st.at = c.Equation.Start
	}
	for _, v := range st.at.Live {
		st.values = append(st.values, e[v])
	}
	s.steps = append(s.steps, st)
	return nil
}

// staying returns what the variables are after an action in e that leaves the process where it is.
func (s *stepper) staying(e env) env {
	name, after := variable(s.process), make(env)
	for _, v := range s.from.Live {
		if after[v] = name(v); v.Lasting() {
			after[v] = e[v]
		}
	}
	return after
}

// send adds a step for each channel that the target can be.
func (s *stepper) send(p *ir.Prefix, a *ir.Send, e env, on path) error {
	args, err := s.all(a.Args, e)
	if err != nil {
		return err
	}
	for port := range a.Target.Type().Values() {
		link := s.model.OutLink(s.process, port)
		guard, possible, err := s.port(a.Target, port, e)
		if err != nil {
			return err
		}
		if link < 0 || !possible {
			continue
		}
		st := step{path: on.with(guard), link: link, args: present(args, a.Message.Fields), where: a.Pos.String()}
		if err := s.add(p, st, e); err != nil {
			return err
		}
	}
	return nil
}

// port says when an expression is a port: never, if guard is true, or always, if guard is empty.
func (s *stepper) port(x ir.Expr, port int64, e env) (guard string, possible bool, err error) {
	if c, ok := x.(*ir.Const); ok {
		return "", c.Value == port, nil
	}
	text, err := s.expression(x, e)
	if err != nil {
		return "", false, err
	}
	want, err := s.constant(x.Type(), port)
	return s.equal(text, want), true, err
}
