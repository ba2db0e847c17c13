package prove

import (
	"maps"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// An assumption has the assumptions of a path through a property about a state. Symbols are processes, and the nodes
// that their variables store.
type assumption struct {
	terminal bool              // the state is terminal
	controls map[int]*control  // by symbol of a process
	storage  map[int]storedIn  // by symbol of another node
	zero     int               // the symbol of process 0, 0 if no symbol is chosen for it
	messages []chosenMessage   // in transit
	stops    map[int]*ir.Point // by symbol of a process, if known: the stop that the process decides for; nil if none
	decider  int               // the symbol of the process whose decisions are followed; 0: none
	unclear  *ir.Point         // where it is unknown whether a process decides to stop; nil: nowhere
}

// A storedIn is a variable of a process.
type storedIn struct{ process, nodeVar int }

func (s *assumption) clone() *assumption {
	if s == nil {
		return nil
	}
	t := *s
	t.controls, t.storage, t.stops = maps.Clone(s.controls), maps.Clone(s.storage), maps.Clone(s.stops)
	return &t
}

// goals returns the patterns of the states that violate an invariant: it holds if none of them occurs. An invariant is
// a formula over universally quantified processes, or bounds the number of processes that satisfy a formula. In
// terminal states no process is at a control where it can always act.
func (x *translation) goals(e ir.Expr, pos syntax.Pos, terminal bool) (goals []pattern, _ error) {
	for _, d := range ir.Definitions(e) {
		if d.Large() {
			return nil, unsuitable(pos, d.Name+" is too large with the definitions in it replaced by their bodies")
		}
	}
	start := &path{env: map[*ir.Var]value{}, property: &assumption{terminal: terminal,
		controls: map[int]*control{}, storage: map[int]storedIn{}, stops: map[int]*ir.Point{}}}
	for _, p := range x.assume(start, e, false) {
		if at := p.property.unclear; at != nil {
			return nil, unsuitable(at.Pos, "whether a process stops here depends on values that are not tracked, so "+
				"the property cannot determine its control point; an action before the stop would show it")
		}
		patterns, ok := x.arrangements(p)
		if p.rule.approximate || !ok || len(p.property.controls) == 0 && len(p.property.messages) == 0 {
			return nil, unsuitable(pos, "it can depend only on where up to three processes are, "+
				"on the values of their variables, on the order of their identities, and on messages in transit")
		}
		goals = append(goals, patterns...)
	}
	return goals, nil
}

// chooseSeveral returns the paths on which the body of a quantifier is true, or false, for count processes other than
// the chosen symbols.
func (x *translation) chooseSeveral(p *path, e *ir.Quantifier, count int, want bool, chosen ...int) (all []*path) {
	if count == 0 {
		return []*path{p}
	}
	for _, q := range x.chooseValue(p, e) {
		process, _ := q.env[e.Var].(identity)
		for _, other := range chosen {
			q.rule.Conds = append(q.rule.Conds, condition{A: other, B: process.node, Not: true})
		}
		for _, r := range x.assume(q, e.Body, want) {
			all = append(all, x.chooseSeveral(r, e, count-1, want, append(slices.Clip(chosen), process.node)...)...)
		}
	}
	return all
}

// chooseProcess returns the paths on which the variable of a quantifier is a process: one for each control.
func (x *translation) chooseProcess(p *path, e *ir.Quantifier) (all []*path) {
	zero, others := x.domain(e)
	if !zero && !others {
		return assumeUnknown(p, e)
	}
	choices := x.chooseControl
	if !p.property.terminal && !readsState(e.Body, e.Var) {
		choices = func(p *path) []chosenProcess {
			q := p.clone()
			return []chosenProcess{{q, q.newSymbol(ofField)}}
		}
	}
	for _, a := range choices(p) {
		a.path.env[e.Var] = identity{a.process, selfNumber}
		switch {
		case zero && others:
			all = append(all, a.path)
		default:
			all = append(all, x.assumeZero(a.path, a.process, zero)...)
		}
	}
	return all
}

// domain reports whether a quantifier ranges over process 0, and whether over all others: neither if it is unknown.
func (x *translation) domain(e *ir.Quantifier) (zero, others bool) {
	lo, known := e.Lo.(*ir.Const)
	hi, both := e.Hi.(*ir.Const)
	if e.Var.Type.Kind != ir.Node || !known || !both || x.smallerValue(lo) != lo.Value {
		return false, false
	}
	last := hi.Value == int64(x.N-1) && x.smallerValue(hi) == int64(x.smaller.N-1)
	switch {
	case lo.Value == 0 && last:
		return true, true
	case lo.Value == 0 && hi.Value == 0 && x.smallerValue(hi) == 0:
		return true, false
	}
	return false, lo.Value == 1 && last
}

// smallerValue returns the value of a constant in the smaller protocol.
func (x *instance) smallerValue(c *ir.Const) int64 {
	if v, ok := x.smallerValues[c]; ok {
		return v
	}
	return c.Value
}

// readsState reports whether an expression may depend on the state of the process that a variable is.
func readsState(e ir.Expr, v *ir.Var) (reads bool) {
	mentions := func(e ir.Expr) (found bool) {
		ir.Walk(e, func(e ir.Expr) bool {
			ref, ok := e.(*ir.VarRef)
			found = found || ok && ref.Var == v
			return !found
		})
		return found
	}
	ir.Walk(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.At, *ir.ProcessVar, *ir.BoundFor, *ir.Apply:
			reads = reads || mentions(e)
		}
		return !reads
	})
	return reads
}

// A chosenProcess is a path with a process that a property chooses.
type chosenProcess struct {
	path    *path
	process int // its symbol
}

// chooseControl returns the paths with another process: one for each control.
func (x *translation) chooseControl(p *path) (all []chosenProcess) {
	for i := range x.controls {
		if p.property.terminal && x.isAlwaysEnabled(i) {
			continue
		}
		x.effort.Hold(pathBytes)
		q := p.clone()
		all = append(all, chosenProcess{q, q.addProcess(x, i)})
	}
	return all
}

// readsProcessZero reports whether a condition, which is no connective of conditions, depends on the state of process
// 0, and no symbol is chosen for that.
func (x *translation) readsProcessZero(p *path, e ir.Expr) (reads bool) {
	if p.property == nil || p.property.zero > 0 {
		return false
	}
	ir.Walk(e, func(e ir.Expr) bool {
		var process ir.Expr
		switch e := e.(type) {
		case *ir.At:
			process = e.Process
		case *ir.ProcessVar:
			process = e.Process
		case *ir.Inbox:
			process = e.Process
		}
		reads = reads || process != nil && x.eval(p, process) == number(0)
		return !reads
	})
	return reads
}

// chooseZero returns the paths with a symbol for process 0, which there is in every ring.
func (x *translation) chooseZero(p *path) (all []*path) {
	for _, a := range x.chooseControl(p) {
		a.path.property.zero = a.process
		all = append(all, x.assumeZero(a.path, a.process, true)...)
	}
	return all
}

// isAlwaysEnabled reports whether a process at a control can always act.
func (x *translation) isAlwaysEnabled(control int) bool {
	return slices.ContainsFunc(x.rules, func(r rule) bool { return r.From == control && r.alwaysEnabled() })
}

// addProcess adds a process at a control to a path, with symbols for it and for the nodes that its variables store. It
// returns the symbol of the process.
func (p *path) addProcess(x *translation, control int) (process int) {
	process = p.newSymbol(ofField)
	p.property.controls[process] = &x.controls[control]
	for _, v := range x.controls[control].nodeVars {
		if v >= 0 && !x.nodeVars[v].Set {
			p.property.storage[p.newSymbol(ofField)] = storedIn{process, v}
		}
	}
	return process
}

// processNode returns the symbol of the process that a value names in a property, 0 if it is unknown.
func (x *translation) processNode(p *path, v value) int {
	if v == number(0) && p.property != nil {
		return p.property.zero
	}
	id, ok := v.(identity)
	if !ok || p.property == nil || id.name != selfNumber || p.property.controls[id.node] == nil {
		return 0 // another identity does not determine the process with that number
	}
	return id.node
}

// assumeAt returns the paths on which a process is in the text of an equation, or not.
func (x *translation) assumeAt(p *path, process int, e *ir.Equation, want bool) (all []*path) {
	for _, q := range x.assumeDecision(p, process) {
		at := q.property.controls[process].point
		if stop := q.property.stops[process]; stop != nil {
			at = stop
		}
		all = append(all, assumeKnown(q, at.Equation != nil && at.Equation.Name == e.Name, want)...)
	}
	return all
}

// assumeDecision returns paths for the decisions of a process that may decide to stop in another equation.
func (x *translation) assumeDecision(p *path, process int) (all []*path) {
	c := p.property.controls[process]
	if _, known := p.property.stops[process]; known || !x.mayStop(c, true) {
		return []*path{p}
	}
	q := p.clone()
	q.env, q.property.decider = map[*ir.Var]value{}, process
	x.decide(q, c.point.Term, func(q *path, stop *ir.Point) {
		if q.rule.approximate && !p.rule.approximate {
			q.property.unclear = c.point
		}
		q.env, q.property.decider = maps.Clone(p.env), p.property.decider
		q.property.stops[process] = stop
		all = append(all, q)
	})
	return all
}

// decide follows the decisions of a term up to an action. It calls yield for each path, with the point of the stop to
// which it leads, nil if it leads to an action.
func (x *translation) decide(p *path, t ir.Term, yield func(p *path, stop *ir.Point)) {
	if !ir.MayStop(t) {
		yield(p, nil)
		return
	}
	switch t := t.(type) {
	case *ir.Stop:
		yield(p, t.Point)
	case *ir.Enter:
		yield(p, t.Point)
	case *ir.If, *ir.Let, *ir.Draw:
		x.branch(p, t, func(q *path, t ir.Term) { x.decide(q, t, yield) })
	case *ir.Call:
		x.call(p, t, func(q *path, at *ir.Point) { x.decide(q, at.Term, yield) })
	case *ir.Choice:
		p.rule.approximate = true // it is unknown whether all alternatives lead to one stop
		yield(p, nil)
	default:
		x.refuse(p.rule.At, "loops, assignments and crashes are not supported in proofs")
	}
}

// mayStop reports whether a process at a control may count as stopped, because it can only decide to stop. A stopped
// process has other variables. If elsewhere is true, the stop must be in the text of another equation.
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

// processVar returns the value of a variable of a process in a property.
func (v evaluator) processVar(of value, variable *ir.Var) value {
	process, s := v.x.processNode(v.p, of), v.p.property
	if process == 0 {
		return unknownValue{}
	}
	stop, known := s.stops[process]
	switch init, ok := variable.Init.(*ir.AssignedValue); {
	case variable.Kind == ir.Ghost:
		if ok && v.x.identity == init.Assignment.Name && variable.Name == v.x.identity {
			return v.x.identityOf(process)
		}
	case stop != nil && !slices.Contains(stop.Live, variable):
		return undefinedValue{}
	case stop != nil && variable.Kind == ir.Register, !known && v.x.mayStop(s.controls[process], false):
		return unknownValue{}
	case stop != nil:
		return unknownValue{}
	}
	return v.x.storedValue(s, process, variable)
}

// storedValue returns the value of a variable of a process at its control.
func (x *translation) storedValue(s *assumption, process int, v *ir.Var) value {
	c := s.controls[process]
	i := slices.Index(c.point.Live, v)
	if i < 0 {
		return undefinedValue{}
	}
	switch x.sorts[v] {
	case numberSort:
		return number(c.values[i])
	case ownSort:
		return x.identityOf(process)
	case nodeSort, hopSort:
		for node, in := range s.storage {
			switch {
			case in != storedIn{process, c.nodeVars[i]}:
			case x.sorts[v] == nodeSort:
				return x.identityOf(node)
			default:
				return hopCount{origin: node, process: process, right: x.nodeVars[in.nodeVar].right}
			}
		}
	}
	return unknownValue{}
}

// arrangements returns the patterns of a path on which a property is violated: one for each way in which its nodes can
// be equal and ordered around the ring. ok is false if there are more than three nodes.
func (x *translation) arrangements(p *path) (all []pattern, ok bool) {
	ok = true
	symbols := p.relevantSymbols()
	listed := make(map[string]bool)
	nodes := make([]int, len(p.rule.Symbols)+1) // by symbol
	var place func(i, width int)
	place = func(i, width int) {
		if i < len(symbols) {
			for n := range width + 1 {
				nodes[symbols[i]] = n
				place(i+1, max(width, n+1))
			}
			return
		}
		atoms, possible := x.atomsAt(p, nodes, symbols)
		if ok = ok && (!possible || width <= 3); !ok || !possible {
			return
		}
		for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}} {
			if q := canonical(pattern{atoms: atoms}.withNodes(order)); !listed[q.key()] {
				listed[q.key()] = true
				all = append(all, q)
			}
		}
	}
	place(0, 0)
	return all, ok
}

// relevantSymbols returns the symbols of processes, followed by the other symbols in conditions.
func (p *path) relevantSymbols() []int {
	symbols := slices.Sorted(maps.Keys(p.property.controls))
	add := func(list ...int) {
		for _, symbol := range list {
			if !slices.Contains(symbols, symbol) {
				symbols = append(symbols, symbol)
			}
		}
	}
	for _, c := range p.rule.Conds {
		if add(c.A); !c.Zero && c.Sees == 0 {
			add(c.B)
		}
	}
	for _, m := range p.property.messages {
		add(m.to)
		add(m.nodes...)
	}
	return symbols
}

// atomsAt returns the atoms of a path for given nodes of its symbols. ok is false if they contradict each other.
func (x *translation) atomsAt(p *path, nodes, symbols []int) (atoms []atom, ok bool) {
	add := func(a atom) {
		if !slices.Contains(atoms, a) {
			atoms = append(atoms, a)
		}
	}
	s := p.property
	for symbol, c := range s.controls {
		for other, d := range s.controls {
			if nodes[symbol] == nodes[other] && c != d {
				return nil, false
			}
		}
		add(newAtom(x.relation(atControl, x.controlIndex[c.key()]), nodes[symbol]))
	}
	var stored []atom
	for _, symbol := range symbols {
		if in, ok := s.storage[symbol]; ok {
			a := newAtom(x.relation(stores, in.nodeVar), nodes[in.process], nodes[symbol])
			for _, b := range stored {
				if a.relation == b.relation && a.nodes[0] == b.nodes[0] && a.nodes[1] != b.nodes[1] {
					return nil, false
				}
			}
			stored = append(stored, a)
			add(a)
		}
	}
	for _, a := range x.chosenMessageAtoms(p, nodes) {
		add(a)
	}
	for _, c := range p.rule.Conds {
		a, decided, holds := x.conditionAtom(c, nodes)
		if decided && !holds {
			return nil, false
		}
		if !decided {
			add(a)
		}
	}
	return atoms, x.agreeOnZero(atoms) && x.agreeOnViews(atoms)
}

// agreeOnZero reports whether at most one node is process 0 by some atoms.
func (x *translation) agreeOnZero(atoms []atom) bool {
	for _, a := range atoms {
		if s, _ := x.kindOf(a.relation); s != isZero || a.absent {
			continue
		}
		for _, b := range atoms {
			if b.relation == a.relation && b.absent == (b.nodes == a.nodes) {
				return false
			}
		}
	}
	return true
}
