package prove

import (
	"maps"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// goals returns the patterns of the states that violate an invariant: it holds if none of them occurs. An invariant is
// a formula over universally quantified processes, or bounds the number of those with a property. In terminal states no
// process is at a control where it can always act.
func (x *translation) goals(e ir.Expr, pos syntax.Pos, terminal bool) (goals []pattern, _ error) {
	for _, d := range ir.Definitions(e) {
		if d.Large() {
			return nil, unsuited(pos, d.Name+" is too large with the definitions in it replaced by their bodies")
		}
	}
	start := &path{env: map[*ir.Var]value{}, controls: map[int]*control{}, stops: map[int]*ir.Point{},
		terminal: terminal}
	for _, p := range x.assume(start, e, false) {
		if p.doubt != nil {
			return nil, unsuited(p.doubt.Pos, "whether a process stops here depends on values that are not tracked, "+
				"so the property cannot tell where it is; an action before the stop would show that")
		}
		patterns, ok := x.arranged(p)
		if p.rule.approximate || !ok || len(p.controls) == 0 {
			return nil, unsuited(pos, "it can depend only on where up to three processes are, on the values of their "+
				"variables, and on the order of their identities")
		}
		goals = append(goals, patterns...)
	}
	return goals, nil
}

// tooMany returns the number of processes, up to three, with a property that violates a comparison of their count with
// a number; 0 if that is not known.
func (x *translation) tooMany(q *ir.Quantifier, op ir.Op, most value) int {
	count := most.n
	if op == ir.Le || op == ir.Eq && most.n == 0 {
		count++
	}
	if q.Op != ir.Sum || q.Body.Type().Kind != ir.Bool || most.kind != finite ||
		op == ir.Ne || op == ir.Eq && most.n != 0 || count < 1 || count > 3 {
		return 0
	}
	return int(count)
}

// chooseSeveral returns the paths on which the body of a quantifier is true, or false, for count processes other than
// those with the chosen symbols.
func (x *translation) chooseSeveral(p *path, e *ir.Quantifier, count int, want bool, chosen ...int) (all []*path) {
	if count == 0 {
		return []*path{p}
	}
	for _, q := range x.chooseProcess(p, e.Var) {
		last := q.env[e.Var].symbol
		for _, symbol := range chosen {
			q.rule.Conds = append(q.rule.Conds, cond{A: symbol, B: last, Not: true})
		}
		for _, r := range x.assume(q, e.Body, want) {
			all = append(all, x.chooseSeveral(r, e, count-1, want, append(slices.Clip(chosen), last)...)...)
		}
	}
	return all
}

// chooseProcess returns the paths on which a variable is a process: one for each control.
func (x *translation) chooseProcess(p *path, v *ir.Var) (all []*path) {
	if v.Type.Kind != ir.Node {
		return x.assumeUnknown(p)
	}
	for i := range x.controls {
		if p.terminal && slices.ContainsFunc(x.rules, func(r rule) bool { return r.From == i && r.free() }) {
			continue
		}
		x.effort.Hold(pathBytes)
		q := p.clone()
		symbol := q.symbol(ofField)
		q.env[v] = value{kind: nodes, symbol: symbol, as: selfNumber}
		q.controls[symbol] = &x.controls[i]
		all = append(all, q)
	}
	return all
}

// bind returns a path on which the parameters of a definition have values; nil, and the value of the application, if an
// argument is undefined, or is not known and may be undefined.
func (x *translation) bind(p *path, e *ir.Apply) (*path, value) {
	var args []value
	for _, arg := range e.Args {
		v := x.eval(p, arg)
		if v.kind == undefined || v.kind == unknown && p.controls != nil {
			return nil, value{kind: v.kind}
		}
		args = append(args, v)
	}
	q := p.clone() // with the symbols of the arguments
	for i, v := range e.Define.Params {
		q.env[v] = args[i]
	}
	return q, value{}
}

// process returns the symbol of the process that an expression of a property names, 0 if it is not known.
func (x *translation) process(p *path, process ir.Expr) int {
	v := x.eval(p, process)
	if v.as != selfNumber || p.controls[v.symbol] == nil { // an identity says nothing of the process with that number
		return 0
	}
	return v.symbol
}

// assumeAt returns the paths on which a process is in the text of an equation, or not.
func (x *translation) assumeAt(p *path, symbol int, e *ir.Equation, want bool) (all []*path) {
	for _, q := range x.decided(p, symbol) {
		at := q.controls[symbol].point
		if stop := q.stops[symbol]; stop != nil {
			at = stop
		}
		all = append(all, assumeKnown(q, at.Equation != nil && at.Equation.Name == e.Name, want)...)
	}
	return all
}

// decided returns the paths on which it is known whether a process that may decide to stop in another equation does so.
func (x *translation) decided(p *path, symbol int) (all []*path) {
	c := p.controls[symbol]
	if _, known := p.stops[symbol]; known || !x.mayStop(c, true) {
		return []*path{p}
	}
	decider := p.clone()
	decider.env, decider.decider = map[*ir.Var]value{}, symbol
	x.run(decider, c.point.Term, func(q *path, stop *ir.Point) {
		if q.rule.approximate && !p.rule.approximate {
			q.doubt = c.point
		}
		q.env, q.decider, q.stops[symbol] = maps.Clone(p.env), p.decider, stop
		all = append(all, q)
	})
	return all
}

// mayStop reports whether a process at a control may count as stopped, because it can only decide to stop: then it has
// other variables and, with elsewhere, is in the text of another equation.
func (x *translation) mayStop(c *control, elsewhere bool) bool {
	if _, stopped := c.point.Term.(*ir.Stop); stopped || !ir.MayStop(c.point.Term) {
		return false
	}
	for t := range ir.Beginnings(c.point.Term) {
		if stop, ok := t.(*ir.Stop); ok && !(elsewhere && stop.Point.Equation == c.point.Equation) {
			return true
		}
	}
	return false
}

// at returns the value of a variable of a process in a property.
func (x *translation) at(p *path, e *ir.ProcessVar) value {
	process := x.process(p, e.Process)
	if process == 0 {
		return value{kind: unknown}
	}
	stop, known := p.stops[process]
	switch own, ok := e.Var.Init.(*ir.Assigned); {
	case e.Var.Kind == ir.Ghost:
		if ok && x.identity == own.Assignment.Name && e.Var.Name == x.identity {
			return x.node(process)
		}
	case stop != nil && !slices.Contains(stop.Live, e.Var):
		return value{kind: undefined}
	case stop != nil, !known && x.mayStop(p.controls[process], false):
		return value{kind: unknown}
	}
	return x.variable(p, process, e.Var)
}

// variable returns the value of a variable where a process is.
func (x *translation) variable(p *path, process int, v *ir.Var) value {
	c := p.controls[process]
	i := slices.Index(c.point.Live, v)
	if i < 0 {
		return value{kind: undefined}
	}
	switch kind := x.kinds[v]; kind {
	case finite:
		return number(c.values[i])
	case own:
		return x.node(process)
	case nodes, hops:
		val := value{kind: kind, as: x.identity, right: x.holders[c.holders[i]].right, back: process}
		relation := x.relation(holds, c.holders[i])
		for _, a := range p.held {
			if a.relation == relation && int(a.nodes[0]) == process {
				val.symbol = int(a.nodes[1])
				return val
			}
		}
		val.symbol = p.symbol(ofField)
		p.held = append(p.held, newAtom(relation, process, val.symbol))
		return val
	}
	return value{kind: unknown}
}

// arranged returns the patterns of a path on which a property is violated: one for each way in which its nodes can be
// equal and ordered around the ring. ok is false if there are more than three nodes.
func (x *translation) arranged(p *path) (all []pattern, ok bool) {
	ok = true
	known := make(map[string]bool)
	var place func(nodes []int, width int)
	place = func(nodes []int, width int) { // by symbol; no atom names symbol 0
		if len(nodes) <= len(p.rule.Symbols) {
			for n := range width + 1 {
				place(append(nodes, n), max(width, n+1))
			}
			return
		}
		atoms, possible := x.placed(p, nodes)
		if ok = ok && (!possible || width <= 3); !ok || !possible {
			return
		}
		for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}} {
			if q := canonical(pattern{atoms: atoms}.at(order)); !known[q.key()] {
				known[q.key()] = true
				all = append(all, q)
			}
		}
	}
	place([]int{0}, 0)
	return all, ok
}

// placed returns the atoms of a path for given nodes of its symbols; ok is false if they are contradictory.
func (x *translation) placed(p *path, place []int) (atoms []atom, ok bool) {
	add := func(a atom) {
		if !slices.Contains(atoms, a) {
			atoms = append(atoms, a)
		}
	}
	for symbol, c := range p.controls {
		for other, d := range p.controls {
			if place[symbol] == place[other] && c != d {
				return nil, false
			}
		}
		add(newAtom(x.relation(stands, x.numbers[c.key()]), place[symbol]))
	}
	for _, a := range p.held {
		for _, b := range p.held {
			at, other := a.at(place), b.at(place)
			if a.relation == b.relation && at.nodes[0] == other.nodes[0] && at.nodes[1] != other.nodes[1] {
				return nil, false
			}
		}
		add(a.at(place))
	}
	for _, c := range p.rule.Conds {
		a, decided, holds := x.compared(c, place)
		if decided && !holds {
			return nil, false
		}
		if !decided {
			add(a)
		}
	}
	return atoms, true
}
