package costs_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"ringcheck"
	"ringcheck/internal/document"
	"ringcheck/results/costs"
	"ringcheck/results/figure"
)

// Sizes of what the page shows.
const (
	largest       = 1000 // ring of which the rounds are shown
	largestCycled = 9    // ring of which all arrangements are taken
	mostRounds    = 20   // of the distribution
)

// Sizes of rings that the tables of rounds and of their distribution show.
var (
	shown       = []int{2, 3, 4, 5, 6, 8, 10, 16, 32, 64, 128, 256, 512, 1000}
	distributed = []int{2, 3, 4, 6, 8, 16, 32, 64}
)

// Figures are the settings of the curves, n and k.
var Figures = [][2]int{{3, 2}, {4, 2}, {4, 3}, {5, 2}, {6, 2}}

// figureName is how the files of the curves for a setting begin.
func figureName(n, k int) string { return fmt.Sprintf("figure3-%d-%d", n, k) }

// Page returns the page and the files that it shows, by name. The curves are those that are in dir; they are not
// computed anew.
func Page(ctx context.Context, dir fs.FS) (map[string][]byte, error) {
	p := &page{ctx: ctx, dir: dir, files: make(map[string][]byte)}
	p.line(`# Costs and chances

What the papers say about messages, rounds and deadlines, beside what is exactly so. This page is written by

    go test ./results/costs -run Page -update

and is not to be edited. Its claims are tests of package costs, which compare every program here with the protocols
themselves, explored.
`)
	for _, part := range []func() error{p.rounds, p.figures, p.messages, p.stages, p.draws} {
		if err := part(); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	p.files["README.md"] = p.b.Bytes()
	return p.files, nil
}

type page struct {
	ctx   context.Context
	dir   fs.FS
	files map[string][]byte
	b     bytes.Buffer
}

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

// save makes the files of a table and its plot, whose vertical axis begins at 0.
func (p *page) save(table string, t *document.Table, picture string, drawn *plot.Plot) error {
	var csv, svg bytes.Buffer
	drawn.Y.Min, drawn.Legend.Top = 0, true
	if err := cmp.Or(t.CSV(&csv), figure.SVG(&svg, drawn)); err != nil {
		return err
	}
	p.files[table], p.files[picture] = csv.Bytes(), svg.Bytes()
	return nil
}

// rounds writes what is known of the chain of rounds.
func (p *page) rounds() error {
	p.line(`## Rounds of probabilistic Franklin

- *"On average, in each election round about 3/8 of the active processes become passive"* (Bakhshi et al., Sect. 4):
  with two identities **exactly 3/8**, of three or more. With k identities it is 1 − (k + 1)(2k + 1) / 6k²: about
  **half**, as the note has it, with three (13/27), and 2/3 with many. Of two processes it is (k − 1) / 2k.
- *"Each election round takes 2n − 2 messages"*: **2n**, with the leader's own. To the end a run takes 2n messages and
  4n steps a round, whoever schedules; to the event by which the leader declares itself, up to n − 1 messages and
  2n − 2 steps less. So all extreme values are those of the chain of rounds R: messages until elected from
  2n E[R] − (n − 1) to 2n E[R], steps from 4n E[R] − (2n − 2) to 4n E[R].
- *"O(n log n) messages on average"* (Sect. 1, and Theorem 5 of the note): divided by n log2 n, the expected number
  falls from n = 4 on, for two identities as for three.
- The announcement of the leader takes from 1 to n messages more, by the schedule.

Expected number of rounds, the last one included, exactly from the chain of rounds; digits are cut off. All n up to
1,000 are in [rounds.csv](rounds.csv).
`)
	two := costs.NewRounds(largest, 2)
	if err := p.expected(two, costs.NewRounds(largest, 3)); err != nil {
		return err
	}
	return p.distribution(two)
}

// expected writes the expected numbers of rounds.
func (p *page) expected(chains ...*costs.Rounds) error {
	expected := make([][]costs.Ratio, len(chains))
	brief, all := &document.Table{Head: []string{"n"}, Align: "r"}, &document.Table{Head: []string{"n"}}
	drawn := figure.New("Probabilistic Franklin: expected messages / (n log2 n)", "processes", "messages / (n log2 n)")
	for i, chain := range chains {
		k := chain.K
		expected[i] = chain.Expected()
		brief.Head = append(brief.Head, fmt.Sprintf("E[rounds], k = %d", k), "messages", "/ (n log2 n)")
		all.Head = append(all.Head, fmt.Sprintf("rounds k=%d", k), fmt.Sprintf("messages/(n log2 n) k=%d", k))
		var points plotter.XYs
		for n := 2; n <= largest; n++ {
			points = append(points, plotter.XY{X: float64(n), Y: PerLog(n, expected[i][n])})
		}
		if err := figure.AddLine(drawn, i, fmt.Sprintf("k = %d", k), points, false); err != nil {
			return err
		}
	}
	for n := 2; n <= largest; n++ {
		row := []string{strconv.Itoa(n)}
		short := slices.Clone(row)
		for i := range chains {
			e := expected[i][n]
			row = append(row, e.Decimal(30), fmt.Sprintf("%.9f", PerLog(n, e)))
			text := e.Decimal(12)
			if n <= 6 {
				text = e.Rat().RatString() + " = " + text
			}
			short = append(short, text, fmt.Sprintf("%.3f", 2*float64(n)*e.Float()), fmt.Sprintf("%.4f", PerLog(n, e)))
		}
		all.Add(row...)
		if slices.Contains(shown, n) {
			brief.Add(short...)
		}
	}
	p.line("%s\n![messages divided by n log2 n](messages.svg)\n", brief.Markdown())
	drawn.X.Scale, drawn.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	return p.save("rounds.csv", all, "messages.svg", drawn)
}

// distribution writes how many rounds there are with two identities, and how likely.
func (p *page) distribution(r *costs.Rounds) error {
	p.line(`Probability that there are at most so many rounds, with two identities; that of exactly so many is in
[distribution.csv](distribution.csv).
`)
	small := &costs.Rounds{N: slices.Max(distributed), K: r.K, Count: r.Count}
	within, exactly := &document.Table{Head: []string{"rounds"}, Align: "r"}, &document.Table{Head: []string{"rounds"}}
	lines := make([]plotter.XYs, len(distributed))
	for _, n := range distributed {
		within.Head = append(within.Head, fmt.Sprintf("n = %d", n))
		exactly.Head = append(exactly.Head, fmt.Sprintf("n=%d", n))
	}
	before := small.Within(0)
	for rounds := 1; rounds <= mostRounds; rounds++ {
		now := small.Within(rounds)
		most, just := []string{strconv.Itoa(rounds)}, []string{strconv.Itoa(rounds)}
		for i, n := range distributed {
			difference := new(big.Rat).Sub(now[n], before[n])
			most, just = append(most, now[n].FloatString(6)), append(just, difference.FloatString(12))
			y, _ := difference.Float64()
			lines[i] = append(lines[i], plotter.XY{X: float64(rounds), Y: y})
		}
		within.Add(most...)
		exactly.Add(just...)
		before = now
	}
	drawn := figure.New("Probabilistic Franklin, two identities: distribution of the number of rounds", "rounds",
		"probability")
	for i, n := range distributed {
		if err := figure.AddLine(drawn, i, fmt.Sprintf("n = %d", n), lines[i], false); err != nil {
			return err
		}
	}
	p.line("%s\n![distribution of the number of rounds](distribution.svg)\n", within.Markdown())
	return p.save("distribution.csv", exactly, "distribution.svg", drawn)
}

// figures writes what Fig. 3 shows, from the curves that there are.
func (p *page) figures() error {
	p.line(`## Deadlines: Fig. 3

*"The experimental results presented in Fig. 3 indicate that Algorithm A has a much better performance than Algorithm
B"* (Bakhshi et al., Sect. 6): the figure shows the probability to elect a leader within t steps, for t up to 150. What
the text fixes is that a step is a transition; it does not say for how many processes and identities, nor who schedules.
Below, lines are for the scheduler that takes every enabled choice with equal probability, and bands go from the least
to the greatest scheduler. A band is as wide as a round can end early, 2n − 2 steps of 4n: within a band it is the
schedule that counts, and outside of it the draws alone.

Which reading of B? *"Only if either of the two messages it received carried an identity equal to its own"* can mean one
of them (B) or each of them (B2). **"Much better" holds if B means B2**; literally, A is ahead of B by little, and not
at all with three processes and two identities.
`)
	t := &document.Table{Align: "llr", Head: []string{
		"n, k", "", "B: A is ahead by at most", "after steps", "B2: A is ahead by at most", "after steps"}}
	for _, f := range Figures {
		name := figureName(f[0], f[1])
		text, err := fs.ReadFile(p.dir, name+".csv")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		lead, err := leads(text)
		if err != nil {
			return fmt.Errorf("%s.csv: %w", name, err)
		}
		t.Add(append([]string{fmt.Sprintf("%d, %d", f[0], f[1]), fmt.Sprintf("[picture](%s.svg), [table](%s.csv)", name,
			name)}, lead...)...)
	}
	p.line("%s\n![Fig. 3 for four processes and two identities](%s.svg)\n", t.Markdown(), figureName(4, 2))
	return nil
}

// leads returns by how much the first curve of a table is ahead of each of the others at most, under the uniform
// scheduler, and when.
func leads(text []byte) ([]string, error) {
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	bad := error(nil)
	middle := func(line []string, name string) float64 {
		i := slices.Index(lines[0], name+" low")
		if i < 0 || i+1 >= len(line) {
			bad = fmt.Errorf("no column %s low, followed by its high", name)
			return 0
		}
		low, err1 := strconv.ParseFloat(line[i], 64)
		high, err2 := strconv.ParseFloat(line[i+1], 64)
		bad = cmp.Or(bad, err1, err2)
		return (low + high) / 2
	}
	var cells []string
	for _, other := range Readings[1:] {
		most, when := 0.0, "–"
		for _, line := range lines[1:] {
			if ahead := middle(line, Readings[0].Name) - middle(line, other.Name); ahead > most+1e-9 {
				most, when = ahead, line[0]
			}
		}
		cells = append(cells, fmt.Sprintf("%.4f", most), when)
	}
	return cells, bad
}

// messages writes the table of protocols with unique identities.
func (p *page) messages() error {
	p.line(`## Messages of protocols with unique identities

Least, mean and greatest number of messages up to a terminal state, over all arrangements of identities around the ring,
each equally likely. One run for each arrangement is enough: what is counted does not depend on the schedule (see the
documentation of costs.Messages; the tests compare with all schedules up to n = 4). Franklin's with the announcement of
the leader is an exception: to its row from 1 to n are to be added, by the schedule.
`)
	t := &document.Table{Head: []string{"protocol"}, Align: "lr"}
	for n := 2; n <= largestCycled; n++ {
		t.Head = append(t.Head, fmt.Sprintf("n = %d", n))
	}
	for _, protocol := range Protocols {
		cells := []string{protocol.Name}
		for n := 2; n <= largestCycled; n++ {
			tallies, err := Messages(p.ctx, protocol.Spec, protocol.Settings(n))
			if err != nil {
				return err
			}
			cells = append(cells, tallies["messages"].String())
		}
		t.Add(cells...)
	}
	p.line("%s\nChang and Roberts' mean is n (1 + 1/2 + … + 1/n), its greatest number n (n + 1) / 2, as the papers "+
		"say.\n", t.Markdown())
	return nil
}

// String is "5 · 5.500 · 6": least, mean, greatest; or the one number that it always is.
func (t *Tally) String() string {
	if t.Least == t.Greatest {
		return strconv.FormatInt(t.Least, 10)
	}
	return fmt.Sprintf("%d · %s · %d", t.Least, t.Mean.FloatString(3), t.Greatest)
}

// stages writes the note's bound beside what there is.
func (p *page) stages() error {
	p.line(`## Hirschberg and Sinclair: the bound of the note

*"The total number of messages sent is bounded by 4 (n + 2 ⌊n/2⌋ + 4 ⌊n/3⌋ + 8 ⌊n/5⌋ + …)"* (Sect. 4): it is, with a term
for each of the 1 + ⌈log2 n⌉ stages. At stage i there are at most n candidates if i = 0, else ⌊n / (2^(i−1) + 1)⌋, which
is what the sum uses; the text before it has n / (2^i + 1). A cell has the least, mean and greatest number of candidates
at the stage, over all arrangements, and behind "of" what the term allows.
`)
	t := &document.Table{Align: "r", Head: []string{
		"n", "greatest number of messages", "bound", "candidates at stage 0", "stage 1", "stage 2", "stage 3",
		"stage 4"}}
	for n := 2; n <= largestCycled; n++ {
		tallies, err := Messages(p.ctx, "hirschberg-sinclair", ringcheck.Set{"n": n})
		if err != nil {
			return err
		}
		stages, err := Stages(p.ctx, n)
		if err != nil {
			return err
		}
		bound := int64(0)
		var sum, cells []string
		for i, term := range Bound(int64(n)) {
			bound += term.Messages
			sum = append(sum, strconv.FormatInt(term.Messages, 10))
			cells = append(cells, fmt.Sprintf("%v of %d", &stages[i], term.Candidates))
		}
		for len(cells) < 5 {
			cells = append(cells, "")
		}
		t.Add(append([]string{strconv.Itoa(n), strconv.FormatInt(tallies["messages"].Greatest, 10),
			fmt.Sprintf("%s = %d", strings.Join(sum, " + "), bound)}, cells...)...)
	}
	p.line("%s", t.Markdown())
	return nil
}

// draws writes the table of protocols that draw.
func (p *page) draws() error {
	p.line(`## Messages of protocols that draw

Expected number of messages up to a terminal state: under the least, the uniform and the greatest scheduler, with the
digits that are certain. Franklin's, and those of Itai and Rodeh and of Dolev, Klawe and Rodeh, do not depend on the
schedule.
`)
	t := &document.Table{Head: []string{"protocol", "n", "min", "uniform", "max"}, Align: "lr"}
	for _, c := range []struct {
		name, spec string
		set        ringcheck.Set
		most       int
	}{
		{"Franklin, k = 2", "franklin", nil, 4},
		{"Franklin, k = 2, announced", "franklin", ringcheck.Set{"announce": "true"}, 4},
		{"Itai–Rodeh, k = 2", "itai-rodeh", nil, 6},
		{"Dolev–Klawe–Rodeh, drawn, k = 2", "dkr", nil, 4},
	} {
		for n := 2; n <= c.most; n++ {
			cells, err := p.certain(c.spec, ringcheck.Set{"n": n}, c.set)
			if err != nil {
				return err
			}
			t.Add(append([]string{c.name, strconv.Itoa(n)}, cells...)...)
		}
	}
	p.b.WriteString(t.Markdown())
	return nil
}

// certain returns the expected number of messages for each scheduler, with the digits that are certain.
func (p *page) certain(spec string, sets ...ringcheck.Set) ([]string, error) {
	var asked []ringcheck.Quantity
	for _, s := range []string{"min", "uniform", "max"} {
		asked = append(asked, ringcheck.Quantity{Until: "terminal", Reward: "messages", Scheduler: s})
	}
	values, err := quantify(p.ctx, asked, spec, sets...)
	if err != nil {
		return nil, err
	}
	var cells []string
	for _, v := range values {
		low, high := new(big.Rat).SetFloat64(float64(v.Low)), new(big.Rat).SetFloat64(float64(v.High))
		cell := "?"
		for digits := 9; digits >= 0; digits-- {
			if text := low.FloatString(digits); text == high.FloatString(digits) {
				cell = text
				break
			}
		}
		cells = append(cells, cell)
	}
	return cells, nil
}
