package ir

import "slices"

// A Reading says whose registers processes may read: those of certain neighbours, or anybody's.
type Reading struct {
	Ports   []int64
	Anybody bool
}

// Reading returns whose registers the processes may read; nil if nobody reads any.
func (p *Protocol) Reading() *Reading {
	r := &Reading{}
	for _, point := range p.Points {
		for t := range Terms(point.Term) {
			r.note(t)
		}
	}
	if !r.Anybody && len(r.Ports) == 0 {
		return nil
	}
	return r
}

// note adds what a term reads up to the next control point.
func (r *Reading) note(t Term) {
	for e := range termExprs(t) {
		Walk(e, r.visit)
	}
}

// ReadsIn reports whether a term reads registers of others up to the next control point, calls left aside.
func ReadsIn(t Term) bool {
	r := &Reading{}
	r.note(t)
	return r.Anybody || len(r.Ports) > 0
}

// Reads returns for each process the others whose registers it may read, in ascending order; nil if nobody reads any.
func (p *Protocol) Reads() [][]int {
	r := p.Reading()
	if r == nil {
		return nil
	}
	all := make([][]int, p.N)
	for process := range all {
		all[process] = r.Of(p, process)
	}
	return all
}

// Of returns the processes that one reads, in ascending order.
func (r *Reading) Of(p *Protocol, process int) []int {
	var all []int
	for q := 0; r.Anybody && q < p.N; q++ {
		if q != process {
			all = append(all, q)
		}
	}
	for _, port := range r.Ports {
		if q, ok := p.Peer(process, port); ok && q != process {
			all = append(all, q)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (r *Reading) visit(e Expr) bool {
	v, ok := e.(*ProcessVar)
	if !ok {
		return true
	}
	if peer, ok := v.Process.(*Peer); ok {
		if port, ok := peer.Port.(*Const); ok {
			if !slices.Contains(r.Ports, port.Value) {
				r.Ports = append(r.Ports, port.Value)
			}
			return true
		}
	}
	r.Anybody = true
	return true
}

// termExprs yields the expressions of a term up to the next control point; some may be nil.
func termExprs(t Term) func(yield func(Expr) bool) {
	var all []Expr
	switch t := t.(type) {
	case *Call:
		all = t.Args
	case *Let:
		all = []Expr{t.Value}
	case *If:
		all = []Expr{t.Cond}
	case *Draw:
		all = []Expr{t.Among, t.Size}
	case *For:
		all = []Expr{t.Lo, t.Hi, t.Set, t.Where}
	case *Again:
		all = []Expr{t.Lo, t.Hi, t.Set, t.Where}
	case *Store:
		all = append([]Expr{t.Value}, passedExprs(t.Then)...)
	case *Prefix:
		all = slices.Concat(actionExprs(t.Action), passedExprs(t.Next))
	}
	return slices.Values(all)
}

// passedExprs returns the expressions that are evaluated on the way through p, none if a process stays there.
func passedExprs(p *Point) []Expr {
	if p == nil || !Passing(p.Term) {
		return nil
	}
	return slices.Collect(termExprs(p.Term))
}

func actionExprs(a Action) []Expr {
	switch a := a.(type) {
	case *Send:
		return append([]Expr{a.Target}, a.Args...)
	case *Emit:
		return a.Args
	case *Assign:
		return []Expr{a.Value}
	case *Receive:
		all := []Expr{a.Source.Equal, a.Where}
		for _, p := range a.Patterns {
			all = append(all, p.Equal)
		}
		return all
	}
	return nil
}
