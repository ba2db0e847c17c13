package verify

import (
	"slices"
	"strconv"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A Witness explains why a property is false in a state.
type Witness struct {
	// Bindings are values of binders for which it is false: "forall p in node" is false for p = 2.
	Bindings []Binding
	// Sums are the counts and sums with values for which it is false.
	Sums []Sum
	// Processes, Links and Shared, the shared variables, are those on which the value depends, in ascending order.
	Processes, Links, Shared []int
}

// A Binding is a binder and its value as text.
type Binding struct{ Name, Value string }

// maxSums is the maximum number of sums of a Witness, in the order of the text.
const maxSums = 64

// A Sum is the value of a count or sum.
type Sum struct {
	Value int64
	Count bool      // whether it is a count; otherwise a sum
	For   []Binding // for a count: the values that count
	Nodes []int     // the processes in For
}

// Explain returns why the body of a property is false in a state. The error is an *EvalError.
func Explain(sys *compile.System, property *ir.Property, state []model.Value) (*Witness, error) {
	view := sys.NewView()
	view.Show(state)
	return ExplainView(sys.Protocol(), property, view, nil)
}

// ExplainView is Explain for a state of a protocol that is not compiled; values of wide set types refer to sets.
func ExplainView(p *ir.Protocol, property *ir.Property, view ir.View, sets *ir.Sets) (*Witness, error) {
	x := &explainer{reads: &looks{View: view}}
	x.env = p.NewEnv(x.reads)
	x.env.Sets = sets
	why := ir.Abstract(x, property.Body)
	if why.err != nil {
		return nil, &EvalError{Property: property, Err: why.err}
	}
	slices.Sort(why.Processes)
	slices.Sort(why.Links)
	slices.Sort(why.Shared)
	why.Processes, why.Links = slices.Compact(why.Processes), slices.Compact(why.Links)
	why.Shared = slices.Compact(why.Shared)
	return &why.Witness, nil
}

// An explanation is the value of an expression in a state, and the reasons for it.
type explanation struct {
	value int64
	err   error
	Witness
}

// An explainer is the domain of explanations. If an operand or a value of a binder decides an expression, it explains
// the value; otherwise everything that the evaluation reads does.
type explainer struct {
	env     *ir.Env
	reads   *looks
	applied ir.Applications[int64, explanation]
}

var _ ir.Domain[explanation] = (*explainer)(nil)

// look evaluates e and records what that reads.
func (x *explainer) look(e ir.Expr) explanation {
	x.reads.processes, x.reads.links, x.reads.shared = nil, nil, nil
	v, err := e.Eval(x.env)
	return explanation{v, err, Witness{Processes: x.reads.processes, Links: x.reads.links, Shared: x.reads.shared}}
}

// Node implements ir.Domain.
func (x *explainer) Node(e ir.Expr, parts ir.Parts[explanation]) explanation {
	switch e := e.(type) {
	case *ir.Holds:
		if why := parts.At(0); why.err == nil {
			return why
		}
	case *ir.Unary:
		if e.Op == ir.Not {
			why := parts.At(0)
			why.value ^= 1
			return why
		}
	case *ir.Binary:
		if e.Op == ir.And || e.Op == ir.Or || e.Op == ir.Implies {
			return x.connective(e, parts)
		}
		why := x.look(e)
		why.Sums = slices.Concat(parts.At(0).Sums, parts.At(1).Sums)
		why.Sums = why.Sums[:min(len(why.Sums), maxSums)]
		return why
	case *ir.Cond:
		c := parts.At(0)
		switch {
		case c.err != nil:
			return c
		case c.value != 0:
			return parts.At(1)
		}
		return parts.At(2)
	}
	return x.look(e)
}

func (x *explainer) connective(e *ir.Binary, parts ir.Parts[explanation]) explanation {
	left := parts.At(0)
	_, decided := e.DecideLeft(left.value)
	if left.err != nil || decided && e.Op != ir.Implies {
		return left
	}
	if !decided {
		right := parts.At(1)
		if right.err != nil || (right.value != 0) == (e.Op == ir.Or) {
			return right
		}
	}
	return x.look(e)
}

// Quantifier implements ir.Domain.
func (x *explainer) Quantifier(q *ir.Quantifier, _ []explanation, body func(explanation) explanation) explanation {
	lo, hi, err := q.Domain(x.env)
	if err != nil || q.Op == ir.Unite {
		return x.look(q)
	}
	var counted []Binding
	var nodes []int
	for i := range hi - lo + 1 {
		v := lo + i
		x.env.Vars[q.Var.ID] = v
		why := body(explanation{value: v})
		switch {
		case why.err != nil: // it does not decide
		case q.Op == ir.ForAll && why.value == 0 || q.Op == ir.Exists && why.value != 0:
			why.Bindings = append([]Binding{x.binding(q.Var, v)}, why.Bindings...)
			if q.Var.Type.Kind == ir.Node {
				why.Processes = append(why.Processes, int(v))
			}
			return why
		case q.Op == ir.Sum && q.Body.Type().Kind == ir.Bool && why.value != 0:
			counted = append(counted, x.binding(q.Var, v))
			if q.Var.Type.Kind == ir.Node {
				nodes = append(nodes, int(v))
			}
		}
	}
	why := x.look(q)
	if q.Op == ir.Sum {
		why.Sums = []Sum{{Value: why.value, Count: q.Body.Type().Kind == ir.Bool, For: counted, Nodes: nodes}}
	}
	return why
}

// Apply implements ir.Domain.
func (x *explainer) Apply(e *ir.Apply, args []explanation, body func([]explanation) explanation) explanation {
	var values []int64
	for _, a := range args {
		if a.err != nil {
			return a
		}
		values = append(values, a.value)
	}
	return x.applied.Of(e.Define, values, func() explanation {
		for i, v := range e.Define.Params {
			x.env.Vars[v.ID] = values[i]
		}
		why := body(args)
		why.Processes, why.Links = slices.Clip(why.Processes), slices.Clip(why.Links) // others append to them
		return why
	})
}

// binding returns the Binding of a value.
func (x *explainer) binding(v *ir.Var, value int64) Binding {
	if v.Type.Kind == ir.MessageRef {
		return Binding{v.Name, ir.MessageAt(x.reads.View, value).String()}
	}
	return bindingOf(v, value)
}

// bindingOf returns the Binding of a value that is no message.
func bindingOf(v *ir.Var, value int64) Binding {
	if v.Type.Kind == ir.Node {
		return Binding{v.Name, strconv.FormatInt(value, 10)}
	}
	return Binding{v.Name, v.Type.Format(value)}
}

// looks is a View that records what is read.
type looks struct {
	ir.View
	processes, links, shared []int
}

// Seen implements ir.View.
func (l *looks) Seen(p int) ir.Local {
	l.processes = append(l.processes, p)
	return l.View.Seen(p)
}

// SharedValue implements ir.View.
func (l *looks) SharedValue(slot int) int64 {
	l.shared = append(l.shared, slot)
	return l.View.SharedValue(slot)
}

// Channel implements ir.View.
func (l *looks) Channel(link int) []ir.Content {
	l.links = append(l.links, link)
	return l.View.Channel(link)
}
