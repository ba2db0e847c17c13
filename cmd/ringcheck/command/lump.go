package command

import (
	"cmp"
	"context"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/machine"
	"ringcheck/internal/printable"
	"ringcheck/model"
	"ringcheck/prob"
	"ringcheck/prob/exchange"
)

// A lumped is what minimize --probabilistic prints.
type lumped struct {
	ringcheck.Subject
	Equivalence string `json:"equivalence"`
	ringcheck.Ending
	processSize
	From         processSize `json:"from"`
	Seconds      float64     `json:"seconds"`
	PeakRSSBytes uint64      `json:"peak_rss_bytes"`
}

// A processSize says how large a process is.
type processSize struct {
	States   ringcheck.Count `json:"states"`
	Choices  ringcheck.Count `json:"choices"`
	Branches ringcheck.Count `json:"branches"`
}

func sizeOf(m *prob.MDP) processSize {
	return processSize{ringcheck.Count(m.States()), ringcheck.Count(m.Choices()), ringcheck.Count(m.Branches())}
}

// lumps reports flags that do not go together with --probabilistic.
func (m *minimization) lumps(flags *pflag.FlagSet) error {
	for _, flag := range []string{"equivalence", "algorithm", "reduce", "assume", "keep-unreachable"} {
		if flags.Changed(flag) {
			return wrongRequestf("--%s does not go together with --probabilistic", flag)
		}
	}
	if m.output.path != "" && !slices.Contains(exchange.Formats(), m.output.ending()) {
		return wrongRequestf("--out %s: with --probabilistic the file name must end in %s", m.output.path, printable.Or(exchange.Formats()))
	}
	m.output.endings = nil
	return nil
}

// lump minimises a protocol, or a process in a file, by probabilistic bisimilarity.
func (m *minimization) lump(ctx context.Context) error {
	r := &lumped{Equivalence: "probabilistic"}
	began := time.Now()
	p, err := m.process(ctx, r)
	if err == nil && p != nil {
		r.From = sizeOf(p)
		var q *prob.MDP
		if q, err = prob.Minimize(ctx, p); err == nil {
			r.processSize = sizeOf(q)
			err = m.save(ctx, q)
		}
	}
	if err != nil {
		if err = r.Ending.Stop(ctx, err); err != nil {
			return err
		}
	}
	r.Seconds, r.PeakRSSBytes = time.Since(began).Round(time.Millisecond).Seconds(), machine.PeakRSS()
	return cmp.Or(m.publish(r, r.text()), unfinished(&r.Ending))
}

// process returns the process of the protocol or in the file; nil if the search did not come to its end.
func (m *minimization) process(ctx context.Context, r *lumped) (*prob.MDP, error) {
	if m.protocol.spec == nil {
		r.File, r.Complete = m.protocol.name, true
		p, err := exchange.Read(ctx, m.protocol.name, m.search.budget())
		if err != nil {
			if err = r.Ending.Stop(ctx, err); err != nil {
				err = wrongRequest(err)
			}
			return nil, err
		}
		return p, nil
	}
	sys, err := m.protocol.system()
	if err != nil {
		return nil, err
	}
	m.warn(sys.Spec)
	watch := newProgress(m.app)
	defer watch.clear()
	small, err := sys.Prepare(ctx, m.search.options(watch))
	if err != nil {
		return nil, err
	}
	r.Subject = small.Subject
	marks := map[string]uint32{}
	p, result, err := prob.Generate(ctx, small.Searched, small.Search, prob.View{Mark: m.marks(small.Searched, marks)})
	watch.clear()
	if err != nil {
		return nil, err
	}
	if p != nil { // a file has no marks: there, labels are rewards of 1
		for _, name := range slices.Sorted(maps.Keys(marks)) {
			of := make([]*big.Rat, marks[name]+1)
			of[marks[name]] = big.NewRat(1, 1)
			p.Rewards = append(p.Rewards, prob.Reward{Name: name, Of: of})
		}
	}
	r.Ending, err = small.Ending(result)
	return p, err
}

// marks returns the marks of labels: one for each that is visible, which it makes known, and 0 for all others.
func (m *minimization) marks(sys model.System, known map[string]uint32) func(model.Label) uint32 {
	return func(l model.Label) uint32 {
		info := sys.Label(l)
		if !m.visible.shows(info.Text, info.Visible) {
			return 0
		}
		n, ok := known[info.Text]
		if !ok {
			n = uint32(len(known) + 1)
			known[info.Text] = n
		}
		return n
	}
}

// save writes the quotient to --out.
func (m *minimization) save(ctx context.Context, q *prob.MDP) error {
	if m.output.path == "" {
		return nil
	}
	return writeProcess(ctx, "--out", m.output.path, q, true)
}

// text returns the report for people.
func (r *lumped) text() string {
	var b strings.Builder
	writeHead(&b, r.Title(), &r.Ending, "there is no quotient")
	rows := []row{
		{"states", comma(r.From.States), ""}, {"choices", comma(r.From.Choices), ""}, {"branches", comma(r.From.Branches), ""},
	}
	if r.Complete {
		rows = append(rows, row{"states of the quotient", comma(r.States), ""}, row{"choices of the quotient", comma(r.Choices), ""},
			row{"branches of the quotient", comma(r.Branches), ""})
	}
	writeRows(&b, append(rows, spentRows(r.Seconds, r.PeakRSSBytes)...))
	return b.String()
}
