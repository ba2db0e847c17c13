package check

import (
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// An assignment gives each process a value. While initial configurations are worked out the values stand in
// the environment, behind the variables and binders: that of process p is at base + p.
type assignment struct {
	permutation bool
	values      *ir.Type
	base        int
}

// An assigned is the value of an assignment for a process.
type assigned struct {
	*assignment
	process ir.Expr
}

func (e *assigned) Type() *ir.Type { return e.values }

func (e *assigned) Eval(env *ir.Env) (int64, error) {
	p, err := e.process.Eval(env)
	if err != nil {
		return 0, err
	}
	return env.Vars[e.base+int(p)], nil
}

// assignRef resolves uid[p].
func (b *builder) assignRef(sym *symbol, e *syntax.IndexExpr) ir.Expr {
	a := b.assigned[sym]
	if a == nil {
		a = b.assignment(sym.decl.(*syntax.AssignDecl), e.Pos)
		b.assigned[sym] = a
	}
	return &assigned{a, b.process(e.Index)}
}

// assignment makes an assignment when it is first used, at pos.
func (b *builder) assignment(d *syntax.AssignDecl, pos syntax.Pos) *assignment {
	if !b.holds(d.If) {
		b.errs.Add(pos, "%s is not assigned with these options", d.Name)
		return &assignment{values: b.shapeType(b.values[d.Name].shape)}
	}
	a := &assignment{permutation: d.Permutation, values: b.typ(d.Type)}
	if n, ok := a.values.Size(); d.Permutation && (!ok || n != uint64(b.protocol.N)) {
		b.errs.Add(d.Type.TypePos(), "a permutation of %s for %d processes: there must be as many values", a.values, b.protocol.N)
	}
	return a
}

// leaves makes control points of the terms that a process can begin with, once the conditions at the start
// are decided and the calls are resolved.
func (b *builder) leaves(t ir.Term, pos syntax.Pos) {
	switch t := t.(type) {
	case *ir.If:
		b.leaves(t.Then, pos)
		b.leaves(t.Else, pos)
	case *ir.Let:
		b.leaves(t.Then, pos)
	case *ir.Call:
	default:
		p := &ir.Point{Term: t, Pos: pos}
		b.leaf[t] = p
		b.protocol.Points = append(b.protocol.Points, p)
	}
}

// initial sets what enumerates the initial configurations.
func (b *builder) initial() {
	s := &starter{protocol: b.protocol, start: b.start, leaf: b.leaf, number: b.vars[b.values[b.file.Process.Name]]}
	s.size = b.protocol.EnvSize
	for _, d := range b.file.Assigns {
		if a := b.assigned[b.values[d.Name]]; a != nil {
			a.base = s.size
			s.size += b.protocol.N
			s.assignments = append(s.assignments, a)
		}
	}
	b.protocol.Initial = s.configurations
}

// A starter enumerates initial configurations.
type starter struct {
	protocol    *ir.Protocol
	start       ir.Term
	leaf        map[ir.Term]*ir.Point
	number      *ir.Var // of the process
	assignments []*assignment
	size        int // of the environment
}

// configurations is Protocol.Initial: assignments in lexicographic order, the first of them the slowest.
func (s *starter) configurations(yield func([]ir.Local) bool) error {
	env := &ir.Env{Vars: make([]int64, s.size)}
	for _, a := range s.assignments {
		a.first(s.values(env, a))
	}
	for {
		locals, err := s.locals(env)
		if err != nil {
			return err
		}
		if !yield(locals) || !s.advance(env) {
			return nil
		}
	}
}

// values returns the place of an assignment's values.
func (s *starter) values(env *ir.Env, a *assignment) []int64 {
	return env.Vars[a.base : a.base+s.protocol.N]
}

// advance goes to the next combination of assignments and reports whether there is one.
func (s *starter) advance(env *ir.Env) bool {
	for _, a := range slices.Backward(s.assignments) {
		values := s.values(env, a)
		if a.next(values) {
			return true
		}
		a.first(values)
	}
	return false
}

// first sets the least assignment.
func (a *assignment) first(values []int64) {
	for p := range values {
		values[p] = a.values.Lo
		if a.permutation {
			values[p] += int64(p)
		}
	}
}

// next sets the next assignment in lexicographic order and reports whether there is one.
func (a *assignment) next(values []int64) bool {
	if a.permutation {
		return nextPermutation(values)
	}
	for p := len(values) - 1; p >= 0; p-- {
		if values[p] < a.values.Hi {
			values[p]++
			return true
		}
		values[p] = a.values.Lo
	}
	return false
}

// nextPermutation sets the next permutation in lexicographic order and reports whether there is one.
func nextPermutation(values []int64) bool {
	i := len(values) - 2
	for i >= 0 && values[i] >= values[i+1] {
		i--
	}
	if i < 0 {
		return false
	}
	j := len(values) - 1
	for values[j] <= values[i] {
		j--
	}
	values[i], values[j] = values[j], values[i]
	slices.Reverse(values[i+1:])
	return true
}

// locals works out where each process begins.
func (s *starter) locals(env *ir.Env) ([]ir.Local, error) {
	locals := make([]ir.Local, s.protocol.N)
	for p := range locals {
		env.Vars[s.number.ID] = int64(p)
		point, err := s.begin(env)
		if err != nil {
			return nil, err
		}
		locals[p] = point.Local(env)
	}
	return locals, nil
}

// begin returns the control point at which a process begins, with its variables in env.
func (s *starter) begin(env *ir.Env) (*ir.Point, error) {
	t := s.start
	for {
		switch at := t.(type) {
		case *ir.If:
			c, err := at.Cond.Eval(env)
			if err != nil {
				return nil, err
			}
			t = at.Else
			if c != 0 {
				t = at.Then
			}
		case *ir.Let:
			v, err := at.Value.Eval(env)
			if err != nil {
				return nil, err
			}
			env.Vars[at.Var.ID] = v
			t = at.Then
		case *ir.Call:
			return (&ir.Point{Term: at}).Resolve(env)
		default:
			return s.leaf[t], nil
		}
	}
}
