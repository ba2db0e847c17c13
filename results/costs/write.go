package costs

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"strconv"
	"strings"

	"ringcheck"
)

// Sizes of what the page shows.
const (
	largest       = 1000 // ring of which the rounds are shown
	identities    = 3    // at most, of the chain of rounds
	largestCycled = 9    // ring of which all arrangements are taken
)

// Figures are the settings of the curves, n and k.
var Figures = [][2]int{{3, 2}, {4, 2}, {4, 3}, {5, 2}, {6, 2}}

// FigureName is how the files of the curves for a setting begin.
func FigureName(n, k int) string { return fmt.Sprintf("figure3-%d-%d", n, k) }

// Page returns the page and the files that it shows, by name. The curves are those that are in dir; they are not worked out anew.
func Page(ctx context.Context, dir fs.FS) (map[string][]byte, error) {
	p := &page{ctx: ctx, dir: dir, files: make(map[string][]byte)}
	p.line(`# Costs and chances

What the papers say about messages, rounds and deadlines, beside what is exactly so. This page is written by

    go run ./results/costs/page

and is not to be edited. Its claims are tests of package costs, which compare every program here with the protocols themselves, explored.
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

// row writes a row of a table.
func (p *page) row(cells ...string) { p.line("| %s |", strings.Join(cells, " | ")) }

// head writes the head of a table whose columns are numbers but for the first ones.
func (p *page) head(words int, cells ...string) {
	p.row(cells...)
	rule := make([]string, len(cells))
	for i := range rule {
		if rule[i] = "--:"; i < words {
			rule[i] = "---"
		}
	}
	p.line("|%s|", strings.Join(rule, "|"))
}

// rounds writes what is known of the chain of rounds.
func (p *page) rounds() error {
	chains := map[int]*Rounds{}
	expected := map[int][]Ratio{}
	for k := 2; k <= identities; k++ {
		chains[k] = NewRounds(largest, k)
		expected[k] = chains[k].Expected()
	}
	p.line(`## Rounds of probabilistic Franklin

- *"On average, in each election round about 3/8 of the active processes become passive"* (Bakhshi et al., Sect. 4): with two identities **exactly 3/8**, of three or more. With k
  identities it is 1 − (k + 1)(2k + 1) / 6k²: about **half**, as the note has it, with three (13/27), and 2/3 with many. Of two processes it is (k − 1) / 2k.
- *"Each election round takes 2n − 2 messages"*: **2n**, with the leader's own. To the end a run takes 2n messages and 4n steps a round, whoever schedules; to the event by
  which the leader declares itself, up to n − 1 messages and 2n − 2 steps less. So all extreme values are those of the chain of rounds R:
  messages until elected from 2n E[R] − (n − 1) to 2n E[R], steps from 4n E[R] − (2n − 2) to 4n E[R].
- *"O(n log n) messages on average"* (Sect. 1, and Theorem 5 of the note): divided by n log2 n, the expected number falls from n = 4 on, for two identities as for three.
- The announcement of the leader takes from 1 to n messages more, by the schedule.

Expected number of rounds, the last one included, exactly from the chain of rounds; digits are cut off. All n up to 1,000 are in [rounds.csv](rounds.csv).
`)
	p.head(0, "n", "E[rounds], k = 2", "messages", "/ (n log2 n)", "E[rounds], k = 3", "messages", "/ (n log2 n)")
	for _, n := range []int{2, 3, 4, 5, 6, 8, 10, 16, 32, 64, 128, 256, 512, 1000} {
		cells := []string{strconv.Itoa(n)}
		for k := 2; k <= identities; k++ {
			e := expected[k][n]
			text := e.Decimal(12)
			if n <= 6 {
				text = e.Rat().RatString() + " = " + text
			}
			cells = append(cells, text, fmt.Sprintf("%.3f", 2*float64(n)*e.Float()), fmt.Sprintf("%.4f", PerLog(n, e)))
		}
		p.row(cells...)
	}
	p.line("\n![messages divided by n log2 n](messages.svg)\n")
	p.distribution(chains[2])
	if err := p.roundFiles(expected); err != nil {
		return err
	}
	return p.distributionFile(chains[2])
}

// distributed are the ring sizes of which the distribution of rounds is shown.
var distributed = []int{2, 3, 4, 6, 8, 16, 32, 64}

// mostRounds is how far the distribution is shown.
const mostRounds = 20

func (p *page) distribution(r *Rounds) {
	p.line("Probability that there are at most so many rounds, with two identities; that of exactly so many is in [distribution.csv](distribution.csv).\n")
	small := &Rounds{N: distributed[len(distributed)-1], K: r.K, Count: r.Count}
	cells := []string{"rounds"}
	for _, n := range distributed {
		cells = append(cells, fmt.Sprintf("n = %d", n))
	}
	p.head(0, cells...)
	for rounds := 1; rounds <= mostRounds; rounds++ {
		within := small.Within(rounds)
		cells := []string{strconv.Itoa(rounds)}
		for _, n := range distributed {
			cells = append(cells, within[n].FloatString(6))
		}
		p.row(cells...)
	}
	p.line("\n![distribution of the number of rounds](distribution.svg)\n")
}

// messages writes the table of protocols with unique identities.
func (p *page) messages() error {
	p.line(`## Messages of protocols with unique identities

Least, mean and greatest number of messages up to a terminal state, over all arrangements of identities around the ring, each equally likely. One run for each
arrangement is enough: what is counted does not depend on the schedule (see the documentation of costs.Messages; the tests compare with all schedules up to n = 4).
Franklin's with the announcement of the leader is an exception: to its row from 1 to n are to be added, by the schedule.
`)
	cells := []string{"protocol"}
	for n := 2; n <= largestCycled; n++ {
		cells = append(cells, fmt.Sprintf("n = %d", n))
	}
	p.head(1, cells...)
	for _, protocol := range Protocols {
		cells := []string{protocol.Name}
		for n := 2; n <= largestCycled; n++ {
			sys, err := ringcheck.Load(protocol.Spec, protocol.Settings(n))
			if err != nil {
				return err
			}
			tallies, err := Messages(p.ctx, sys)
			if err != nil {
				return err
			}
			cells = append(cells, tallies["messages"].String())
		}
		p.row(cells...)
	}
	p.line("\nChang and Roberts' mean is n (1 + 1/2 + … + 1/n), its greatest number n (n + 1) / 2, as the papers say.\n")
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

*"The total number of messages sent is bounded by 4 (n + 2 ⌊n/2⌋ + 4 ⌊n/3⌋ + 8 ⌊n/5⌋ + …)"* (Sect. 4): it is, with a term for each of the 1 + ⌈log2 n⌉ stages. At stage i there are
at most n candidates if i = 0, else ⌊n / (2^(i−1) + 1)⌋, which is what the sum uses; the text before it has n / (2^i + 1). A cell has the least, mean and greatest number of
candidates at the stage, over all arrangements, and behind "of" what the term allows.
`)
	p.head(0, "n", "greatest number of messages", "bound", "candidates at stage 0", "stage 1", "stage 2", "stage 3", "stage 4")
	for n := 2; n <= largestCycled; n++ {
		sys, err := ringcheck.Load("hirschberg-sinclair", ringcheck.Set{"n": fmt.Sprint(n)})
		if err != nil {
			return err
		}
		tallies, err := Messages(p.ctx, sys)
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
		p.row(append([]string{strconv.Itoa(n), strconv.FormatInt(tallies["messages"].Greatest, 10),
			fmt.Sprintf("%s = %d", strings.Join(sum, " + "), bound)}, cells...)...)
	}
	p.line("")
	return nil
}

// draws writes the table of protocols that draw.
func (p *page) draws() error {
	p.line(`## Messages of protocols that draw

Expected number of messages up to a terminal state: under the least, the uniform and the greatest scheduler, with the digits that are certain. Franklin's, and those
of Itai and Rodeh and of Dolev, Klawe and Rodeh, do not depend on the schedule.
`)
	p.head(1, "protocol", "n", "min", "uniform", "max")
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
			cells, err := p.drawn(c.spec, ringcheck.Set{"n": fmt.Sprint(n)}, c.set)
			if err != nil {
				return err
			}
			p.row(append([]string{c.name, strconv.Itoa(n)}, cells...)...)
		}
	}
	return nil
}

func (p *page) drawn(spec string, sets ...ringcheck.Set) ([]string, error) {
	sys, err := ringcheck.Load(spec, sets...)
	if err != nil {
		return nil, err
	}
	var asked []ringcheck.Quantity
	for _, s := range []string{"min", "uniform", "max"} {
		asked = append(asked, ringcheck.Quantity{Until: ringcheck.UntilTerminal, Reward: "messages", Scheduler: s})
	}
	values, ending, err := ringcheck.Values(p.ctx, sys, asked, ringcheck.Options{Symmetry: ringcheck.Rotation})
	if err == nil {
		err = ending.Err()
	}
	if err != nil {
		return nil, err
	}
	var cells []string
	for _, v := range values {
		low, high := new(big.Rat).SetFloat64(v.Low), new(big.Rat).SetFloat64(v.High)
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

// figures writes what Fig. 3 shows, from the curves that there are.
func (p *page) figures() error {
	p.line(`## Deadlines: Fig. 3

*"The experimental results presented in Fig. 3 indicate that Algorithm A has a much better performance than Algorithm B"* (Bakhshi et al., Sect. 6): the figure shows the
probability to elect a leader within t steps, for t up to 150. What the text fixes is that a step is a transition; it does not say for how many processes and identities, nor who
schedules. Below, lines are for the scheduler that takes every enabled choice with equal probability, and bands go from the least to the greatest scheduler. A band is as wide as
a round can end early, 2n − 2 steps of 4n: within a band it is the schedule that counts, and outside of it the draws alone.

Which reading of B? *"Only if either of the two messages it received carried an identity equal to its own"* can mean one of them (B) or each of them (B2). **"Much better" holds if
B means B2**; literally, A is ahead of B by little, and not at all with three processes and two identities.
`)
	p.head(2, "n, k", "", "B: A is ahead by at most", "after steps", "B2: A is ahead by at most", "after steps")
	for _, f := range Figures {
		name := FigureName(f[0], f[1])
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
		p.row(append([]string{fmt.Sprintf("%d, %d", f[0], f[1]), fmt.Sprintf("[picture](%s.svg), [table](%s.csv)", name, name)}, lead...)...)
	}
	p.line("\n![Fig. 3 for four processes and two identities](%s.svg)\n", FigureName(4, 2))
	return nil
}

// leads returns by how much the first curve of a table is ahead of each of the others at most, under the uniform scheduler, and when.
func leads(text []byte) ([]string, error) {
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	column := map[string]int{}
	for i, name := range lines[0] {
		column[name] = i
	}
	middle := func(line []string, name string) (float64, error) {
		low, err := strconv.ParseFloat(line[column[name+" low"]], 64)
		if err != nil {
			return 0, err
		}
		high, err := strconv.ParseFloat(line[column[name+" high"]], 64)
		return (low + high) / 2, err
	}
	var cells []string
	for _, other := range Readings[1:] {
		most, when := 0.0, "–"
		for _, line := range lines[1:] {
			a, err := middle(line, Readings[0].Name)
			if err != nil {
				return nil, err
			}
			b, err := middle(line, other.Name)
			if err != nil {
				return nil, err
			}
			if a-b > most+1e-9 {
				most, when = a-b, line[0]
			}
		}
		cells = append(cells, fmt.Sprintf("%.4f", most), when)
	}
	return cells, nil
}
