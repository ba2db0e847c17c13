package command

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"ringcheck"
	"ringcheck/internal/tabular"
	"ringcheck/prob"
	"ringcheck/results/figure"
)

// quantifiedText returns a report for people.
func quantifiedText(r *ringcheck.Quantified) string {
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
	if t := grid(r); len(t.Rows) > 1 {
		b.WriteString("\n" + t.Text(2, 3))
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
		if result.Query == "probability" && result.Within == nil && result.Exact == "0" &&
			result.Scheduler != prob.Min.String() {
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

// grid arranges the results: a line for each quantity, a column for each scheduler.
func grid(r *ringcheck.Quantified) *tabular.Table {
	t := &tabular.Table{Align: "lr", Rows: [][]string{{""}}}
	column := map[string]int{}
	for _, result := range r.Results {
		if column[result.Scheduler] == 0 {
			column[result.Scheduler] = len(t.Rows[0])
			t.Rows[0] = append(t.Rows[0], result.Scheduler)
		}
		if last := t.Rows[len(t.Rows)-1]; last[0] != result.Name() || column[result.Scheduler] < len(last) {
			t.Add(result.Name())
		}
		last := &t.Rows[len(t.Rows)-1]
		*last = append(*last, valueText(&result.Value))
	}
	return t
}

// longestFraction is how many characters of a fraction are shown.
const longestFraction = 24

// valueText returns a value for people: an exact one, or one and how far the true one may be from it; "" if there is
// none.
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

// savePlot draws the probabilities within numbers of steps into the file of --plot.
func (p *probability) savePlot(r *ringcheck.Quantified) error {
	picture := figure.Curves{Title: r.Title() + ", until " + r.Until, Curves: curves(r)}
	if p.plot.ending() == ".csv" {
		return p.plot.save(picture.CSV)
	}
	return p.plot.save(picture.SVG)
}

// curves returns the curves, each of one scheduler; with all of them, that of the uniform one, between the others.
func curves(r *ringcheck.Quantified) []figure.Curve {
	points := map[string][]figure.Point{}
	for _, result := range r.Results {
		if result.Within != nil {
			point := figure.Point{Steps: *result.Within, Low: float64(result.Low), High: float64(result.High)}
			points[result.Scheduler] = append(points[result.Scheduler], point)
		}
	}
	uniform, least, greatest := prob.Uniform.String(), prob.Min.String(), prob.Max.String()
	if len(points) == len(ringcheck.Choices("scheduler"))-1 {
		return []figure.Curve{
			{Name: uniform, Points: points[uniform], Least: points[least], Greatest: points[greatest]},
		}
	}
	var list []figure.Curve
	for name, p := range points {
		list = append(list, figure.Curve{Name: name, Points: p})
	}
	return list
}
