package prove

import (
	"ringcheck/model/language/ir"
)

// A value is a symbolic value of an expression. Nodes are symbols: see rule.
type value interface{ sort() valueSort }

// The values.
type (
	// A number is a number, or the number of a value of another type.
	number int64
	// An identity is the identity of the process at a node. Name says which one: see instance.identityIn.
	identity struct {
		node int
		name string
	}
	// A hopCount is the number of hops of a message from its origin to a process, modulo the number of processes, plus
	// a constant.
	hopCount struct {
		origin, process int // nodes
		right           bool
		added           int64
	}
	// A nodeSet is a set of identities: of some nodes, and of the nodes in a set that the process stores.
	nodeSet struct {
		stored int // a nodeVar; -1: none
		nodes  []int
	}
	// A minimum is the least element of a set.
	minimum nodeSet
	// A neighbour is the neighbour of the process at a node.
	neighbour struct {
		node  int
		right bool
	}
	// ringSize is the number of processes.
	ringSize struct{}
	// undefined is the value of a variable that is not live, in a property.
	undefinedValue struct{}
	// unknown can be any value.
	unknownValue struct{}
)

func (number) sort() valueSort         { return numberSort }
func (identity) sort() valueSort       { return nodeSort }
func (hopCount) sort() valueSort       { return hopSort }
func (nodeSet) sort() valueSort        { return setSort }
func (minimum) sort() valueSort        { return unknownSort }
func (neighbour) sort() valueSort      { return unknownSort }
func (ringSize) sort() valueSort       { return unknownSort }
func (undefinedValue) sort() valueSort { return unknownSort }
func (unknownValue) sort() valueSort   { return unknownSort }

// identityOf returns the identity of a node.
func (x *translation) identityOf(node int) value { return identity{node, x.identity} }

// anyUndefined reports whether one of some values is undefined.
func anyUndefined(values ...value) bool {
	for _, v := range values {
		if _, is := v.(undefinedValue); is {
			return true
		}
	}
	return false
}

// An evaluator evaluates expressions on a path. It does not change the path.
type evaluator struct {
	x *translation
	p *path
}

var _ ir.Domain[value] = evaluator{}

// eval returns the value of an expression on a path.
func (x *translation) eval(p *path, e ir.Expr) value { return ir.Abstract(evaluator{x, p}, e) }

// Node implements ir.Domain.
func (v evaluator) Node(e ir.Expr, parts ir.Parts[value]) value {
	if v.p.atStart {
		if name := v.x.identityIn(e); name != "" {
			return identity{name: name}
		}
	}
	switch e := e.(type) {
	case *ir.Const:
		return v.x.constant(e)
	case *ir.VarRef:
		return v.variable(e.Var)
	case *ir.Peer:
		return v.neighbourOf(0, parts.At(0))
	case *ir.Neighbour:
		if v.p.property != nil {
			return v.neighbourOf(v.x.processNode(v.p, parts.At(0)), parts.At(1))
		}
	case *ir.ProcessVar:
		if of, ok := parts.At(0).(neighbour); ok {
			return v.valueSeen(of, e.Var)
		}
		return v.processVar(parts.At(0), e.Var)
	case *ir.AssignedValue:
		return v.assignedValue(e)
	case *ir.MessageIs:
		if _, kind := v.messageOf(parts.At(0)); kind != nil {
			return truth(kind.message.ID == e.Message.ID)
		}
	case *ir.MessageField:
		return v.messageField(e, parts.At(0))
	case *ir.SetLit:
		return v.set(parts.All())
	case *ir.Convert:
		return convert(v.x, e, parts.At(0))
	case *ir.Cond:
		switch {
		case len(v.x.assume(v.p, e.If, false)) == 0:
			return parts.At(1)
		case len(v.x.assume(v.p, e.If, true)) == 0:
			return parts.At(2)
		}
	case *ir.Unary:
		return v.unary(e, parts.At(0))
	case *ir.Binary:
		return v.binary(e, parts.At(0), parts.At(1))
	}
	return unknownValue{}
}

// Quantifier implements ir.Domain.
func (evaluator) Quantifier(*ir.Quantifier, []value, func(value) value) value { return unknownValue{} }

// Apply implements ir.Domain. The definition is not evaluated if an argument is undefined, or is unknown and may be
// undefined. Its body is evaluated on a path, because it may have conditions.
func (v evaluator) Apply(e *ir.Apply, args []value, _ func([]value) value) value {
	if bad := v.p.badArgument(args); bad != nil {
		return bad
	}
	if e.Define.Large() {
		return unknownValue{}
	}
	return v.x.eval(v.p.withParams(e.Define.Params, args), e.Define.Body)
}

// withParams returns a path on which parameters have values.
func (p *path) withParams(params []*ir.Var, values []value) *path {
	q := p.clone()
	for i, v := range params {
		q.env[v] = values[i]
	}
	return q
}

// badArgument returns an argument that is undefined, or is unknown and may be undefined, nil if there are none.
func (p *path) badArgument(args []value) value {
	for _, arg := range args {
		switch arg.(type) {
		case undefinedValue:
			return arg
		case unknownValue:
			if p.property != nil {
				return arg
			}
		}
	}
	return nil
}

// constant returns the value of a constant, which may depend on the parameters.
func (x *translation) constant(e *ir.Const) value {
	smaller, paired := x.smallerValues[e]
	switch {
	case !paired || smaller == e.Value:
		return number(e.Value)
	case e.Value == int64(x.N) && smaller == int64(x.smaller.N):
		return ringSize{}
	}
	return unknownValue{}
}

// variable returns the value of a free variable.
func (v evaluator) variable(variable *ir.Var) value {
	if value, ok := v.p.env[variable]; ok {
		return value
	}
	if s := v.p.property; s != nil && s.decider > 0 {
		return v.x.storedValue(s, s.decider, variable)
	}
	return unknownValue{}
}

// assignedValue returns the value that is assigned to a process, if a property reads it.
func (v evaluator) assignedValue(e *ir.AssignedValue) value {
	if ref, ok := strip(e.Process).(*ir.VarRef); ok && ref.Var == v.x.Start.Number {
		for variable, value := range v.p.env {
			if readsAssigned(variable) && variable.Name == e.Assignment.Name {
				return value
			}
		}
	}
	return unknownValue{}
}

// set returns a set of identities.
func (v evaluator) set(elements []value) value {
	s := nodeSet{stored: -1}
	for _, e := range elements {
		id, ok := e.(identity)
		if !ok || id.name != v.x.identity {
			return unknownValue{}
		}
		s.nodes = append(s.nodes, id.node)
	}
	return s
}

// unary returns the value of an operation on a value.
func (v evaluator) unary(e *ir.Unary, a value) value {
	switch a := a.(type) {
	case nodeSet:
		if e.Op == ir.Least {
			return minimum(a)
		}
	case number:
		return v.x.fold(&ir.Unary{Op: e.Op, X: constOf(e.X, a), T: e.T, Pos: e.Pos})
	}
	return unknownValue{}
}

// binary returns the value of an operation on two values.
func (v evaluator) binary(e *ir.Binary, a, b value) value {
	if anyUndefined(a, b) {
		return undefinedValue{}
	}
	switch a := a.(type) {
	case number:
		if b, ok := b.(number); ok {
			return v.x.fold(&ir.Binary{Op: e.Op, X: constOf(e.X, a), Y: constOf(e.Y, b), T: e.T, Pos: e.Pos})
		}
	case hopCount:
		if b, ok := b.(number); ok && e.Op == ir.Add {
			a.added += int64(b)
			return a
		}
	case nodeSet:
		if b, ok := b.(nodeSet); ok && e.Op == ir.Union && (a.stored < 0 || b.stored < 0) {
			return nodeSet{max(a.stored, b.stored), append(append([]int(nil), a.nodes...), b.nodes...)}
		}
	}
	return unknownValue{}
}

// truth returns the number of a boolean.
func truth(holds bool) number {
	if holds {
		return 1
	}
	return 0
}

// convert returns a value as one of another type. A set or an array has another number there.
func convert(x *translation, e *ir.Convert, v value) value {
	n, ok := v.(number)
	switch {
	case !ok || e.To.Kind != ir.Set && e.To.Kind != ir.Array:
		return v
	case e.To.Wide || e.X.Type().Wide:
		return unknownValue{}
	}
	return x.fold(&ir.Convert{X: constOf(e.X, n), To: e.To, What: e.What, Pos: e.Pos})
}

// constOf returns a number as a constant of the type of an expression.
func constOf(e ir.Expr, n number) *ir.Const { return &ir.Const{T: e.Type(), Value: int64(n)} }

// fold evaluates an expression without variables.
func (x *translation) fold(e ir.Expr) value {
	v, err := e.Eval(x.NewEnv(nil))
	if err != nil {
		return unknownValue{}
	}
	return number(v)
}
