package symmetry

import (
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// behaviour notes what permutations must satisfy so that the transitions of the protocol are closed under them. How
// processes begin is not examined: initial states are compared as they are.
func (d *effects) behaviour() {
	var points []*ir.Point
	met := make(map[*ir.Point]bool)
	add := func(p *ir.Point) {
		if p != nil && !met[p] {
			met[p] = true
			points = append(points, p)
		}
	}
	for _, p := range d.protocol.Points {
		add(p)
	}
	if c := d.protocol.Faults.Recover; c != nil {
		d.term(c)
		add(c.Equation.Start)
	}
	for i := 0; i < len(points); i++ {
		for t := range ir.Terms(points[i].Term) {
			d.term(t)
			parts := ir.PartsOf(t)
			for _, next := range parts.Points {
				add(next)
			}
			if c, ok := t.(*ir.Call); ok {
				add(c.Equation.Start)
			}
		}
	}
}

// term examines a term up to the next term or point.
func (d *effects) term(t ir.Term) {
	switch t := t.(type) {
	case *ir.Call:
		d.call(t)
	case *ir.Let:
		d.binds(t.Var, t.Value, t.Pos)
	case *ir.Store:
		d.binds(t.Var, t.Value, t.Pos)
	case *ir.If:
		d.needs(t.Cond, plain, t.Pos)
	case *ir.Draw:
		d.draw(t)
	case *ir.For:
		d.loop(t.Loop)
	case *ir.LoopEnd:
		d.loop(t.Loop)
	case *ir.Prefix:
		d.action(t.Action)
	case *ir.Stop, *ir.Choice, *ir.Enter: // they evaluate nothing
	}
}

// binds examines the assignment of a value to a variable.
func (d *effects) binds(v *ir.Var, value ir.Expr, pos syntax.Pos) {
	if v.Type.Kind != ir.Absent {
		d.needs(value, d.sortOf(v.Type), pos)
	}
}

func (d *effects) call(c *ir.Call) {
	for i, v := range c.Equation.Params {
		if passes(c, v) {
			d.binds(v, c.Args[i], c.Pos)
		} else {
			d.of(c.Args[i], c.Pos) // its value is not used, but it may have none
		}
	}
}

// passes reports whether the value that a call gives a parameter is used.
func passes(c *ir.Call, param *ir.Var) bool {
	return slices.Contains(c.Equation.Start.Live, param) || slices.Contains(c.Equation.LiveParams, param)
}

// draw examines what a draw or choice can give: the permutations must map it to itself.
func (d *effects) draw(t *ir.Draw) {
	if t.Var.Type.Kind == ir.Absent {
		return
	}
	s := d.sortOf(t.Var.Type)
	if t.Among != nil {
		d.choice(t, s)
		return
	}
	if s == plain || d.exchanged(t.Var.Type) { // directions are compared by matching
		return
	}
	weights := make(map[int64][2]uint32)
	for _, v := range t.Values {
		weights[v] = [2]uint32{1, 1}
	}
	for _, w := range t.Weights {
		weights[w.Value] = [2]uint32{w.Num, w.Den}
	}
	for v, weight := range weights {
		for _, p := range d.group.generators {
			if weights[permuteValue(t.Var.Type, v, p)] != weight {
				d.breaks(t.Pos, "it draws or chooses only some processes, or some more often than others")
				return
			}
		}
	}
}

// choice examines a draw or choice from a set, for a variable of a sort.
func (d *effects) choice(t *ir.Draw, s sort) {
	d.needs(t.Size, plain, t.Pos)
	if t.Size == nil && s != plain {
		s = setOf(s)
	}
	d.needs(t.Among, s, t.Pos)
}

// loop examines a loop. The steps of one over several processes are in the order of their numbers.
func (d *effects) loop(l *ir.Loop) {
	d.needs(l.Where, plain, l.Pos)
	text := "a loop visits processes in the order of their numbers"
	if namesDirection(l.Var.Type) {
		text = "a loop visits directions in their order"
	}
	domain, lo, hi := d.of(l.Set, l.Pos), d.of(l.Lo, l.Pos), d.of(l.Hi, l.Pos)
	switch {
	case slices.Contains([]effect{domain, lo, hi}, unknownChange):
	case d.sortOf(l.Var.Type) == plain:
		d.sorts([]effect{domain, lo, hi}, l.Pos, plain, plain, plain)
	case l.Set != nil && domain.constant:
		d.visits(l, text, l.Set.Type().Elements(domain.value))
	case l.Set == nil && lo.constant && hi.constant:
		d.visits(l, text, numbers(lo.value, hi.value))
	default:
		d.breaks(l.Pos, text)
	}
}

// visits requires that the processes which a loop visits do not move.
func (d *effects) visits(l *ir.Loop, text string, list func(yield func(int64) bool)) {
	if d.sortOf(l.Var.Type) != process {
		d.breaks(l.Pos, text)
		return
	}
	var moved []int64
	for p := range list {
		if d.group.moves(p) {
			moved = append(moved, p)
		}
	}
	if moved != nil {
		d.require(requirement{Break: Break{l.Pos, text}, fixed: moved})
	}
}

func (d *effects) action(a ir.Action) {
	pos := a.Position()
	switch a := a.(type) {
	case *ir.Send:
		d.needs(a.Target, d.address(), pos)
		d.fields(a.Message.Fields, a.Args, pos)
	case *ir.Emit:
		if slices.ContainsFunc(a.Event.Fields, func(f ir.Field) bool {
			return d.group.directed() && namesDirection(f.Type)
		}) {
			d.breaks(pos, "an event names a direction")
		}
		d.fields(a.Event.Fields, a.Args, pos)
	case *ir.Assign:
		d.binds(a.Var, a.Value, pos)
	case *ir.Receive:
		d.pattern(a.Source, d.address(), pos)
		for i, p := range a.Patterns {
			if f := a.Message.Fields[i].Type; f.Kind != ir.Absent {
				d.pattern(p, d.sortOf(f), pos)
			}
		}
		d.needs(a.Where, plain, pos)
	case *ir.Skip, *ir.Crash: // they evaluate nothing
	}
}

func (d *effects) fields(fields []ir.Field, args []ir.Expr, pos syntax.Pos) {
	for i, f := range fields {
		if f.Type.Kind != ir.Absent {
			d.needs(args[i], d.sortOf(f.Type), pos)
		}
	}
}

// pattern examines a pattern for a value of a sort.
func (d *effects) pattern(p ir.Pattern, s sort, pos syntax.Pos) {
	switch {
	case p.Bind != nil && p.Bind.Type.Kind != ir.Absent && d.sortOf(p.Bind.Type) != s:
		d.breaks(pos, p.Bind.Name+" is not declared as a process, but what it receives is one, or the other way around")
	case p.Equal != nil:
		d.needs(p.Equal, s, pos)
	}
}
