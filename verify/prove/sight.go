package prove

import (
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// A sight is a value that a process may read in a register of a neighbour. A view consists of the sights of one
// register on one side. A process has exactly one sight of each view.
type sight struct {
	View  int   `json:"view"`
	Right bool  `json:"right"` // the neighbour is on the right
	Value int64 `json:"value"` // of the register

	variable *ir.Var
}

// String describes the neighbour.
func (s sight) String() string {
	side := "left"
	if s.Right {
		side = "right"
	}
	return "a " + side + " neighbour with " + s.variable.Name + " = " + s.variable.Type.Format(s.Value)
}

// addSights adds the sights of the registers with values that represent themselves, on the sides on which processes or
// properties read.
func (x *translation) addSights() {
	for _, right := range []bool{false, true} {
		if !x.readsSide(right) {
			continue
		}
		for _, v := range x.Vars {
			if v.Kind != ir.Register || !v.Lasting() || !x.tracked(v) ||
				x.sorts[v] != numberSort && x.sorts[v] != unassignedSort {
				continue
			}
			view := x.views()
			for n := range v.Type.Values() {
				x.sights = append(x.sights, sight{view, right, n, v})
			}
		}
	}
}

// views returns the number of views.
func (x *translation) views() int {
	if len(x.sights) == 0 {
		return 0
	}
	return x.sights[len(x.sights)-1].View + 1
}

// readsSide reports whether a process, a property or a goal may read a register of a neighbour on a side.
func (x *instance) readsSide(right bool) (reads bool) {
	side := int64(ir.Left)
	if right {
		side = ir.Right
	}
	all := expressions(x.Start.Term)
	for _, p := range x.Points {
		all = append(all, expressions(p.Term)...)
	}
	for _, p := range x.Properties {
		all = append(all, p.Body)
	}
	for _, g := range x.Goals {
		if g.State != nil {
			all = append(all, g.State)
		}
	}
	for _, e := range subexpressions(all) {
		var port ir.Expr
		switch e := e.(type) {
		case *ir.Peer:
			port = e.Port
		case *ir.Neighbour:
			port = e.Side
		default:
			continue
		}
		c, ok := port.(*ir.Const)
		reads = reads || !ok || c.Value == side
	}
	return reads
}

// neighbourOf returns the neighbour of a process on a side; the process is a symbol.
func (v evaluator) neighbourOf(process int, side value) value {
	n, ok := side.(number)
	if !ok || v.p.property != nil && process == 0 || n != number(ir.Left) && n != number(ir.Right) {
		return unknownValue{}
	}
	return neighbour{process, n == number(ir.Right)}
}

// valueSeen returns the value of a register of a neighbour, if the path has a condition that says it.
func (v evaluator) valueSeen(of neighbour, variable *ir.Var) value {
	for _, c := range v.p.rule.Conds {
		if c.Sees == 0 || c.A != of.node {
			continue
		}
		if s := v.x.sights[c.Sees-1]; s.Right == of.right && s.variable == variable {
			return number(s.Value)
		}
	}
	return unknownValue{}
}

// splitBySight returns a path for each combination of the values of registers of neighbours that an expression reads
// and that the path does not determine: the path itself if there are none.
func (x *translation) splitBySight(p *path, e ir.Expr) (all []*path) {
	of, variable := x.unknownSight(p, e)
	if variable == nil {
		return []*path{p}
	}
	for _, q := range x.splitByRegister(p, of, variable) {
		all = append(all, x.splitBySight(q, e)...)
	}
	return all
}

// splitByRegister returns a path for each value of a register of a neighbour.
func (x *translation) splitByRegister(p *path, of neighbour, variable *ir.Var) (all []*path) {
	for i, s := range x.sights {
		if s.Right == of.right && s.variable == variable {
			x.effort.Hold(pathBytes)
			q := p.clone()
			q.rule.Conds = append(q.rule.Conds, condition{A: of.node, Sees: i + 1})
			all = append(all, q)
		}
	}
	return all
}

// unknownSight returns a neighbour and one of its registers that an expression reads, and that has sights of which the
// path determines none. The register is nil if there is none.
func (x *translation) unknownSight(p *path, e ir.Expr) (of neighbour, variable *ir.Var) {
	if len(x.sights) == 0 {
		return of, nil
	}
	ir.Walk(e, func(e ir.Expr) bool {
		read, ok := e.(*ir.ProcessVar)
		if !ok || variable != nil {
			return variable == nil
		}
		n, ok := x.eval(p, read.Process).(neighbour)
		hasSights := slices.ContainsFunc(x.sights, func(s sight) bool {
			return s.Right == n.right && s.variable == read.Var
		})
		if _, known := (evaluator{x, p}).valueSeen(n, read.Var).(number); ok && hasSights && !known {
			of, variable = n, read.Var
		}
		return variable == nil
	})
	return of, variable
}

// addShown adds to each rule what the neighbours see after it.
func (x *translation) addShown() {
	for i := range x.rules {
		r := &x.rules[i]
		for k, s := range x.sights {
			before, had := x.controls[r.From].register(s.variable)
			after, has := x.controls[r.To].register(s.variable)
			if has && after == s.Value && !(had && before == after) {
				r.Reveals = append(r.Reveals, k)
			}
		}
	}
}

// register returns the value of a register at a control.
func (c *control) register(v *ir.Var) (value int64, ok bool) {
	i := slices.Index(c.point.Live, v)
	if i < 0 {
		return 0, false
	}
	return c.values[i], true
}

// initialRegister returns the values that a register may have initially: the given one if it is the same number for all
// processes, or any.
func (x *translation) initialRegister(p *path, v *ir.Var) []value {
	if v.Init != nil {
		if n, ok := x.eval(p, v.Init).(number); ok {
			return []value{n}
		}
	}
	return x.values(v)
}

// addInitialSights adds the sights that a process may have initially: of the values of registers at initial controls.
func (x *translation) addInitialSights() {
	for i, s := range x.sights {
		for _, c := range slices.Concat(x.initial.Zero.Controls, x.initial.Others.Controls) {
			value, ok := x.controls[c].register(s.variable)
			if ok && value == s.Value && !slices.Contains(x.initial.Sights, i) {
				x.initial.Sights = append(x.initial.Sights, i)
			}
		}
	}
}

// agreeOnViews reports whether each node has one sight at most of each view by some atoms.
func (x *translation) agreeOnViews(atoms []atom) bool {
	for i, a := range atoms {
		for _, b := range atoms[:i] {
			first, k := x.kindOf(a.relation)
			second, m := x.kindOf(b.relation)
			if first == sees && second == sees && a.nodes == b.nodes && k != m && x.sights[k].View == x.sights[m].View {
				return false
			}
		}
	}
	return true
}

// sightAtoms returns the atoms about the registers that the neighbours of each process have in a state.
func (w *abstractor) sightAtoms(state []model.Value) (atoms []atom, err error) {
	n := w.Protocol().N
	for p := range n {
		for i, s := range w.sights {
			beside := (p + n - 1) % n
			if s.Right {
				beside = (p + 1) % n
			}
			l := w.Local(state[w.SlotOfProcess(beside)])
			k := slices.IndexFunc(l.Point.Live, func(v *ir.Var) bool { return v.Name == s.variable.Name })
			if k >= 0 && l.Env[k] == s.Value {
				atoms = append(atoms, newAtom(w.relation(sees, i), p))
			}
		}
	}
	return atoms, nil
}
