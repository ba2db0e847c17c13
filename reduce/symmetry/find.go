package symmetry

import (
	"context"
	"errors"
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
	sys       *compile.System
	network   *network
	kind      string // "rotation" or "permutation"
	rotations bool   // only rotations are left
	group     *group
	breaks    []Break // what reduces the symmetry of the network
	// formulas maps the formula of a property to the one to check instead: see represent.
	formulas map[*ir.Formula]*ir.Formula
}

// Options say what Find looks for.
type Options struct {
	Rotations  bool // only rotations: p becomes (p + r) mod n
	Invariants []Invariant
}

// Find returns the quotient of sys by the greatest group of permutations that it can show to be automorphisms, under
// which the values of the invariants do not change, except where Invariant says otherwise. If they are the rotations of
// a ring, which change nothing but the places of processes, it is a *Quotient, unless runs are asked about. An error
// wraps ErrAsymmetric if no permutation is found, or is an error of the initial states or of ctx.
func Find(ctx context.Context, sys *compile.System, opt Options) (Orbits, error) {
	if opt.Rotations && unpermutable(sys.Protocol()) != "" {
		return asOrbits(Rotation(ctx, sys))
	}
	q, err := findQuotient(ctx, sys, opt)
	if !errors.Is(err, ErrAsymmetric) {
		return q, err
	}
	if f := anonymous(sys, opt); f != nil {
		if q, err := f.rotate(ctx); !errors.Is(err, ErrAsymmetric) {
			return asOrbits(q, err)
		}
	}
	return nil, err
}

// findQuotient is Find for a spec that uses the numbers of processes as such.
func findQuotient(ctx context.Context, sys *compile.System, opt Options) (Orbits, error) {
	f, err := find(sys, opt)
	if err != nil {
		return nil, err
	}
	if f.turns(opt.Invariants) {
		if q, err := f.rotate(ctx); !errors.Is(err, ErrAsymmetric) {
			return asOrbits(q, err)
		}
	}
	if err := f.finish(ctx, opt.Invariants); err != nil {
		return nil, err
	}
	return newPermutationQuotient(f, sys), nil
}

// rotate returns the quotient by the group, which has all rotations.
func (f *finding) rotate(ctx context.Context) (*Quotient, error) {
	q, err := Rotation(ctx, f.sys)
	if err == nil {
		q.Automorphisms = f.automorphisms()
	}
	return q, err
}

// anonymous returns the rotations of a ring, which keep the numbers of processes in states as plain values. It returns
// nil if the text of the spec names a process by such a number, or if the values of properties change. A loop over the
// numbers of all processes names none if it only counts.
func anonymous(sys *compile.System, opt Options) *finding {
	p := sys.Protocol()
	if unpermutable(p) != "" {
		return nil
	}
	f := &finding{sys: sys, network: newNetwork(p), group: allRotations(p.N)}
	for _, r := range f.group.elements {
		if !f.network.has(r) {
			return nil
		}
	}
	if len(f.requirements(opt.Invariants)) > 0 {
		return nil
	}
	return f
}

// Permutation is Find for a quotient whose states are states of the system.
func Permutation(ctx context.Context, sys *compile.System, invariants ...Invariant) (*PermutationQuotient, error) {
	return PermutationOf(ctx, sys, sys, invariants...)
}

// PermutationOf is Permutation for a system made of sys whose transitions these permutations preserve. It has the slots
// and values of sys, and a group for each group of sys, with these slots and perhaps more.
func PermutationOf(
	ctx context.Context, sys *compile.System, reduced model.System, invariants ...Invariant,
) (*PermutationQuotient, error) {
	f, err := find(sys, Options{Invariants: invariants})
	if err == nil {
		err = f.finish(ctx, invariants)
	}
	if err != nil {
		return nil, err
	}
	return newPermutationQuotient(f, reduced), nil
}

// asOrbits returns nil instead of a quotient if there is an error.
func asOrbits(q *Quotient, err error) (Orbits, error) {
	if err != nil {
		return nil, err
	}
	return q, nil
}

// find returns the group of permutations that the network, the text of the spec, and properties permit.
func find(sys *compile.System, opt Options) (*finding, error) {
	if why := unpermutable(sys.Protocol()); why != "" {
		return nil, asymmetric("permutation", "%s", why)
	}
	f := &finding{sys: sys, network: newNetwork(sys.Protocol()), rotations: opt.Rotations, kind: "permutation"}
	if opt.Rotations {
		f.kind = "rotation"
	}
	f.fromNetwork()
	if f.group.trivial() {
		f.breaks = append(f.breaks, Break{Text: "the network has no symmetry that keeps the kinds of processes"})
	}
	f.breaks = append(f.breaks, f.ports()...)
	if err := f.nontrivial(); err != nil {
		return nil, err
	}
	f.fromText(opt.Invariants)
	return f, f.nontrivial()
}

// nontrivial returns an error if no permutation but the identity is left.
func (f *finding) nontrivial() error {
	if !f.group.trivial() {
		return nil
	}
	const most = 3
	var texts []string
	for _, b := range f.breaks[:min(most, len(f.breaks))] {
		texts = append(texts, b.String())
	}
	if more := len(f.breaks) - most; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return asymmetric(f.kind, "%s", strings.Join(texts, "; "))
}

// finish restricts the group to the permutations that map initial states to initial states, and to those that preserve
// the formulas for one process of each orbit.
func (f *finding) finish(ctx context.Context, invariant []Invariant) error {
	if err := f.compareInitial(ctx); err != nil {
		return err
	}
	if err := f.nontrivial(); err != nil {
		return err
	}
	f.represent(invariant)
	return f.nontrivial()
}

// turns reports whether the group has all rotations and no other permutation, these change no value of a slot, and no
// runs are asked about, along which processes are followed.
func (f *finding) turns(invariant []Invariant) bool {
	p := f.sys.Protocol()
	names := func(fields []ir.Field) bool {
		return slices.ContainsFunc(fields, func(f ir.Field) bool { return namesProcess(f.Type) })
	}
	switch {
	case !f.group.rotations() || f.group.order() != p.N,
		slices.ContainsFunc(invariant, func(i Invariant) bool { return i.OfRuns }),
		len(p.Shared) > 0 || NamesProcess(p) != nil,
		slices.ContainsFunc(p.Messages, func(m *ir.Message) bool { return names(m.Fields) }):
		return false
	}
	return !slices.ContainsFunc(p.Points, func(p *ir.Point) bool {
		return slices.ContainsFunc(p.Live, func(v *ir.Var) bool { return namesProcess(v.Type) })
	})
}

// automorphisms returns the group that is left, with the reasons.
func (f *finding) automorphisms() *Automorphisms {
	return &Automorphisms{f.group, f.sys.Protocol(), f.breaks, f.formulas}
}

// fromText restricts the group to the permutations that the text of the spec and properties permit.
func (f *finding) fromText(invariant []Invariant) {
	others := f.nameDirections()
	requirements := f.requirements(invariant)
	if f.group.directed() && slices.ContainsFunc(requirements, func(r requirement) bool { return r.all }) {
		exchanging := requirements
		f.group = f.group.undirected()
		requirements = f.requirements(invariant)
		others = append(others, reasons(exchanging, requirements)...)
	}
	if slices.ContainsFunc(requirements, func(r requirement) bool { return r.rotations }) {
		all := requirements
		f.rotations = true
		f.fromNetwork()
		requirements = f.requirements(invariant)
		others = append(others, reasons(all, requirements)...)
	}
	for i := range requirements {
		f.network.colour(&requirements[i])
		f.breaks = append(f.breaks, requirements[i].Break)
	}
	f.breaks = append(f.breaks, others...)
	if len(requirements) > 0 {
		f.fromNetwork()
	}
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
	d := &effects{protocol: f.sys.Protocol(), group: f.group, anonymous: f.group.keepsValues}
	d.behaviour()
	d.anonymous = false
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

// An Invariant is an expression that a property consists of, the formula of one about all runs, an equation to which it
// requires fairness, or that it is about runs. Text says whose it is, as in "property unique".
type Invariant struct {
	Break
	Body     ir.Expr
	Formula  *ir.Formula
	Equation *ir.Equation
	OfRuns   bool
}

// invariant notes what permutations must satisfy so that the value of a property does not change. Where no permutation
// does, it notes nothing: the property will be refused.
func (d *effects) invariant(i Invariant) {
	e := &effects{protocol: d.protocol, group: d.group}
	e.part(i)
	for k := range e.requirements {
		e.requirements[k].Text = i.Text + ": " + e.requirements[k].Text
	}
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
	if body == nil {
		return
	}
	d.needs(body, plain, pos)
	for _, directions := range slices.Sorted(maps.Keys(d.group.renamings)) {
		m := newMatching(d.protocol, permutation{identityMap(d.protocol.N), directions})
		m.renaming, m.fixed, m.pos = *d.group.renamings[directions], true, pos
		if !m.expr(body, body) {
			d.breaks(m.why.Pos, m.why.Text)
		}
	}
}

// fromNetwork sets the group to the automorphisms of the network.
func (f *finding) fromNetwork() {
	if f.rotations {
		f.group = newGroup(rotationsOf(f.network.n), nil, f.network.has)
		return
	}
	all, fixed := f.network.automorphisms()
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
	if p.Naming != ir.ByPort || f.rotations {
		return nil
	}
	p.Naming = ir.ByNumber
	if all, _ := newNetwork(&p).automorphisms(); len(all) <= len(f.group.elements) {
		return nil
	}
	return []Break{{Text: "processes name their neighbours by port, and permutations keep ports; more are possible " +
		"without anonymous, where neighbours are named by their numbers"}}
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
	if f.group = reduced; text != "" {
		at := len(f.breaks)
		if f.group.trivial() { // what comes before it left some permutations
			at = 0
		}
		f.breaks = slices.Insert(f.breaks, at, Break{Text: text})
	}
	return ctx.Err()
}

// format returns the local states in a state, and what all processes share.
func (f *finding) format(state []model.Value) string {
	var parts []string
	for p := range f.group.n {
		slot := f.sys.SlotOfProcess(p)
		parts = append(parts, fmt.Sprintf("%d: %s", p, f.sys.FormatSlot(slot, state[slot])))
	}
	for i, s := range f.sys.Slots() {
		if s.Process < 0 {
			parts = append(parts, fmt.Sprintf("%s: %s", s.Name, f.sys.FormatSlot(i, state[i])))
		}
	}
	return strings.Join(parts, ", ")
}
