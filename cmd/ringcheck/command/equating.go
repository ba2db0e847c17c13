package command

import (
	"time"

	"github.com/spf13/cobra"
)

// equating is what the sub-commands about equivalences have in common.
type equating struct {
	*app
	search   search
	visible  visibility
	relation relation
	json     bool
	began    time.Time
}

func newEquating(a *app) equating { return equating{app: a, began: time.Now()} }

func (e *equating) register(cmd *cobra.Command) {
	e.search.register(cmd)
	e.relation.register(cmd)
	e.visible.register(cmd)
	cmd.Flags().BoolVar(&e.json, "json", false, "write one JSON object to standard output, and nothing else there")
}

// spent returns what the work has taken so far, for a report.
func (e *equating) spent() (seconds float64, rss uint64) {
	return roundTo(time.Since(e.began).Seconds(), 1000), peakRSS()
}

// write prints a report in the form that is asked for.
func (e *equating) write(report interface{ text() string }) error {
	if e.json {
		return e.printJSON(report)
	}
	return e.print(report.text())
}
