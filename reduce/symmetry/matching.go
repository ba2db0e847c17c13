package symmetry

import (
	"reflect"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A matching compares the text of a spec with the text that an exchange of directions makes of it. It finds the
// renaming under which they are equal. It ignores the order of the alternatives of a choice, of the operands of
// operators such as = and +, and of the operands of "and" and "or" if their evaluation cannot fail.
//
// It tries no control point a second time that it once compared with success, so it may miss a renaming.
type matching struct {
	renaming
	protocol *ir.Protocol
	exchange permutation // of directions only
	// images has all that is an image: of a point, an equation, a variable.
	images map[any]bool
	trail  []any               // what the renaming maps, in the order in which that was found
	bound  map[*ir.Var]*ir.Var // the images of binders
	fixed  bool                // the renaming is known, and maps what it does not mention to itself
	steps  int
	pos    syntax.Pos // of what is compared
	why    Break      // the place of the mismatch after the longest trail
	length int        // of that trail
}

func newMatching(p *ir.Protocol, exchange permutation) *matching {
	return &matching{
		renaming: renaming{
			points: make(map[*ir.Point]*ir.Point), equations: make(map[*ir.Equation]*ir.Equation),
			vars: make(map[*ir.Var]*ir.Var),
		},
		protocol: p, exchange: exchange, images: make(map[any]bool), bound: make(map[*ir.Var]*ir.Var), length: -1,
	}
}

// maxComparisons bounds the effort of a matching.
const maxComparisons = 1_000_000

// at sets the position of what is compared, unless it is unknown, and notes a mismatch there if equal is false.
func (m *matching) at(pos syntax.Pos, equal bool) bool {
	if pos != (syntax.Pos{}) {
		m.pos = pos
	}
	m.steps++
	if equal = equal && m.steps < maxComparisons; !equal && len(m.trail) > m.length {
		m.length = len(m.trail)
		m.why = Break{m.pos, "nothing is the image of this with " + m.exchange.format(m.protocol)}
	}
	return equal
}

// behaviour reports whether the whole text of the processes is equal to its image, and finds the renaming.
func (m *matching) behaviour() bool {
	f := &m.protocol.Faults
	if f.Crashed != nil && !m.equation(f.Crashed, f.Crashed) || f.Recover != nil && !m.term(f.Recover, f.Recover) {
		return false
	}
	var begins []*ir.Point
	for t := range ir.Terms(m.protocol.Start.Term) {
		switch t := t.(type) {
		case *ir.Enter:
			begins = append(begins, t.Point)
		case *ir.Call:
			begins = append(begins, t.Equation.Start)
		}
	}
	for _, list := range [][]*ir.Point{begins, m.protocol.Points} {
		for _, p := range list {
			if m.points[p] == nil && !m.anyOf(p, list) {
				return false
			}
		}
	}
	return m.live()
}

// anyOf reports whether the image of a control point is that point or another one of a list.
func (m *matching) anyOf(p *ir.Point, list []*ir.Point) bool {
	return m.tried(func() bool { return m.point(p, p) }) || slices.ContainsFunc(list, func(q *ir.Point) bool {
		return q != p && !m.images[q] && m.tried(func() bool { return m.point(p, q) })
	})
}

// live reports whether the variables that are live at the image of a control point are the images of the variables
// that are live at the control point. A variable that was not found elsewhere is its own image.
func (m *matching) live() bool {
	for _, x := range slices.Clone(m.trail) {
		p, ok := x.(*ir.Point)
		if !ok {
			continue
		}
		live := m.points[p].Live
		for _, v := range p.Live {
			if !m.at(p.Pos, m.vars[v] != nil || m.variable(v, v)) || !m.at(p.Pos, slices.Contains(live, m.vars[v])) {
				return false
			}
		}
		if !m.at(p.Pos, len(live) == len(p.Live)) {
			return false
		}
	}
	return true
}

// tried is compare, except that it takes back what it found if the result is false.
func (m *matching) tried(compare func() bool) bool {
	mark, pos := len(m.trail), m.pos
	if compare() {
		return true
	}
	for _, x := range m.trail[mark:] {
		switch x := x.(type) {
		case *ir.Point:
			forget(m, m.points, x)
		case *ir.Equation:
			forget(m, m.equations, x)
		case *ir.Var:
			forget(m, m.vars, x)
		}
	}
	m.trail, m.pos = m.trail[:mark], pos
	return false
}

func forget[T comparable](m *matching, names map[T]T, x T) {
	delete(m.images, any(names[x]))
	delete(names, x)
}

// assign reports whether y is the image of x, and makes it so if neither x has an image nor y is one. found says that
// it was not known before.
func assign[T comparable](m *matching, names map[T]T, x, y T) (ok, found bool) {
	to, known := names[x]
	switch {
	case known:
		return to == y, false
	case m.fixed:
		return x == y, false
	case m.images[any(y)]:
		return false, false
	}
	names[x] = y
	m.images[any(y)] = true
	m.trail = append(m.trail, any(x))
	return true, true
}

// point compares two control points and what follows them.
func (m *matching) point(a, b *ir.Point) bool {
	if a == nil || b == nil {
		return m.at(m.pos, a == b)
	}
	ok, found := assign(m, m.points, a, b)
	if !found {
		return m.at(a.Pos, ok)
	}
	return m.at(a.Pos, a.Kind == b.Kind && a.Start == b.Start && (a.ID < 0) == (b.ID < 0)) &&
		m.ofEquations(a.Equation, b.Equation) && m.term(a.Term, b.Term)
}

// ofEquations compares the equations whose text holds two control points.
func (m *matching) ofEquations(a, b *ir.Equation) bool {
	if a == nil || b == nil {
		return m.at(m.pos, a == b)
	}
	ok, _ := assign(m, m.equations, a, b)
	return m.at(m.pos, ok)
}

// equation compares two equations.
func (m *matching) equation(a, b *ir.Equation) bool {
	return m.ofEquations(a, b) && m.point(a.Start, b.Start)
}

// variable compares two variables.
func (m *matching) variable(a, b *ir.Var) bool {
	if a == nil || b == nil {
		return m.at(m.pos, a == b)
	}
	if to, ok := m.bound[a]; ok {
		return m.at(m.pos, to == b)
	}
	ok, found := assign(m, m.vars, a, b)
	return m.at(m.pos, ok && (!found || a.Kind == b.Kind && a.Of == b.Of && sameType(a.Type, b.Type) &&
		(a == b || a.Kind != ir.Shared)))
}

func sameType(a, b *ir.Type) bool { return a == b || reflect.DeepEqual(a, b) }

// inAnyOrder reports whether two lists are equal up to their order.
func inAnyOrder[T any](m *matching, a, b []T, equal func(x, y T) bool) bool {
	if len(a) != len(b) {
		return m.at(m.pos, false)
	}
	used := make([]bool, len(b))
	for i, x := range a {
		matches := func(k int) bool {
			used[k] = !used[k] && m.tried(func() bool { return equal(x, b[k]) }) || used[k]
			return used[k]
		}
		if !used[i] && matches(i) {
			continue
		}
		found := false
		for k := 0; k < len(b) && !found; k++ {
			found = k != i && !used[k] && matches(k)
		}
		if !found {
			return false
		}
	}
	return true
}

// term compares two terms.
func (m *matching) term(a, b ir.Term) bool {
	if !m.at(m.pos, reflect.TypeOf(a) == reflect.TypeOf(b)) {
		return false
	}
	switch a := a.(type) {
	case *ir.Stop:
		return m.point(a.Point, b.(*ir.Stop).Point)
	case *ir.Enter:
		return m.point(a.Point, b.(*ir.Enter).Point)
	case *ir.Call:
		return m.call(a, b.(*ir.Call))
	case *ir.Let:
		b := b.(*ir.Let)
		return m.at(a.Pos, true) && m.variable(a.Var, b.Var) && m.expr(a.Value, b.Value) && m.term(a.Then, b.Then)
	case *ir.Store:
		b := b.(*ir.Store)
		return m.at(a.Pos, true) && m.variable(a.Var, b.Var) && m.expr(a.Value, b.Value) && m.point(a.Then, b.Then)
	case *ir.If:
		b := b.(*ir.If)
		return m.at(a.Pos, true) && m.expr(a.Cond, b.Cond) && m.term(a.Then, b.Then) && m.term(a.Else, b.Else)
	case *ir.Draw:
		return m.draw(a, b.(*ir.Draw))
	case *ir.For:
		return m.loop(a.Loop, b.(*ir.For).Loop)
	case *ir.LoopEnd:
		return m.loop(a.Loop, b.(*ir.LoopEnd).Loop)
	case *ir.Prefix:
		b := b.(*ir.Prefix)
		return m.action(a.Action, b.Action) && m.point(a.Next, b.Next)
	case *ir.Choice:
		return inAnyOrder(m, a.Terms, b.(*ir.Choice).Terms, m.term)
	}
	return m.at(m.pos, a == nil && b == nil)
}

// call compares two calls: each parameter has an image, with the image of its argument.
func (m *matching) call(a, b *ir.Call) bool {
	if !m.at(a.Pos, len(a.Args) == len(b.Args)) || !m.equation(a.Equation, b.Equation) {
		return false
	}
	type argument struct {
		param *ir.Var
		value ir.Expr
		used  bool
	}
	arguments := func(c *ir.Call) (list []argument) {
		for i, p := range c.Equation.Params {
			list = append(list, argument{p, c.Args[i], passes(c, p)})
		}
		return list
	}
	m.at(a.Pos, true)
	return inAnyOrder(m, arguments(a), arguments(b), func(x, y argument) bool {
		return m.variable(x.param, y.param) && m.at(a.Pos, x.used == y.used) &&
			(!x.used && isConst(x.value) && isConst(y.value) || m.expr(x.value, y.value))
	})
}

// draw compares two draws or choices of a value.
func (m *matching) draw(a, b *ir.Draw) bool {
	if !m.at(a.Pos, a.Choose == b.Choose && len(a.Values) == len(b.Values) && len(a.Weights) == len(b.Weights)) ||
		!m.variable(a.Var, b.Var) {
		return false
	}
	weights := make(map[ir.Weighted]int)
	for _, v := range a.Values {
		weights[ir.Weighted{Value: m.value(a.Var.Type, v)}]++
	}
	for _, w := range a.Weights {
		w.Value = m.value(a.Var.Type, w.Value)
		weights[w]++
	}
	for _, v := range b.Values {
		weights[ir.Weighted{Value: v}]--
	}
	for _, w := range b.Weights {
		weights[w]--
	}
	for _, n := range weights {
		if n != 0 {
			return m.at(a.Pos, false)
		}
	}
	return m.expr(a.Among, b.Among) && m.expr(a.Size, b.Size) && m.term(a.Then, b.Then)
}

// loop compares two loops.
func (m *matching) loop(a, b *ir.Loop) bool {
	return m.at(a.Pos, true) && m.variable(a.Var, b.Var) && m.expr(a.Lo, b.Lo) && m.expr(a.Hi, b.Hi) &&
		m.expr(a.Set, b.Set) && m.expr(a.Where, b.Where) && m.point(a.Body, b.Body) && m.point(a.Then, b.Then)
}

// action compares two actions.
func (m *matching) action(a, b ir.Action) bool {
	if !m.at(a.Position(), reflect.TypeOf(a) == reflect.TypeOf(b)) {
		return false
	}
	switch a := a.(type) {
	case *ir.Send:
		b := b.(*ir.Send)
		return m.at(a.Pos, a.Message == b.Message) && m.expr(a.Target, b.Target) && m.exprs(a.Args, b.Args)
	case *ir.Receive:
		b := b.(*ir.Receive)
		return m.at(a.Pos, a.Message == b.Message && len(a.Patterns) == len(b.Patterns)) &&
			m.pattern(a.Source, b.Source) && m.patterns(a.Patterns, b.Patterns) && m.expr(a.Where, b.Where)
	case *ir.Emit:
		b := b.(*ir.Emit)
		return m.at(a.Pos, a.Event == b.Event) && m.exprs(a.Args, b.Args)
	case *ir.Assign:
		b := b.(*ir.Assign)
		return m.variable(a.Var, b.Var) && m.expr(a.Value, b.Value)
	case *ir.Skip, *ir.Crash: // they evaluate nothing
		return true
	}
	return m.at(m.pos, false)
}

func (m *matching) pattern(a, b ir.Pattern) bool {
	return m.variable(a.Bind, b.Bind) && m.expr(a.Equal, b.Equal)
}

func (m *matching) patterns(a, b []ir.Pattern) bool {
	for i := range a {
		if !m.pattern(a[i], b[i]) {
			return false
		}
	}
	return true
}
