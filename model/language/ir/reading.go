package ir

import "slices"

// A Reading has the processes whose registers a process may read: neighbours at some ports, processes with some
// numbers, or any process. It also has the shared variables that the process may read or set.
type Reading struct {
	Ports   []int64
	Nodes   []int64
	Anybody bool
	Shared  []*Var // by ascending Slot
}

// Reads reports whether the process may read any register, or read or set a shared variable.
func (r *Reading) Reads() bool {
	return r.Anybody || len(r.Ports) > 0 || len(r.Nodes) > 0 || len(r.Shared) > 0
}

// Reading returns whose registers the processes may read, and which shared variables; nil if they use none.
func (p *Protocol) Reading() *Reading {
	r := &Reading{}
	for _, t := range p.Terms() {
		r.note(t)
	}
	if !r.Reads() {
		return nil
	}
	return r
}

// Reading returns whose registers own actions and receipts at a control point may read, up to the next control point
// where the process stays.
func (p *Point) Reading() (own, receipts *Reading) {
	own, receipts = &Reading{}, &Reading{}
	for t := range Beginnings(p.Term) {
		prefix, acts := t.(*Prefix)
		receives := false
		if acts {
			_, receives = prefix.Action.(*Receive)
		}
		if !receives {
			own.note(t)
		}
		if !acts || receives {
			receipts.note(t)
		}
	}
	return own, receipts
}

// Merge adds the processes of another reading.
func (r *Reading) Merge(other *Reading) {
	r.Anybody = r.Anybody || other.Anybody
	r.Ports = append(r.Ports, other.Ports...)
	r.Nodes = append(r.Nodes, other.Nodes...)
	for _, v := range other.Shared {
		r.share(v)
	}
}

// note adds what a term reads, and which shared variables it sets, before the next control point where a process stays.
func (r *Reading) note(t Term) {
	exprs := ExprsOf(t)
	for _, e := range exprs {
		Walk(e, r.visit)
	}
	for _, d := range Definitions(exprs...) {
		Walk(d.Body, r.visit)
	}
	r.noteSet(t)
	if prefix, acts := t.(*Prefix); acts && prefix.Next != nil {
		for p := range Arrivals(prefix.Next) {
			r.noteSet(p.Term)
		}
	}
}

// noteSet adds the shared variable that a term sets, if any.
func (r *Reading) noteSet(t Term) {
	var v *Var
	switch t := t.(type) {
	case *Let:
		v = t.Var
	case *Store:
		v = t.Var
	case *Prefix:
		if a, ok := t.Action.(*Assign); ok {
			v = a.Var
		}
	}
	if v != nil && v.Kind == Shared {
		r.share(v)
	}
}

// share adds a shared variable.
func (r *Reading) share(v *Var) {
	i, found := slices.BinarySearchFunc(r.Shared, v.Slot, func(w *Var, slot int) int { return w.Slot - slot })
	if !found {
		r.Shared = slices.Insert(r.Shared, i, v)
	}
}

// ReadsIn reports whether a term reads registers of others, or reads or sets a shared variable, before the next control
// point where a process stays.
func ReadsIn(t Term) bool {
	r := &Reading{}
	r.note(t)
	return r.Reads()
}

// Reads returns for each process the others whose registers it may read, in ascending order; nil if none reads any, nor
// a shared variable.
func (p *Protocol) Reads() [][]int {
	r := p.Reading()
	if r == nil {
		return nil
	}
	return r.ByProcess(p)
}

// ByProcess returns Of for each process.
func (r *Reading) ByProcess(p *Protocol) [][]int {
	all := make([][]int, p.N)
	for process := range all {
		all[process] = r.Of(p, process)
	}
	return all
}

// Of returns the processes whose registers the given one may read, in ascending order.
func (r *Reading) Of(p *Protocol, process int) []int {
	var all []int
	for q := 0; r.Anybody && q < p.N; q++ {
		all = append(all, q)
	}
	for _, port := range r.Ports {
		if q, ok := p.Peer(process, port); ok {
			all = append(all, q)
		}
	}
	for _, q := range r.Nodes {
		if q >= 0 && q < int64(p.N) {
			all = append(all, int(q))
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(q int) bool { return q == process })
}

// visit adds what an expression reads itself.
func (r *Reading) visit(e Expr) bool {
	if shared, ok := e.(*SharedVar); ok {
		r.share(shared.Var)
	}
	v, ok := e.(*ProcessVar)
	if !ok {
		return true
	}
	switch process := v.Process.(type) {
	case *Const:
		r.Nodes = append(r.Nodes, process.Value)
	case *Peer:
		if port, ok := process.Port.(*Const); ok {
			r.Ports = append(r.Ports, port.Value)
		} else {
			r.Anybody = true
		}
	default:
		r.Anybody = true
	}
	return true
}
