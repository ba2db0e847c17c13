package ringcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ringcheck/explore"
	"ringcheck/internal/machine"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
	"ringcheck/verify"
	"ringcheck/verify/prob"
	"ringcheck/verify/prob/exchange"
)

// Questions ask for probabilities of reaching a goal and for expected rewards until then. The zero value asks for the
// probability and the expected numbers of steps and messages; for a file, for the probability and all its rewards.
type Questions struct {
	// Until is the goal: "elected" (after the event that declares a leader), "terminal" or an expression. "" is
	// "elected" if the spec has such an event, otherwise "terminal". Of a file, Until is a label or "terminal", and ""
	// its only label.
	Until string
	// Within asks for the probabilities within these numbers of steps, Rewards for the expectations of these rewards.
	// If either is given, nothing else is asked for.
	Within  []int
	Rewards []string
	// Scheduler is "all", "uniform", "min" or "max"; "" is "all".
	Scheduler string
	// Quantities, unless it is empty, replaces all of the above. Answers come in the same order.
	Quantities []Quantity
	// Precision is the greatest width of an interval relative to its value; 0 means 1e-10. Exact asks for rational
	// numbers.
	Precision float64
	Exact     bool
	// Witness is "max" or "min" for a run with the greatest or least value of the reward, by default of messages.
	Witness string
	// Process, if not nil, is called with the process of the first goal before the questions are answered: the states
	// before the goal and, as its last state, the goal, which has a label. An error ends the work.
	Process func(*prob.MDP) error
}

// A Quantified is the report of Quantify.
type Quantified struct {
	Description
	Ending
	States       Count        `json:"states"`
	Choices      Count        `json:"choices"`
	Branches     Count        `json:"branches"`
	Results      []Answer     `json:"results"`
	Witness      *AttainedRun `json:"witness,omitempty"`
	Seconds      float64      `json:"seconds"`
	PeakRSSBytes uint64       `json:"peak_rss_bytes"`
	Warnings     []Warning    `json:"warnings,omitempty"` // what was assumed about a file

	Until string `json:"-"` // the goal
	Event string `json:"-"` // that declares a leader, "" if that is not known
}

// An Answer is the value of a Quantity.
type Answer struct {
	Query     string `json:"query"` // "probability" or "expected"
	Reward    string `json:"reward,omitempty"`
	Until     string `json:"until"`
	Within    *int   `json:"within,omitempty"`
	Scheduler string `json:"scheduler"`
	Value
}

// Name names the quantity without its goal and scheduler.
func (a *Answer) Name() string { return (&Quantity{Reward: a.Reward, Within: a.Within}).name() }

// An AttainedRun is a run that attains an extreme reward, or never reaches the goal.
type AttainedRun struct {
	Reward    string `json:"reward"`
	Scheduler string `json:"scheduler"`
	Length    int    `json:"length"`
	Lasso     *Lasso `json:"lasso,omitempty"`
	Run       *Run   `json:"-"`
}

// Quantify answers questions about an instance of a spec or a process in a file. Values are certified, see package
// prob. Work that ends early is not an error: see Quantified.Err. The error is a *RequestError, or says why the work
// could not begin.
func Quantify(ctx context.Context, sys *System, ask Questions, opt ...Options) (*Quantified, error) {
	q := &inquiry{Questions: ask, sys: sys, opt: only(opt), report: &Quantified{Results: []Answer{}}, began: time.Now()}
	if err := cmp.Or(oneOf("scheduler", q.Scheduler), q.limits()); err != nil {
		return nil, err
	}
	work := q.read
	if sys.File == "" {
		if err := q.plan(); err != nil {
			return nil, err
		}
		work = q.explore
	}
	err := work(ctx)
	if err == nil && q.mdp != nil {
		err = q.answer(ctx)
	}
	if err != nil {
		if err = q.report.Ending.Stop(ctx, err); err != nil {
			return nil, err
		}
	}
	q.report.Seconds, q.report.PeakRSSBytes = seconds(time.Since(q.began)), machine.PeakRSS()
	return q.report, nil
}

// limits refuses numbers of steps that cannot be asked for.
func (q *Questions) limits() error {
	within := slices.Clone(q.Within)
	for _, a := range q.Quantities {
		switch {
		case a.Within != nil && a.Reward != "":
			return model.Refuse("within", strconv.Itoa(*a.Within), "steps limit a probability, not reward %s", a.Reward)
		case a.Within != nil:
			within = append(within, *a.Within)
		}
	}
	for _, n := range within {
		if n < 0 || n > ir.MostSteps {
			return model.Refuse("within", strconv.Itoa(n), "must be from 0 to %d", ir.MostSteps)
		}
	}
	return nil
}

// An inquiry is the work on Questions.
type inquiry struct {
	Questions
	sys    *System
	opt    Options
	report *Quantified
	began  time.Time

	asked    []Quantity
	until    []string     // the goals of what is asked
	declared []*ir.Reward // of a spec: those that are asked for

	mdp   *prob.MDP   // nil if the search did not complete
	goals []prob.Goal // in the order of until
}

// ask turns the questions into quantities. The given rewards are those of the zero Questions.
func (q *inquiry) ask(until string, rewards []string) {
	if q.asked = q.Quantities; len(q.asked) == 0 {
		add := func(a Quantity) {
			for _, a.Scheduler = range Choices("scheduler")[1:] {
				known := q.opt.Reduction == NoReduction || a.Scheduler != prob.Uniform.String()
				if q.Scheduler == a.Scheduler || q.all() && known {
					q.asked = append(q.asked, a)
				}
			}
		}
		if len(q.Within) == 0 && len(q.Rewards) == 0 {
			add(Quantity{Until: until})
		} else {
			rewards = q.Rewards
		}
		for _, t := range q.Within {
			add(Quantity{Until: until, Within: &t})
		}
		for _, name := range rewards {
			add(Quantity{Until: until, Reward: name})
		}
	}
	for _, a := range q.asked {
		if !slices.Contains(q.until, a.Until) {
			q.until = append(q.until, a.Until)
		}
	}
}

// all reports whether the values of each scheduler are asked for.
func (q *inquiry) all() bool { return q.Scheduler == "" || q.Scheduler == Choices("scheduler")[0] }

// plan resolves the questions about an instance of a spec, and refuses what cannot be asked.
func (q *inquiry) plan() error {
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
		return &RequestError{Option: "until", Value: q.Until, Err: err}
	}
	q.sys = sys
	r.Description = sys.Description()
	r.Symmetry = q.opt.Symmetry.String()
	names := []string{}
	for _, a := range q.asked {
		if a.Reward != "" && !slices.Contains(names, a.Reward) {
			names = append(names, a.Reward)
		}
	}
	if reward := q.extreme(); q.Witness != "" && !slices.Contains(names, reward) {
		names = append(names, reward)
	}
	q.declared, err = rewardsOf(sys.Protocol.Rewards, func(r *ir.Reward) string { return r.Name }, names, "")
	if err != nil {
		return err
	}
	if q.Witness != "" && q.opt.Symmetry != NoSymmetry {
		return model.Refuse("symmetry", string(q.opt.Symmetry), "a run is one of the full system")
	}
	if q.opt.Reduction == NoReduction {
		return nil
	}
	r.Reduction = string(q.opt.Reduction)
	return q.reducible()
}

// extreme returns the reward of which a witness attains the extreme value.
func (q *inquiry) extreme() string {
	if len(q.Rewards) == 1 {
		return q.Rewards[0]
	}
	return "messages"
}

// rewardsOf returns the rewards with the given names. In errors, where precedes the names that exist.
func rewardsOf[R any](all []R, nameOf func(R) string, names []string, where string) (chosen []R, err error) {
	var known []string
	for _, r := range all {
		known = append(known, nameOf(r))
	}
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			return nil, model.Refuse("reward", name, "expected %s%s", where, strings.Join(known, " or "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// reducible refuses what a reduction by confluence does not preserve. Rewards that were not asked for by name are
// dropped instead.
//
// The reduction preserves which events happen and which states are terminal, and with them least and greatest
// probabilities. It leaves out interleavings, which changes the number of steps before an event, and choices, which
// changes the uniform scheduler. Every run to a terminal state takes the same actions as without the reduction, so
// least and greatest rewards until terminal are preserved if the reduction records which steps it composed. Package
// confluence has the proof.
func (q *inquiry) reducible() error {
	kind := string(q.opt.Reduction)
	if q.Witness != "" {
		return model.Refuse("reduce", kind, "--witness shows a run of the whole system")
	}
	for i, goal := range q.sys.Protocol.Goals {
		if !ofEvents(goal) {
			return model.Refuse("reduce", kind,
				"it preserves events and terminal states, and %s is about other states",
				q.until[i])
		}
	}
	for _, a := range q.asked {
		goal := q.sys.Protocol.Goals[slices.Index(q.until, a.Until)]
		earns := q.opt.Reduction == Confelm && goal.Op == ir.TerminalAtom
		switch {
		case a.Within != nil:
			return model.Refuse("reduce", kind, "it leaves out steps, and --within depends on their number")
		case a.Scheduler == prob.Uniform.String():
			return model.Refuse("reduce", kind,
				"it leaves out choices, of which the uniform scheduler takes each with equal probability: "+
					"choose min or max")
		case a.Reward != "" && !earns && q.chosen():
			return model.Refuse("reduce", kind,
				"it leaves out steps and their rewards; rewards until terminal are preserved with %s", Confelm)
		case a.Reward != "" && !earns:
			q.forgo()
			return nil
		}
	}
	return nil
}

// chosen reports whether rewards were asked for by name.
func (q *inquiry) chosen() bool { return len(q.Rewards)+len(q.Quantities) > 0 }

// forgo drops the rewards from the questions.
func (q *inquiry) forgo() {
	q.declared, q.asked = nil, slices.DeleteFunc(q.asked, func(a Quantity) bool { return a.Reward != "" })
}

// ofEvents reports whether a goal is a disjunction of events and terminal.
func ofEvents(goal *ir.Formula) bool {
	switch goal.Op {
	case ir.EventAtom, ir.TerminalAtom:
		return true
	case ir.Disjunction:
		return ofEvents(goal.X) && ofEvents(goal.Y)
	}
	return false
}

// explore generates the process of the protocol, and finds the run of the Witness.
func (q *inquiry) explore(ctx context.Context) error {
	t, err := prepare(ctx, q.sys, q.opt)
	if err != nil {
		return err
	}
	asked := prob.Protocol{System: t.Full, Searched: t.Searched, Actions: t.Applied.Actions,
		Goals:   q.sys.Protocol.Goals,
		Rewards: q.declared}
	for _, goal := range asked.Goals {
		switch err := symmetricGoal(t.Full, goal); {
		case q.opt.Symmetry == NoSymmetry || err == nil:
		case errors.Is(err, verify.ErrAsymmetric):
			return model.Refuse("symmetry", string(q.opt.Symmetry),
				"--until %s distinguishes processes by their numbers",
				q.report.Until)
		default:
			return &RequestError{Err: err}
		}
	}
	m, goals, result, err := asked.Process(ctx, t.opt.ExploreOptions())
	var goal *ir.GoalError
	var invalid *prob.EvalError
	switch {
	case errors.As(err, &goal):
		return model.Refuse("until", q.Until, "%s", goal.Reason)
	case errors.As(err, &invalid) && invalid.Goal != nil:
		return &RequestError{Option: "until", Value: q.until[slices.Index(asked.Goals, invalid.Goal)], Err: err}
	case err != nil:
		return boundError(err)
	}
	if q.report.States, q.report.Ending = Count(result.Stored), result.Ending(); m == nil {
		return nil
	}
	q.goals = goals
	q.found(m)
	q.opt.Logf("%s states, %s choices, %s branches after %.3f s",
		q.report.States.Comma(), q.report.Choices.Comma(), q.report.Branches.Comma(), time.Since(q.began).Seconds())
	if q.opt.Reduction != NoReduction && len(q.declared) > 0 && !t.Applied.Told() {
		if q.chosen() {
			return model.Refuse("reduce", string(q.opt.Reduction),
				"it lets processes act before the first step, or right behind a visible event, "+
					"and does not tell which rewards this earns")
		}
		q.forgo()
		q.mdp.Rewards = nil
	}
	if q.Witness == "" {
		return nil
	}
	return q.attain(ctx, t)
}

// found sets the process that questions are about.
func (q *inquiry) found(m *prob.MDP) {
	q.mdp, q.report.States = m, Count(m.States())
	q.report.Choices, q.report.Branches = Count(m.Choices()), Count(m.Branches())
}

// attain finds a run that attains the greatest or least expected reward of a protocol without probabilities or, if the
// greatest is infinite, one that never reaches the goal. A replay confirms the run.
func (q *inquiry) attain(ctx context.Context, t *task) error {
	extreme := Quantity{Until: q.report.Until, Reward: q.extreme(), Scheduler: q.Witness}
	query, err := extreme.query(q.mdp)
	if err != nil {
		return err
	}
	problem, err := prob.Prepare(ctx, q.mdp, q.goals[0])
	if err != nil {
		return err
	}
	path, err := problem.Witness(ctx, q.mdp, query.Scheduler, query.Reward)
	if err != nil {
		return &RequestError{Option: "witness", Value: q.Witness, Err: err}
	}
	moves, err := t.statesOf(ctx, q.mdp, path)
	if err != nil {
		return err
	}
	if err := verify.Retake(t.Full, moves); err != nil {
		return fmt.Errorf("the two implementations of %s disagree: %w", q.sys.Name, err)
	}
	run := verify.FullRun(t.Subject, runFinding(extreme, path), moves)
	if path.Cycle >= 0 {
		run.Lasso = &Lasso{Stem: path.Cycle, Cycle: len(path.Branches) - path.Cycle}
	}
	q.report.Witness = &AttainedRun{extreme.Reward, q.Witness, run.Length(), run.Lasso, run}
	return nil
}

// answer answers the questions about the process.
func (q *inquiry) answer(ctx context.Context) error {
	results := make([]Answer, len(q.asked))
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
		for position, a := range q.asked {
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
		for j, a := range problem.Ask(ctx, queries, prob.Options{Precision: q.Precision, Exact: q.Exact}) {
			of, answer := q.asked[positions[j]], &results[positions[j]]
			*answer = Answer{"probability", of.Reward, of.Until, of.Within, of.Scheduler, newValue(a.Interval)}
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

// note makes the report incomplete if an answer is less precise than requested, or if time ran out.
func (r *Quantified) note(ctx context.Context, a *Answer, err error) error {
	var wide *prob.ErrPrecision
	switch {
	case errors.As(err, &wide):
		r.Ending = explore.Incomplete("precision", "%s: %w", a.Name(), wide)
	case errors.Is(err, prob.ErrTooLarge):
		return model.Refuse("exact", "", "%s: %w", a.Name(), err)
	case err != nil:
		return r.Ending.Stop(ctx, err)
	}
	return nil
}

// read reads the process in the file and resolves the goal, a label, and the rewards in it.
func (q *inquiry) read(ctx context.Context) error {
	r := q.report
	const reason = "the variables of the states of a file are not known"
	switch r.File, r.Until = q.sys.File, q.Until; {
	case q.opt.Symmetry != NoSymmetry:
		return model.Refuse("symmetry", string(q.opt.Symmetry), reason)
	case q.opt.Reduction != NoReduction:
		return model.Refuse("reduce", string(q.opt.Reduction), reason)
	case len(q.Quantities) > 0:
		return model.Refuse("", "", "quantities can be computed for a spec only; for a file, choose one of its labels")
	case q.Witness != "":
		return model.Refuse("witness", q.Witness, "the actions of a file have no names")
	}
	m, warnings, err := exchange.Load(ctx, r.File, q.opt.Budget(), q.opt.Strict, &r.Ending)
	if r.Warnings = warnings; m == nil {
		return err
	}
	q.found(m)
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
	if len(q.Rewards) > 0 || len(q.Within) > 0 {
		m.Rewards, err = rewardsOf(m.Rewards, func(r prob.Reward) string { return r.Name }, q.Rewards,
			"a reward of the file: ")
	}
	return err
}
