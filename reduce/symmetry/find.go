package symmetry

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// formatNodes returns the numbers of a set of processes: {0,2}.
func formatNodes(set []bool) string {
	var parts []string
	for p, in := range set {
		if in {
			parts = append(parts, fmt.Sprint(p))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// unpermutable returns why no permutation is looked for in a protocol; "" if one is.
func unpermutable(p *ir.Protocol) string {
	wide := func(t *ir.Type) bool { return t.Wide }
	switch {
	case p.N < 2:
		return "there is one process"
	case p.N > maxProcesses || p.Vast:
		return fmt.Sprintf("there are more than %d processes", maxProcesses)
	case slices.ContainsFunc(p.Vars, func(v *ir.Var) bool { return wide(v.Type) }):
		return "there are sets with more than 63 possible elements"
	}
	return ""
}

// newNetwork returns how the processes of a protocol are connected, and colours that differ where the kinds of
// processes or the possible faults do.
func newNetwork(p *ir.Protocol) *network {
	n := &network{n: p.N, colours: make([]int, p.N), links: make([][]int, p.N)}
	known, kinds := map[string]int{"": 0}, make(map[string]int)
	names := make([][]string, p.N*p.N)
	for _, l := range p.Links {
		name := "link"
		if !p.Numbered() {
			name = fmt.Sprint(l.Out, " ", l.In)
		}
		names[l.From*p.N+l.To] = append(names[l.From*p.N+l.To], name)
	}
	if p.Network != nil && len(p.Links) == 0 { // processes are connected without channels
		for process := range p.N {
			for _, port := range p.Ports(process) {
				q, _ := p.Peer(process, port)
				name := "neighbour"
				if !p.Numbered() {
					name = fmt.Sprint(port)
				}
				names[process*p.N+q] = append(names[process*p.N+q], name)
			}
		}
	}
	for process := range p.N {
		n.links[process] = make([]int, p.N)
		for q := range p.N {
			list := names[process*p.N+q]
			slices.Sort(list)
			n.links[process][q] = numberOf(known, strings.Join(list, ", "))
		}
		kind := slices.IndexFunc(p.Kinds, func(k *ir.ProcessKind) bool {
			return process >= k.First && process <= k.Last
		})
		n.colours[process] = numberOf(kinds, fmt.Sprint(kind, p.Faults.Mortal != nil && p.Faults.Mortal[process]))
	}
	return n
}

// colour gives processes new colours such that permutations of the network satisfy a requirement.
func (n *network) colour(r *requirement) {
	fresh := slices.Max(n.colours) + 1
	for p := range n.n {
		switch {
		case r.all || slices.Contains(r.fixed, int64(p)):
			n.colours[p] = fresh
			fresh++
		case r.set != nil && r.set[p]:
			n.colours[p] += fresh
		}
	}
}

// A search for the symmetries of a system.
type finding struct {
	sys    *compile.System
	group  *group
	breaks []Break // what reduces the symmetry of the network
	// formulas has, by formula of a property, the one that is checked in its place: see represent.
	formulas map[*ir.Formula]*ir.Formula
}

// find returns the greatest group of permutations that it can show to be automorphisms of a system, under which the
// values of some expressions do not change.
func find(ctx context.Context, sys *compile.System, invariant []Invariant) (*finding, error) {
	p := sys.Protocol()
	if why := unpermutable(p); why != "" {
		return nil, notPermutable([]Break{{Text: why}})
	}
	f := &finding{sys: sys}
	net := newNetwork(p)
	f.fromNetwork(net)
	if f.group.trivial() {
		f.breaks = append(f.breaks, Break{Text: "the network has no symmetry that keeps the kinds of processes"})
		return nil, notPermutable(f.breaks)
	}
	d := &effects{protocol: p, group: f.group}
	d.behaviour()
	for _, i := range invariant {
		d.invariant(i)
	}
	if len(d.requirements) > 0 {
		for i := range d.requirements {
			r := &d.requirements[i]
			net.colour(r)
			f.breaks = append(f.breaks, r.Break)
		}
		f.fromNetwork(net)
	}
	if f.group.trivial() {
		return nil, notPermutable(f.breaks)
	}
	if err := f.compareInitial(ctx); err != nil {
		return nil, err
	}
	if f.group.trivial() {
		return nil, notPermutable(f.breaks)
	}
	if f.represent(invariant); f.group.trivial() {
		return nil, notPermutable(f.breaks)
	}
	return f, nil
}

// An Invariant is an expression that a property consists of, or the formula of one about all runs; Text is the name of
// the property.
type Invariant struct {
	Break
	Body    ir.Expr
	Formula *ir.Formula
}

// invariant notes what permutations must satisfy so that the value of a property does not change. Where no permutation
// does, it notes nothing: the property will be refused.
func (d *effects) invariant(i Invariant) {
	e := &effects{protocol: d.protocol, group: d.group}
	e.needs(i.Body, plain, i.Pos)
	e.formula(i.Formula, positive, alone)
	if !slices.ContainsFunc(e.requirements, func(r requirement) bool { return r.all }) {
		d.requirements = append(d.requirements, e.requirements...)
	}
}

// fromNetwork sets the group to the automorphisms of a network.
func (f *finding) fromNetwork(net *network) {
	all, fixed := net.automorphisms()
	if len(fixed) > 0 {
		f.breaks = append(f.breaks, Break{Text: fmt.Sprintf(
			"there are more than %d permutations; used are those that fix the processes %v", maxOrder, fixed)})
	}
	f.group = newGroup(all, func(permutation) bool { return true })
}

// notPermutable returns an error for a system without symmetry.
func notPermutable(breaks []Break) error {
	const most = 3
	var texts []string
	for _, b := range breaks[:min(most, len(breaks))] {
		texts = append(texts, b.String())
	}
	text := strings.Join(texts, "; ")
	if more := len(breaks) - most; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return fmt.Errorf("permutation is %w: %s", ErrAsymmetric, text)
}

// compareInitial restricts the group to the permutations that map initial states to initial states.
func (f *finding) compareInitial(ctx context.Context) error {
	a := newAction(f.sys, f.group)
	known := make(map[string]bool)
	var all [][]model.Value
	err := f.sys.Initial(func(state []model.Value) bool {
		if k := stateKey(state); !known[k] {
			known[k] = true
			all = append(all, slices.Clone(state))
		}
		return ctx.Err() == nil
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("compare the initial states: %w", err)
	}
	image := make([]model.Value, len(f.sys.Slots()))
	var text string
	reduced := newGroup(f.group.elements, func(p permutation) bool {
		for _, s := range all {
			a.permute(p, s, image)
			if ctx.Err() == nil && known[stateKey(image)] {
				continue
			}
			if text == "" {
				text = fmt.Sprintf("(%s) is an initial state, but not with %s", f.format(s), p)
			}
			return false
		}
		return true
	})
	if text != "" {
		f.breaks = append(f.breaks, Break{Text: text})
	}
	f.group = reduced
	return ctx.Err()
}

// format returns the local states in a state.
func (f *finding) format(state []model.Value) string {
	var parts []string
	for p := range f.group.n {
		slot := f.sys.SlotOfProcess(p)
		parts = append(parts, fmt.Sprintf("%d: %s", p, f.sys.FormatSlot(slot, state[slot])))
	}
	return strings.Join(parts, ", ")
}

// String returns the moves: "process 1 as 2, 2 as 1".
func (p permutation) String() string {
	var parts []string
	for q := range p {
		if int(p[q]) != q {
			parts = append(parts, fmt.Sprintf("%d as %d", q, p[q]))
		}
	}
	return "process " + strings.Join(parts, ", ")
}
