package equivalence

import (
	"cmp"
	"context"
	"maps"
	"math/big"
	"slices"
	"time"

	"ringcheck/bisim"
	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/reduce"
	"ringcheck/verify/prob"
	"ringcheck/verify/prob/exchange"
)

// An Equivalence is a kind of bisimilarity.
type Equivalence string

// The equivalences, see package bisim, and prob.Minimize for Probabilistic, by which Compare does not compare.
const (
	Strong        Equivalence = "strong"
	Branching     Equivalence = "branching"
	Divergence    Equivalence = "divergence"
	Probabilistic Equivalence = "probabilistic"
)

// Equivalences returns the equivalences, the default first.
func Equivalences() []string {
	return []string{string(Branching), string(Strong), string(Divergence), string(Probabilistic)}
}

// suits returns an error unless the equivalence exists and the reduction preserves it.
func (e Equivalence) suits(opt *reduce.Search) error {
	if err := reduce.OneOf("equivalence", string(e), Equivalences()); err != nil {
		return err
	}
	switch {
	case opt.Reduction != reduce.NoReduction && e != Branching:
		return model.Refuse("reduce", string(opt.Reduction),
			"it preserves branching bisimilarity, not %s", e)
	case opt.Assume != "" && e == Probabilistic:
		return model.Refuse("assume", opt.Assume, "it serves reductions, which do not preserve %s bisimilarity", e)
	}
	return nil
}

// A MinimizeReport is the report of Minimize. The numbers of the quotient are meaningless if it is not complete.
type MinimizeReport struct {
	reduce.Description
	Equivalence Equivalence `json:"equivalence"`
	explore.Ending
	Size                    // of the quotient
	Labels      []string    `json:"labels,omitzero"`       // other than τ, in order; nil of a process
	From        Size        `json:"from"`                  // of the system
	Unreachable model.Count `json:"unreachable,omitempty"` // states of the file that were left out
	explore.Cost
	Warnings []model.Warning `json:"warnings,omitempty"` // what was assumed about the file of a process

	Quotient *lts.LTS  `json:"-"` // nil if Lumped is not
	Lumped   *prob.MDP `json:"-"` // the quotient by Probabilistic
	Of       *Graph    `json:"-"`
}

// Minimize computes the quotient of a system by an equivalence. Probabilistic takes an instance of a spec or a process
// in a file, keeps the probabilities of draws, and hides no step; each visible label of a spec is then a reward of 1
// for its transitions.
func Minimize(ctx context.Context, sys *reduce.System, e Equivalence, o GraphOptions) (*MinimizeReport, error) {
	o.Search = o.Search.Normal()
	began := time.Now()
	if err := cmp.Or(o.Stepwise(), e.suits(&o.Search)); err != nil {
		return nil, err
	}
	m, work := &MinimizeReport{Equivalence: e}, (*MinimizeReport).minimize
	if e == Probabilistic {
		work = (*MinimizeReport).lump
	}
	if err := work(m, ctx, sys, &o); err != nil {
		if err = m.Ending.Stop(ctx, err); err != nil {
			return nil, err
		}
	}
	m.Cost = explore.CostSince(began)
	return m, nil
}

func (m *MinimizeReport) minimize(ctx context.Context, sys *reduce.System, o *GraphOptions) error {
	began := time.Now()
	g, err := generate(ctx, sys, o)
	if err != nil {
		return err
	}
	m.Of, m.Description, m.Ending, m.From, m.Unreachable = g, g.Description, g.Ending, g.Size, g.Unreachable
	m.Labels = []string{}
	if g.LTS == nil {
		return nil
	}
	o.Logf("%d states, %d transitions after %.3f s", g.States, g.Transitions, time.Since(began).Seconds())
	relation, err := bisim.ParseEquivalence(string(m.Equivalence))
	if err != nil {
		return err
	}
	if m.Quotient, _, err = bisim.Minimize(ctx, g.LTS, relation,
		bisim.Options{Memory: o.Remaining(g.LTS)}); err == nil {
		m.Size, m.Labels = sizeOf(m.Quotient), visibleLabels(m.Quotient)
	}
	return err
}

// lump is minimize by Probabilistic.
func (m *MinimizeReport) lump(ctx context.Context, sys *reduce.System, o *GraphOptions) error {
	if o.KeepUnreachable {
		return model.Refuse("keep-unreachable", "", "it is for transition systems, not for processes")
	}
	process, err := m.process(ctx, sys, o)
	m.Of = &Graph{Description: m.Description}
	if err != nil || process == nil {
		return err
	}
	m.From = sizeOfProcess(process)
	m.Lumped, err = prob.Minimize(ctx, process)
	if err == nil {
		m.Size = sizeOfProcess(m.Lumped)
	}
	return err
}

// process returns the Markov decision process of a system, nil if the search did not complete.
func (m *MinimizeReport) process(ctx context.Context, sys *reduce.System, o *GraphOptions) (*prob.MDP, error) {
	if sys.File != "" {
		m.File = sys.File
		process, warnings, err := exchange.Load(ctx, sys.File, o.Budget(), o.Strict, &m.Ending)
		m.Warnings = warnings
		return process, err
	}
	s, err := o.subject(sys)
	if err != nil {
		return nil, err
	}
	m.Description = s.Description()
	labels, marks := labeller{visible: o.Visible}, map[string]uint32{}
	var process *prob.MDP
	result, err := s.Explore(ctx, func() (result *explore.Result, err error) {
		mark := func(l model.Label) uint32 {
			name := labels.name(s.SearchSystem.Label(l))
			if name == lts.TauName {
				return 0
			}
			if marks[name] == 0 {
				marks[name] = uint32(len(marks) + 1)
			}
			return marks[name]
		}
		process, result, err = prob.Generate(ctx, s.SearchSystem, s.Search.ExploreOptions(), mark, nil)
		return result, err
	})
	if err != nil {
		return nil, err
	}
	if process != nil {
		for _, name := range slices.Sorted(maps.Keys(marks)) {
			of := make([]*big.Rat, marks[name]+1)
			of[marks[name]] = big.NewRat(1, 1)
			process.Rewards = append(process.Rewards, prob.Reward{Name: name, Of: of})
		}
	}
	m.Ending = result.Ending()
	m.From = Size{States: model.Count(result.Stored), Transitions: model.Count(result.Transitions)}
	return process, o.permits(labels.private, s.Search.Symmetry)
}

// visibleLabels returns the labels of all transitions but τ's, in order.
func visibleLabels(l *lts.LTS) []string {
	used := make([]bool, l.Labels())
	for s := range l.States() {
		for _, e := range l.Out(uint32(s)) {
			used[e.Label] = true
		}
	}
	labels := []string{}
	for a := 1; a < len(used); a++ {
		if used[a] {
			labels = append(labels, l.Label(lts.Label(a)))
		}
	}
	slices.Sort(labels)
	return labels
}
