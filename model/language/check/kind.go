package check

import (
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// usualNumber is the name of the process number where no process declaration gives it one.
const usualNumber = "p"

// severalKinds reports whether a spec has kinds of process, rather than one declaration for all processes.
func (i *info) severalKinds() bool {
	return len(i.processKinds) > 1 || len(i.processKinds) == 1 && i.processKinds[0].Index != nil
}

// declareProcess declares the name of the process number, or that of a kind of process.
func (c *checker) declareProcess(d *syntax.ProcessDecl) {
	if !c.severalKinds() {
		c.self = c.define(c.values, processSymbol, d.Name, d.Pos, d)
		c.self.shape, c.self.used = anInteger, true
		return
	}
	if c.self == nil {
		c.self = &symbol{kind: processSymbol, name: usualNumber, shape: anInteger, used: true}
	}
	kind := c.define(c.values, kindSymbol, d.Name, d.Pos, d)
	kind.shape, kind.used = anInteger, true
	if d.Index == nil {
		return
	}
	kind.shape = &shape{kind: setShape, elem: anInteger}
	if c.self.decl != nil && d.Index.Name != c.self.name {
		c.errs.Add(d.Index.Pos, "the number of a process has one name in a spec: it is %s above", c.self.name)
		return
	}
	c.self.name, c.self.pos, c.self.decl = d.Index.Name, d.Index.Pos, d
}

// early is the scope of expressions that determine the number of processes and their kinds.
func (c *checker) early() scope {
	s := c.constants()
	s.early, s.unlinked = true, true
	return s
}

// processDecl checks what a kind of process does.
func (c *checker) processDecl(d *syntax.ProcessDecl) {
	s := c.knowing(scope{context: startContext, order: len(c.file.Order)})
	if d.Index != nil {
		c.typ(c.early(), d.Range)
	}
	if d.Index != nil || !c.severalKinds() {
		s = s.with(c.self)
	}
	c.term(s, d.Body)
}

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
	b.rest(owner)
}

// rest gives the processes that no index names to the kinds without one.
func (b *builder) rest(owner []*syntax.ProcessDecl) {
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
	if t, err := ir.SetType(node); err == nil {
		var set int64
		for q := kind.First; q <= kind.Last; q++ {
			set |= 1 << q
		}
		b.consts[sym] = &ir.Const{T: t, Value: set}
	}
}

// kindNamed returns the kind of process whose processes e stands for, nil if it is another expression.
func (b *builder) kindNamed(e syntax.Expr) *ir.ProcessKind {
	n, ok := e.(*syntax.Name)
	if !ok || b.uses[n] == nil || b.uses[n].kind != kindSymbol {
		return nil
	}
	for i, d := range b.processKinds {
		if b.uses[n].decl == d && d.Index != nil {
			return b.protocol.Kinds[i]
		}
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
		return b.entered(b.term(body, nil), body.TermPos())
	}
	var kinds []*ir.ProcessKind
	var begins []ir.Term
	for i, d := range b.processKinds {
		if b.kind = b.protocol.Kinds[i]; b.kind.First <= b.kind.Last {
			kinds = append(kinds, b.kind)
			begins = append(begins, b.entered(b.term(d.Body, nil), d.Body.TermPos()))
		}
	}
	start := begins[len(begins)-1]
	for i := len(begins) - 2; i >= 0; i-- {
		start = &ir.If{Cond: b.among(kinds[i]), Then: begins[i], Else: start, Pos: b.processKinds[i].Pos}
	}
	return start
}

// among resolves the condition that the process is of a kind.
func (b *builder) among(kind *ir.ProcessKind) ir.Expr {
	number := &ir.VarRef{Var: b.vars[b.self]}
	lo, hi := b.processesOf(kind)
	pos := b.processKinds[0].Pos
	return conjunction(compare(ir.Le, lo, number, pos), compare(ir.Le, number, hi, pos), pos)
}
