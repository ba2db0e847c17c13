package equivalence

import (
	"context"
	"fmt"
	"sync"

	"ringcheck/bisim/lts"
	"ringcheck/explore"
	"ringcheck/internal/textfile"
	"ringcheck/model"
	"ringcheck/reduce"
	"ringcheck/reduce/symmetry"
	"ringcheck/verify/prob"
)

// GraphOptions say which states and labels of a system are compared.
type GraphOptions struct {
	reduce.Search
	// Visible says which labels are not τ; nil means the events of a spec and all labels of a file. Several goroutines
	// call it.
	Visible func(label string, byDefault bool) bool
	// OnlyEvents says that Visible shows nothing of a spec but events.
	OnlyEvents bool
	// KeepUnreachable keeps states of an .aut file that cannot be reached from its initial state.
	KeepUnreachable bool
	// Strict refuses files of processes that are only read with a warning.
	Strict bool
}

// A Graph is a labelled transition system with the system that it was generated from. Labels that are not visible are
// τ.
type Graph struct {
	reduce.Description
	Size                       // lower bounds if LTS is nil
	LTS         *lts.LTS       `json:"-"` // nil if the search did not complete
	Ending      explore.Ending `json:"-"`
	Unreachable model.Count    `json:"-"` // states of a file that were left out
}

// A Size is the size of a transition system or of a Markov decision process.
type Size struct {
	States      model.Count  `json:"states"`
	Transitions model.Count  `json:"transitions"`        // of a process, its branches
	Choices     *model.Count `json:"choices,omitempty"`  // nil but of a process
	Branches    *model.Count `json:"branches,omitempty"` // likewise
}

func sizeOf(l *lts.LTS) Size {
	return Size{States: model.Count(l.States()), Transitions: model.Count(l.Transitions())}
}

func sizeOfProcess(m *prob.MDP) Size {
	choices, branches := model.Count(m.Choices()), model.Count(m.Branches())
	return Size{model.Count(m.States()), branches, &choices, &branches}
}

// Title names the system and its reductions.
func (g *Graph) Title() string {
	text := g.Description.Title()
	if g.Reduction != reduce.NoReduction.String() && g.Reduction != "" {
		text += ", reduction " + g.Reduction
	}
	if g.Symmetry != reduce.NoSymmetry.String() && g.Symmetry != "" {
		text += ", symmetry " + g.Symmetry
	}
	if g.Assumption != "" {
		text += ", assuming " + g.Assumption
	}
	return text
}

// generate explores a system, or reads its file, and keeps its transitions. A search that ends early is not an error:
// see Graph.Ending.
func generate(ctx context.Context, sys *reduce.System, o *GraphOptions) (*Graph, error) {
	labels := &labeller{visible: o.Visible}
	if sys.File != "" {
		return read(ctx, sys.File, labels, o)
	}
	s, err := o.subject(sys)
	if err != nil {
		return nil, err
	}
	g := &Graph{}
	result, err := s.Explore(ctx, func() (result *explore.Result, err error) {
		g.LTS, result, err = explore.Generate(ctx, s.SearchSystem, s.Search.ExploreOptions(), labels.name)
		return result, err
	})
	if err != nil {
		return nil, err
	}
	g.Description = s.Description()
	g.Size = Size{States: model.Count(result.Stored), Transitions: model.Count(result.Transitions)}
	if g.Ending = result.Ending(); g.LTS == nil {
		return g, nil
	}
	g.Size = sizeOf(g.LTS)
	return g, o.permits(labels.private, s.Search.Symmetry)
}

// subject returns the subject of a search of a system. Permutations of processes preserve the text of events only if
// these do not name processes. The events of a reduced system are compared while it is searched.
func (o *GraphOptions) subject(sys *reduce.System) (*reduce.Subject, error) {
	search := o.Search.Normal()
	var err error
	if search.Symmetry == reduce.Auto && o.Visible != nil && !o.OnlyEvents {
		err = search.WithoutSymmetry("labels that are not events may be visible, and name the process that acts")
	} else if search.Symmetry != reduce.Rotation || search.Reduction == reduce.NoReduction {
		if e := symmetry.NamesProcess(sys.Protocol); e != nil {
			err = search.WithoutSymmetry(
				"event " + e.Name + " names a process, so it is another event in other states of an orbit")
		}
	}
	if err != nil {
		return nil, err
	}
	return reduce.NewSubject(sys, search)
}

// permits returns an error if private, a visible label that is not an event, makes a reduction or the symmetry of the
// searched system unsound.
func (o *GraphOptions) permits(private string, kind reduce.Symmetry) error {
	switch {
	case private == "":
		return nil
	case kind != reduce.NoSymmetry:
		return model.Refuse("visible", private,
			"under symmetry %s only events can be visible, "+
				"because it does not preserve the process that acts; this is not an event", kind)
	case o.Reduction != reduce.NoReduction:
		return model.Refuse("visible", private,
			"under reduction %s only events can be visible; this is not an event", o.Reduction)
	}
	return nil
}

// read reads a system from an .aut file.
func read(ctx context.Context, name string, labels *labeller, o *GraphOptions) (*Graph, error) {
	file, err := textfile.Open(name)
	if err != nil {
		return nil, &model.RequestError{Err: err}
	}
	defer file.Close()
	g := &Graph{Description: reduce.Description{File: name}, Ending: explore.Ending{Complete: true}}
	l, err := lts.ReadAut(ctx, file, o.Budget())
	if err == nil && !o.KeepUnreachable {
		var dropped int
		dropped, err = l.Prune(ctx)
		g.Unreachable = model.Count(dropped)
	}
	if err == nil {
		err = l.Hide(ctx, func(label string) bool { return !labels.shows(label, true) })
	}
	switch {
	case err != nil && g.Ending.Stop(ctx, err) == nil:
		return g, nil
	case err != nil:
		return nil, &model.RequestError{Err: fmt.Errorf("%s: %w", name, err)}
	}
	g.LTS, g.Size = l, sizeOf(l)
	return g, nil
}

// A labeller names the labels of one system.
type labeller struct {
	visible func(label string, byDefault bool) bool
	mu      sync.Mutex
	private string // the least visible label that is not an event; "" if all are events
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
