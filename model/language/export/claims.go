package export

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ringcheck/model/language/ir"
)

// A promelaExpr is an expression of a property in Promela.
type promelaExpr struct {
	text    string
	value   *ir.Const // the value if it is constant, otherwise nil
	defined []string  // conditions under which it has a value
	content *ir.Content
}

// A propertyWriter writes expressions of properties and unrolls quantifiers. It is a domain of ir.Abstract.
type propertyWriter struct {
	*stepper
	promela *promela
}

var _ ir.Domain[promelaExpr] = (*propertyWriter)(nil)

// body writes the body of a property.
func (e *promela) body(body ir.Expr) (text string, err error) {
	if p := e.deciding(); p != nil {
		return "", fmt.Errorf("%v: properties observe at once whether the process stops here, "+
			"but the model decides it later", p.Pos)
	}
	s := &propertyWriter{&stepper{notation: e, model: e.instance}, e}
	err = e.part(func() { text = s.total(ir.Abstract(s, body)).text })
	e.Check()
	return text, err
}

// deciding returns a control point with a decision that may lead to the end of the process, nil if no point has one.
func (m *instance) deciding() *ir.Point {
	for _, p := range m.Points {
		if _, stopped := p.Term.(*ir.Stop); !stopped && ir.MayStop(p.Term) {
			return p
		}
	}
	return nil
}

func (s *propertyWriter) constantExpr(t *ir.Type, v int64) promelaExpr {
	return promelaExpr{text: s.constant(t, v), value: &ir.Const{T: t, Value: v}}
}

func (s *propertyWriter) truth(v bool) promelaExpr {
	if v {
		return s.constantExpr(ir.BoolType(), 1)
	}
	return s.constantExpr(ir.BoolType(), 0)
}

// total returns a boolean that is false where x has no value and otherwise equals x.
func (s *propertyWriter) total(x promelaExpr) promelaExpr {
	if len(x.defined) == 0 {
		return x
	}
	return promelaExpr{text: "(" + strings.Join(appendCopy(x.defined, x.text), " && ") + ")"}
}

// Node implements ir.Domain.
func (s *propertyWriter) Node(e ir.Expr, parts ir.Parts[promelaExpr]) promelaExpr {
	s.model.Check()
	var all []promelaExpr
	var out promelaExpr
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
	case *ir.BoundFor:
		refuse("where a process is bound for cannot be exported")
	case *ir.Index:
		if !e.I.Type().SubtypeOf(e.X.Type().Index) {
			refuse("an element of an array whose index may not be in %s cannot be exported", e.X.Type().Index)
		}
	case *ir.Holds:
		return s.total(all[0])
	case *ir.At, *ir.ProcessVar, *ir.Length:
		if !known {
			refuse("a process that depends on the state, or may not exist, cannot be exported")
		}
		return s.observe(e, int(all[0].value.Value))
	case *ir.SharedVar:
		return promelaExpr{text: sharedName(e.Var)}
	case *ir.VarRef:
		refuse("the variable %s cannot be exported", e.Var.Name)
	case *ir.MessageIs:
		return s.truth(all[0].content.Message == e.Message)
	case *ir.MessageField:
		if i := e.Fields[all[0].content.Message.ID]; i >= 0 {
			return s.constantExpr(e.T, all[0].content.Args[i])
		}
		return promelaExpr{text: "0", defined: []string{s.truth(false).text}}
	}
	if known && !e.Type().Wide {
		if v, err := ir.WithChildren(e, values).Eval(&ir.Env{}); err == nil {
			return s.constantExpr(e.Type(), v)
		}
	}
	out.text = s.exprText(e, texts)
	return out
}

// decided returns the value of e if its first operand, the constant x, makes other operands irrelevant. These may
// concern a process that does not exist.
func (s *propertyWriter) decided(e ir.Expr, x int64, parts ir.Parts[promelaExpr]) (promelaExpr, bool) {
	switch e := e.(type) {
	case *ir.Cond:
		if x != 0 {
			return parts.At(1), true
		}
		return parts.At(2), true
	case *ir.Binary:
		if v, ok := e.DecideLeft(x); ok {
			return s.truth(v != 0), true
		}
	}
	return promelaExpr{}, false
}

// observe writes an At, a ProcessVar or a Length, of the given process or channel.
func (s *propertyWriter) observe(e ir.Expr, of int) promelaExpr {
	switch e := e.(type) {
	case *ir.At:
		return s.at(of, func(p *ir.Point) bool { return p.Equation == e.Equation })
	case *ir.ProcessVar:
		if e.Var.Type.Kind == ir.Absent || !slices.Contains(s.model.variables(), e.Var) {
			refuse("the variable %s is not in the model", e.Var.Name)
		}
		out := promelaExpr{text: variable(of)(e.Var)}
		live := s.at(of, func(p *ir.Point) bool { return slices.Contains(p.Live, e.Var) })
		if live.value == nil || live.value.Value == 0 {
			out.defined = []string{live.text}
		}
		return out
	}
	if of < 0 {
		return s.constantExpr(ir.NatType(), 0)
	}
	return promelaExpr{text: s.promela.length(of)}
}

// at writes the condition that a process is at one of some control points.
func (s *propertyWriter) at(process int, wanted func(*ir.Point) bool) promelaExpr {
	var some []string
	for _, p := range s.model.Points {
		if wanted(p) {
			some = append(some, fmt.Sprintf(s.forms().equal, fmt.Sprintf("pc_%d", process), s.model.point(p)))
		}
	}
	if n := len(some); n == 0 || n == len(s.model.Points) {
		return s.truth(n > 0)
	}
	return promelaExpr{text: "(" + strings.Join(some, " || ") + ")"}
}

// maxUnrolled is the maximum number of values over which a quantifier is unrolled.
const maxUnrolled = 1 << 12

// Quantifier implements ir.Domain.
func (s *propertyWriter) Quantifier(
	q *ir.Quantifier, domain []promelaExpr, body func(promelaExpr) promelaExpr,
) promelaExpr {
	if q.Op == ir.Unite || slices.ContainsFunc(domain, func(x promelaExpr) bool { return x.value == nil }) {
		refuse("a quantifier over what depends on the state cannot be exported")
	}
	var out promelaExpr
	var texts []string
	add := func(binder promelaExpr, put func(x string) string) {
		x := body(binder)
		if out.defined = append(out.defined, x.defined...); q.Op == ir.Sum && q.Body.Type().Kind == ir.Bool {
			x.text = "(" + x.text + ")"
		}
		texts = append(texts, put(x.text))
	}
	if q.Over != nil {
		s.messages(q.Op, int(domain[0].value.Value), add)
	} else if lo, hi := domain[0].value.Value, domain[1].value.Value; hi >= lo && uint64(hi)-uint64(lo) >= maxUnrolled {
		refuse("a quantifier over the values %d..%d cannot be exported", lo, hi)
	} else {
		for v := lo; v <= hi; v++ {
			add(s.constantExpr(q.Var.Type, v), func(x string) string { return x })
		}
	}
	empty, operator := s.truth(q.Op == ir.ForAll), ""
	switch q.Op {
	case ir.ForAll:
		operator = " && "
	case ir.Exists:
		operator = " || "
	case ir.Sum:
		empty, operator = s.constantExpr(ir.NatType(), 0), " + "
	case ir.Unite: // refused above
	}
	if len(texts) == 0 {
		return empty
	}
	out.text = "(" + strings.Join(texts, operator) + ")"
	return out
}

// messages adds the body for each possible message, under the condition that it is in the channel.
func (s *propertyWriter) messages(op ir.Quant, link int, add func(binder promelaExpr, put func(string) string)) {
	if link < 0 {
		return
	}
	for _, m := range s.model.Messages {
		for c := range m.Contents(nil) {
			s.model.Tick()
			number, present := s.promela.find(link, message(s, c))
			if number == "" && op == ir.Sum {
				refuse("the number of some messages in a queue cannot be exported")
			}
			add(promelaExpr{content: &c}, func(x string) string {
				switch op {
				case ir.ForAll:
					return "(" + not(present) + " || " + x + ")"
				case ir.Exists:
					return "(" + present + " && " + x + ")"
				case ir.Sum, ir.Unite: // the latter is refused
				}
				return "(" + number + " * " + x + ")"
			})
		}
	}
}

// Apply implements ir.Domain.
func (s *propertyWriter) Apply(e *ir.Apply, args []promelaExpr, body func([]promelaExpr) promelaExpr) promelaExpr {
	fits(e)
	var defined []string
	for i := range args {
		defined = append(defined, args[i].defined...)
		args[i].defined = nil
	}
	x := body(args)
	x.defined = append(defined, x.defined...)
	return x
}

// maxWritten is the maximum size of a definition that is written, including the definitions that it applies: mCRL2 and
// Promela share no parts of expressions.
const maxWritten = 1 << 16

// fits ends the export if a definition is too large to be written.
func fits(e *ir.Apply) {
	if ir.Size(e) > maxWritten {
		refuse("%s has more than %d operators if the definitions in it are replaced by their bodies",
			e.Define.Name, maxWritten)
	}
}

// temporal are the operators of the language as SPIN writes them, empty for what it does not have.
var temporal = map[ir.Operator]string{
	ir.StateAtom: "", ir.EventAtom: "", ir.TerminalAtom: "", ir.Next: "",
	ir.Negation: "(!%s)", ir.Conjunction: "(%s && %s)", ir.Disjunction: "(%s || %s)", ir.Implication: "(%s -> %s)",
	ir.Always: "([] %s)", ir.Eventually: "(<> %s)",
	ir.Until: "(%s U %s)", ir.Unless: "(%s W %s)", ir.Releases: "(%s V %s)",
}

// formula writes a formula of LTL for SPIN.
func (e *promela) formula(f *ir.Formula) (string, error) {
	if f.Op == ir.StateAtom {
		text, err := e.body(f.State)
		if err == nil && strings.ContainsAny(text, "+*?[") {
			err = errors.New("formulas of SPIN cannot contain sums or channels")
		}
		return "(" + text + ")", err
	}
	form := temporal[f.Op]
	if form == "" {
		return "", errors.New("next, end and what happens in a step cannot be exported")
	}
	x, err := e.formula(f.X)
	if err != nil || f.Y == nil {
		return fmt.Sprintf(form, x), err
	}
	y, err := e.formula(f.Y)
	return fmt.Sprintf(form, x, y), err
}

// A claim is a property in Promela, as an ltl or never claim or as an assertion in terminal states, and the command
// that decides it.
type claim struct{ text, assertion, how string }

func (e *promela) claim(p *ir.Property) (c claim, err error) {
	c.how = "./pan -N p_" + p.Name
	if p.Kind.OfRuns() {
		t := p.Temporal
		if t.Chance != ir.AllRuns || len(t.Fair) > 1 ||
			len(t.Fair) == 1 && (t.Fair[0].Strongly || len(t.Fair[0].Names) > 0) {
			return c, fmt.Errorf("%s cannot be exported", t)
		}
		if e.Channel.Sync && len(t.Fair) > 0 {
			return c, errors.New("a step of two processes is one of the sender only, to whom SPIN would be fair")
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
	body, err := e.body(p.Body)
	switch {
	case p.Kind.OfFutures():
		return c, errors.New("it is not a linear-time property")
	case p.Kind.OfEnds():
		c.assertion, c.how = fmt.Sprintf("assert(%s)", body), "spin -a -DTERMINAL_"+p.Name+", and -DNOCLAIM"
		return c, err
	case p.Kind.Existential():
		c.how += " ends with a run to it if it holds"
		body = fmt.Sprintf("!(%s)", body)
	}
	if !e.direct() {
		body = fmt.Sprintf("!started || (%s)", body)
	}
	c.text = fmt.Sprintf("never p_%s { do :: assert(%s) od }", p.Name, body)
	return c, err
}

// properties writes the properties, and a process that continues in terminal states: without it, ./pan -f would miss
// violations in runs that end.
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
