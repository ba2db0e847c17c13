package command

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/bisim"
	"ringcheck/internal/printable"
	"ringcheck/internal/tabular"
	"ringcheck/lts"
	"ringcheck/prob/exchange"
)

// minimization is the sub-command minimize.
type minimization struct {
	equating
	output        outFile
	probabilistic bool
}

func (a *app) minimizeCommand() *cobra.Command {
	m := &minimization{equating: equating{job: a.job()}}
	cmd := a.command("minimize", m.work(m.run, m.validate))
	m.protocol.files = slices.Concat(systemFiles, exchange.Formats())
	m.protocol.register(a, cmd)
	m.search.registerReductions(cmd, &m.protocol)
	m.register(cmd)
	cmd.Flags().BoolVar(&m.search.opt.KeepUnreachable, "keep-unreachable", false, "keep the states of a file that "+
		"cannot be reached from its initial state")
	cmd.Flags().BoolVar(&m.probabilistic, "probabilistic", false, "by probabilistic bisimilarity: draws keep their "+
		"probabilities, and every step counts; --out writes .umb or .tra (see prob)")
	m.file(cmd, &m.output, "out", "write the quotient to `FILE`"+systemUsage, systemFormats...)
	return cmd
}

// validate reports flags that make no sense together.
func (m *minimization) validate(flags *pflag.FlagSet) error {
	m.probabilistic = m.probabilistic || slices.Contains(exchange.Formats(), filepath.Ext(m.protocol.name))
	if m.probabilistic {
		return cmp.Or(m.lumps(flags), m.equating.validate(flags))
	}
	return cmp.Or(m.equating.validate(flags), refuseFor(m.protocol.name, flags))
}

func (m *minimization) run(cmd *cobra.Command) error {
	ctx := cmd.Context()
	if m.probabilistic {
		return m.lump(ctx)
	}
	sys, err := m.protocol.system()
	if err != nil {
		return err
	}
	m.warn(sys.Spec)
	r, err := searching(&m.job, func(opt ringcheck.Options) (*ringcheck.Minimized, error) {
		return ringcheck.Minimize(ctx, sys, m.relation, opt)
	})
	if err != nil {
		return err
	}
	if r.Of.LTS != nil {
		m.warnUnused(&m.visible)
	}
	if m.output.path != "" && r.Complete {
		err := m.output.saveSystem(func(w lts.Writer) (bool, error) { return true, r.Quotient.Write(w) })
		if err != nil {
			return m.output.failed(err)
		}
	}
	return cmp.Or(m.publish(r, minimizeText(r, m.output.path)), unfinished(&r.Ending))
}

// lumps reports flags that do not go together with --probabilistic.
func (m *minimization) lumps(flags *pflag.FlagSet) error {
	for _, flag := range []string{"equivalence", "reduce", "assume", "keep-unreachable"} {
		if flags.Changed(flag) {
			return wrongRequestf("--%s does not go together with --probabilistic", flag)
		}
	}
	m.output.endings = exchange.Formats()
	return nil
}

// lump minimises a protocol, or a process in a file, by probabilistic bisimilarity.
func (m *minimization) lump(ctx context.Context) error {
	sys, err := m.protocol.system()
	if err != nil {
		return err
	}
	m.warn(sys.Spec)
	r, err := searching(&m.job, func(opt ringcheck.Options) (*ringcheck.Lumped, error) {
		return ringcheck.Lump(ctx, sys, opt)
	})
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
		{"states", comma(r.From.States), ""}, {"choices", comma(r.From.Choices), ""},
		{"branches", comma(r.From.Branches), ""},
	}
	if r.Complete {
		rows = append(rows, row{"states of the quotient", comma(r.States), ""},
			row{"choices of the quotient", comma(r.Choices), ""},
			row{"branches of the quotient", comma(r.Branches), ""})
	}
	writeRows(&b, append(rows, spentRows(r.Seconds, r.PeakRSSBytes)...))
	return b.String() + warningText(r.Warnings)
}

// equating is what the sub-commands about equivalences have in common.
type equating struct {
	job
	visible     visibility
	equivalence string
	relation    bisim.Equivalence
}

func equivalences() []string {
	return []string{bisim.Branching.String(), bisim.Strong.String(), bisim.Divergence.String()}
}

func (e *equating) register(cmd *cobra.Command) {
	e.search.register(cmd)
	choice(cmd, &e.equivalence, "equivalence", "KIND", equivalences(),
		"of bisimilarity, %s: branching abstracts from τ's that change nothing; divergence does too, but tells who "+
			"can do τ for ever")
	e.visible.register(cmd)
	e.form.register(cmd)
}

// validate reports a value that makes no sense.
func (e *equating) validate(*pflag.FlagSet) (err error) {
	if err = oneOf("equivalence", e.equivalence, equivalences()); err == nil {
		e.relation, err = bisim.ParseEquivalence(e.equivalence)
	}
	e.search.opt.Visible = e.visible.shows
	return err
}

func oneOf(name, value string, choices []string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	if value != "" {
		name += " " + value
	}
	return wrongRequestf("--%s: want %s", name, printable.Or(choices))
}

// refuseFor rejects flags that have no meaning for a file that holds a system.
func refuseFor(name string, flags *pflag.FlagSet) error {
	if !ringcheck.IsSystemFile(name) {
		return nil
	}
	for _, flag := range []string{"param", "reduce", "assume", "symmetry", "max-states", "max-channel", "max-nat"} {
		if flags.Changed(flag) {
			return wrongRequestf("--%s is about a SPEC, and %s is a file", flag, name)
		}
	}
	return nil
}

// unfinished returns nil if a search came to its end, else why not.
func unfinished(e *ringcheck.Ending) error {
	err := e.Err()
	if err == nil || e.Fault == nil {
		return err
	}
	f := classify(err)
	f.rendered = describe(f) + "ringcheck explore shows the run that leads there\n"
	return f
}

// minimizeText returns a report for people; path is the file that the quotient was written to, "" if it was not.
func minimizeText(r *ringcheck.Minimized, path string) string {
	var b strings.Builder
	writeHead(&b, r.Of.Title(), &r.Ending, "there is no quotient")
	rows := []row{
		{"states", comma(r.From.States), ""},
		{"transitions", comma(r.From.Transitions), ""},
	}
	if r.Unreachable > 0 {
		rows = append(rows, row{"unreachable states left out", comma(r.Unreachable), ""})
	}
	if r.Complete {
		rows = append(rows,
			row{"states of the quotient", comma(r.States), ""},
			row{"transitions of the quotient", comma(r.Transitions), ""})
	}
	writeRows(&b, append(rows, spentRows(r.Seconds, r.PeakRSSBytes)...))
	if r.Complete {
		fmt.Fprintf(&b, "\nThe quotient by %s:\n", relationName(r.Equivalence))
		writeSystem(&b, r.Quotient, path)
	}
	return b.String()
}

// relationName returns the name of an equivalence in full.
func relationName(equivalence string) string {
	if equivalence == bisim.Divergence.String() {
		return "divergence-preserving branching bisimilarity"
	}
	return equivalence + " bisimilarity"
}

// Systems up to this size are shown.
const (
	shownStates      = 20
	shownTransitions = 80
)

// writeSystem lists the transitions of a small system; path is the file that it was written to, "" if it was not.
func writeSystem(b *strings.Builder, l *lts.LTS, path string) {
	if l.States() > shownStates || l.Transitions() > shownTransitions {
		where := "--out FILE writes it to a file"
		if path != "" {
			where = "it is in " + path
		}
		fmt.Fprintf(b, "  too large to be shown; %s\n", where)
		return
	}
	var t tabular.Table
	for s := range l.States() {
		name := fmt.Sprint(s)
		if uint32(s) == l.Initial() {
			name += " (initial)"
		}
		if len(l.Out(uint32(s))) == 0 {
			t.Add(name, "", "no transitions")
		}
		for _, e := range l.Out(uint32(s)) {
			t.Add(name, labelName(l.Label(e.Label)), fmt.Sprint("→ ", e.To))
			name = ""
		}
	}
	b.WriteString(t.Text(2, 2))
}
