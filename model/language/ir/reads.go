package ir

import "slices"

// reading says whose registers processes read: that of certain neighbours, or any.
type reading struct {
	ports []int64
	any   bool
}

// Reads returns for each process the others whose registers it may read, in ascending order; nil if nobody reads any.
func (p *Protocol) Reads() [][]int {
	r := &reading{}
	for _, point := range p.Points {
		for t := range Terms(point.Term) {
			for e := range termExprs(t) {
				Walk(e, r.visit)
			}
		}
	}
	if !r.any && len(r.ports) == 0 {
		return nil
	}
	all := make([][]int, p.N)
	for process := range all {
		all[process] = r.of(p, process)
	}
	return all
}

// of returns the processes that one reads.
func (r *reading) of(p *Protocol, process int) []int {
	var all []int
	for q := range p.N {
		if r.any && q != process {
			all = append(all, q)
		}
	}
	for _, port := range r.ports {
		if q, ok := p.Peer(process, port); ok && q != process {
			all = append(all, q)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (r *reading) visit(e Expr) bool {
	v, ok := e.(*ProcessVar)
	if !ok {
		return true
	}
	if peer, ok := v.Process.(*Peer); ok {
		if port, ok := peer.Port.(*Const); ok {
			if !slices.Contains(r.ports, port.Value) {
				r.ports = append(r.ports, port.Value)
			}
			return true
		}
	}
	r.any = true
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
	case *Prefix:
		all = actionExprs(t.Action)
		if Passing(t.Next.Term) {
			all = slices.Concat(all, slices.Collect(termExprs(t.Next.Term)))
		}
	}
	return slices.Values(all)
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
