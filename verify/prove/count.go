package prove

import (
	"maps"
	"slices"

	"ringcheck/model/language/ir"
)

// A messageValue is a message that a property chooses: an index of assumption.messages.
type messageValue int

func (messageValue) sort() valueSort { return unknownSort }

// A chosenMessage is a message in transit to a process that a property chooses.
type chosenMessage struct {
	kind  int   // of message
	to    int   // the symbol of the process
	nodes []int // by field that names a node: its symbol
	other int   // if positive, it is another message than messages[other-1]
}

// A counter counts the combinations of values of some quantifiers for which a condition holds.
type counter struct {
	binders []*ir.Quantifier
	body    ir.Expr
}

// counters returns the counters whose sum an expression is, nil if it is something else.
func counters(e ir.Expr) (all []counter) {
	switch e := strip(e).(type) {
	case *ir.Binary:
		x, y := counters(e.X), counters(e.Y)
		if e.Op == ir.Add && x != nil && y != nil {
			return append(x, y...)
		}
	case *ir.Apply:
		if len(e.Args) == 0 && !e.Define.Large() {
			return counters(e.Define.Body)
		}
	case *ir.Length:
		message := &ir.Var{Name: "message", Type: &ir.Type{Kind: ir.MessageRef}}
		one := &ir.Const{T: ir.BoolType(), Value: 1}
		return []counter{{[]*ir.Quantifier{{Op: ir.Sum, Var: message, Over: e.Channel, Body: one}}, one}}
	case *ir.Quantifier:
		if e.Op != ir.Sum {
			return nil
		}
		if e.Body.Type().Kind == ir.Bool {
			return []counter{{[]*ir.Quantifier{e}, e.Body}}
		}
		all = counters(e.Body)
		for i := range all {
			all[i].binders = slices.Insert(all[i].binders, 0, e)
		}
	}
	return all
}

// atLeast returns the counters and a number if a comparison has the wanted value if and only if the sum of the counters
// is at least the number. The number is 0 if it is unknown.
func (x *translation) atLeast(p *path, e *ir.Binary, want bool) (list []counter, least number) {
	list, bound := counters(e.X), e.Y
	reversed := list == nil
	if reversed {
		list, bound = counters(e.Y), e.X
	}
	n, ok := x.eval(p, bound).(number)
	switch {
	case !ok:
	case e.Op == ir.Eq && n == 0 && !want, e.Op == ir.Ne && n == 0 && want:
		least = 1
	case e.Op == ir.Lt && !reversed && !want, e.Op == ir.Le && reversed && want:
		least = n
	case e.Op == ir.Le && !reversed && !want, e.Op == ir.Lt && reversed && want:
		least = n + 1
	}
	return list, least
}

// assumeCount returns the paths on which a comparison of a count with a number has the wanted value, if that means that
// the count is at least a number from 1 to 3. ok is false if it does not, or if the number is too large.
func (x *translation) assumeCount(p *path, e *ir.Binary, want bool) (all []*path, ok bool) {
	if p.property == nil {
		return nil, false
	}
	list, least := x.atLeast(p, e, want)
	if len(list) == 1 && len(list[0].binders) == 1 && list[0].binders[0].Var.Type.Kind == ir.Node &&
		least >= 1 && least <= 3 {
		return x.chooseSeveral(p, list[0].binders[0], int(least), true), true
	}
	if list == nil || least < 1 || least > 2 {
		return nil, false
	}
	for i, c := range list {
		if least == 1 {
			all = append(all, x.chooseOne(p, c)...)
			continue
		}
		all = append(all, x.chooseTwo(p, c)...)
		for _, d := range list[i+1:] {
			for _, q := range x.chooseOne(p, c) {
				q.env = maps.Clone(p.env)
				all = append(all, x.chooseOne(q, d)...)
			}
		}
	}
	return all, true
}

// chooseOne returns the paths on which a counter counts a combination.
func (x *translation) chooseOne(p *path, c counter) (all []*path) {
	if len(c.binders) == 0 {
		return x.assume(p, c.body, true)
	}
	for _, q := range x.chooseValue(p, c.binders[0]) {
		all = append(all, x.chooseOne(q, counter{c.binders[1:], c.body})...)
	}
	return all
}

// chooseTwo returns the paths on which a counter counts two combinations: they differ in the value of some quantifier,
// and have the same values for those before it.
func (x *translation) chooseTwo(p *path, c counter) (all []*path) {
	if len(c.binders) == 0 {
		return nil
	}
	e, rest := c.binders[0], counter{c.binders[1:], c.body}
	for _, first := range x.chooseValue(p, e) {
		all = append(all, x.chooseTwo(first, rest)...)
		for _, one := range x.chooseOne(first, rest) {
			one.env = maps.Clone(p.env)
			for _, second := range x.chooseValue(one, e) {
				if second.differ(first.env[e.Var], second.env[e.Var]) {
					all = append(all, x.chooseOne(second, rest)...)
				}
			}
		}
	}
	return all
}

// differ makes two values of a quantifier differ. It returns false if they do not, or if the order in which they are
// chosen is not the ascending one.
func (p *path) differ(first, second value) bool {
	switch second := second.(type) {
	case number:
		n, ok := first.(number)
		return ok && n < second
	case identity:
		id, ok := first.(identity)
		p.rule.Conds = append(p.rule.Conds, condition{A: id.node, B: second.node, Not: true})
		return ok
	case messageValue:
		m, ok := first.(messageValue)
		if !ok {
			return false
		}
		p.property.messages = slices.Clone(p.property.messages)
		p.property.messages[second].other = int(m) + 1
		return p.property.messages[second].kind >= p.property.messages[m].kind
	}
	p.rule.approximate = true
	return true
}

// chooseValue returns the paths on which the variable of a quantifier has a value, for each of a few cases.
func (x *translation) chooseValue(p *path, e *ir.Quantifier) (all []*path) {
	if e.Over != nil {
		return x.chooseMessage(p, e)
	}
	lo, known := e.Lo.(*ir.Const)
	hi, both := e.Hi.(*ir.Const)
	if e.Var.Type.Kind == ir.Node || !known || !both || hi.Value-lo.Value >= manyValues ||
		x.smallerValue(lo) != lo.Value || x.smallerValue(hi) != hi.Value {
		return x.chooseProcess(p, e)
	}
	var values []value
	for v := lo.Value; v <= hi.Value; v++ {
		values = append(values, number(v))
	}
	return withEach(p, e.Var, values)
}

// chooseMessage returns the paths on which the variable of a quantifier is a message in a channel: one for each kind.
func (x *translation) chooseMessage(p *path, e *ir.Quantifier) (all []*path) {
	in, ok := e.Over.(*ir.Inbox)
	if !ok || x.hasHistory {
		return assumeUnknown(p, e)
	}
	to := x.eval(p, in.Process)
	if to == number(0) && p.property.zero == 0 {
		for _, q := range x.chooseZero(p) {
			all = append(all, x.chooseMessage(q, e)...)
		}
		return all
	}
	side, known := x.eval(p, in.Source).(number)
	process := x.processNode(p, to)
	if id, ok := to.(identity); ok && id.name == selfNumber {
		process = id.node
	}
	if process == 0 || !known {
		return assumeUnknown(p, e)
	}
	for kind, m := range x.messageKinds {
		if m.Right != (side == number(ir.Left)) {
			continue
		}
		q := p.clone()
		chosen := chosenMessage{kind: kind, to: process}
		for range m.Nodes {
			chosen.nodes = append(chosen.nodes, q.newSymbol(ofField))
		}
		q.env[e.Var] = messageValue(len(q.property.messages))
		q.property.messages = append(slices.Clip(q.property.messages), chosen)
		all = append(all, q)
	}
	return all
}

// messageOf returns the message that an expression denotes, and its kind.
func (v evaluator) messageOf(of value) (m chosenMessage, kind *messageKind) {
	i, ok := of.(messageValue)
	if !ok || v.p.property == nil {
		return m, nil
	}
	m = v.p.property.messages[i]
	return m, &v.x.messageKinds[m.kind]
}

// messageField returns the value of a field of a message.
func (v evaluator) messageField(e *ir.MessageField, of value) value {
	m, kind := v.messageOf(of)
	if kind == nil {
		return unknownValue{}
	}
	i, named := e.Fields[kind.message.ID], 0
	if i < 0 {
		return undefinedValue{}
	}
	for k := range kind.message.Fields {
		sort := v.x.sorts[field{kind.message, k}]
		switch {
		case k == i && sort == numberSort:
			return number(kind.values[k])
		case k == i && sort == nodeSort:
			return v.x.identityOf(m.nodes[named])
		case k == i && sort == hopSort:
			return hopCount{origin: m.nodes[named], process: m.to, right: kind.Right}
		case sort == nodeSort || sort == hopSort:
			named++
		}
	}
	return unknownValue{}
}

// chosenMessageAtoms returns the atoms about the messages of a path, for given nodes of its symbols. Of two messages
// with the same atom, two are in transit.
func (x *translation) chosenMessageAtoms(p *path, nodes []int) (atoms []atom) {
	for _, m := range p.property.messages {
		at := []int{nodes[m.to]}
		for _, symbol := range m.nodes {
			at = append(at, nodes[symbol])
		}
		a := newAtom(x.relation(inTransit, m.kind), at...)
		if m.other > 0 && atoms[m.other-1] == a {
			x.wantsCounts = true
			if x.counts {
				a.relation = x.relation(twiceInTransit, m.kind)
				atoms[m.other-1] = a
			}
		}
		atoms = append(atoms, a)
	}
	return atoms
}
