package quantify

import (
	"context"
	"slices"
	"strings"

	"ringcheck/model"
	"ringcheck/reduce"
	"ringcheck/verify/prob"
	"ringcheck/verify/prob/exchange"
)

// read reads the process in the file and resolves the goal, a label, and the rewards in it.
func (q *query) read(ctx context.Context) error {
	r := q.report
	const reason = "the variables of the states of a file are not known"
	if err := q.search.WithoutSymmetry(reason); err != nil {
		return err
	}
	switch r.File, r.Until = q.sys.File, q.Until; {
	case q.search.Reduction != reduce.NoReduction:
		return model.Refuse("reduce", string(q.search.Reduction), reason)
	case len(q.Quantities) > 0:
		return model.Refuse("", "", "quantities can be computed for a spec only; for a file, choose one of its labels")
	case q.Witness != "":
		return model.Refuse("witness", q.Witness, "the actions of a file have no names")
	}
	m, warnings, err := exchange.Load(ctx, r.File, q.search.Budget(), q.Strict, &r.Ending)
	if r.Warnings = warnings; m == nil {
		return err
	}
	q.setProcess(m)
	var labels []string
	for _, l := range m.Labels {
		labels = append(labels, l.Name)
	}
	switch {
	case q.Until == "" && len(labels) == 1:
		r.Until = labels[0]
	case !slices.Contains(labels, q.Until) && q.Until != reduce.Terminal:
		return model.Refuse("until", q.Until, "expected a label of the file: %s",
			strings.Join(append(labels, reduce.Terminal), " or "))
	}
	goal := prob.Goal{Terminal: true}
	if l := m.Label(r.Until); l != nil {
		goal = prob.Goal{States: l.States}
	}
	q.goals = []prob.Goal{goal}
	var names []string
	for _, r := range m.Rewards {
		names = append(names, r.Name)
	}
	q.ask(r.Until, names)
	if err != nil || len(q.Rewards) == 0 && len(q.Within) == 0 {
		return err
	}
	return q.keepRewards(m)
}

// keepRewards leaves in a process only the rewards that are asked for by name.
func (q *query) keepRewards(m *prob.MDP) error {
	named := func(option string, names []string) ([]prob.Reward, error) {
		return reduce.ByName(option, m.Rewards, func(r prob.Reward) string { return r.Name }, names,
			"a reward of the file: ")
	}
	if q.Unit != "" {
		if _, err := named("unit", []string{q.Unit}); err != nil {
			return err
		}
	}
	var err error
	m.Rewards, err = named("reward", q.rewardNames())
	return err
}
