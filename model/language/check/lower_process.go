package check

import (
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// kinds assigns the processes to their kinds: those with an index say so, the others take the numbers that are left.
func (b *builder) kinds() {
	if !b.severalKinds() {
		return
	}
	p := b.protocol
	owner := make([]*syntax.ProcessDecl, p.N)
	for _, d := range b.processKinds {
		kind := &ir.ProcessKind{Name: d.Name, Indexed: d.Index != nil}
		p.Kinds = append(p.Kinds, kind)
		if !kind.Indexed {
			continue
		}
		lo, hi := b.constant(d.Range.Lo, nil).Value, b.constant(d.Range.Hi, nil).Value
		if len(b.errs) > 0 {
			return
		}
		if lo <= hi && (lo < 0 || hi >= int64(p.N)) {
			b.errs.Add(d.Range.Pos, "%s[%d..%d]: the processes are 0 to %d", d.Name, lo, hi, p.N-1)
			return
		}
		kind.First, kind.Last = int(lo), int(max(hi, lo-1))
		for q := kind.First; q <= kind.Last; q++ {
			if owner[q] != nil {
				b.errs.Add(d.Range.Pos, "process %d is of two kinds, %s and %s", q, owner[q].Name, d.Name)
				return
			}
			owner[q] = d
		}
	}
	b.assignRest(owner)
}

// assignRest assigns the remaining processes to the kinds without an index.
func (b *builder) assignRest(owner []*syntax.ProcessDecl) {
	next := 0
	for i, d := range b.processKinds {
		kind := b.protocol.Kinds[i]
		if !kind.Indexed {
			for next < len(owner) && owner[next] != nil {
				next++
			}
			if next == len(owner) {
				b.errs.Add(d.Pos, "no process is left to be %s: there are %d", d.Name, len(owner))
				return
			}
			kind.First, kind.Last, owner[next] = next, next, d
		}
		b.nameKind(d, kind)
	}
	for q, d := range owner {
		if d == nil {
			b.errs.Add(b.processKinds[0].Pos, "process %d is of no kind: there are %d processes", q, len(owner))
			return
		}
	}
}

// nameKind gives the name of a kind its value: a process, or a set of them if that is possible.
func (b *builder) nameKind(d *syntax.ProcessDecl, kind *ir.ProcessKind) {
	sym := b.values[d.Name]
	node := ir.NodeType(b.protocol.N)
	if !kind.Indexed {
		b.consts[sym] = &ir.Const{T: exactly(node, int64(kind.First)), Value: int64(kind.First)}
		return
	}
	b.kindOf[sym] = kind
	if t, err := ir.SetType(node); err == nil {
		var set int64
		for q := kind.First; q <= kind.Last; q++ {
			set |= 1 << q
		}
		b.consts[sym] = &ir.Const{T: t, Value: set}
	}
}

// kindNamed returns the kind of process whose processes e denotes, nil if it is another expression.
func (b *builder) kindNamed(e syntax.Expr) *ir.ProcessKind {
	if n, ok := e.(*syntax.Name); ok {
		return b.kindOf[symbolOf(n.Binding)]
	}
	return nil
}

// processesOf returns the first and the last process of a kind.
func (b *builder) processesOf(kind *ir.ProcessKind) (lo, hi ir.Expr) {
	node := ir.NodeType(b.protocol.N)
	return &ir.Const{T: node, Value: int64(kind.First)}, &ir.Const{T: node, Value: int64(kind.Last)}
}

// begin lowers the process declarations to one term that decides by the process number.
func (b *builder) begin() ir.Term {
	if !b.severalKinds() {
		body := b.processKinds[0].Body
		return b.initialTerm(b.term(body, nil), body.TermPos())
	}
	var kinds []*ir.ProcessKind
	var begins []ir.Term
	b.openings = make(map[*ir.ProcessKind]ir.Term)
	for i, d := range b.processKinds {
		if b.kind = b.protocol.Kinds[i]; b.kind.First <= b.kind.Last {
			kinds = append(kinds, b.kind)
			b.openings[b.kind] = b.initialTerm(b.term(d.Body, nil), d.Body.TermPos())
			begins = append(begins, b.openings[b.kind])
		}
	}
	b.kind = nil
	start := begins[len(begins)-1]
	for i := len(begins) - 2; i >= 0; i-- {
		start = &ir.If{Cond: b.isKind(kinds[i]), Then: begins[i], Else: start, Pos: b.processKinds[i].Pos}
	}
	return start
}

// isKind lowers the condition that the process is of a kind.
func (b *builder) isKind(kind *ir.ProcessKind) ir.Expr {
	number := &ir.VarRef{Var: b.vars[b.self]}
	lo, hi := b.processesOf(kind)
	pos := b.processKinds[0].Pos
	from, to := ir.Expr(boolean(true)), ir.Expr(boolean(true))
	if kind.First > 0 {
		from = compare(ir.Le, lo, number, pos)
	}
	if kind.Last < b.protocol.N-1 {
		to = compare(ir.Le, number, hi, pos)
	}
	return conjunction(from, to, pos)
}

// processes lowers the process declaration and every equation that it leads to.
func (b *builder) processes() {
	b.protocol.Start.Term = b.begin()
	b.environment()
	b.callees()
	b.recovery()
	b.callees()
	b.number()
}

// callees lowers the equations that are called.
func (b *builder) callees() {
	for len(b.queue) > 0 {
		eq := b.queue[0]
		b.queue = b.queue[1:]
		start := b.equations[eq].Start
		start.Term = b.term(eq.decl.(*syntax.EquationDecl).Body, start.Equation)
	}
}

// equation returns the equation that sym denotes, which is lowered later.
func (b *builder) equation(sym *symbol) *ir.Equation {
	if eq := b.equations[sym]; eq != nil {
		return eq
	}
	d := sym.decl.(*syntax.EquationDecl)
	eq := &ir.Equation{Name: d.Name}
	for i, id := range d.Params {
		v := b.vars[symbolOf(id.Binding)]
		eq.Params = append(eq.Params, v)
		if d.Kept[i] && v.Type.Kind != ir.Absent {
			eq.LiveParams = append(eq.LiveParams, v)
		}
	}
	if b.own.used {
		eq.Params = append(eq.Params, b.vars[b.self])
	}
	eq.Start = &ir.Point{Equation: eq, Start: true, Pos: d.Pos}
	b.equations[sym] = eq
	b.protocol.Points = append(b.protocol.Points, eq.Start)
	b.queue = append(b.queue, sym)
	return eq
}

// number puts equations and control points in the order of the text: first the points of the process
// declaration, then for each equation its start and the others.
func (b *builder) number() {
	for _, d := range syntax.All[*syntax.EquationDecl](b.file) {
		if eq := b.equations[b.info.equations[d.Name]]; eq != nil {
			eq.ID = len(b.protocol.Equations)
			b.protocol.Equations = append(b.protocol.Equations, eq)
		}
	}
	if crashed := b.protocol.Faults.Crashed; crashed != nil {
		crashed.ID = len(b.protocol.Equations)
		b.protocol.Equations = append(b.protocol.Equations, crashed)
		b.protocol.Points = append(b.protocol.Points, crashed.Start)
	}
	rows := make([][]*ir.Point, len(b.protocol.Equations)+1)
	for _, p := range b.protocol.Points {
		row := 0
		if p.Equation != nil {
			row = p.Equation.ID + 1
		}
		rows[row] = append(rows[row], p)
	}
	b.protocol.Points = nil
	for _, row := range rows {
		for _, p := range row {
			if s, ok := p.Term.(*ir.Stop); ok {
				s.Point = p
			}
			p.ID = len(b.protocol.Points)
			b.protocol.Points = append(b.protocol.Points, p)
		}
	}
}
