package ringcheck

import (
	"context"
	"errors"
	"maps"
	"math/big"
	"slices"
	"time"

	"ringcheck/explore"
	"ringcheck/internal/machine"
	"ringcheck/model"
	"ringcheck/prob"
)

// Lumped is the result of Lump. The quotient's sizes are meaningless if the search is incomplete.
type Lumped struct {
	Subject
	Equivalence string `json:"equivalence"` // "probabilistic"
	Ending
	ProcessSize              // of the quotient
	From         ProcessSize `json:"from"` // of the system
	Seconds      float64     `json:"seconds"`
	PeakRSSBytes uint64      `json:"peak_rss_bytes"`
	Warnings     []Warning   `json:"warnings,omitempty"` // what was assumed of a file

	Quotient *prob.MDP `json:"-"`
}

// Lump computes the quotient of an instance of a spec, or of a process in a file, by probabilistic bisimilarity: draws
// keep their probabilities, and every step counts. Of a spec, each visible label is a reward of 1 for its transitions.
func Lump(ctx context.Context, sys *System, opt ...Options) (*Lumped, error) {
	o, began := only(opt), time.Now()
	r := &Lumped{Equivalence: "probabilistic"}
	m, err := r.process(ctx, sys, &o)
	if err == nil && m != nil {
		r.From = processSize(m)
		if r.Quotient, err = prob.Minimize(ctx, m); err == nil {
			r.ProcessSize = processSize(r.Quotient)
		} else if errors.Is(err, prob.ErrExact) {
			err = refuse("probabilistic", "", "%w", err)
		}
	}
	if err != nil {
		err = r.Ending.Stop(ctx, err)
	}
	if err != nil {
		return nil, err
	}
	r.Seconds, r.PeakRSSBytes = seconds(time.Since(began)), machine.PeakRSS()
	return r, nil
}

// process returns the process of the system; nil if the search did not finish.
func (r *Lumped) process(ctx context.Context, sys *System, o *Options) (*prob.MDP, error) {
	if sys.file != "" {
		r.File = sys.file
		m, warnings, err := r.Ending.readProcess(ctx, sys.file, o)
		r.Warnings = warnings
		return m, err
	}
	t, err := newTask(sys, *o)
	if err != nil {
		return nil, err
	}
	r.Subject = t.about()
	labels, marks := labeller{visible: o.Visible}, map[string]uint32{}
	var m *prob.MDP
	result, err := t.explore(ctx, func() (result *explore.Result, err error) {
		m, result, err = prob.Generate(ctx, t.target, t.options(), func(l model.Label) uint32 {
			info := t.target.Label(l)
			if !labels.shows(info.Text, info.Visible) {
				return 0
			}
			if marks[info.Text] == 0 {
				marks[info.Text] = uint32(len(marks) + 1)
			}
			return marks[info.Text]
		})
		return result, err
	})
	if err != nil {
		return nil, err
	}
	if m != nil { // a file has no marks: there, labels are rewards of 1
		for _, name := range slices.Sorted(maps.Keys(marks)) {
			of := make([]*big.Rat, marks[name]+1)
			of[marks[name]] = big.NewRat(1, 1)
			m.Rewards = append(m.Rewards, prob.Reward{Name: name, Of: of})
		}
	}
	r.Ending, _, err = t.ending(result)
	return m, err
}
