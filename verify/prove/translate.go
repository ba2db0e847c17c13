package prove

import (
	"maps"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A translation makes rules of a protocol.
type translation struct {
	*instance
	controls  []control
	numbers   map[string]int // of controls
	transits  []transit
	byKey     map[string]int // of transits
	holders   []holder
	initial   []int     // controls in which a process can begin
	ignored   []ir.Expr // conditions on where a process begins that are not known
	condition ir.Expr   // that is assumed
	rules     []rule
	sets      bool             // a variable holds a set of nodes
	history   bool             // relations say what has been sent and received, see sort
	base      [sorts + 1]int32 // by sort: its first relation
	restart   bool             // it has been found how a variable or field represents values: see represent
	err       error
}

func (x *translation) refuse(pos syntax.Pos, why string) {
	if x.err == nil {
		x.err = unsuited(pos, why)
	}
}

// translate returns the rules of a protocol.
func translate(in *instance) (*translation, error) {
	if in.unlike {
		return nil, unsuited(in.depends.Topology, "what the processes do depends on their number")
	}
	register := func(v *ir.Var) bool { return v.Kind == ir.Register && v.Lasting() }
	if in.Faults.Any() || in.Time.Ticks || slices.ContainsFunc(in.Vars, register) || len(in.Start.Contents) > 0 ||
		in.depends.Varying {
		return nil, unsuited(append(in.depends.Extras, in.depends.Topology)[0],
			"faults, time, registers and initial messages are not supported in proofs")
	}
	for { // each time the kind of a variable or field has gone up: open, own, nodes, unknown; so this ends
		in.effort.Held = 0 // nothing of an earlier translation is left
		x := &translation{instance: in, numbers: make(map[string]int), byKey: make(map[string]int)}
		x.begin()
		for i := 0; i < len(x.controls) && x.err == nil && !x.restart; i++ {
			x.expand(i)
		}
		if x.err != nil || !x.restart {
			x.addHistory()
			x.layout()
			return x, x.err
		}
	}
}

// addHistory adds history atoms if a set of identities may need them. They are exact if messages keep their order.
func (x *translation) addHistory() {
	x.sets = slices.ContainsFunc(x.holders, func(h holder) bool { return h.Set })
	x.history = x.sets && x.Channel.InOrder()
	for t := range x.transits {
		x.history = x.history && x.transits[t].Nodes < 2
	}
	for _, r := range x.rules {
		if r.Again = x.history; r.Again && r.Sent >= 0 {
			x.rules = append(x.rules, r)
		}
	}
}

// A path is a path of a symbolic execution, through a term or a property, with the conditions that hold on it.
type path struct {
	env   map[*ir.Var]value
	from  map[*ir.Var]value // where the process has waited
	rule  rule
	start bool // it is that of Start

	terminal bool              // in a property: it is about terminal states only
	controls map[int]*control  // in a property: by symbol, where the process is
	held     []atom            // in a property: what processes hold, over symbols
	stops    map[int]*ir.Point // in a property: by symbol, if known, the stop that the process decides for; nil if none
	decider  int               // in a property: the symbol of the process whose decisions are followed
	doubt    *ir.Point         // in a property: where it is not known whether a process decides to stop
}

func (p *path) clone() *path {
	q := *p
	q.env, q.controls, q.stops = maps.Clone(p.env), maps.Clone(p.controls), maps.Clone(p.stops)
	q.rule.Conds, q.rule.Symbols = slices.Clone(p.rule.Conds), slices.Clone(p.rule.Symbols)
	q.held = slices.Clone(p.held)
	return &q
}

// symbol returns a new symbol, for the node of a holder or of no one.
func (p *path) symbol(holder int) int {
	p.rule.Symbols = append(p.rule.Symbols, holder)
	return len(p.rule.Symbols)
}

// begin determines the initial controls of processes.
func (x *translation) begin() {
	p := &path{env: map[*ir.Var]value{}, start: true}
	p.rule = rule{From: -1, Received: -1, Sent: -1}
	if x.Start.Number != nil {
		p.env[x.Start.Number] = value{kind: nodes, as: selfNumber}
	}
	paths := []*path{p}
	for _, v := range x.Vars {
		if v.Kind != ir.Ghost {
			continue
		}
		all := []value{{kind: unknown}}
		if assigned(v) {
			all = x.values(v)
		}
		for _, p := range paths {
			paths = paths[1:]
			for _, val := range all {
				q := p.clone()
				q.env[v] = val
				paths = append(paths, q)
			}
		}
	}
	for _, p := range paths {
		x.run(p, x.Start.Term, func(p *path, at *ir.Point) {
			to, _ := x.arrive(p, at)
			if x.err == nil && to >= 0 && !slices.Contains(x.initial, to) {
				x.initial = append(x.initial, to)
			}
			for _, e := range p.rule.forgotten {
				if !slices.Contains(x.ignored, e) {
					x.ignored = append(x.ignored, e)
				}
			}
		})
	}
}

// expand adds the rules of a control.
func (x *translation) expand(from int) {
	c := x.controls[from]
	p := &path{env: map[*ir.Var]value{}}
	p.rule = rule{From: from, Received: -1, Sent: -1, At: c.point.Pos}
	for i, holder := range c.holders {
		v := c.point.Live[i]
		switch x.kinds[v] {
		case finite:
			p.env[v] = number(c.values[i])
		case own:
			p.env[v] = x.node(0)
		case nodes:
			p.env[v] = x.node(p.symbol(holder))
		case hops:
			p.env[v] = value{kind: hops, symbol: p.symbol(holder), right: x.holders[holder].right}
		case sets:
			p.env[v] = value{kind: sets, kept: holder}
		default:
			p.env[v] = value{kind: unknown}
		}
	}
	p.from = maps.Clone(p.env)
	x.run(p, c.point.Term, func(p *path, at *ir.Point) {
		p.rule.To, p.rule.Sets = x.arrive(p, at)
		if x.err == nil && p.rule.To >= 0 {
			x.effort.Hold(ruleBytes)
			x.rules = append(x.rules, p.rule.trim())
		}
	})
}

// run follows a term and calls arrived for each path through it, with the control point after its action. In a property
// it follows only decisions, and the point is that of the stop to which they lead, nil if they lead to an action.
func (x *translation) run(p *path, t ir.Term, arrived func(*path, *ir.Point)) {
	if x.err != nil || x.restart {
		return
	}
	if p.decider > 0 && !ir.MayStop(t) {
		arrived(p, nil)
		return
	}
	switch t := t.(type) {
	case *ir.Stop:
		if p.start || p.decider > 0 {
			arrived(p, t.Point)
		}
	case *ir.If:
		for _, q := range x.assume(p, t.Cond, true) {
			x.run(q, t.Then, arrived)
		}
		for _, q := range x.assume(p, t.Cond, false) {
			x.run(q, t.Else, arrived)
		}
	case *ir.Let:
		q := p.clone()
		q.env[t.Var] = x.eval(q, t.Value)
		x.run(q, t.Then, arrived)
	case *ir.Call:
		x.call(p, t, func(q *path, at *ir.Point) {
			if q.start {
				arrived(q, at)
			} else {
				x.run(q, at.Term, arrived) // what is called acts in this step
			}
		})
	case *ir.Enter:
		arrived(p, t.Point)
	default:
		if _, open := t.(*ir.Choice); open && p.decider > 0 {
			p.rule.approximate = true // whether all alternatives lead to one stop is not followed
			arrived(p, nil)
		} else {
			x.choose(p, t, arrived)
		}
	}
}

// choose follows a term that is no decision.
func (x *translation) choose(p *path, t ir.Term, arrived func(*path, *ir.Point)) {
	switch t := t.(type) {
	case *ir.Choice:
		for _, s := range t.Terms {
			x.run(p.clone(), s, arrived)
		}
	case *ir.Draw:
		x.draw(p, t, arrived)
	case *ir.Prefix:
		x.act(p, t, arrived)
	default:
		x.refuse(p.rule.At, "loops, assignments and crashes are not supported in proofs")
	}
}

func (x *translation) draw(p *path, t *ir.Draw, arrived func(*path, *ir.Point)) {
	p = p.clone()
	// There may be no value to choose, or only values that lead to no action.
	p.rule.approximate = p.rule.approximate || t.Choose
	for _, v := range x.values(t.Var) {
		q := p.clone()
		q.env[t.Var] = v
		x.run(q, t.Then, arrived)
	}
}

// values returns the values that a variable or a field can have, as far as it can represent them as they are.
func (x *translation) values(of any) (all []value) {
	if !x.tracked(of) {
		return []value{{kind: unknown}}
	}
	for n := range x.typeOf(of).Values() {
		all = append(all, number(n))
	}
	return all
}

// call continues in the called equation.
func (x *translation) call(p *path, t *ir.Call, arrived func(*path, *ir.Point)) {
	var args []value
	for _, arg := range t.Args {
		args = append(args, x.eval(p, arg))
	}
	q := p.clone() // with the symbols of the arguments
	for i, v := range t.Equation.Params {
		q.env[v] = args[i]
	}
	if next, ok := t.Equation.Start.Term.(*ir.Call); ok {
		x.call(q, next, arrived)
		return
	}
	arrived(q, t.Equation.Start)
}

// act takes an action.
func (x *translation) act(p *path, t *ir.Prefix, arrived func(*path, *ir.Point)) {
	next := func(p *path) {
		switch {
		case t.Next == nil:
			arrived(p, nil)
		case t.Next.ID >= 0 && !ir.Passing(t.Next.Term):
			arrived(p, t.Next)
		default:
			c, ok := t.Next.Term.(*ir.Call)
			if !ok {
				x.refuse(t.Next.Pos, "loops and assignments are not supported in proofs")
				return
			}
			x.call(p, c, arrived)
		}
	}
	switch a := t.Action.(type) {
	case *ir.Send:
		p.rule.At = a.Pos
		target := x.eval(p, a.Target)
		if target.kind != finite {
			x.refuse(a.Pos, "the direction of the message depends on values that are not tracked")
			return
		}
		for _, w := range x.outcomes(p, a) {
			x.send(w, a, target.n == ir.Right)
			next(w.path)
		}
	case *ir.Receive:
		x.receive(p, a, next)
	case *ir.Emit, *ir.Skip:
		p.rule.At = t.Action.Place()
		next(p)
	case *ir.Assign, *ir.Crash:
		x.refuse(t.Action.Place(), "registers and crashes are not supported in proofs")
	}
}

// send records the message that a rule sends.
func (x *translation) send(p outcome, a *ir.Send, right bool) {
	m := transit{message: a.Message, values: make([]int64, len(a.Args)), Right: right}
	p.rule.Targets = nil
	for i, v := range p.values {
		f := field{a.Message, i}
		switch {
		case v.kind == finite && v.n == 1 && !x.bounded(f): // a counter begins with the process itself
			v = value{kind: hops}
		case v.kind == hops && v.more == 1 && v.right == right: // the message is sent on
			v.more = 0
		case v.kind == hops:
			v = value{kind: unknown}
		}
		switch x.represent(f, v) {
		case finite:
			m.values[i] = v.n
		case nodes, hops:
			p.rule.Targets = append(p.rule.Targets, v.symbol)
		}
	}
	p.rule.Sent = x.transit(p.path, m)
}

// transit returns the number of a kind of message in transit.
func (x *translation) transit(p *path, m transit) int {
	number, ok := x.byKey[m.key()]
	if !ok {
		number = len(x.transits)
		x.byKey[m.key()] = number
		for i := range m.message.Fields {
			if kind := x.kinds[field{m.message, i}]; kind == nodes || kind == hops {
				m.Nodes++
			}
		}
		x.transits = append(x.transits, m)
	}
	if x.transits[number].Nodes > 2 {
		x.refuse(p.rule.At, "the message names more than two processes")
	}
	return number
}

// receive receives all matching messages.
func (x *translation) receive(p *path, a *ir.Receive, next func(*path)) {
	p.rule.At = a.Pos
	for _, right := range []bool{true, false} { // where the message moves to
		side := int64(ir.Left) // where it comes from
		if !right {
			side = ir.Right
			if x.Topology.Directed {
				continue
			}
		}
		q := p.clone()
		if a.Source.Equal != nil {
			if v := x.eval(p, a.Source.Equal); v.kind != finite || v.n != side {
				if v.kind != finite {
					x.refuse(a.Pos, "the direction of the message depends on values that are not tracked")
				}
				continue
			}
		} else if a.Source.Bind != nil {
			q.env[a.Source.Bind] = number(side)
		}
		for _, m := range x.Messages {
			if a.Message == nil || a.Message == m {
				x.receiveOne(q, a, m, right, next)
			}
		}
	}
}

// receiveOne receives a message of a kind, with each combination of values of its finite fields.
func (x *translation) receiveOne(p *path, a *ir.Receive, m *ir.Message, right bool, next func(*path)) {
	type arrival struct {
		*path
		transit
	}
	all := []arrival{{p.clone(), transit{message: m, values: make([]int64, len(m.Fields)), Right: right}}}
	for i := range m.Fields {
		var longer []arrival
		for _, w := range all {
			for _, v := range x.contents(field{m, i}, right) {
				q, t := w.path.clone(), w.transit
				switch v.kind {
				case finite:
					t.values = slices.Clone(t.values)
					t.values[i] = v.n
				case nodes, hops:
					v.symbol = q.symbol(ofField)
					q.rule.Origins = append(slices.Clone(q.rule.Origins), v.symbol)
				}
				ways := []*path{q}
				if a.Message != nil && a.Patterns[i].Equal != nil {
					ways = x.compare(q, ir.Eq, v, x.eval(p, a.Patterns[i].Equal), true)
				}
				for _, q := range ways {
					if a.Message != nil && a.Patterns[i].Bind != nil {
						q.env[a.Patterns[i].Bind] = v
					}
					longer = append(longer, arrival{q, t})
				}
			}
		}
		all = longer
	}
	for _, w := range all {
		w.rule.Received = x.transit(w.path, w.transit)
		ways := []*path{w.path}
		if a.Where != nil {
			ways = x.assume(w.path, a.Where, true)
		}
		for _, q := range ways {
			next(q)
		}
	}
}

// contents returns the values that a field of a message can have; the symbols of nodes are not known yet.
func (x *translation) contents(f field, right bool) []value {
	switch kind := x.kinds[f]; {
	case kind == finite, kind == open && x.tracked(f):
		return x.values(f)
	case kind == open: // no rule that sends such a message is known yet
		return nil
	case kind == unknown:
		return []value{{kind: unknown}}
	default:
		return []value{{kind: kind, as: x.identity, right: kind == hops && right}}
	}
}

// arrive returns the control at a point, and the nodes that its holders hold; -1 if a variable would have a value that
// its type lacks, which is a fault of the model. A nil point means the point of the rule.
func (x *translation) arrive(p *path, at *ir.Point) (int, []set) {
	stays := at == nil
	if stays {
		at = x.controls[p.rule.From].point
	}
	c := control{point: at, values: make([]int64, len(at.Live))}
	held := make([]*set, len(at.Live)) // what holders have
	right := make([]bool, len(at.Live))
	for i, v := range at.Live {
		val, ok := p.env[v]
		if stays && !v.Lasting() {
			val, ok = p.from[v]
		}
		if !ok {
			x.refuse(at.Pos, v.Name+" has no value")
			continue
		}
		switch x.represent(v, val) {
		case finite:
			if c.values[i] = val.n; !v.Type.Contains(val.n) {
				return -1, nil
			}
		case nodes, hops:
			held[i], right[i] = &set{Kept: -1, Symbols: []int{val.symbol}}, val.right
		case sets:
			held[i] = &set{Kept: val.kept, Symbols: val.symbols}
		}
	}
	number, ok := x.numbers[c.key()]
	if !ok {
		x.effort.Hold(controlBytes + 16*uint64(len(at.Live)))
		number = len(x.controls)
		x.numbers[c.key()] = number
		for i, s := range held {
			if c.holders = append(c.holders, -1); s != nil {
				c.holders[i] = len(x.holders)
				x.holders = append(x.holders, holder{at.Live[i], number, at.Live[i].Type.Kind == ir.Set, right[i]})
			}
		}
		x.controls = append(x.controls, c)
	}
	var all []set
	for i, s := range held {
		holder := x.controls[number].holders[i]
		if s == nil || holder < 0 { // negative if the control is from before x.restart
			continue
		}
		s.Holder = holder
		all = append(all, *s)
		if x.holders[holder].right != right[i] { // a state does not say which of them it is
			x.kinds[at.Live[i]], x.restart = unknown, true
		}
	}
	return number, all
}
