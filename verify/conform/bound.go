package conform

import (
	"context"
	"maps"
	"slices"
	"sort"
	"strconv"

	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A Bound is a value that bounds the runs of a spec: with a greater one, a line that is not explained is.
type Bound struct {
	Name  string `json:"name"`  // of a parameter or an option; or losses, duplicates or crashes
	Value int64  `json:"value"` // in the spec that does not explain the line
	Needs int64  `json:"needs"` // the greater value
}

// bounds returns the bounds that the lines of an agenda reach, which cannot be explained together: with one more of a
// parameter, an option or a kind of fault, a short search explains them.
func (f *follower) bounds(ctx context.Context, a *agenda) (bounds []Bound) {
	p := f.sys.Protocol()
	for _, s := range slices.Concat(p.Params, p.Options) {
		if other := f.greater(s, s.Value+1); other != nil && f.explainedBy(ctx, other, a) {
			bounds = append(bounds, Bound{s.Name, s.Value, s.Value + 1})
		}
	}
	if bounds != nil {
		return bounds // one of these may be the number of faults
	}
	for kind := range step.Budgets {
		other, err := f.declared.Spec.Declarations.Instantiate(f.declared.Given)
		if err != nil {
			return nil
		}
		limit := []*int64{step.Losses: &other.Faults.Losses, step.Duplicates: &other.Faults.Duplicates,
			step.Crashes: &other.Faults.Crashes}[kind]
		if *limit <= 0 {
			continue // there are none, or any number of them
		}
		*limit++
		if f.explainedBy(ctx, other, a) {
			bounds = append(bounds, Bound{kind.String(), *limit - 1, *limit})
		}
	}
	return bounds
}

// greater returns the protocol with another value of a parameter or an option; nil if it cannot have this value, or if
// the network is another one then.
func (f *follower) greater(s ir.Setting, value int64) *ir.Protocol {
	if s.Type.Kind != ir.Int || !s.Type.Contains(value) {
		return nil
	}
	values := make(map[string]string)
	maps.Copy(values, f.declared.Given)
	values[s.Name] = strconv.FormatInt(value, 10)
	other, err := f.declared.Spec.Declarations.Instantiate(values)
	if p := f.sys.Protocol(); err != nil || other.N != p.N || !slices.Equal(other.Links, p.Links) ||
		len(other.Start.Assignments) != len(p.Start.Assignments) {
		return nil
	}
	return other
}

// explainedBy reports whether a short search explains the lines of an agenda by a run of another protocol for the same
// network.
func (f *follower) explainedBy(ctx context.Context, p *ir.Protocol, a *agenda) bool {
	sys, err := compile.New(ctx, p, compile.Options{MaxMessages: f.MaxChannel, MaxNat: f.MaxNat})
	if err != nil {
		return false
	}
	other := &follower{Options: f.Options, sys: sys, network: newNetwork(sys, f.network.shown)}
	other.network.given = f.network.given
	same := *a
	same.events = nil
	for _, e := range a.events {
		q, err := resolve(p, e.Event)
		if err != nil {
			return false
		}
		same.events = append(same.events, &logged{pattern: q, line: e.line, needs: e.needs})
	}
	initial, err := other.network.initial()
	if err != nil {
		return false
	}
	d := other.depth(&same)
	d.most, d.visits = workForOne/p.N, workForAll
	_, _, err = d.search(ctx, initial)
	return err == nil
}

// exceeded returns the parameters and the options with a greater value of which a line is an event of the spec.
func (f *follower) exceeded(e *Event) (bounds []Bound) {
	const most = 1 << 20
	p := f.sys.Protocol()
	for _, s := range slices.Concat(p.Params, p.Options) {
		if s.Type.Kind != ir.Int {
			continue
		}
		resolves := func(more int) bool {
			other := f.greater(s, s.Value+1+int64(more))
			if other == nil {
				return false
			}
			_, err := resolve(other, e)
			return err == nil
		}
		room := int(min(most, s.Type.Hi-s.Value))
		if more := sort.Search(room, resolves); more < room && resolves(more) {
			bounds = append(bounds, Bound{s.Name, s.Value, s.Value + 1 + int64(more)})
		}
	}
	return bounds
}
