package command

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"ringcheck"
	"ringcheck/internal/printable"
	"ringcheck/prob"
)

// A probable is what prob prints; its JSON form is an interface that programs rely on.
type probable struct {
	Spec     string             `json:"spec,omitempty"`
	Params   ringcheck.Settings `json:"params,omitempty"`
	Options  ringcheck.Settings `json:"options,omitempty"`
	File     string             `json:"file,omitempty"`
	Symmetry string             `json:"symmetry,omitempty"`
	Reduced  string             `json:"reduction,omitempty"` // if there is one
	ringcheck.Ending
	States       ringcheck.Count  `json:"states"`
	Choices      ringcheck.Count  `json:"choices"`
	Branches     ringcheck.Count  `json:"branches"`
	Results      []probableResult `json:"results"`
	Witness      *witnessed       `json:"witness,omitempty"`
	Seconds      float64          `json:"seconds"`
	PeakRSSBytes uint64           `json:"peak_rss_bytes"`

	run   *ringcheck.Run // of Witness
	until string
	// election is the event that declares a leader, "" if that is not known.
	election string
	curve    bool // show probabilities within numbers of steps as curves
}

// A witnessed is a run that attains an extreme reward, or never comes to the goal.
type witnessed struct {
	Reward    string           `json:"reward"`
	Scheduler string           `json:"scheduler"`
	Length    int              `json:"length"`
	Lasso     *ringcheck.Lasso `json:"lasso,omitempty"`
}

// A probableResult is one number, between Low and High.
type probableResult struct {
	Query     string `json:"query"` // "probability" or "expected"
	Reward    string `json:"reward,omitempty"`
	Until     string `json:"until"`
	Within    *int   `json:"within,omitempty"`
	Scheduler string `json:"scheduler"`
	ringcheck.Value
	interval prob.Interval
}

func newProbableResult(until string, a prob.Answer) probableResult {
	r := probableResult{
		Query: "probability", Until: until, Scheduler: a.Scheduler.String(), Value: ringcheck.NewValue(a.Interval),
		interval: a.Interval,
	}
	if a.Reward != nil {
		r.Query, r.Reward = "expected", a.Reward.Name
	} else if a.Within >= 0 {
		r.Within = &a.Within
	}
	return r
}

func (r *probable) add(a prob.Answer) { r.Results = append(r.Results, newProbableResult(r.until, a)) }

// name says what the number is, but for the goal and the scheduler.
func (r probableResult) name() string {
	switch {
	case r.Reward != "":
		return "expected " + r.Reward
	case r.Within != nil:
		return fmt.Sprintf("probability within %s", printable.Count(*r.Within, "step"))
	}
	return "probability"
}

// name returns what the numbers are about.
func (r *probable) name() string {
	if r.File != "" {
		return r.File
	}
	return ringcheck.Title(r.Spec, r.Params, r.Options)
}

// text returns the report for people.
func (r *probable) text() string {
	var b strings.Builder
	fmt.Fprintln(&b, r.name())
	if !r.Complete {
		fmt.Fprintf(&b, "incomplete (%s)\n", r.Stopped)
	}
	if r.until != "" {
		fmt.Fprintf(&b, "until %s\n", goalText(r.until, r.election))
	}
	b.WriteByte('\n')
	rows := []row{{"states", comma(r.States), ""}}
	if r.Branches > 0 {
		rows = append(rows, row{"choices", comma(r.Choices), ""}, row{"branches", comma(r.Branches), ""})
	}
	writeRows(&b, append(rows, spentRows(r.Seconds, r.PeakRSSBytes)...))
	if r.curve {
		r.writeCurve(&b)
	}
	if lines := r.grid(); len(lines) > 1 {
		b.WriteByte('\n')
		writeColumns(&b, lines, 3, true)
	}
	b.WriteString(r.never())
	return b.String()
}

// never says what it means that a goal is not always reached, or not at all; "" if it always is, or nothing is known.
func (r *probable) never() string {
	missed := false
	for _, result := range r.Results {
		sure := result.interval.Exact != nil && result.interval.Exact.Sign() == 0
		if result.Query == "probability" && result.Within == nil && sure && result.Scheduler != prob.Min.String() {
			return "\n0: the goal is never reached, under any scheduler\n"
		}
		missed = missed || result.interval == prob.Infinite
	}
	switch {
	case !missed:
		return ""
	case r.File != "" || r.run != nil:
		return "\n∞: with a probability above 0 a run never comes to the goal\n"
	}
	return "\n∞: with a probability above 0 a run never comes to the goal; --witness max shows one\n"
}

// goalText says what the words for goals mean; election is the event that declares a leader, "" if that is not known.
func goalText(until, election string) string {
	switch until {
	case ringcheck.UntilElected:
		if election != "" {
			return "elected: after the event " + election
		}
		return "elected: after the event that declares a leader"
	case ringcheck.UntilTerminal:
		return "terminal: in a terminal state"
	}
	return until
}

// grid arranges the results: a line for each quantity, a column for each scheduler.
func (r *probable) grid() [][]string {
	lines := [][]string{{""}}
	columns := map[string]int{}
	for _, result := range r.Results {
		if r.curve && result.Within != nil {
			continue
		}
		if columns[result.Scheduler] == 0 {
			columns[result.Scheduler] = len(lines[0])
			lines[0] = append(lines[0], result.Scheduler)
		}
		if last := lines[len(lines)-1]; last[0] != result.name() || columns[result.Scheduler] < len(last) {
			lines = append(lines, []string{result.name()})
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], intervalText(result.interval))
	}
	return lines
}

// longestFraction is how many characters of a fraction are shown.
const longestFraction = 24

// intervalText returns an interval for people: an exact value, or one and how far the true one may be from it.
func intervalText(i prob.Interval) string {
	switch {
	case i == prob.Infinite:
		return "∞"
	case i.Exact != nil && len(i.Exact.RatString()) <= longestFraction:
		return i.Exact.RatString()
	case i.Low == i.High:
		return strconv.FormatFloat(i.Low, 'g', -1, 64)
	case math.IsInf(i.High, 1):
		return fmt.Sprintf("at least %.6g", math.Nextafter(i.Low, 0))
	}
	return around(i.Low, i.High)
}

// valueText returns a value for people, "" if there is none.
func valueText(v *ringcheck.Value) string {
	if v == nil {
		return ""
	}
	i := prob.Interval{Low: float64(v.Low), High: float64(v.High)}
	i.Exact, _ = new(big.Rat).SetString(v.Exact)
	return intervalText(i)
}

// around writes the middle of an interval, and with one digit, rounded up, how far the ends are from what is written.
func around(low, high float64) string {
	half := (high - low) / 2
	digits := max(0, min(17, -int(math.Floor(math.Log10(half)))))
	middle := fmt.Sprintf("%.*f", digits, low+(high-low)/2)
	shown, _ := new(big.Rat).SetString(middle)
	l, h := new(big.Rat).SetFloat64(low), new(big.Rat).SetFloat64(high)
	off := l.Sub(shown, l)
	if d := h.Sub(h, shown); d.Cmp(off) > 0 {
		off = d
	}
	if off.Sign() == 0 {
		return middle
	}
	e, _ := off.Float64()
	exponent := math.Floor(math.Log10(e))
	unit := math.Pow(10, exponent)
	leading := math.Floor(e/unit) + 1
	if leading > 9 {
		leading, exponent = 1, exponent+1
	}
	return fmt.Sprintf("%s ± %de%d", middle, int(leading), int(exponent))
}
