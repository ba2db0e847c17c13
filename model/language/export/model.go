package export

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/model/language/ir"
	semantics "ringcheck/model/language/step"
)

// A Format is a modelling language. Write writes nothing if it fails or the context ends.
type Format struct {
	Name   string
	Ending string // of the names of files
	Write  func(ctx context.Context, w io.Writer, p *ir.Protocol) error
}

// Formats lists the formats.
func Formats() []Format {
	return []Format{
		{"mcrl2", ".mcrl2", MCRL2},
		{"promela", ".pml", Promela},
	}
}

// An instance is a protocol that is being written.
type instance struct {
	*ir.Protocol
	*effort.Effort
	points  []string // by Point.ID: their names in ringcheck
	initial []*semantics.State
	product *ir.StartProduct // takes the place of initial if it is not nil
	steps   int              // the number of steps generated so far
	b       strings.Builder
}

// direct reports whether there is a single initial state, with empty channels, so that the model can begin in it.
func (m *instance) direct() bool {
	return m.product == nil && len(m.initial) == 1 && len(m.Start.Contents) == 0
}

// unsupportedConstruct names a construct of p that cannot be exported, with its position if it has one; "" if all of p
// can be exported.
func unsupportedConstruct(p *ir.Protocol) string {
	if p.Channel.First != p.Channel.Ordered() { // a model has lists that are read at the front, and multisets
		return "channel " + p.Channel.Keyword
	}
	for point, t := range p.Terms() {
		if what := unsupportedTerm(t); what != "" {
			return fmt.Sprintf("%v: %s", point.Pos, what)
		}
	}
	return ""
}

func unsupportedTerm(t ir.Term) string {
	switch t := t.(type) {
	case *ir.Draw:
		if t.Size != nil {
			return "a draw of subsets"
		}
	case *ir.Prefix:
		if r, ok := t.Action.(*ir.Receive); ok && r.Message == nil {
			return "a receive of any message"
		}
	}
	return ""
}

// maxInitial is the maximum number of initial states that a model lists. If they are a product, it lists the initial
// local states of each process.
const maxInitial = 10_000

// A target is a language of models.
type target struct {
	name     string
	engine   ir.Engine
	products bool // whether initial states can be written as a product
}

// write writes the model that do makes of an instance.
func write(ctx context.Context, w io.Writer, p *ir.Protocol, to target, do func(*instance)) error {
	if err := p.Refusal(to.engine); err != nil {
		return err
	}
	m, err := newInstance(ctx, p, to.products)
	if err != nil {
		return err
	}
	if err := m.part(func() { do(m) }); err != nil {
		return cmp.Or(ctx.Err(), fmt.Errorf("%s: %w", to.name, err))
	}
	_, err = io.WriteString(w, m.b.String())
	return err
}

// part calls do and returns the error with which it panics.
func (m *instance) part(do func()) (err error) {
	defer effort.Catch(&err)
	do()
	return nil
}

func newInstance(ctx context.Context, p *ir.Protocol, products bool) (_ *instance, err error) {
	defer effort.Catch(&err)
	if what := unsupportedConstruct(p); what != "" {
		return nil, fmt.Errorf("%s cannot be exported", what)
	}
	m := &instance{Protocol: p, Effort: &effort.Effort{Context: ctx}, points: p.PointNames()}
	if products {
		m.product = startProduct(p)
	}
	if m.product == nil {
		err = m.list()
	}
	return m, err
}

// startProduct returns the initial states as a product of different local states, nil if there is a single one or they
// are no product.
func startProduct(p *ir.Protocol) *ir.StartProduct {
	product := p.Product(maxInitial)
	if product == nil {
		return nil
	}
	several := slices.ContainsFunc(product.Shared, func(values []int64) bool { return len(values) > 1 })
	for process, locals := range product.Locals {
		seen := make(map[string]bool)
		product.Locals[process] = slices.DeleteFunc(locals, func(l ir.Local) bool {
			key := fmt.Sprint(l.Point.ID, l.Env)
			defer func() { seen[key] = true }()
			return seen[key]
		})
		several = several || len(product.Locals[process]) > 1
	}
	if !several {
		return nil
	}
	return product
}

// list lists the initial states.
func (m *instance) list() error {
	seen := make(map[string]bool)
	err := semantics.New(m.Protocol, semantics.Options{}).Initial(func(s *semantics.State) bool {
		m.Check()
		if key := s.Key(); !seen[key] { // assignments can differ in variables that are not live
			seen[key] = true
			m.initial = append(m.initial, s)
		}
		return len(m.initial) <= maxInitial
	})
	if err == nil && len(m.initial) > maxInitial {
		err = fmt.Errorf("there are more than %d initial states", maxInitial)
	}
	return err
}

func (m *instance) line(format string, args ...any) {
	m.Check()
	fmt.Fprintf(&m.b, format+"\n", args...)
}

// point names a control point.
func (m *instance) point(p *ir.Point) string {
	return "at_" + strings.ReplaceAll(m.points[p.ID], ":", "_")
}

// variable names a variable of a process. Its name ends with the number of the process, so it is no keyword; it must
// differ from the names of control points and channels.
func variable(process int) func(v *ir.Var) string {
	return func(v *ir.Var) string {
		name := v.Name
		if name == "pc" || name == "c" || strings.HasPrefix(name, "c_") {
			name += "_"
		}
		return fmt.Sprintf("%s_%d", name, process)
	}
}

// sharedName names a shared variable. No other name begins with shared_ and ends with _.
func sharedName(v *ir.Var) string { return "shared_" + v.Name + "_" }

// channel names a channel.
func (m *instance) channel(link int) string {
	l := m.Links[link]
	if m.Numbered() {
		return fmt.Sprintf("c_%d_%d", l.From, l.To)
	}
	return fmt.Sprintf("c_%d_%s_%d", l.From, m.FormatPort(l.Out), l.To)
}

// variables returns the variables that are live at some control point; others are never part of a state.
func (m *instance) variables() []*ir.Var {
	live := make(map[*ir.Var]bool)
	for _, p := range m.Points {
		for _, v := range p.Live {
			live[v] = true
		}
	}
	var all []*ir.Var
	for _, v := range m.Vars {
		if live[v] && v.Type.Kind != ir.Absent {
			all = append(all, v)
		}
	}
	return all
}

// settings describes the instance: "n = 2, k = 2, bits = true".
func (m *instance) settings() string { return ir.FormatSettings(slices.Concat(m.Params, m.Options)...) }

// describe returns a comment on a step.
func (m *instance) describe(s *step) string {
	text := "skip"
	switch a := s.action.(type) {
	case *ir.Send:
		text = "send " + m.FormatPort(m.Links[s.link].Out) + " " + inParentheses(a.Message.Name, s.args)
	case *ir.Receive:
		text = "recv " + m.FormatPort(m.Links[s.link].In) + " " + inParentheses(a.Message.Name, s.args)
	case *ir.Assign:
		text = a.Var.Name + " := " + s.args[0]
	case *ir.Emit:
		text = inParentheses(a.Event.Name, s.args)
	case *ir.Skip, *ir.Crash:
	}
	return fmt.Sprintf("%s, %s", text, s.where)
}

func inParentheses(name string, args []string) string {
	if len(args) == 0 {
		return name
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// eachAssignment calls do for each variable that a step changes: variables that are live afterwards, and variables that
// are no longer live, which get the value 0.
func (s *step) eachAssignment(n notation, from *ir.Point, process int, do func(name, value string)) {
	name := variable(process)
	kept := make(map[*ir.Var]bool)
	for i, v := range s.at.Live {
		kept[v] = true
		if v.Type.Kind != ir.Absent && s.values[i] != name(v) {
			do(name(v), s.values[i])
		}
	}
	for _, v := range from.Live {
		if v.Type.Kind != ir.Absent && !kept[v] {
			do(name(v), n.constant(v.Type, 0))
		}
	}
	for _, w := range s.writes {
		do(sharedName(w.variable), w.value)
	}
}
