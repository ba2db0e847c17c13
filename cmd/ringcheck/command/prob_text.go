package command

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"ringcheck"
	"ringcheck/prob"
)

// quantifiedText returns a report for people, with curves of the probabilities within numbers of steps if these are wanted.
func quantifiedText(r *ringcheck.Quantified, curves bool) string {
	var b strings.Builder
	fmt.Fprintln(&b, r.Title())
	if !r.Complete {
		fmt.Fprintf(&b, "incomplete (%s)\n", r.Stopped)
	}
	if r.Until != "" {
		fmt.Fprintf(&b, "until %s\n", goalText(r.Until, r.Event))
	}
	b.WriteByte('\n')
	rows := []row{{"states", comma(r.States), ""}}
	if r.Branches > 0 {
		rows = append(rows, row{"choices", comma(r.Choices), ""}, row{"branches", comma(r.Branches), ""})
	}
	writeRows(&b, append(rows, spentRows(r.Seconds, r.PeakRSSBytes)...))
	if curves {
		writeCurve(&b, r)
	}
	if lines := grid(r, curves); len(lines) > 1 {
		b.WriteByte('\n')
		writeColumns(&b, lines, 3, true)
	}
	b.WriteString(never(r))
	return b.String() + warningText(r.Warnings)
}

// warningText shows what was assumed of a file.
func warningText(list []ringcheck.Warning) string {
	text := ""
	for _, w := range list {
		text += fmt.Sprintf("\n%s: warning: %s\n", w.Place, w.Text)
	}
	return text
}

// never says what it means that a goal is not always reached, or not at all; "" if it always is, or nothing is known.
func never(r *ringcheck.Quantified) string {
	missed := false
	for _, result := range r.Results {
		if result.Query == "probability" && result.Within == nil && result.Exact == "0" && result.Scheduler != prob.Min.String() {
			return "\n0: the goal is never reached, under any scheduler\n"
		}
		missed = missed || math.IsInf(float64(result.Low), 1)
	}
	switch {
	case !missed:
		return ""
	case r.File != "" || r.Witness != nil:
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

// grid arranges the results, but for those that are shown as curves: a line for each quantity, a column for each scheduler.
func grid(r *ringcheck.Quantified, curves bool) [][]string {
	lines := [][]string{{""}}
	columns := map[string]int{}
	for _, result := range r.Results {
		if curves && result.Within != nil {
			continue
		}
		if columns[result.Scheduler] == 0 {
			columns[result.Scheduler] = len(lines[0])
			lines[0] = append(lines[0], result.Scheduler)
		}
		if last := lines[len(lines)-1]; last[0] != result.Name() || columns[result.Scheduler] < len(last) {
			lines = append(lines, []string{result.Name()})
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], valueText(&result.Value))
	}
	return lines
}

// longestFraction is how many characters of a fraction are shown.
const longestFraction = 24

// valueText returns a value for people: an exact one, or one and how far the true one may be from it; "" if there is none.
func valueText(v *ringcheck.Value) string {
	if v == nil {
		return ""
	}
	switch low, high := float64(v.Low), float64(v.High); {
	case math.IsInf(low, 1):
		return "∞"
	case v.Exact != "" && len(v.Exact) <= longestFraction:
		return v.Exact
	case low == high:
		return strconv.FormatFloat(low, 'g', -1, 64)
	case math.IsInf(high, 1):
		return fmt.Sprintf("at least %.6g", math.Nextafter(low, 0))
	default:
		return around(low, high)
	}
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
