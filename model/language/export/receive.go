package export

import "ringcheck/model/language/ir"

// receive adds a step for each channel and message that fits.
func (s *stepper) receive(p *ir.Prefix, a *ir.Receive, e env, on path) {
	lo, hi := s.model.InLinks(s.process)
	for link := lo; link < hi; link++ {
		m := &reception{stepper: s, prefix: p, action: a, link: link, before: e}
		after, guard := m.match(a.Source, portType(s.model.Protocol), s.model.Links[link].In, e)
		if guard != never {
			m.fields(nil, after, on.with(guard))
		}
	}
}

// portType returns the type of the ports by which channels are addressed.
func portType(p *ir.Protocol) *ir.Type {
	if p.Numbered() {
		return ir.NodeType(p.N)
	}
	return ir.DirType()
}

// A reception is a receive from one channel.
type reception struct {
	*stepper
	prefix *ir.Prefix
	action *ir.Receive
	link   int
	before env // in which the patterns are evaluated
}

// never is the guard of what does not fit.
const never = "\x00"

// match says when a value fits a pattern, and what the variables are then.
func (m *reception) match(p ir.Pattern, t *ir.Type, v int64, e env) (env, string) {
	switch {
	case p.Bind != nil:
		if p.Bind.Type.Kind != ir.Absent && !p.Bind.Type.Contains(v) {
			return e, never // a fault
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
		m.fields(with(args, ""), e, on)
		return
	case ir.Nat:
		panic(cannot("%s.%s is of type nat: only messages of finitely many values can be exported",
			m.action.Message.Name, all[i].Name))
	}
	if value, on, ok := m.all(m.action.Patterns[i], t, on); ok {
		if bind := m.action.Patterns[i].Bind; bind != nil {
			e = e.bound(bind, value)
		}
		m.fields(with(args, value), e, on)
		return
	}
	for v := range t.Values() {
		m.model.Check()
		if after, guard := m.match(m.action.Patterns[i], t, v, e); guard != never {
			m.fields(with(args, m.constant(t, v)), after, on.with(guard))
		}
	}
}

// all returns one value for all of type t that fit a pattern; ok is false if they are matched one by one.
func (m *reception) all(p ir.Pattern, t *ir.Type, on path) (value string, _ path, ok bool) {
	if p.Bind != nil && p.Bind.Type.Kind != ir.Absent && !t.Within(p.Bind.Type) {
		return "", on, false // what does not fit is a fault
	}
	value, folded, ok := m.fold(t, on)
	if !ok || p.Equal == nil {
		return value, folded, ok
	}
	return m.expression(p.Equal, m.before), on, true
}

func (m *reception) finish(args []string, e env, on path) {
	if m.action.Where != nil {
		on = on.with(m.expression(m.action.Where, e))
	}
	st := step{path: on, link: m.link, args: present(args, m.action.Message.Fields), where: m.action.Pos.String()}
	m.add(m.prefix, st, e)
}
