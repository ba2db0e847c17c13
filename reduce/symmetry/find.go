package symmetry

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
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

// A search for the symmetries of a system.
type finding struct {
	sys    *compile.System
	group  *group
	breaks []Break // what reduces the symmetry of the network
	// formulas maps the formula of a property to the one to check instead: see represent.
	formulas map[*ir.Formula]*ir.Formula
}

// find returns the greatest group of permutations that it can show to be automorphisms of a system, under which the
// values of some expressions do not change.
func find(ctx context.Context, sys *compile.System, invariant []Invariant) (*finding, error) {
	p := sys.Protocol()
	if why := unpermutable(p); why != "" {
		return nil, notPermutable([]Break{{Text: why}})
	}
	f, net := &finding{sys: sys}, newNetwork(p)
	f.fromNetwork(net)
	if f.group.trivial() {
		f.breaks = append(f.breaks, Break{Text: "the network has no symmetry that keeps the kinds of processes"})
	}
	f.breaks = append(f.breaks, f.ports()...)
	if f.group.trivial() {
		return nil, notPermutable(f.breaks)
	}
	undirected := f.nameDirections()
	requirements := f.requirements(invariant)
	if f.group.directed() && slices.ContainsFunc(requirements, func(r requirement) bool { return r.all }) {
		exchanging := requirements
		f.group = f.group.undirected()
		requirements = f.requirements(invariant)
		undirected = append(undirected, reasons(exchanging, requirements)...)
	}
	for i := range requirements {
		net.colour(&requirements[i])
		f.breaks = append(f.breaks, requirements[i].Break)
	}
	f.breaks = append(f.breaks, undirected...)
	if len(requirements) > 0 {
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

// nameDirections restricts the group to the permutations that exchange directions as the text of the spec permits. It
// returns the places that prevent others.
func (f *finding) nameDirections() (breaks []Break) {
	var exchanges []permutation
	for _, p := range f.group.elements {
		if e := p.exchange(); p.directions != "" && !slices.Contains(exchanges, e) {
			exchanges = append(exchanges, e)
		}
	}
	renamings, breaks := renamingsOf(f.sys.Protocol(), exchanges)
	f.group = newGroup(f.group.elements, renamings, renamings.has)
	return breaks
}

// requirements returns the requirements of the text of the spec and of properties on the permutations of the group.
func (f *finding) requirements(invariant []Invariant) []requirement {
	d := &effects{protocol: f.sys.Protocol(), group: f.group}
	d.behaviour()
	for _, i := range invariant {
		d.invariant(i)
	}
	return d.requirements
}

// reasons returns the breaks of the requirements that are not among others.
func reasons(of, others []requirement) (breaks []Break) {
	for _, r := range of {
		if !slices.ContainsFunc(others, func(o requirement) bool { return o.Break == r.Break }) {
			breaks = append(breaks, r.Break)
		}
	}
	return breaks
}

// An Invariant is an expression that a property consists of, the formula of one about all runs, or an equation to which
// it requires fairness; Text is the name of the property.
type Invariant struct {
	Break
	Body     ir.Expr
	Formula  *ir.Formula
	Equation *ir.Equation
}

// invariant notes what permutations must satisfy so that the value of a property does not change. Where no permutation
// does, it notes nothing: the property will be refused.
func (d *effects) invariant(i Invariant) {
	e := &effects{protocol: d.protocol, group: d.group}
	e.part(i)
	if !e.onlyIdentity() {
		d.requirements = append(d.requirements, e.requirements...)
	} else if undirected := d.group.undirected(); d.group.directed() && !undirected.trivial() {
		without := &effects{protocol: d.protocol, group: undirected}
		if without.part(i); !without.onlyIdentity() {
			d.requirements = append(d.requirements, e.requirements...)
		}
	}
}

// part notes what permutations must satisfy so that the value of a part of a property does not change.
func (d *effects) part(i Invariant) {
	d.value(i.Body, i.Pos)
	d.formula(i.Formula, positive, unquantified)
	if i.Equation != nil {
		d.value(everywhere(d.protocol, i.Equation), i.Pos)
	}
}

// everywhere returns the expression that all processes are in an equation.
func everywhere(p *ir.Protocol, eq *ir.Equation) ir.Expr {
	all := ir.NodeType(p.N)
	each := &ir.Var{Name: "each", Type: all}
	return &ir.Quantifier{
		Op: ir.ForAll, Var: each, Lo: &ir.Const{T: all}, Hi: &ir.Const{T: all, Value: int64(p.N) - 1},
		Body: &ir.At{Process: &ir.VarRef{Var: each}, Equation: eq}, T: ir.BoolType(),
	}
}

// onlyIdentity reports whether no permutation but the identity satisfies the requirements.
func (d *effects) onlyIdentity() bool {
	return slices.ContainsFunc(d.requirements, func(r requirement) bool { return r.all })
}

// value notes what permutations must satisfy so that the value of an expression of properties at a position does not
// change.
func (d *effects) value(body ir.Expr, pos syntax.Pos) {
	d.needs(body, plain, pos)
	for _, directions := range slices.Sorted(maps.Keys(d.group.renamings)) {
		m := newMatching(d.protocol, permutation{identityMap(d.protocol.N), directions})
		m.renaming, m.fixed, m.pos = *d.group.renamings[directions], true, pos
		if !m.expr(body, body) {
			d.breaks(m.why.Pos, m.why.Text)
		}
	}
}

// fromNetwork sets the group to the automorphisms of a network.
func (f *finding) fromNetwork(net *network) {
	all, fixed := net.automorphisms()
	if len(fixed) > 0 {
		f.breaks = append(f.breaks, Break{Text: fmt.Sprintf(
			"there are more than %d permutations; used are those that fix the processes %v", maxOrder, fixed)})
	}
	var renamings renamings // of all permutations, to begin with
	keep := func(permutation) bool { return true }
	if f.group != nil {
		renamings = f.group.renamings
		keep = renamings.has
	}
	f.group = newGroup(all, renamings, keep)
}

// ports returns why permutations are not used that would be automorphisms of the network if its processes named their
// neighbours by number.
func (f *finding) ports() []Break {
	p := *f.sys.Protocol()
	if p.Naming != ir.ByPort {
		return nil
	}
	p.Naming = ir.ByNumber
	if all, _ := newNetwork(&p).automorphisms(); len(all) <= len(f.group.elements) {
		return nil
	}
	return []Break{{Text: "processes name their neighbours by port, and permutations keep ports; more are possible " +
		"without anonymous, where neighbours are named by their numbers"}}
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
	reduced := newGroup(f.group.elements, f.group.renamings, func(p permutation) bool {
		for _, s := range all {
			a.permute(p, s, image)
			if ctx.Err() == nil && known[stateKey(image)] {
				continue
			}
			if text == "" {
				text = fmt.Sprintf("(%s) is an initial state, but not with %s", f.format(s), p.format(a.protocol))
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
