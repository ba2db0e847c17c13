package prove

import (
	"slices"

	"ringcheck/model/language/ir"
)

// run follows a term and calls yield for each path through it. It passes the control point after the action, or nil if
// the action does not change the control point.
func (x *translation) run(p *path, t ir.Term, yield func(*path, *ir.Point)) {
	if x.isDone() {
		return
	}
	switch t := t.(type) {
	case *ir.Stop:
		if p.atStart {
			yield(p, t.Point)
		}
	case *ir.Enter:
		yield(p, t.Point)
	case *ir.If, *ir.Let, *ir.Draw:
		x.branch(p, t, func(q *path, t ir.Term) { x.run(q, t, yield) })
	case *ir.Call:
		x.call(p, t, func(q *path, at *ir.Point) {
			if q.atStart {
				yield(q, at)
			} else {
				x.run(q, at.Term, yield) // the called equation acts in this step
			}
		})
	case *ir.Choice:
		for _, s := range t.Terms {
			x.run(p.clone(), s, yield)
		}
	case *ir.Prefix:
		x.act(p, t, yield)
	default:
		x.refuse(p.rule.At, "loops, assignments and crashes are not supported in proofs")
	}
}

// branch calls yield with the paths and the terms that follow a decision.
func (x *translation) branch(p *path, t ir.Term, yield func(*path, ir.Term)) {
	switch t := t.(type) {
	case *ir.If:
		for _, q := range x.assume(p, t.Cond, true) {
			yield(q, t.Then)
		}
		for _, q := range x.assume(p, t.Cond, false) {
			yield(q, t.Else)
		}
	case *ir.Let:
		for _, q := range x.splitBySight(p, t.Value) {
			yield(q.withParams([]*ir.Var{t.Var}, []value{x.eval(q, t.Value)}), t.Then)
		}
	case *ir.Draw:
		p = p.clone()
		// There may be no value to choose, or only values that lead to no action.
		p.rule.approximate = p.rule.approximate || t.Choose
		for _, q := range withEach(p, t.Var, x.values(t.Var)) {
			yield(q, t.Then)
		}
	}
}

// values returns the possible values of a variable or a field if it represents them as they are, else an unknown value.
func (x *translation) values(of any) (all []value) {
	if !x.tracked(of) {
		return []value{unknownValue{}}
	}
	for n := range x.typeOf(of).Values() {
		all = append(all, number(n))
	}
	return all
}

// call continues in the called equation.
func (x *translation) call(p *path, t *ir.Call, yield func(*path, *ir.Point)) {
	var args []value
	for _, arg := range t.Args {
		args = append(args, x.eval(p, arg))
	}
	q := p.withParams(t.Equation.Params, args)
	if next, ok := t.Equation.Start.Term.(*ir.Call); ok {
		x.call(q, next, yield)
		return
	}
	yield(q, t.Equation.Start)
}

// act takes an action.
func (x *translation) act(p *path, t *ir.Prefix, yield func(*path, *ir.Point)) {
	next := func(p *path) {
		switch {
		case t.Next == nil:
			yield(p, nil)
		case t.Next.ID >= 0 && !ir.Passing(t.Next.Term):
			yield(p, t.Next)
		default:
			c, ok := t.Next.Term.(*ir.Call)
			if !ok {
				x.refuse(t.Next.Pos, "loops and assignments are not supported in proofs")
				return
			}
			x.call(p, c, yield)
		}
	}
	switch a := t.Action.(type) {
	case *ir.Send:
		p.rule.At = a.Pos
		target, ok := x.eval(p, a.Target).(number)
		if !ok {
			x.refuse(a.Pos, "the direction of the message depends on values that are not tracked")
			return
		}
		for _, o := range x.outcomes(p, a) {
			x.send(o.path, a, o.args, int64(target) == ir.Right)
			next(o.path)
		}
	case *ir.Receive:
		x.receive(p, a, next)
	case *ir.Emit, *ir.Skip:
		p.rule.At = t.Action.Position()
		next(p)
	case *ir.Assign:
		p.rule.At = a.Pos
		for _, q := range x.splitBySight(p, a.Value) {
			next(q.withParams([]*ir.Var{a.Var}, []value{x.eval(q, a.Value)}))
		}
	case *ir.Crash:
		x.refuse(t.Action.Position(), "crashes are not supported in proofs")
	}
}

// An outcome is a path with the values of the arguments of a message.
type outcome struct {
	path *path
	args []value
}

// outcomes returns the outcomes of sending a message whose first arguments have values: one for each value of an
// argument that is a condition, if comparisons of symbols decide it.
func (x *translation) outcomes(p *path, a *ir.Send, args ...value) (all []outcome) {
	i := len(args)
	if i == len(a.Args) {
		return []outcome{{p, args}}
	}
	v := x.eval(p, a.Args[i])
	_, isUnknown := v.(unknownValue)
	decided := false
	if isUnknown && a.Args[i].Type().Kind == ir.Bool && x.tracked(field{a.Message, i}) {
		decided = true
		for n := range number(2) {
			for _, q := range x.assume(p, a.Args[i], n == 1) {
				decided = decided && q.rule.approximate == p.rule.approximate
				q.rule.exhaustive = p.rule.exhaustive || len(p.rule.Conds) == 0
				all = append(all, x.outcomes(q, a, append(slices.Clip(args), n)...)...)
			}
		}
	}
	if decided {
		return all
	}
	return x.outcomes(p, a, append(slices.Clip(args), v)...)
}

// send records the message that a rule sends.
func (x *translation) send(p *path, a *ir.Send, args []value, right bool) {
	m := messageKind{message: a.Message, values: make([]int64, len(a.Args)), Right: right}
	p.rule.Targets = nil
	for i, v := range args {
		f := field{a.Message, i}
		switch v := x.fieldValue(f, v, right).(type) {
		case number:
			if x.assign(f, v) == numberSort {
				m.values[i] = int64(v)
			}
		case identity:
			if x.assign(f, v) == nodeSort {
				p.rule.Targets = append(p.rule.Targets, v.node)
			}
		case hopCount:
			if x.assign(f, v) == hopSort {
				p.rule.Targets = append(p.rule.Targets, v.origin)
			}
		default:
			x.assign(f, v)
		}
	}
	p.rule.Sent = x.addMessageKind(p, m)
}

// fieldValue returns the value of an argument of a sent message in the field: a counter may count hops.
func (x *translation) fieldValue(f field, v value, right bool) value {
	switch v := v.(type) {
	case number:
		if v == 1 && !x.bounded(f) { // the counter begins with the process itself
			return hopCount{}
		}
	case hopCount:
		if v.added == 1 && v.right == right { // the message is sent on
			v.added = 0
			return v
		}
		return unknownValue{}
	}
	return v
}

// addMessageKind returns the index of a kind of message.
func (x *translation) addMessageKind(p *path, m messageKind) int {
	index, ok := x.messageIndex[m.key()]
	if !ok {
		index = len(x.messageKinds)
		x.messageIndex[m.key()] = index
		for i := range m.message.Fields {
			if sort := x.sorts[field{m.message, i}]; sort == nodeSort || sort == hopSort {
				m.Nodes++
			}
		}
		x.messageKinds = append(x.messageKinds, m)
	}
	if x.messageKinds[index].Nodes > 2 {
		x.refuse(p.rule.At, "the message names more than two processes")
	}
	return index
}

// receive receives all matching messages.
func (x *translation) receive(p *path, a *ir.Receive, next func(*path)) {
	p.rule.At = a.Pos
	for _, right := range []bool{true, false} { // the direction in which the message moves
		side := number(ir.Left) // from which it comes
		if !right {
			side = number(ir.Right)
			if x.Topology.Directed {
				continue
			}
		}
		q := p.clone()
		if a.Source.Equal != nil {
			v, ok := x.eval(p, a.Source.Equal).(number)
			if !ok {
				x.refuse(a.Pos, "the direction of the message depends on values that are not tracked")
			}
			if !ok || v != side {
				continue
			}
		} else if a.Source.Bind != nil {
			q.env[a.Source.Bind] = side
		}
		for _, m := range x.Messages {
			if a.Message == nil || a.Message == m {
				x.receiveMessage(q, a, m, right, next)
			}
		}
	}
}

// An arrival is a path on which a message arrives.
type arrival struct {
	path *path
	kind messageKind
}

// receiveMessage receives a message, with each combination of values of its fields that have numbers.
func (x *translation) receiveMessage(p *path, a *ir.Receive, m *ir.Message, right bool, next func(*path)) {
	all := []arrival{{p.clone(), messageKind{message: m, values: make([]int64, len(m.Fields)), Right: right}}}
	for i := range m.Fields {
		var longer []arrival
		for _, w := range all {
			for _, v := range x.contents(field{m, i}, right) {
				longer = append(longer, x.receiveField(p, w, a, i, v)...)
			}
		}
		all = longer
	}
	for _, w := range all {
		w.path.rule.Received = x.addMessageKind(w.path, w.kind)
		paths := []*path{w.path}
		if a.Where != nil {
			paths = x.assume(w.path, a.Where, true)
		}
		for _, q := range paths {
			next(q)
		}
	}
}

// receiveField returns the arrivals in which field i of the message has a value and matches the pattern, which is
// evaluated on the path before the message.
func (x *translation) receiveField(before *path, w arrival, a *ir.Receive, i int, v value) (all []arrival) {
	p, kind := w.path.clone(), w.kind
	switch val := v.(type) {
	case number:
		kind.values = slices.Clone(kind.values)
		kind.values[i] = int64(val)
	case identity:
		val.node = p.addOrigin()
		v = val
	case hopCount:
		val.origin = p.addOrigin()
		v = val
	}
	paths := []*path{p}
	if a.Message != nil && a.Patterns[i].Equal != nil {
		paths = x.compare(p, nil, ir.Eq, v, x.eval(before, a.Patterns[i].Equal), true)
	}
	for _, q := range paths {
		if a.Message != nil && a.Patterns[i].Bind != nil {
			q.env[a.Patterns[i].Bind] = v
		}
		all = append(all, arrival{q, kind})
	}
	return all
}

// addOrigin returns a new symbol for the node in a field of the received message.
func (p *path) addOrigin() int {
	node := p.newSymbol(ofField)
	p.rule.Origins = append(slices.Clone(p.rule.Origins), node)
	return node
}

// contents returns the values that a field of a message can have, without their nodes.
func (x *translation) contents(f field, right bool) []value {
	switch x.sorts[f] {
	case numberSort:
		return x.values(f)
	case unassignedSort:
		if x.tracked(f) {
			return x.values(f)
		}
		return nil // no rule that sends such a message is known yet
	case nodeSort:
		return []value{identity{name: x.identity}}
	case hopSort:
		return []value{hopCount{right: right}}
	case ownSort, setSort, unknownSort:
	}
	return []value{unknownValue{}}
}
