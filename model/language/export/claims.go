package export

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"ringcheck/model/language/ir"
)

// A said is an expression of a property in Promela.
type said struct {
	text    string
	value   *ir.Const // if it is constant
	defined []string  // conditions under which it has a value
	content *ir.Content
}

// A speaker writes expressions of properties, whose quantifiers it writes out. It is a domain of ir.Abstract.
type speaker struct {
	*stepper
	promela *promela
}

var _ ir.Domain[said] = (*speaker)(nil)

// speak returns the body of a property.
func (e *promela) speak(body ir.Expr) (text string, err error) {
	if p := e.deciding(); p != nil {
		return "", fmt.Errorf("%v: a process decides here whether it stops, which properties observe at once", p.Pos)
	}
	s := &speaker{&stepper{notation: e, model: e.instance}, e}
	err = e.part(func() { text = s.where(ir.Abstract(s, body)).text })
	e.Check()
	return text, err
}

// deciding returns a control point with a decision that may lead to the end of the process, nil if there is none.
func (m *instance) deciding() *ir.Point {
	for _, p := range m.Points {
		if _, stopped := p.Term.(*ir.Stop); !stopped && ir.MayStop(p.Term) {
			return p
		}
	}
	return nil
}

func (s *speaker) say(t *ir.Type, v int64) said {
	return said{text: s.constant(t, v), value: &ir.Const{T: t, Value: v}}
}

func (s *speaker) truth(v bool) said {
	if v {
		return s.say(ir.BoolType(), 1)
	}
	return s.say(ir.BoolType(), 0)
}

// where returns a boolean that is false where x has no value.
func (s *speaker) where(x said) said {
	if len(x.defined) == 0 {
		return x
	}
	return said{text: "(" + strings.Join(with(x.defined, x.text), " && ") + ")"}
}

// Node implements ir.Domain.
func (s *speaker) Node(e ir.Expr, parts ir.Parts[said]) said {
	s.model.Check()
	var all []said
	var out said
	var texts []string
	var values []ir.Expr
	known := true
	for i := range ir.Children(e) {
		x := parts.At(i)
		if i == 0 && x.value != nil {
			if decided, ok := s.decided(e, x.value.Value, parts); ok {
				return decided
			}
		}
		all, texts, values = append(all, x), append(texts, x.text), append(values, x.value)
		out.defined = append(out.defined, x.defined...)
		known = known && x.value != nil
	}
	switch e := e.(type) {
	case *ir.Holds:
		return s.where(all[0])
	case *ir.At, *ir.ProcessVar, *ir.Length:
		if !known {
			panic(cannot("a process that depends on the state, or may not exist, cannot be exported"))
		}
		return s.look(e, int(all[0].value.Value))
	case *ir.VarRef:
		panic(cannot("the variable %s cannot be exported", e.Var.Name))
	case *ir.MessageIs:
		return s.truth(all[0].content.Message == e.Message)
	case *ir.MessageField:
		if i := e.Fields[all[0].content.Message.ID]; i >= 0 {
			return s.say(e.T, all[0].content.Args[i])
		}
		return said{text: "0", defined: []string{s.truth(false).text}}
	}
	if known && !e.Type().Wide {
		if v, err := ir.WithChildren(e, values).Eval(&ir.Env{}); err == nil {
			return s.say(e.Type(), v)
		}
	}
	out.text = s.written(e, texts)
	return out
}

// decided returns what an expression is if its first part is the constant x and leaves out another part, which may be
// about a process that does not exist.
func (s *speaker) decided(e ir.Expr, x int64, parts ir.Parts[said]) (said, bool) {
	switch e := e.(type) {
	case *ir.Cond:
		if x != 0 {
			return parts.At(1), true
		}
		return parts.At(2), true
	case *ir.Binary:
		if v, ok := e.Decided(x); ok {
			return s.truth(v != 0), true
		}
	}
	return said{}, false
}

// look writes a property of a process or a channel.
func (s *speaker) look(e ir.Expr, of int) said {
	switch e := e.(type) {
	case *ir.At:
		return s.at(of, func(p *ir.Point) bool { return p.Equation == e.Equation })
	case *ir.ProcessVar:
		if e.Var.Type.Kind == ir.Absent || !slices.Contains(s.model.variables(), e.Var) {
			panic(cannot("the variable %s is not in the model", e.Var.Name))
		}
		out := said{text: variable(of)(e.Var)}
		live := s.at(of, func(p *ir.Point) bool { return slices.Contains(p.Live, e.Var) })
		if live.value == nil || live.value.Value == 0 {
			out.defined = []string{live.text}
		}
		return out
	}
	if of < 0 {
		return s.say(ir.NatType(), 0)
	}
	return said{text: s.promela.length(of)}
}

// at writes that a process is at one of some control points.
func (s *speaker) at(process int, wanted func(*ir.Point) bool) said {
	var some []string
	for _, p := range s.model.Points {
		if wanted(p) {
			some = append(some, fmt.Sprintf(s.forms().equal, fmt.Sprintf("pc_%d", process), s.model.point(p)))
		}
	}
	if n := len(some); n == 0 || n == len(s.model.Points) {
		return s.truth(n > 0)
	}
	return said{text: "(" + strings.Join(some, " || ") + ")"}
}

// maxWritten is how many values of a quantifier are written out.
const maxWritten = 1 << 12

// Quantifier implements ir.Domain.
func (s *speaker) Quantifier(q *ir.Quantifier, domain []said, body func(said) said) said {
	if q.Op == ir.Unite || slices.ContainsFunc(domain, func(x said) bool { return x.value == nil }) {
		panic(cannot("a quantifier over what depends on the state cannot be exported"))
	}
	var out said
	var texts []string
	add := func(binder said, put func(x string) string) {
		x := body(binder)
		if out.defined = append(out.defined, x.defined...); q.Op == ir.Sum && q.Body.Type().Kind == ir.Bool {
			x.text = "(" + x.text + ")"
		}
		texts = append(texts, put(x.text))
	}
	if q.Over != nil {
		s.messages(q.Op, int(domain[0].value.Value), add)
	} else if lo, hi := domain[0].value.Value, domain[1].value.Value; hi-lo >= maxWritten {
		panic(cannot("a quantifier over %d values cannot be exported", hi-lo+1))
	} else {
		for v := lo; v <= hi; v++ {
			add(s.say(q.Var.Type, v), func(x string) string { return x })
		}
	}
	operator := map[ir.Quant]string{ir.ForAll: " && ", ir.Exists: " || ", ir.Sum: " + "}[q.Op]
	switch {
	case len(texts) > 0:
		out.text = "(" + strings.Join(texts, operator) + ")"
	case q.Op == ir.Sum:
		return s.say(ir.NatType(), 0)
	default:
		return s.truth(q.Op == ir.ForAll)
	}
	return out
}

// messages adds the body for each message that can be in a channel, under the condition that it is there.
func (s *speaker) messages(op ir.Quant, link int, add func(binder said, put func(string) string)) {
	if link < 0 {
		return
	}
	for c := range s.model.allContents() {
		number, present := s.promela.within(link, message(s, c))
		if number == "" && op == ir.Sum {
			panic(cannot("the number of some messages in a queue cannot be exported"))
		}
		add(said{content: &c}, func(x string) string {
			switch op {
			case ir.ForAll:
				return "(" + not(present) + " || " + x + ")"
			case ir.Exists:
				return "(" + present + " && " + x + ")"
			}
			return "(" + number + " * " + x + ")"
		})
	}
}

// allContents yields all possible messages.
func (m *instance) allContents() iter.Seq[ir.Content] {
	return func(yield func(ir.Content) bool) {
		for _, message := range m.Messages {
			all := [][]int64{nil}
			for _, f := range message.Fields {
				var longer [][]int64
				for _, args := range all {
					if f.Type.Kind == ir.Absent {
						longer = append(longer, append(slices.Clip(args), 0))
						continue
					}
					for v := range f.Type.Values() {
						m.Tick()
						longer = append(longer, append(slices.Clip(args), v))
					}
				}
				all = longer
			}
			for _, args := range all {
				if !yield(ir.Content{Message: message, Args: args}) {
					return
				}
			}
		}
	}
}

// Apply implements ir.Domain.
func (s *speaker) Apply(_ *ir.Apply, args []said, body func([]said) said) said {
	var defined []string
	for i := range args {
		defined = append(defined, args[i].defined...)
		args[i].defined = nil
	}
	x := body(args)
	x.defined = append(defined, x.defined...)
	return x
}

// temporal are the operators that both SPIN and the language have.
var temporal = map[ir.Operator]string{
	ir.Negation: "(!%s)", ir.Conjunction: "(%s && %s)", ir.Disjunction: "(%s || %s)", ir.Implication: "(%s -> %s)",
	ir.Always: "([] %s)", ir.Eventually: "(<> %s)",
	ir.Until: "(%s U %s)", ir.Unless: "(%s W %s)", ir.Releases: "(%s V %s)",
}

// formula writes a formula of LTL for SPIN.
func (e *promela) formula(f *ir.Formula) (string, error) {
	if f.Op == ir.StateAtom {
		text, err := e.speak(f.State)
		if err == nil && strings.ContainsAny(text, "+*?[") {
			err = errors.New("formulas of SPIN cannot contain sums or channels")
		}
		return "(" + text + ")", err
	}
	form, ok := temporal[f.Op]
	if !ok {
		return "", errors.New("next, end and what happens in a step cannot be exported")
	}
	x, err := e.formula(f.X)
	if err != nil || f.Y == nil {
		return fmt.Sprintf(form, x), err
	}
	y, err := e.formula(f.Y)
	return fmt.Sprintf(form, x, y), err
}

// A claim is a property in Promela, and how it is decided: an ltl or a never claim, or an assertion about where runs
// end.
type claim struct{ text, assertion, how string }

// claim writes a property.
func (e *promela) claim(p *ir.Property) (c claim, err error) {
	c.how = "./pan -N p_" + p.Name
	if p.Kind == ir.LTL {
		t := p.Temporal
		if t.Chance != ir.AllRuns || len(t.Fair) > 1 ||
			len(t.Fair) == 1 && (t.Fair[0].Strongly || len(t.Fair[0].Names) > 0) {
			return c, fmt.Errorf("%s cannot be exported", t)
		}
		formula, err := e.formula(t.Formula)
		if !e.direct() {
			formula = fmt.Sprintf("!started U (started && %s)", formula)
		}
		if c.how += " -a"; len(t.Fair) > 0 {
			c.how += " -f"
		}
		c.text = fmt.Sprintf("ltl p_%s { %s }", p.Name, formula)
		return c, err
	}
	body, err := e.speak(p.Body)
	switch p.Kind {
	case ir.Recoverable:
		return c, errors.New("it is not a linear-time property")
	case ir.Terminal:
		c.assertion, c.how = fmt.Sprintf("assert(%s)", body), "spin -a -DTERMINAL_"+p.Name+", and -DNOCLAIM"
		return c, err
	case ir.Reachable:
		c.how += " ends with a run to it if it holds"
		body = fmt.Sprintf("!(%s)", body)
	}
	if !e.direct() {
		body = fmt.Sprintf("!started || (%s)", body)
	}
	c.text = fmt.Sprintf("never p_%s { do :: assert(%s) od }", p.Name, body)
	return c, err
}

// properties writes the process that goes on where runs end, and the properties.
func (e *promela) properties() {
	var claims, ends []string
	for _, p := range e.Properties {
		about := fmt.Sprintf("%v %s", p.Kind, p.Name)
		c, err := e.claim(p)
		switch {
		case err != nil:
			why := strings.ReplaceAll(err.Error(), "*/", "* /")
			claims = append(claims, fmt.Sprintf("/* %s; not written down: %s */", about, why))
		case c.assertion != "":
			claims = append(claims, fmt.Sprintf("/* %s; %s */", about, c.how))
			ends = append(ends, fmt.Sprintf("#ifdef TERMINAL_%s\n    %s;\n#endif", p.Name, c.assertion))
		default:
			claims = append(claims, fmt.Sprintf("/* %s; %s */\n%s", about, c.how, c.text))
		}
	}
	e.line("\n/* Without a process that goes on, ./pan -f misses violations in runs that end. */")
	e.line("active proctype idle() {")
	e.line("end: do")
	e.line("  :: atomic {")
	e.line("    timeout;")
	for _, text := range ends {
		e.line("%s", text)
	}
	e.line("    skip }")
	e.line("  od")
	e.line("}")
	if len(claims) > 0 { // pan finds them by name only after all processes
		e.line("\n/* properties: what is found about them, and how SPIN decides them */\n%s", strings.Join(claims,
			"\n"))
	}
}
