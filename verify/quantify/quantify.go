package quantify

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/verify"
	"ringcheck/verify/prob"
)

// Quantify answers questions about an instance of a spec or a process in a file. Values are certified, see package
// prob. Work that ends early is not an error: see Report.Err. The error is a *model.RequestError, or says why the work
// could not begin.
func Quantify(ctx context.Context, sys *reduce.System, ask Questions, search reduce.Search) (*Report, error) {
	q := &query{Questions: ask, sys: sys, search: search.Normal(), began: time.Now()}
	q.report = &Report{Results: []Answer{}}
	err := cmp.Or(search.Stepwise(), reduce.OneOf("scheduler", q.Scheduler, Schedulers()), q.limits())
	if err != nil {
		return nil, err
	}
	work := q.read
	if sys.File == "" {
		if err := q.plan(); err != nil {
			return nil, err
		}
		work = q.explore
	}
	err = work(ctx)
	if err == nil && q.mdp != nil {
		err = q.answer(ctx)
	}
	if err != nil {
		if err = q.report.Ending.Stop(ctx, err); err != nil {
			return nil, err
		}
	}
	q.report.Cost = explore.CostSince(q.began)
	return q.report, nil
}

// A query is the work on Questions.
type query struct {
	Questions
	sys    *reduce.System
	search reduce.Search
	report *Report
	began  time.Time

	queries []Quantity
	until   []string     // the goals of what is asked
	rewards []*ir.Reward // of a spec: the requested ones

	mdp   *prob.MDP   // nil if the search did not complete
	goals []prob.Goal // in the order of until
}

// ask turns the questions into quantities. The zero Questions ask for the given rewards.
func (q *query) ask(until string, rewards []string) {
	if q.queries = q.Quantities; len(q.queries) == 0 {
		add := func(a Quantity) {
			for _, a.Scheduler = range Schedulers()[1:] {
				known := q.search.Reduction == reduce.NoReduction || a.Scheduler != prob.Uniform.String()
				if q.Scheduler == a.Scheduler || q.allSchedulers() && known {
					q.queries = append(q.queries, a)
				}
			}
		}
		if len(q.Within) == 0 && len(q.Rewards) == 0 {
			add(Quantity{Until: until})
		} else {
			rewards = q.Rewards
		}
		for _, t := range q.Within {
			add(Quantity{Until: until, Within: &t, Unit: q.Unit})
		}
		for _, name := range rewards {
			add(Quantity{Until: until, Reward: name})
		}
	}
	for _, a := range q.queries {
		if !slices.Contains(q.until, a.Until) {
			q.until = append(q.until, a.Until)
		}
	}
}

// rewardNames returns the rewards that are asked for by name.
func (q *query) rewardNames() []string {
	if q.Unit == "" || slices.Contains(q.Rewards, q.Unit) {
		return q.Rewards
	}
	return append(slices.Clip(q.Rewards), q.Unit)
}

// allSchedulers reports whether the values of each scheduler are asked for.
func (q *query) allSchedulers() bool { return q.Scheduler == "" || q.Scheduler == Schedulers()[0] }

// plan resolves the questions about an instance of a spec, and refuses what cannot be asked.
func (q *query) plan() error {
	r := q.report
	r.Event = q.sys.Election()
	if r.Until = q.Until; r.Until == "" {
		r.Until = reduce.Terminal
		if r.Event != "" {
			r.Until = reduce.Elected
		}
	}
	q.ask(r.Until, []string{"steps", "messages"})
	sys, err := q.sys.WithGoals(q.until...)
	if err != nil {
		return &model.RequestError{Option: "until", Value: q.Until, Err: err}
	}
	q.sys = sys
	r.Description = sys.Description()
	r.Symmetry = q.search.Symmetry.String()
	names := []string{}
	for _, a := range q.queries {
		for _, name := range a.rewards() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if reward := q.extreme(); q.Witness != "" && !slices.Contains(names, reward) {
		names = append(names, reward)
	}
	if q.Unit != "" {
		if _, err := reduce.Rewards("unit", sys.Protocol.Rewards, []string{q.Unit}); err != nil {
			return err
		}
	}
	q.rewards, err = reduce.Rewards("reward", sys.Protocol.Rewards, names)
	if err != nil {
		return err
	}
	if q.Witness != "" {
		if err := q.search.WithoutSymmetry("a witness is a run of the full system"); err != nil {
			return err
		}
		r.Symmetry = q.search.Symmetry.String()
	}
	if q.search.Reduction == reduce.NoReduction {
		return nil
	}
	r.Reduction = string(q.search.Reduction)
	return q.reducible()
}

// decides returns an error if the searched system of a subject does not decide the questions.
func (q *query) decides(s *reduce.Subject) error {
	if s.Search.Symmetry == reduce.NoSymmetry {
		return nil
	}
	for _, goal := range q.sys.Protocol.Goals {
		switch err := verify.SymmetricGoal(s.SearchSystem, goal); {
		case errors.Is(err, verify.ErrAsymmetric):
			return model.Refuse("symmetry", string(s.Search.Symmetry),
				"--until %s distinguishes processes by their numbers",
				q.report.Until)
		case err != nil:
			return &model.RequestError{Err: err}
		}
	}
	for _, r := range q.rewards {
		if err := verify.SymmetricReward(s.SearchSystem, r); err != nil {
			return model.Refuse("symmetry", string(s.Search.Symmetry), "%w", err)
		}
	}
	return nil
}

// explore generates the process of the protocol, and finds the run of the Witness.
func (q *query) explore(ctx context.Context) error {
	s, err := reduce.NewSubject(q.sys, q.search)
	if err != nil {
		return err
	}
	s.Decides = q.decides
	if err = explore.ContextError(ctx, effort.Do(ctx, func() error { return s.Prepare(ctx) })); err != nil {
		return err
	}
	q.search.Symmetry = s.Search.Symmetry
	q.report.Symmetry = q.search.Symmetry.String()
	if err = q.decides(s); err != nil {
		return err
	}
	asked := prob.Protocol{System: s.Full, Searched: s.SearchSystem, Actions: s.Reduced.Actions,
		Goals:   q.sys.Protocol.Goals,
		Rewards: q.rewards}
	m, goals, result, err := asked.Process(ctx, s.Search.ExploreOptions())
	var goal *ir.GoalError
	var invalid *prob.EvalError
	switch {
	case errors.As(err, &goal):
		return model.Refuse("until", q.Until, "%s", goal.Reason)
	case errors.As(err, &invalid) && invalid.Goal != nil:
		return &model.RequestError{Option: "until", Value: q.until[slices.Index(asked.Goals, invalid.Goal)], Err: err}
	case err != nil:
		return err
	}
	if q.report.States, q.report.Ending = model.Count(result.Stored), result.Ending(); m == nil {
		return nil
	}
	q.goals = goals
	q.setProcess(m)
	q.search.Logf("%s states, %s choices, %s branches after %.3f s",
		q.report.States.Comma(), q.report.Choices.Comma(), q.report.Branches.Comma(), time.Since(q.began).Seconds())
	if q.search.Reduction != reduce.NoReduction && len(q.rewards) > 0 && !s.Reduced.ActionsComplete() {
		if q.hasChoice() {
			return model.Refuse("reduce", string(q.search.Reduction),
				"it lets processes act before the first step, or right behind a visible event, "+
					"and the rewards of these actions are unknown")
		}
		q.dropRewards()
		q.mdp.Rewards = nil
	}
	if q.Witness == "" {
		return nil
	}
	return q.attain(ctx, s)
}

// setProcess sets the process that questions are about.
func (q *query) setProcess(m *prob.MDP) {
	q.mdp, q.report.States = m, model.Count(m.States())
	q.report.Choices, q.report.Branches = model.Count(m.Choices()), model.Count(m.Branches())
}

// answer answers the questions about the process.
func (q *query) answer(ctx context.Context) error {
	results := make([]Answer, len(q.queries))
	defer func() {
		q.report.Results = slices.DeleteFunc(results, func(a Answer) bool { return a.Query == "" })
	}()
	for i, until := range q.until {
		problem, err := prob.Prepare(ctx, q.mdp, q.goals[i])
		if err != nil {
			return err
		}
		if q.Process != nil && i == 0 {
			if err := q.Process(problem.Process(q.mdp, goalLabel(until))); err != nil {
				return err
			}
		}
		var queries []prob.Query
		var positions []int
		for position, a := range q.queries {
			if a.Until != until {
				continue
			}
			query, err := a.query(q.mdp)
			if err != nil {
				return err
			}
			queries, positions = append(queries, query), append(positions, position)
		}
		if i == len(q.until)-1 {
			q.mdp = nil // no longer held
		}
		for j, a := range problem.Ask(ctx, queries, prob.Options{Precision: q.Precision, Exact: q.Exact,
			Memory: uint64(q.search.Budget())}) {
			of, answer := q.queries[positions[j]], &results[positions[j]]
			*answer = Answer{"probability", of.Reward, of.Until, of.Within, of.Unit, of.Scheduler, a.Interval.Value()}
			if answer.Reward != "" {
				answer.Query = "expected"
			}
			if err := q.report.note(ctx, answer, a.Err); err != nil {
				return err
			}
		}
	}
	return nil
}

// goalLabel returns the label of a goal in a file: the goal itself if it is one word, otherwise "goal".
func goalLabel(until string) string {
	for _, c := range until {
		if !(c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			return "goal"
		}
	}
	if until == reduce.Terminal {
		return "goal"
	}
	return until
}
