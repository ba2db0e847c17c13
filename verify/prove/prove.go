package prove

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/internal/machine"
	"ringcheck/model"
	"ringcheck/model/language/check"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/reduce"
)

// Options configure Prove. The zero value asks for the first invariant of the spec.
type Options struct {
	Property string   // the name of an invariant or a terminal property; "" is the first invariant
	Width    int      // the most atoms of a pattern, 2 or 3; 0 is 3
	Hints    []string // invariants that may help: expressions, as in a spec
	Memory   uint64   // the most bytes that patterns and clauses may take; 0: 3/4 of the machine's memory
}

// A Report says whether an invariant is proved for every number of processes.
type Report struct {
	Spec     string            `json:"spec"`
	Given    map[string]string `json:"given,omitempty"` // values of parameters and options
	Property string            `json:"property"`
	Kind     string            `json:"kind"` // invariant or terminal
	Proved   bool              `json:"proved"`
	// Forall has the names of the parameters for all of whose values it is proved, the number of processes first.
	Forall []string `json:"forall"`
	Rings  [2]int   `json:"rings_checked"` // the least and the greatest
	// ViolatedSizes has the smallest and the largest size of rings in whose runs the property is violated. A terminal
	// property is also evaluated in states in which each process waits although a message is left for it.
	ViolatedSizes []int `json:"violated_in,omitempty"`
	// Patterns are in the order of what they say: first those that the property forbids, then those about few messages,
	// then those about few processes.
	Patterns []Pattern `json:"patterns"`
	// Sentences describe the patterns. Patterns that differ only in the place of a process share a sentence.
	Sentences []Sentence `json:"sentences"`
	// Places are the control points in sentences and steps that the name of an equation does not identify.
	Places         []ControlPoint  `json:"places,omitempty"`
	Counterexample *Counterexample `json:"counterexample,omitempty"`
	// Warnings name parts on which the property does not depend in a small ring.
	Warnings []model.Warning `json:"warnings,omitempty"`
	explore.Ending
	Seconds float64 `json:"seconds"`

	proof *proof
}

// A Counterexample (to induction) is a pattern that the proof needs, and a step after which it occurs in a ring, from a
// state that the other patterns admit. Without a ring, it may occur in an initial state.
type Counterexample struct {
	Ring      int       `json:"ring,omitempty"`
	Pattern   string    `json:"pattern"`
	Processes []Process `json:"processes"`        // in their order around the ring; the first one acts
	Step      string    `json:"step,omitempty"`   // file:line:column
	Action    string    `json:"action,omitempty"` // the text of the action of the step
	// IgnoredConditions are the conditions of the spec, on the step or the initial states, that the abstraction
	// ignores. They may exclude the step, or the initial state.
	IgnoredConditions []Condition `json:"ignored_conditions,omitempty"`

	at syntax.Pos // of the step
}

// A Condition is a condition of a spec.
type Condition struct {
	Text  string `json:"text,omitempty"`
	Place string `json:"place"` // file:line:column

	pos syntax.Pos
}

// A Process has the atoms about a process of a ring, and about the messages in transit to it, before and after a step.
type Process struct {
	Name   string   `json:"name"`
	Before []string `json:"before"`
	After  []string `json:"after"`
}

// A proof is an inductive set of patterns.
type proof struct {
	*translation
	given    map[string]string
	property string
	patterns []pattern
	goals    []pattern // the patterns that the property forbids
	largest  int       // the size of the largest ring
	memory   uint64    // the limit for the clauses of a ring, in bytes; 0: none
}

// A task is a request to prove a property.
type task struct {
	Options
	spec    *check.Spec
	given   map[string]string
	depends *check.Dependence
	effort  *effort.Effort // of the translation and the search
	report  *Report
}

// Prove tries to prove that an invariant holds in rings of any number of processes, and for all values of the other
// parameters that are not given. The error is a syntax.ErrorList if the spec or the property is not suitable, or a
// *model.RequestError. A failed proof is not an error.
func Prove(ctx context.Context, spec *reduce.Spec, given reduce.Set, opt Options) (*Report, error) {
	begun := time.Now()
	t, err := newTask(ctx, spec.Declarations, given.Texts(), opt)
	if err != nil {
		return nil, err
	}
	err = effort.Do(ctx, func() error { return t.tryAll(ctx) })
	if err == nil && t.report.Proved {
		if err = t.audit(ctx); err == nil {
			err = t.checkSmall(ctx, spec)
		}
		t.report.Proved = err == nil
	}
	t.report.quote(spec)
	t.report.Seconds = time.Since(begun).Seconds()
	return t.report, t.report.Stop(ctx, err)
}

func newTask(ctx context.Context, spec *check.Spec, given map[string]string, opt Options) (*task, error) {
	opt.Width, opt.Memory = cmp.Or(opt.Width, 3), cmp.Or(opt.Memory, machine.Budget())
	t := &task{Options: opt, spec: spec, given: given, effort: &effort.Effort{Context: ctx, Limit: opt.Memory}}
	t.report = &Report{Spec: spec.Name, Given: given, Patterns: []Pattern{}, Sentences: []Sentence{},
		Forall: []string{}, Ending: explore.Ending{Complete: true}}
	free := make(map[string]bool)
	for _, p := range t.spec.Params {
		free[p.Name] = t.given[p.Name] == ""
	}
	t.depends = t.spec.Depends(free)
	for _, p := range t.spec.Params {
		switch {
		case p.Name == t.depends.Size:
			t.report.Forall = slices.Insert(t.report.Forall, 0, p.Name)
		case free[p.Name]:
			t.report.Forall = append(t.report.Forall, p.Name)
		}
	}
	if shared := t.depends.Shared; len(shared) > 0 {
		first := shared[0].Names[0]
		what := ir.SharedFeature.String() + ", such as " + first.Name + ","
		err := ir.UnsupportedError{Engine: ir.InProofs, What: what}
		return nil, unsuitable(first.Pos, err.Message())
	}
	if !t.depends.Ring {
		return nil, unsuitable(t.depends.Topology, "the processes are not in a ring")
	}
	if t.depends.Size == "" {
		return nil, unsuitable(t.depends.Topology, "the number of processes must be a parameter, and must not be "+
			"given: a proof is for all numbers")
	}
	if len(t.depends.ComputedAt) > 0 {
		return nil, unsuitable(t.depends.ComputedAt[0],
			"a process depends on a parameter here, other than by comparing a value with it")
	}
	return t, nil
}

// tryAll tries to prove the property, first with small patterns, and first without the integers and booleans of
// processes, which have many values and are seldom needed.
func (t *task) tryAll(ctx context.Context) error {
	var reason error
	for _, a := range t.attempts() {
		err := t.attempt(ctx, a)
		list, request := (syntax.ErrorList)(nil), (*model.RequestError)(nil)
		if errors.As(err, &list) || errors.As(err, &request) && request.Option == "hint" {
			if reason = err; a.coarse {
				continue // with the integers and booleans, the property or the hint may be suitable
			}
		}
		if err != nil || t.report.Proved || t.report.ViolatedSizes != nil {
			return err
		}
		reason = nil
	}
	return reason
}

// An attempt is an abstraction, and the most atoms of a pattern.
type attempt struct {
	abstraction
	width int
}

// attempts returns the attempts at a proof, in their order. They count messages if the property does, if a process
// knows that it is process 0, or if there are initial messages: only then a message can be the only one of its kind.
func (t *task) attempts() (all []attempt) {
	x, p, err := t.translate(abstraction{})
	if err == nil { // an error is reported by an attempt
		_, _, _ = t.goalsAndHints(x, p)
	}
	counts := err == nil && (x.hasZero || x.wantsCounts || len(p.Start.Contents) > 0)
	for width := 2; width <= t.Width; width++ {
		for _, coarse := range []bool{true, false} {
			all = append(all, attempt{abstraction{coarse: coarse, counts: counts}, width})
		}
	}
	return all
}

// attempt tries to prove the property.
func (t *task) attempt(ctx context.Context, a attempt) error {
	x, protocol, err := t.translate(a.abstraction)
	if err != nil {
		return err
	}
	goals, hints, err := t.goalsAndHints(x, protocol)
	if err != nil {
		return err
	}
	m := newMiner(x, a.width)
	if err := t.mine(ctx, m); err != nil {
		return err
	}
	if slices.ContainsFunc(goals, m.mayOccur) {
		sizes := t.sizes(smallRings...)
		t.report.ViolatedSizes = []int{sizes[0], sizes[len(sizes)-1]}
		return nil
	}
	most := x.largestRing()
	lemmas, broken := newSearcher(m, most).prove(goals, hints)
	t.report.Rings = [2]int{2, most}
	if broken != nil {
		t.report.Counterexample = broken.describe()
		return nil
	}
	p := &proof{x, t.given, t.report.Property, nil, goals, most, t.Memory}
	p.sortLemmas(lemmas)
	for _, l := range lemmas {
		p.patterns = append(p.patterns, l.pattern)
	}
	for n := 2; n <= most; n++ {
		if satisfiable := p.solve(ctx, n, nil); satisfiable {
			return fmt.Errorf("the patterns are not inductive in rings of %d", n)
		}
	}
	t.report.Proved, t.report.Counterexample, t.report.proof = true, nil, p
	t.report.describe(lemmas)
	return nil
}

// translate returns the rules of the spec, and an instance of it.
func (t *task) translate(as abstraction) (*translation, *ir.Protocol, error) {
	big, err := t.protocol(t.settings(9, 29, 0))
	if err != nil {
		return nil, nil, err
	}
	small, err := t.protocol(t.settings(9, 29, 1))
	if err != nil {
		return nil, nil, err
	}
	for i, p := range big.Params {
		other, free := small.Params[i].Value, t.given[p.Name] == "" && p.Type.Lo < p.Type.Hi
		isSize := p.Name == t.depends.Size
		if (free || isSize) && p.Value == other || !isSize && p.Value == int64(big.N) && other == int64(small.N) {
			return nil, nil, unsuitable(t.depends.Topology, "the range of "+p.Name+
				" is too small: a proof compares two values, other than the values of other parameters")
		}
	}
	x, err := translate(newInstance(t.effort, big, small, t.depends, as))
	return x, big, err
}

// goalsAndHints returns the patterns that the property and the hints forbid. They may need to know who is process 0.
func (t *task) goalsAndHints(x *translation, p *ir.Protocol) (goals, hints []pattern, err error) {
	goals, hints, err = t.forbidden(x, p)
	if err == nil && x.readsZero && !x.hasZero {
		x.hasZero = true
		x.numberRelations()
		goals, hints, err = t.forbidden(x, p)
	}
	return goals, hints, err
}

// forbidden returns the patterns that the property and the hints forbid.
func (t *task) forbidden(x *translation, p *ir.Protocol) (goals, hints []pattern, err error) {
	property, err := t.property(p)
	if err != nil {
		return nil, nil, err
	}
	t.report.Property, t.report.Kind = property.Name, property.Kind.String()
	if places := t.depends.Claims[property.Name]; len(places) > 0 {
		return nil, nil, unsuitable(places[0],
			"it depends on a parameter here, other than by comparing a value with it")
	}
	smaller := slices.IndexFunc(x.smaller.Properties, func(p *ir.Property) bool { return p.Name == property.Name })
	if smaller >= 0 {
		x.pairConstants([]ir.Expr{property.Body}, []ir.Expr{x.smaller.Properties[smaller].Body})
	}
	if smaller < 0 || x.structureDiffers {
		return nil, nil, unsuitable(property.Pos, "the property itself depends on the number of processes")
	}
	if goals, err = x.goals(property.Body, property.Pos, property.Kind.OfEnds()); err != nil {
		return nil, nil, err
	}
	for i, g := range p.Goals[:len(t.Hints)] {
		if g.Op != ir.StateAtom {
			return nil, nil, badHint(t.Hints[i], errors.New("expected an expression over one state"))
		}
		if x.pairConstants([]ir.Expr{g.State}, []ir.Expr{x.smaller.Goals[i].State}); x.structureDiffers {
			return nil, nil, badHint(t.Hints[i], errors.New("it depends on the number of processes"))
		}
		h, err := x.goals(g.State, g.Pos, false)
		if list := (syntax.ErrorList)(nil); errors.As(err, &list) {
			return nil, nil, badHint(t.Hints[i], errors.New(list[0].Message))
		}
		if len(h) == 0 {
			return nil, nil, badHint(t.Hints[i], errors.New("no combination of states of processes violates it"))
		}
		hints = append(hints, h...)
	}
	return goals, hints, nil
}

func badHint(hint string, err error) error {
	return &model.RequestError{Option: "hint", Value: hint, Err: err}
}

// protocol returns the spec with values for its parameters. Its goals are the hints, and formulas that read assigned
// values, so that these are part of states.
func (t *task) protocol(values map[string]string) (*ir.Protocol, error) {
	p, err := t.spec.Instantiate(values)
	if setting := (*check.SettingError)(nil); errors.As(err, &setting) {
		return nil, &model.RequestError{Err: err}
	} else if err != nil {
		return nil, err
	}
	for _, h := range t.Hints {
		if _, err := t.spec.Ask(values, h); err != nil {
			return nil, badHint(h, err)
		}
	}
	goals := slices.Clone(t.Hints)
	for _, a := range p.Start.Assignments {
		if a.Permutation {
			goals = append(goals, fmt.Sprintf("forall %[1]s_p in node, %[1]s_q in node: "+
				"%[1]s[%[1]s_p] = %[1]s[%[1]s_q] => %[1]s_p = %[1]s_q", a.Name))
		}
	}
	if p, err = t.spec.Ask(values, goals...); err != nil {
		return nil, &model.RequestError{Err: err}
	}
	return p, nil
}

// property returns the property to prove.
func (t *task) property(p *ir.Protocol) (*ir.Property, error) {
	for _, property := range p.Properties {
		switch named := property.Name == t.Property; {
		case property.Kind.Safety() && (named || t.Property == "" && !property.Kind.OfEnds()):
			return property, nil
		case named:
			return nil, unsuitable(property.Pos, "only invariants and terminal properties can be proved")
		}
	}
	for _, b := range p.Bounds {
		if b.Name == t.Property {
			return nil, unsuitable(b.Pos, "only invariants and terminal properties can be proved")
		}
	}
	if t.Property == "" {
		return nil, &model.RequestError{Err: fmt.Errorf("%s has no invariant", p.Name)}
	}
	err := fmt.Errorf("%s has no property %q", p.Name, t.Property)
	return nil, &model.RequestError{Option: "property", Err: err}
}

// settings returns values for the parameters: the given ones, n for the number of processes, and others for the rest,
// as far as their ranges permit. less is subtracted from all values that are not given. If others is greater than n, no
// other parameter has the same value as the number of processes, so that constants that depend on it can be identified.
func (t *task) settings(n, others, less int) map[string]string {
	values := make(map[string]string)
	maps.Copy(values, t.given)
	within := func(p check.Setting, value int) int {
		if hi, err := strconv.Atoi(p.Hi); err == nil {
			value = min(value, hi)
		}
		lo, _ := strconv.Atoi(p.Lo)
		return max(value, lo+less)
	}
	size := 0
	for _, p := range t.spec.Params {
		if p.Name == t.depends.Size {
			size = within(p, n)
			values[p.Name] = strconv.Itoa(size - less)
		}
	}
	for _, p := range t.spec.Params {
		if values[p.Name] == "" {
			value := within(p, others)
			if value == size && others > n {
				value = within(p, size-1)
			}
			values[p.Name] = strconv.Itoa(value - less)
		}
	}
	return values
}
