package check

import (
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// usualNumber is the name of the process number where no process declaration gives it one.
const usualNumber = "p"

// severalKinds reports whether a spec has kinds of process, rather than one declaration for all processes.
func (i *info) severalKinds() bool {
	return len(i.processKinds) > 1 || len(i.processKinds) == 1 && i.processKinds[0].Index != nil
}

// declareProcess declares the name of the process number or of a kind of process.
func (c *checker) declareProcess(d *syntax.ProcessDecl) {
	if !c.severalKinds() {
		c.self = c.define(c.values, processSymbol, d.Header, d)
		c.self.shape, c.self.used = anInteger, true
		return
	}
	if c.self == nil {
		c.self = &symbol{kind: processSymbol, name: usualNumber, shape: anInteger, used: true}
	}
	kind := c.define(c.values, kindSymbol, d.Header, d)
	kind.shape, kind.used = anInteger, true
	if d.Index == nil {
		return
	}
	kind.shape = &shape{kind: setShape, elem: anInteger}
	if c.self.decl != nil && d.Index.Name != c.self.name {
		c.errs.Add(d.Index.Pos, "the number of a process must have the same name everywhere: it is %s above",
			c.self.name)
		return
	}
	if c.self.decl == nil {
		c.self.name, c.self.pos, c.self.at, c.self.decl = d.Index.Name, d.Index.Pos, d.Index.Pos, d
	}
	c.refer(d.Index.Pos, c.self)
}

// sizeScope is the scope of expressions that determine the number of processes and their kinds.
func (c *checker) sizeScope() scope {
	s := c.constants()
	s.early, s.unlinked = true, true
	return s
}

// processDecl checks what a kind of process does.
func (c *checker) processDecl(d *syntax.ProcessDecl) {
	s := c.knowing(scope{context: startContext, order: len(c.file.Order)})
	if d.Index != nil {
		c.typ(c.sizeScope(), d.Range)
	}
	if d.Index != nil || !c.severalKinds() {
		s = s.bind(c.self)
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
	for i, d := range b.processKinds {
		if b.kind = b.protocol.Kinds[i]; b.kind.First <= b.kind.Last {
			kinds = append(kinds, b.kind)
			begins = append(begins, b.initialTerm(b.term(d.Body, nil), d.Body.TermPos()))
		}
	}
	b.kind = nil
	start := begins[len(begins)-1]
	for i := len(begins) - 2; i >= 0; i-- {
		start = &ir.If{Cond: b.isKind(kinds[i]), Then: begins[i], Else: start, Pos: b.processKinds[i].Pos}
	}
	return start
}

// isKind resolves the condition that the process is of a kind.
func (b *builder) isKind(kind *ir.ProcessKind) ir.Expr {
	number := &ir.VarRef{Var: b.vars[b.self]}
	lo, hi := b.processesOf(kind)
	pos := b.processKinds[0].Pos
	return conjunction(compare(ir.Le, lo, number, pos), compare(ir.Le, number, hi, pos), pos)
}

// processes resolves the process declaration and every equation that it leads to.
func (b *builder) processes() {
	b.protocol.Start.Term = b.begin()
	b.environment()
	b.callees()
	b.recovery()
	b.callees()
	b.number()
}

// callees resolves the equations that are called.
func (b *builder) callees() {
	for len(b.queue) > 0 {
		eq := b.queue[0]
		b.queue = b.queue[1:]
		start := b.equations[eq].Start
		start.Term = b.term(eq.decl.(*syntax.EquationDecl).Body, start.Equation)
	}
}

// equation returns the equation that sym denotes, which is resolved later.
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

// next resolves the term after an action, in the text of eq, to a control point. A call is passed through.
func (b *builder) next(t syntax.Term, eq *ir.Equation) *ir.Point {
	p := &ir.Point{ID: -1, Equation: eq, Kind: b.kind, Pos: t.TermPos()}
	at := len(b.protocol.Points)
	b.protocol.Points = append(b.protocol.Points, p)
	p.Term = b.term(t, eq)
	if ir.Passing(p.Term) {
		b.protocol.Points = append(b.protocol.Points[:at], b.protocol.Points[at+1:]...)
	}
	return p
}

// stop resolves a term in the text of eq that does nothing more.
func (b *builder) stop(t syntax.Term, eq *ir.Equation) *ir.Stop {
	s := &ir.Stop{}
	s.Point = &ir.Point{ID: -1, Equation: eq, Kind: b.kind, Term: s, Pos: t.TermPos()}
	b.stops = append(b.stops, s)
	return s
}

// stores resolves what a receive sets before the process arrives at next.
func (b *builder) stores(list []*syntax.Assign, next *ir.Point) *ir.Point {
	for _, a := range slices.Backward(list) {
		if set, ok := b.action(a).(*ir.Assign); ok { // an absent variable is not set
			next = &ir.Point{
				ID: -1, Equation: next.Equation, Pos: a.Pos,
				Term: &ir.Store{Var: set.Var, Value: set.Value, Then: next, Pos: set.Pos},
			}
		}
	}
	return next
}

// A varSet is a set of variables, by their IDs.
type varSet []bool

// addAll adds the variables of t and reports whether there was a new one.
func (s varSet) addAll(t varSet) bool {
	grown := false
	for id, in := range t {
		grown = grown || in && !s[id]
		s[id] = s[id] || in
	}
	return grown
}

// liveness finds the live variables of every control point: variables that are used before they are bound again on some
// syntactic path. Passing a variable to a parameter that is not live does not use it; a constant replaces the argument.
// Computing with it does, since that can fail: a counter that is never read still leaves its range, or grows for ever.
func (b *builder) liveness() {
	l := &liveness{vars: b.protocol.Vars, starts: map[*ir.Equation]varSet{}, loops: map[*ir.Loop]varSet{}}
	for _, loop := range b.loops {
		l.loops[loop] = l.newVarSet()
	}
	for _, eq := range b.protocol.Equations {
		l.starts[eq] = l.newVarSet()
	}
	for grown := true; grown; {
		grown = false
		for _, eq := range b.protocol.Equations {
			if l.starts[eq].addAll(l.point(eq.Start)) {
				grown = true
			}
		}
		for _, loop := range b.loops {
			s := l.loop(loop)
			s[loop.Var.ID] = true
			if l.loops[loop].addAll(s) {
				grown = true
			}
		}
	}
	for _, p := range b.protocol.Points {
		l.point(p)
	}
	for _, s := range b.stops {
		l.point(s.Point)
	}
	for _, call := range b.calls {
		for i, v := range call.Equation.Params {
			if !l.starts[call.Equation][v.ID] && handsOn(call.Args[i]) {
				call.Args[i] = &ir.Const{T: v.Type, Value: v.Type.Zero()}
			}
		}
	}
}

// A liveness is a backward analysis, to be repeated until the starts of the equations do not change.
type liveness struct {
	vars   []*ir.Var
	starts map[*ir.Equation]varSet
	loops  map[*ir.Loop]varSet // what is live at the end of the body
}

func (l *liveness) newVarSet() varSet { return make(varSet, len(l.vars)) }

// point returns the variables that are live at p, and notes them there.
func (l *liveness) point(p *ir.Point) varSet {
	s := l.term(p.Term)
	if p.Equation != nil && !ir.Passing(p.Term) {
		for _, v := range p.Equation.LiveParams {
			s[v.ID] = true
		}
	}
	p.Live = p.Live[:0]
	for _, v := range l.vars {
		if s[v.ID] || v.Lasting() {
			p.Live = append(p.Live, v)
		}
	}
	return s
}

func (l *liveness) term(t ir.Term) varSet {
	s := l.newVarSet()
	switch t := t.(type) {
	case *ir.Call:
		for i, a := range t.Args {
			if l.starts[t.Equation][t.Equation.Params[i].ID] || !handsOn(a) {
				s.use(a)
			}
		}
		return s
	case *ir.For:
		return l.loop(t.Loop)
	case *ir.LoopEnd:
		s.addAll(l.loops[t.Loop])
		return s
	}
	p := ir.PartsOf(t)
	for _, then := range p.Terms {
		s.addAll(l.term(then))
	}
	for _, next := range p.Points { // an alternative that stays at its point makes nothing more live
		s.addAll(l.point(next))
	}
	s.use(p.Bound...)
	for _, v := range p.Binds {
		s[v.ID] = false
	}
	s.use(p.Exprs...)
	return s
}

// loop returns the variables that are live before the next value of a loop is found.
func (l *liveness) loop(loop *ir.Loop) varSet {
	s := l.point(loop.Body)
	s.use(loop.Where)
	s[loop.Var.ID] = false
	s.addAll(l.point(loop.Then))
	s.use(loop.Lo, loop.Hi, loop.Set)
	return s
}

// handsOn reports whether an argument only passes values on: it is a variable, or reads none.
func handsOn(arg ir.Expr) bool {
	if _, ok := arg.(*ir.VarRef); ok {
		return true
	}
	for range ir.FreeVars(arg) {
		return false
	}
	return true
}

// use adds the variables that expressions read, some of which may be nil.
func (s varSet) use(list ...ir.Expr) {
	for _, e := range list {
		for v := range ir.FreeVars(e) {
			if v.ID < len(s) { // binders are no variables
				s[v.ID] = true
			}
		}
	}
}
