package command

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"ringcheck"
)

// hunting adds the flags of a hunt.
func (c *refutation) hunting(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&c.hunts, "hunt", false, "look for a deep violation by many short strategies side by side; the run "+
		"need not be a shortest one, and a property may be violated even if none is found")
	flags.Uint64Var(&c.seed, "seed", 1, "the `NUMBER` that determines the random choices of --hunt")
}

// huntTime limits a hunt without --timeout.
const huntTime = time.Minute

// hunt runs a hunt on the instance with the given settings.
func (c *refutation) hunt(cmd *cobra.Command) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), cmp.Or(c.search.timeout, huntTime))
	defer cancel()
	sys, err := c.instance()
	if err != nil {
		return err
	}
	run, r, err := ringcheck.Hunt(ctx, sys, c.search.checks.Properties, c.seed, c.options())
	switch {
	case err != nil:
		return err
	case run == nil:
		return c.finish(huntReport(r))
	}
	c.note("found by " + r.By + ", " + countOf(r.Found, "step") + " before it was shortened, after " +
		countOf(r.States, "state"))
	if r.ModelError != nil {
		return cmp.Or(c.draw(run), (&report{stopErr: r.Err()}).verdict())
	}
	return c.show(run, nil)
}

// huntReport reports the strategies of a hunt that found nothing.
func huntReport(h *ringcheck.HuntReport) *report {
	r := newReport(struct {
		Property *string  `json:"property"` // null: none is known to be violated
		Length   *int     `json:"length"`
		Steps    []string `json:"steps"`
		*ringcheck.HuntReport
	}{Steps: []string{}, HuntReport: h}, h.Title(), &h.Ending, "")
	r.Gap()
	r.Line("no violation found; this does not mean that there is none")
	r.Gap()
	for _, s := range h.Strategies {
		r.Row(s.Name, comma(s.States), "states in "+countOf(s.Runs, "run"))
	}
	r.Row("in all", comma(h.States), "states")
	r.Row("deepest", comma(h.Deepest), "steps")
	r.Row("seed", comma(h.Seed))
	r.Row("workers", comma(h.Workers))
	r.cost(h.Seconds, h.PeakRSSBytes)
	return r
}
