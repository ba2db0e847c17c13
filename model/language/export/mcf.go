package export

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/ltl"
	"ringcheck/model/language/ir"
)

// A Formula says in the modal μ-calculus what a property says, of a model with Probes.
type Formula struct{ Name, Text string }

// A probe is an action of a model that leads from each state in which a condition is true back to it. Its name has a
// prime, like no other.
type probe struct {
	*ir.Property
	action, condition string
}

// Formulas returns the properties as formulas. The text of one that cannot be expressed is a comment with the reason.
func Formulas(ctx context.Context, p *ir.Protocol, opt Options) (list []Formula, err error) {
	defer effort.Catch(&err)
	m, err := newInstance(ctx, p, opt)
	if err != nil {
		return nil, err
	}
	e := &mcrl2{instance: m}
	observed := e.observe()
	step := "true"
	if len(e.probes) > 0 {
		var probes []string
		for _, p := range e.probes {
			probes = append(probes, p.action)
		}
		step = "!(" + strings.Join(probes, " || ") + ")"
	}
	first := ""
	if len(m.initial) > 1 { // the model chooses one
		first = "tau"
	}
	for _, o := range observed {
		about, text := fmt.Sprintf("%% %v %s", o.Kind, o.Name), ""
		if v := opt.Verdicts[o.Name]; v != "" {
			about += ": " + v
		}
		if o.err != nil {
			about += "; not written down: " + o.err.Error()
		} else {
			text = o.formula(first, step) + "\n"
		}
		list = append(list, Formula{o.Name, about + "\n" + text})
	}
	return list, nil
}

// An observation is a property in terms of the actions of a model with probes.
type observation struct {
	*ir.Property
	*mcrl2
	err error // why it cannot be written down
	// Of an LTL property: the automaton of the runs that violate it, its atoms, and the actions that runs are fair to.
	automaton *ltl.Automaton
	atoms     []atom
	fair      []action
}

// An atom is a state formula, or an action formula that is true of a step; if both are empty, it is true where a run
// has ended.
type atom struct{ state, step string }

// An action is what a run can be fair to: the steps of an action formula from the states of a state formula.
type action struct{ from, steps string }

// observe returns the properties of the protocol, and adds the probes of those that can be written down.
func (e *mcrl2) observe() (all []*observation) {
	for _, p := range e.Properties {
		o, before := &observation{Property: p, mcrl2: e}, len(e.probes)
		o.err = e.part(func() {
			if p.Kind == ir.LTL {
				o.translate()
			} else {
				o.probe("p_"+p.Name+"'", p.Body)
			}
		})
		if e.Check(); o.err != nil {
			e.probes = e.probes[:before]
		}
		all = append(all, o)
	}
	return all
}

// probe returns the formula that a state predicate is true, and adds a probe for it if there is none.
func (o *observation) probe(name string, body ir.Expr) string {
	condition, err := o.speak(o.mcrl2, body)
	if err != nil {
		panic(effort.Because(err))
	}
	i := slices.IndexFunc(o.probes, func(p probe) bool { return p.Property == o.Property && p.condition == condition })
	if i < 0 {
		i, o.probes = len(o.probes), append(o.probes, probe{o.Property, name, condition})
	}
	return fmt.Sprintf("<%s>true", o.probes[i].action)
}

// formula writes the property. It is about the states after the action first, unless that is empty; step is the action
// formula of all actions but probes.
func (o *observation) formula(first, step string) string {
	all, some := "[true*]", "<true*>"
	if first != "" {
		first = "[" + first + "]"
		all, some = first+all, strings.NewReplacer("[", "<", "]", ">").Replace(first)+some
	}
	here := fmt.Sprintf("<p_%s'>true", o.Name)
	switch o.Kind {
	case ir.Invariant:
		return all + here
	case ir.Reachable:
		return some + here
	case ir.Recoverable:
		return all + "<true*>" + here
	case ir.Terminal:
		return fmt.Sprintf("%s(<%s>true || %s)", all, step, here)
	}
	return first + o.unviolated(step)
}

// translate translates the negation of an LTL property into an automaton.
func (o *observation) translate() {
	t := o.Temporal
	if t.Chance != ir.AllRuns {
		panic(cannot("these formulas have no probabilities"))
	}
	violated := ltl.Not(t.Formula.LTL(o.N, func(f *ir.Formula) *ltl.Formula {
		switch f.Op {
		case ir.StateAtom:
			return o.atom(atom{state: o.predicate(f.State)})
		case ir.EventAtom:
			return o.atom(atom{step: o.occurs(f.Event, f.Process)})
		}
		return o.atom(atom{})
	}))
	for _, clause := range t.Fair {
		if clause.Strongly {
			panic(cannot("strong fairness is no Büchi condition"))
		}
		for process := range o.N {
			o.fair = append(o.fair, o.actions(&clause, process)...)
		}
	}
	if o.automaton = ltl.Translate(violated); o.automaton == nil {
		panic(cannot("the automaton of its negation is too large"))
	}
	edges := 0
	for _, e := range o.automaton.Edges {
		edges += len(e)
	}
	if edges *= o.automaton.Sets + len(o.fair); edges > maxWritten {
		panic(cannot("the automaton of its negation has %d edges", edges))
	}
}

func (o *observation) predicate(body ir.Expr) string {
	return o.probe(fmt.Sprintf("p_%s'%d", o.Name, len(o.probes)), body)
}

func (o *observation) atom(a atom) *ltl.Formula {
	i := slices.Index(o.atoms, a)
	if i < 0 {
		i, o.atoms = len(o.atoms), append(o.atoms, a)
	}
	if i >= ltl.MaxAtoms {
		panic(cannot("it has more than %d atoms", ltl.MaxAtoms))
	}
	return ltl.Atom(i)
}

// actions returns the actions of a process that a clause names.
func (o *observation) actions(f *ir.FairClause, process int) (all []action) {
	add := func(from, steps string) { all = append(all, action{from, steps}) }
	if len(f.Names) == 0 {
		add("true", o.steps(process))
	}
	of := &ir.Const{T: ir.NodeType(o.N), Value: int64(process)}
	for _, eq := range f.Equations {
		add(o.predicate(&ir.At{Process: of, Equation: eq}), o.steps(process))
	}
	for _, ev := range f.Events {
		add("true", o.occurs(ev, of))
	}
	for _, m := range f.Messages {
		content := func(vars []string) string { return inParentheses("m_"+m.Name, vars) }
		for _, verb := range []string{"send", "recv"} {
			add("true", strings.Join(o.messages(verb, process, sorts(m.Fields), content), " || "))
		}
	}
	return all
}

// steps writes the action formula of all that a process does.
func (o *observation) steps(process int) string {
	all := []string{fmt.Sprintf("internal(%d)", process)}
	for _, ev := range o.Events {
		all = append(all, o.occurs(ev, &ir.Const{Value: int64(process)}))
	}
	if len(o.Messages) > 0 {
		for _, verb := range []string{"send", "recv"} {
			content := func(vars []string) string { return vars[0] }
			all = append(all, o.messages(verb, process, []string{"Message"}, content)...)
		}
	}
	return strings.Join(all, " || ")
}

// occurs writes the action formula of an event, of any process if that is nil.
func (o *observation) occurs(ev *ir.Event, process ir.Expr) string {
	name := mcrl2Name(ev.Name)
	if c, ok := process.(*ir.Const); ok {
		return some(sorts(ev.Fields), func(vars []string) string {
			return inParentheses(name, append([]string{fmt.Sprint(c.Value)}, vars...))
		})
	}
	return some(append([]string{"Int"}, sorts(ev.Fields)...), func(vars []string) string {
		return inParentheses(name, vars)
	})
}

// messages writes the action formulas of a process that sends or receives content, for any values of the given sorts.
func (o *observation) messages(verb string, process int, sorts []string, content func([]string) string) (all []string) {
	if o.Numbered() {
		return []string{some(append([]string{"Int"}, sorts...), func(vars []string) string {
			return fmt.Sprintf("%s(%d, %s, %s)", verb, process, vars[0], content(vars[1:]))
		})}
	}
	for port := range ir.DirType().Values() {
		all = append(all, some(sorts, func(vars []string) string {
			return o.communication(verb, process, port, content(vars))
		}))
	}
	return all
}

// some writes an action formula for any values of variables of the given sorts.
func some(sorts []string, action func(vars []string) string) string {
	var vars, declared []string
	for i, sort := range sorts {
		vars = append(vars, fmt.Sprintf("x%d'", i))
		declared = append(declared, vars[i]+": "+sort)
	}
	if len(vars) == 0 {
		return action(nil)
	}
	return fmt.Sprintf("(exists %s . %s)", strings.Join(declared, ", "), action(vars))
}

// unviolated writes that the automaton accepts no run. X'(q) is true of a state from which it accepts a fair run that
// begins in its state q: for each acceptance set there are steps (Y') to one in the set, which leads to such a state
// again; and for each action to be fair to, steps to such a state in which it is not enabled, or up to one that takes
// it, which leads to such a state (Emerson and Lei, Modalities for model checking: branching time logic strikes back,
// Sci. Comput. Program. 8(3), 1987).
func (o *observation) unviolated(step string) string {
	var marks []string
	mark := func(ways []string, edge func(e ltl.Edge, where string) []string) {
		for q, edges := range o.automaton.Edges {
			for _, e := range edges {
				ways = append(ways, edge(e, fmt.Sprintf("val(p' == %d)", q))...)
			}
		}
		if len(ways) == 0 {
			ways = []string{"false"}
		}
		marks = append(marks, fmt.Sprintf("(mu Y'(p': Nat = q') .\n     %s)", strings.Join(ways, "\n  || ")))
	}
	for set := range max(1, o.automaton.Sets) {
		mark(nil, func(e ltl.Edge, where string) []string {
			next := fmt.Sprintf("Y'(%d)", e.To)
			if o.automaton.Sets == 0 || e.Accept>>set&1 == 1 {
				next = fmt.Sprintf("X'(%d)", e.To)
			}
			return o.ways(e.Guard, where, step, next, true)
		})
	}
	for _, a := range o.fair { // where a run has ended, no action is enabled
		idle := fmt.Sprintf("(!(%s && <%s>true) && X'(p'))", a.from, a.steps)
		mark([]string{idle}, func(e ltl.Edge, where string) []string {
			taken := fmt.Sprintf("%s && (%s)", step, a.steps)
			return append(o.ways(e.Guard, where, step, fmt.Sprintf("Y'(%d)", e.To), false),
				o.ways(e.Guard, where+" && "+a.from, taken, fmt.Sprintf("X'(%d)", e.To), false)...)
		})
	}
	return fmt.Sprintf("!(nu X'(q': Nat = %d) .\n     %s)", o.automaton.Initial, strings.Join(marks, "\n  && "))
}

// ways writes how a run takes an edge with a guard from a state in which where is true to one in which next is: by a
// step, or, if ends is set, by staying in a state without any.
func (o *observation) ways(guard ltl.Cube, where, step, next string, ends bool) (all []string) {
	moves, over := true, "["+step+"]false"
	for i, a := range o.atoms {
		yes := guard.Yes>>i&1 == 1
		if !yes && guard.No>>i&1 == 0 {
			continue
		}
		not := map[bool]string{false: "!"}[yes]
		switch {
		case a.state != "":
			where += " && " + not + a.state
		case a.step != "":
			step += " && " + not + a.step
			ends = ends && !yes
		default:
			moves, ends = moves && !yes, ends && yes
		}
	}
	if moves {
		all = append(all, fmt.Sprintf("(%s && <%s>%s)", where, step, next))
	}
	if ends {
		all = append(all, fmt.Sprintf("(%s && %s && %s)", where, over, next))
	}
	return all
}
