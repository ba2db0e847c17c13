package verify

import (
	"slices"

	"ringcheck/model/language/ir"
)

// quantifier writes a quantifier out.
func (x *expander) quantifier(q *ir.Quantifier, s *scope) part {
	if q.Over != nil {
		return x.overMessages(q, s)
	}
	lo, ok := x.expand(q.Lo, s).constant()
	hi, ok2 := x.expand(q.Hi, s).constant()
	if !ok || !ok2 || hi.Value >= lo.Value && uint64(hi.Value)-uint64(lo.Value) >= maxParts {
		x.fail()
		return part{expr: q}
	}
	var parts []part
	for v := lo.Value; v <= hi.Value && x.err == nil; v++ {
		p := x.expand(q.Body, s.with(q.Var, part{expr: &ir.Const{T: q.Var.Type, Value: v}}))
		c, ok := p.constant()
		if !ok || q.Op == ir.Sum || q.Op == ir.Unite {
			parts = append(parts, p)
			continue
		}
		if (c.Value != 0) != (q.Op == ir.ForAll) {
			return p // decides
		}
	}
	return x.series(q, parts)
}

// series joins parts by the operator of a quantifier. It divides them in the middle again and again, since
// the middle of the processes is where the tree of slots divides.
func (x *expander) series(q *ir.Quantifier, parts []part) part {
	switch len(parts) {
	case 0:
		return part{expr: neutral(q)}
	case 1:
		return parts[0]
	}
	ops := map[ir.Quant]ir.Op{ir.ForAll: ir.Every, ir.Exists: ir.Some, ir.Unite: ir.Union, ir.Sum: ir.Add}
	middle := len(parts) / 2
	left, right := x.series(q, parts[:middle]), x.series(q, parts[middle:])
	return x.close(x.rebuild(&ir.Binary{Op: ops[q.Op], T: q.T, Pos: q.Pos}, []part{left, right}))
}

// neutral is the value of a quantifier over nothing.
func neutral(q *ir.Quantifier) *ir.Const {
	c := truth(q.Op == ir.ForAll)
	c.T = q.T
	return c
}

// overMessages keeps a quantifier over the messages of a channel, which must be a certain one.
func (x *expander) overMessages(q *ir.Quantifier, s *scope) part {
	link, ok := x.expand(q.Over, s).constant()
	if !ok {
		x.fail()
		return part{expr: q}
	}
	if link.Value < 0 {
		return part{expr: neutral(q)}
	}
	body := x.expand(q.Body, s.with(q.Var, part{expr: &ir.VarRef{Var: q.Var}, open: []*ir.Var{q.Var}}))
	if c, ok := body.constant(); ok && q.Op != ir.Sum && (c.Value != 0) == (q.Op == ir.ForAll) {
		return body
	}
	c := *q
	c.Over, c.Body = link, body.expr
	return part{
		expr: &c,
		open: slices.DeleteFunc(slices.Clone(body.open), func(v *ir.Var) bool { return v == q.Var }),
		uses: union(body.uses, []*term{x.slots[x.sys.SlotOfLink(int(link.Value))]}),
	}
}
