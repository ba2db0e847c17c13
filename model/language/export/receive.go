package export

import (
	"cmp"
	"fmt"
	"slices"

	"ringcheck/model/language/ir"
)

// receive adds a step for each channel and message that fits.
func (s *stepper) receive(p *ir.Prefix, a *ir.Receive, e env, on path) error {
	lo, hi := s.model.InLinks(s.process)
	for link := lo; link < hi; link++ {
		m := &reception{stepper: s, prefix: p, action: a, link: link, before: e}
		after, guard, err := m.match(a.Source, portType(s.model.Protocol), s.model.Links[link].In, e)
		if err != nil {
			return err
		}
		if guard != never {
			if err := m.fields(0, nil, after, on.with(guard)); err != nil {
				return err
			}
		}
	}
	return nil
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
func (m *reception) match(p ir.Pattern, t *ir.Type, v int64, e env) (env, string, error) {
	switch {
	case p.Bind != nil:
		if p.Bind.Type.Kind != ir.Absent && !p.Bind.Type.Contains(v) {
			return e, never, nil // a fault
		}
		text, err := m.constant(p.Bind.Type, v)
		return e.bound(p.Bind, text), "", err
	case p.Equal == nil:
		return e, "", nil
	}
	guard, possible, err := m.port(p.Equal, v, m.before)
	if !possible {
		guard = never
	}
	return e, guard, err
}

// fields adds the steps for each message whose first i fields are args.
func (m *reception) fields(i int, args []string, e env, on path) error {
	all := m.action.Message.Fields
	if i == len(all) {
		return m.finish(args, e, on)
	}
	t := all[i].Type
	if t.Kind == ir.Absent {
		return m.fields(i+1, append(slices.Clip(args), ""), e, on)
	}
	if t.Kind == ir.Nat {
		return fmt.Errorf("%s.%s is of type nat: only messages of finitely many values can be exported", m.action.Message.Name, all[i].Name)
	}
	if value, on, ok, err := m.all(m.action.Patterns[i], t, on); ok || err != nil {
		if bind := m.action.Patterns[i].Bind; bind != nil {
			e = e.bound(bind, value)
		}
		return cmp.Or(err, m.fields(i+1, with(args, value), e, on))
	}
	for v := range t.Values() {
		m.model.Check()
		after, guard, err := m.match(m.action.Patterns[i], t, v, e)
		if err != nil {
			return err
		}
		if guard == never {
			continue
		}
		text, err := m.constant(t, v)
		if err != nil {
			return err
		}
		if err := m.fields(i+1, with(args, text), after, on.with(guard)); err != nil {
			return err
		}
	}
	return nil
}

// all returns one value for all of type t that fit a pattern; ok is false if they are matched one by one.
func (m *reception) all(p ir.Pattern, t *ir.Type, on path) (value string, _ path, ok bool, err error) {
	if p.Bind != nil && p.Bind.Type.Kind != ir.Absent && !t.Within(p.Bind.Type) {
		return "", on, false, nil // what does not fit is a fault
	}
	value, folded, ok := m.fold(t, on)
	if !ok || p.Equal == nil {
		return value, folded, ok, nil
	}
	value, err = m.expression(p.Equal, m.before)
	return value, on, true, err
}

func (m *reception) finish(args []string, e env, on path) error {
	if m.action.Where != nil {
		where, err := m.expression(m.action.Where, e)
		if err != nil {
			return err
		}
		on = on.with(where)
	}
	st := step{path: on, link: m.link, args: present(args, m.action.Message.Fields), where: m.action.Pos.String()}
	return m.add(m.prefix, st, e)
}
