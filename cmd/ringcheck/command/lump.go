package command

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/printable"
	"ringcheck/prob/exchange"
)

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
	sys, err := m.protocol.system()
	if err != nil {
		return err
	}
	m.warn(sys.Spec)
	r, err := searching(&m.job, func(opt ringcheck.Options) (*ringcheck.Lumped, error) { return ringcheck.Lump(ctx, sys, opt) })
	if err != nil {
		return err
	}
	if r.Complete && m.output.path != "" {
		err := writeProcess(ctx, "--out", m.output.path, r.Quotient, true)
		if err != nil && r.Ending.Stop(ctx, err) != nil {
			return err
		}
	}
	return cmp.Or(m.publish(r, lumpedText(r)), unfinished(&r.Ending))
}

// lumpedText returns a report for people.
func lumpedText(r *ringcheck.Lumped) string {
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
