package ringcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"ringcheck/bisim"
	"ringcheck/explore"
	"ringcheck/internal/machine"
	"ringcheck/internal/textfile"
	"ringcheck/lts"
	"ringcheck/model"
)

// A Graph is a labelled transition system, and what it was made from. Labels that are not visible are τ.
type Graph struct {
	Subject
	Size                 // lower bounds if there is no system
	LTS         *lts.LTS `json:"-"` // nil if the search did not come to its end
	Ending      Ending   `json:"-"`
	Unreachable Count    `json:"-"` // states of a file that were left out
}

// A Size is that of a transition system.
type Size struct {
	States      Count `json:"states"`
	Transitions Count `json:"transitions"`
}

func sizeOf(l *lts.LTS) Size { return Size{Count(l.States()), Count(l.Transitions())} }

// Title names what the system was made from, and how.
func (g *Graph) Title() string {
	text := g.Subject.Title()
	if g.Reduction != none && g.Reduction != "" {
		text += ", reduction " + g.Reduction
	}
	if g.Symmetry != none && g.Symmetry != "" {
		text += ", symmetry " + g.Symmetry
	}
	if g.Assumption != "" {
		text += ", assuming " + g.Assumption
	}
	return text
}

// Generate explores a system, or reads it from its file, and keeps its transitions. A search that ends early is no
// error: see Graph.Ending.
func Generate(ctx context.Context, sys *System, opt ...Options) (*Graph, error) {
	o := only(opt)
	labels := &labeller{visible: o.Visible}
	if sys.file != "" {
		return read(ctx, sys.file, labels, o)
	}
	t, err := newTask(sys, o)
	if err != nil {
		return nil, err
	}
	g := &Graph{Subject: t.about()}
	result, err := t.explore(ctx, func() (result *explore.Result, err error) {
		g.LTS, result, err = explore.Generate(ctx, t.target, t.options(), labels.name)
		return result, err
	})
	if err != nil {
		return nil, err
	}
	g.Size = Size{Count(result.Stored), Count(result.Transitions)}
	if g.Ending, _, err = t.ending(result); err != nil || g.LTS == nil {
		return g, err
	}
	g.Size = sizeOf(g.LTS)
	return g, t.opt.permits(labels.private)
}

// permits fails if labels are visible that a reduction is not sound for.
func (o *Options) permits(private string) error {
	switch {
	case private == "":
		return nil
	case o.Symmetry != NoSymmetry:
		return refuse("visible", private,
			"under symmetry %s only events can be visible, "+
				"since it does not keep which process does what; this is none", o.Symmetry)
	case o.Reduction != NoReduction:
		return refuse("visible", private, "under reduction %s only events can be visible; this is none", o.Reduction)
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
	g := &Graph{Subject: Subject{File: name}, Ending: Ending{Complete: true}}
	l, err := lts.ReadAut(ctx, file, o.budget())
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
	private string // a visible label that is no event, if there is one
}

func (l *labeller) shows(label string, byDefault bool) bool {
	if l.visible == nil {
		return byDefault
	}
	return l.visible(label, byDefault)
}

// name is what explore.Generate calls, from several goroutines.
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

// relation returns the name of an equivalence and reports if a reduction does not keep it.
func relation(e bisim.Equivalence, opt Options) error {
	if opt.Reduction != NoReduction && e != bisim.Branching {
		return refuse("reduce", string(opt.Reduction), "it keeps what a system is modulo branching bisimilarity, not %v", e)
	}
	return nil
}

// A Minimized is what Minimize found. The numbers of the quotient are void if it is not complete.
type Minimized struct {
	Subject
	Equivalence string `json:"equivalence"` // "strong", "branching" or "divergence"
	Ending
	Size                  // of the quotient
	Labels       []string `json:"labels"`                // but for τ, in order
	From         Size     `json:"from"`                  // of the system
	Unreachable  Count    `json:"unreachable,omitempty"` // states of the file that were left out
	Seconds      float64  `json:"seconds"`
	PeakRSSBytes uint64   `json:"peak_rss_bytes"`

	Quotient *lts.LTS `json:"-"`
	Of       *Graph   `json:"-"`
}

// Minimize computes the quotient of a system by an equivalence.
func Minimize(ctx context.Context, sys *System, e bisim.Equivalence, opt ...Options) (*Minimized, error) {
	o, began := only(opt), time.Now()
	if err := relation(e, o); err != nil {
		return nil, err
	}
	g, err := Generate(ctx, sys, o)
	if err != nil {
		return nil, err
	}
	m := &Minimized{
		Subject: g.Subject, Equivalence: e.String(), Ending: g.Ending, Labels: []string{},
		From: g.Size, Unreachable: g.Unreachable, Of: g,
	}
	if g.LTS != nil {
		o.log("%d states, %d transitions after %.3f s", g.States, g.Transitions, time.Since(began).Seconds())
		m.Quotient, _, err = bisim.Minimize(ctx, g.LTS, e, bisim.Options{Memory: o.left(g.LTS)})
		if err != nil {
			err = m.Ending.Stop(ctx, err)
		} else {
			m.Size, m.Labels = sizeOf(m.Quotient), VisibleLabels(m.Quotient)
		}
	}
	m.Seconds, m.PeakRSSBytes = seconds(time.Since(began)), machine.PeakRSS()
	return m, err
}

// VisibleLabels returns the labels of all transitions but τ's, in order.
func VisibleLabels(l *lts.LTS) []string {
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

// A Compared is what Compare found.
type Compared struct {
	Equivalent  *bool  `json:"equivalent,omitempty"` // nil if not complete
	Equivalence string `json:"equivalence"`
	Ending
	Formula      string   `json:"formula,omitempty"`         // holds in A and not in B
	Trace        []string `json:"trace,omitempty"`           // of one of them only, if that is enough
	TraceOf      string   `json:"trace_of,omitempty"`        // which: "a" or "b"
	Cut          string   `json:"explanation_cut,omitempty"` // why there is neither
	A            *Graph   `json:"a,omitempty"`
	B            *Graph   `json:"b,omitempty"`
	Seconds      float64  `json:"seconds"`
	PeakRSSBytes uint64   `json:"peak_rss_bytes"`

	Why *bisim.Difference `json:"-"` // nil if they are equivalent, or no explanation was wanted
}

// Compare says whether two systems are equivalent, and if not, why. The options are for both, or, if there are two, for
// one each.
func Compare(ctx context.Context, a, b *System, e bisim.Equivalence, opt ...Options) (*Compared, error) {
	first, began := only(opt), time.Now()
	second := first
	if len(opt) > 1 {
		second = only(opt[1:])
	}
	if err := errors.Join(relation(e, first), relation(e, second)); err != nil {
		return nil, err
	}
	c := &Compared{Equivalence: e.String()}
	err := c.compare(ctx, a, b, e, first, second)
	c.Seconds, c.PeakRSSBytes = seconds(time.Since(began)), machine.PeakRSS()
	return c, err
}

func (c *Compared) compare(ctx context.Context, a, b *System, e bisim.Equivalence, first, second Options) (err error) {
	first.log("A: %s", a.Name)
	if c.A, err = Generate(ctx, a, first); err != nil {
		return err
	}
	if c.Ending = c.A.Ending; c.A.LTS == nil {
		return nil
	}
	second.log("B: %s", b.Name)
	if c.B, err = Generate(ctx, b, second); err != nil {
		return err
	}
	if c.Ending = c.B.Ending; c.B.LTS == nil {
		return nil
	}
	verdict, err := bisim.Compare(ctx, c.A.LTS, c.B.LTS, e,
		bisim.Options{Memory: first.left(c.A.LTS, c.B.LTS)})
	if err != nil {
		return c.Ending.Stop(ctx, err)
	}
	c.Equivalent = &verdict.Equivalent
	if verdict.Equivalent || first.Explain == NoExplanation {
		return nil
	}
	first.log("not equivalent; looking for the reason")
	return c.explain(ctx, verdict, first)
}

// explain says why the systems are not equivalent. The verdict stands whatever comes of that.
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
		return "the difference lies too deep to be put in a formula"
	}
	return "no trace was found that only one of them can do"
}
