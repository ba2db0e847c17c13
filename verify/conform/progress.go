package conform

import (
	"fmt"
	"time"

	"ringcheck/model"
)

// Progress is a snapshot of the work on a log.
type Progress struct {
	Events     int // that are explained
	Hypotheses int // in a total order; else visited configurations
	Line       int // not 0 if the log is not explained: the first wrong line is at most this one
	Time       time.Duration
	Advice     string // an instruction what to log so that there are fewer hypotheses; "" if all is logged
}

// manyHypotheses is the number of hypotheses from which on String says how to have fewer.
const manyHypotheses = 1000

// Elapsed returns the time since the work began.
func (p Progress) Elapsed() time.Duration { return p.Time }

func (p Progress) String() string {
	line := fmt.Sprintf("events explained %s  hypotheses %s  %.0f s", model.Count(p.Events).Comma(),
		model.Count(p.Hypotheses).Comma(), p.Time.Seconds())
	if p.Line > 0 {
		line += fmt.Sprintf("  not explained: at most line %d", p.Line)
	} else if p.Hypotheses >= manyHypotheses && p.Advice != "" {
		line += "  fewer if you " + p.Advice
	}
	return line
}
