package prove

import (
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// goals returns the patterns of the states that violate an invariant: it holds if none of them occurs. An invariant is
// a formula over universally quantified processes, or bounds the number of those with a property. In terminal states no
// process is at a control where it can always act.
func (x *translation) goals(e ir.Expr, pos syntax.Pos, terminal bool) (goals []pattern, err error) {
	start := &path{env: map[*ir.Var]value{}, controls: map[int]*control{}, terminal: terminal}
	for _, p := range x.assume(start, e, false) {
		patterns, ok := x.arranged(p)
		if p.rule.approximate || !ok || len(p.controls) == 0 {
			return nil, unsuited(pos, "it can depend only on where up to three processes are, on the values of their "+
				"variables, and on the order of their identities")
		}
		goals = append(goals, patterns...)
	}
	switch {
	case len(goals) == 0 && terminal:
		_, err = x.goals(e, pos, false) // does it say something?
	case len(goals) == 0:
		err = unsuited(pos, "there is nothing to prove: no combination of states of processes violates it")
	}
	return goals, err
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
		return assumeUnknown(p)
	}
	for i := range x.controls {
		if p.terminal && slices.ContainsFunc(x.rules, func(r rule) bool { return r.From == i && r.free() }) {
			continue
		}
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

// controlOf returns the control of the process that an expression of a property names, nil if it is not known.
func (x *translation) controlOf(p *path, process ir.Expr) *control {
	v := x.eval(p, process)
	if v.as != selfNumber { // an identity says nothing of the process with that number
		return nil
	}
	return p.controls[v.symbol]
}

// mayStop reports whether a process at a control may count as stopped, because it can only decide to stop: then it has
// other variables and, with elsewhere, is in the text of another equation.
func (x *translation) mayStop(c *control, elsewhere bool) bool {
	switch c.point.Term.(type) {
	case *ir.If, *ir.Let:
		for t := range ir.Beginnings(c.point.Term) {
			if stop, ok := t.(*ir.Stop); ok && !(elsewhere && stop.Point.Equation == c.point.Equation) {
				return true
			}
		}
	}
	return false
}

// at returns the value of a variable of a process in a property.
func (x *translation) at(p *path, e *ir.ProcessVar) value {
	c := x.controlOf(p, e.Process)
	if c == nil {
		return value{kind: unknown}
	}
	if e.Var.Kind == ir.Ghost {
		if own, ok := e.Var.Init.(*ir.Assigned); ok && x.identity == own.Assignment.Name && e.Var.Name == x.identity {
			return x.node(x.eval(p, e.Process).symbol)
		}
	} else if x.mayStop(c, false) {
		return value{kind: unknown}
	}
	i := slices.Index(c.point.Live, e.Var)
	if i < 0 {
		return value{kind: undefined}
	}
	process := x.eval(p, e.Process).symbol
	switch x.kinds[c.point.Live[i]] {
	case finite:
		return number(c.values[i])
	case own:
		return x.node(process)
	case nodes:
		relation := x.relation(holds, c.holders[i])
		for _, a := range p.held {
			if a.relation == relation && int(a.nodes[0]) == process {
				return x.node(int(a.nodes[1]))
			}
		}
		symbol := p.symbol(ofField)
		p.held = append(p.held, newAtom(relation, process, symbol))
		return x.node(symbol)
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
