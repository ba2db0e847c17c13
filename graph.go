package ringcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sync"
	"time"

	"ringcheck/bisim"
	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/internal/machine"
	"ringcheck/internal/textfile"
	"ringcheck/model"
	"ringcheck/verify/prob"
)

// A Graph is a labelled transition system with the system that it was generated from. Labels that are not visible are
// τ.
type Graph struct {
	Description
	Size                 // lower bounds if LTS is nil
	LTS         *lts.LTS `json:"-"` // nil if the search did not complete
	Ending      Ending   `json:"-"`
	Unreachable Count    `json:"-"` // states of a file that were left out
}

// A Size is the size of a transition system or of a Markov decision process.
type Size struct {
	States      Count  `json:"states"`
	Transitions Count  `json:"transitions"`        // of a process, its branches
	Choices     *Count `json:"choices,omitempty"`  // nil but of a process
	Branches    *Count `json:"branches,omitempty"` // likewise
}

func sizeOf(l *lts.LTS) Size {
	return Size{States: Count(l.States()), Transitions: Count(l.Transitions())}
}

func sizeOfProcess(m *prob.MDP) Size {
	choices, branches := Count(m.Choices()), Count(m.Branches())
	return Size{Count(m.States()), branches, &choices, &branches}
}

// Title names the system and its reductions.
func (g *Graph) Title() string {
	text := g.Description.Title()
	if g.Reduction != NoReduction.String() && g.Reduction != "" {
		text += ", reduction " + g.Reduction
	}
	if g.Symmetry != NoSymmetry.String() && g.Symmetry != "" {
		text += ", symmetry " + g.Symmetry
	}
	if g.Assumption != "" {
		text += ", assuming " + g.Assumption
	}
	return text
}

// generate explores a system, or reads its file, and keeps its transitions. A search that ends early is not an error:
// see Graph.Ending.
func generate(ctx context.Context, sys *System, opt ...Options) (*Graph, error) {
	o := only(opt)
	labels := &labeller{visible: o.Visible}
	if sys.File != "" {
		return read(ctx, sys.File, labels, o)
	}
	t, err := newTask(sys, o)
	if err != nil {
		return nil, err
	}
	g := &Graph{Description: t.Description()}
	result, err := t.explore(ctx, func() (result *explore.Result, err error) {
		g.LTS, result, err = explore.Generate(ctx, t.Searched, t.opt.ExploreOptions(), labels.name)
		return result, err
	})
	if err != nil {
		return nil, err
	}
	g.Size = Size{States: Count(result.Stored), Transitions: Count(result.Transitions)}
	if g.Ending = result.Ending(); g.LTS == nil {
		return g, nil
	}
	g.Size = sizeOf(g.LTS)
	return g, t.opt.permits(labels.private)
}

// permits returns an error if private, a visible label that is not an event, makes a reduction unsound.
func (o *Options) permits(private string) error {
	switch {
	case private == "":
		return nil
	case o.Symmetry != NoSymmetry:
		return model.Refuse("visible", private,
			"under symmetry %s only events can be visible, "+
				"because it does not preserve which process acts; this is not an event", o.Symmetry)
	case o.Reduction != NoReduction:
		return model.Refuse("visible", private,
			"under reduction %s only events can be visible; this is not an event", o.Reduction)
	}
	return nil
}

// read reads a system from an .aut file.
func read(ctx context.Context, name string, labels *labeller, o Options) (*Graph, error) {
	file, err := textfile.Open(name)
	if err != nil {
		return nil, &RequestError{Err: err}
	}
	defer file.Close()
	g := &Graph{Description: Description{File: name}, Ending: Ending{Complete: true}}
	l, err := lts.ReadAut(ctx, file, o.Budget())
	if err == nil && !o.KeepUnreachable {
		var dropped int
		dropped, err = l.Prune(ctx)
		g.Unreachable = Count(dropped)
	}
	if err == nil {
		err = l.Hide(ctx, func(label string) bool { return !labels.shows(label, true) })
	}
	switch {
	case err != nil && g.Ending.Stop(ctx, err) == nil:
		return g, nil
	case err != nil:
		return nil, &RequestError{Err: fmt.Errorf("%s: %w", name, err)}
	}
	g.LTS, g.Size = l, sizeOf(l)
	return g, nil
}

// A labeller names the labels of one system.
type labeller struct {
	visible func(label string, byDefault bool) bool
	mu      sync.Mutex
	private string // the least visible label that is not an event; "" if there is none
}

func (l *labeller) shows(label string, byDefault bool) bool {
	if l.visible == nil {
		return byDefault
	}
	return l.visible(label, byDefault)
}

// name returns the name of a label for explore.Generate, which calls it from several goroutines.
func (l *labeller) name(info model.LabelInfo) string {
	if !l.shows(info.Text, info.Visible) {
		return lts.TauName
	}
	if !info.Visible {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.private == "" || info.Text < l.private {
			l.private = info.Text
		}
	}
	return info.Text
}

// suits returns an error unless the equivalence exists and the reduction preserves it.
func (e Equivalence) suits(opt Options) error {
	if err := oneOf("equivalence", string(e)); err != nil {
		return err
	}
	switch {
	case opt.Reduction != NoReduction && e != Branching:
		return model.Refuse("reduce", string(opt.Reduction),
			"it preserves branching bisimilarity, not %s", e)
	case opt.Assume != "" && e == Probabilistic:
		return model.Refuse("assume", opt.Assume, "it serves reductions, which do not preserve %s bisimilarity", e)
	}
	return nil
}

// A Minimized is the report of Minimize. The numbers of the quotient are meaningless if it is not complete.
type Minimized struct {
	Description
	Equivalence Equivalence `json:"equivalence"`
	Ending
	Size                   // of the quotient
	Labels       []string  `json:"labels,omitzero"`       // other than τ, in order; nil of a process
	From         Size      `json:"from"`                  // of the system
	Unreachable  Count     `json:"unreachable,omitempty"` // states of the file that were left out
	Seconds      float64   `json:"seconds"`
	PeakRSSBytes uint64    `json:"peak_rss_bytes"`
	Warnings     []Warning `json:"warnings,omitempty"` // what was assumed about the file of a process

	Quotient *lts.LTS  `json:"-"` // nil if Lumped is not
	Lumped   *prob.MDP `json:"-"` // the quotient by Probabilistic
	Of       *Graph    `json:"-"`
}

// Minimize computes the quotient of a system by an equivalence. Probabilistic takes an instance of a spec or a process
// in a file, keeps the probabilities of draws, and hides no step; each visible label of a spec is then a reward of 1
// for its transitions.
func Minimize(ctx context.Context, sys *System, e Equivalence, opt ...Options) (*Minimized, error) {
	o, began := only(opt), time.Now()
	if err := e.suits(o); err != nil {
		return nil, err
	}
	m, work := &Minimized{Equivalence: e}, (*Minimized).minimize
	if e == Probabilistic {
		work = (*Minimized).lump
	}
	if err := work(m, ctx, sys, o); err != nil {
		if err = m.Ending.Stop(ctx, err); err != nil {
			return nil, err
		}
	}
	m.Seconds, m.PeakRSSBytes = seconds(time.Since(began)), machine.PeakRSS()
	return m, nil
}

func (m *Minimized) minimize(ctx context.Context, sys *System, o Options) error {
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
func (m *Minimized) lump(ctx context.Context, sys *System, o Options) error {
	if o.KeepUnreachable {
		return model.Refuse("keep-unreachable", "", "it is for transition systems, not for processes")
	}
	process, err := m.process(ctx, sys, &o)
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
func (m *Minimized) process(ctx context.Context, sys *System, o *Options) (*prob.MDP, error) {
	if sys.File != "" {
		m.File = sys.File
		process, warnings, err := readProcess(ctx, &m.Ending, sys.File, o)
		m.Warnings = warnings
		return process, err
	}
	t, err := newTask(sys, *o)
	if err != nil {
		return nil, err
	}
	m.Description = t.Description()
	labels, marks := labeller{visible: o.Visible}, map[string]uint32{}
	var process *prob.MDP
	result, err := t.explore(ctx, func() (result *explore.Result, err error) {
		process, result, err = prob.Generate(ctx, t.Searched, t.opt.ExploreOptions(), func(l model.Label) uint32 {
			info := t.Searched.Label(l)
			if !labels.shows(info.Text, info.Visible) {
				return 0
			}
			if marks[info.Text] == 0 {
				marks[info.Text] = uint32(len(marks) + 1)
			}
			return marks[info.Text]
		}, nil)
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
	m.From = Size{States: Count(result.Stored), Transitions: Count(result.Transitions)}
	return process, nil
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

// A Compared is the report of Compare.
type Compared struct {
	Equivalent  *bool       `json:"equivalent,omitempty"` // nil if not complete
	Equivalence Equivalence `json:"equivalence"`
	Ending
	Formula      string   `json:"formula,omitempty"`         // true in A and false in B
	Trace        []string `json:"trace,omitempty"`           // of only one of them, if traces differ
	TraceOf      string   `json:"trace_of,omitempty"`        // which: "a" or "b"
	Cut          string   `json:"explanation_cut,omitempty"` // why there is neither
	A            *Graph   `json:"a,omitempty"`
	B            *Graph   `json:"b,omitempty"`
	Seconds      float64  `json:"seconds"`
	PeakRSSBytes uint64   `json:"peak_rss_bytes"`

	Why *bisim.Difference `json:"-"` // nil if they are equivalent or Explain is NoExplanation
}

// Compare decides whether two systems are equivalent, and explains a difference. One Options is for both systems; of
// two, each is for one system.
func Compare(ctx context.Context, a, b *System, e Equivalence, opt ...Options) (*Compared, error) {
	first, began := only(opt), time.Now()
	second := first
	if len(opt) > 1 {
		second = only(opt[1:])
	}
	if err := cmp.Or(e.suits(first), e.suits(second), oneOf("explain", string(first.Explain))); err != nil {
		return nil, err
	}
	relation, err := bisim.ParseEquivalence(string(e))
	if err != nil {
		return nil, model.Refuse("equivalence", string(e), "it is not an equivalence for comparing systems")
	}
	c := &Compared{Equivalence: e}
	err = c.compare(ctx, a, b, relation, first, second)
	c.Seconds, c.PeakRSSBytes = seconds(time.Since(began)), machine.PeakRSS()
	return c, err
}

func (c *Compared) compare(ctx context.Context, a, b *System, e bisim.Equivalence, first, second Options) (err error) {
	first.Logf("A: %s", a.Name)
	if c.A, err = generate(ctx, a, first); err != nil {
		return err
	}
	if c.Ending = c.A.Ending; c.A.LTS == nil {
		return nil
	}
	second.Logf("B: %s", b.Name)
	if c.B, err = generate(ctx, b, second); err != nil {
		return err
	}
	if c.Ending = c.B.Ending; c.B.LTS == nil {
		return nil
	}
	verdict, err := bisim.Compare(ctx, c.A.LTS, c.B.LTS, e,
		bisim.Options{Memory: first.Remaining(c.A.LTS, c.B.LTS)})
	if err != nil {
		return c.Ending.Stop(ctx, err)
	}
	c.Equivalent = &verdict.Equivalent
	if verdict.Equivalent || first.Explain == NoExplanation {
		return nil
	}
	first.Logf("not equivalent; looking for the reason")
	return c.explain(ctx, verdict, first)
}

// explain says why the systems are not equivalent. If it fails to, the verdict stands.
func (c *Compared) explain(ctx context.Context, verdict *bisim.Comparison, opt Options) (err error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(opt.ExplainWithin, 5*time.Second))
	defer cancel()
	c.Why, err = verdict.Explain(ctx, opt.Explain != ByTrace)
	if errors.Is(err, bisim.ErrUnconfirmed) {
		return err
	}
	if c.Why.Formula != nil {
		c.Formula = c.Why.Formula.String()
	}
	if c.Trace = c.Why.Trace; c.Trace != nil {
		c.TraceOf = map[bool]string{true: "a", false: "b"}[c.Why.TraceOfFirst]
	}
	if c.Formula == "" && c.Trace == nil {
		c.Cut = cutBy(ctx, err)
	}
	return nil
}

// cutBy says why there is no explanation.
func cutBy(ctx context.Context, err error) string {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "out of time"
	case ctx.Err() != nil:
		return "interrupted"
	case errors.Is(err, lts.ErrMemory):
		return "out of memory"
	case err != nil:
		return "the difference is too deep for a formula"
	}
	return "no trace was found that only one of them has"
}
