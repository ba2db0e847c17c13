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
	for _, e := range termExprs(t) {
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

// termExprs returns the expressions of a term up to the next control point where a process stays; some may be nil.
func termExprs(t Term) []Expr {
	p := PartsOf(t)
	all := slices.Concat(p.Exprs, p.Bound)
	for _, next := range p.Points {
		if _, loops := t.(*For); !loops && Passing(next.Term) {
			all = append(all, termExprs(next.Term)...)
		}
	}
	return all
}
