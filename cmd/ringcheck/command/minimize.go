package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ringcheck/bisim"
	"ringcheck/lts"
)

// minimization is the sub-command minimize.
type minimization struct {
	equating
	subject subject
	output  output
}

func (a *app) minimizeCommand() *cobra.Command {
	m := &minimization{equating: newEquating(a)}
	m.subject = subject{app: a, search: &m.search, visible: &m.visible}
	cmd := &cobra.Command{
		Use:   "minimize SPEC|FILE",
		Short: "Minimise a protocol or a transition system modulo bisimilarity",
		Long: "Compute the quotient of a protocol, or of a transition system in an .aut file, by strong, branching or\n" +
			"divergence-preserving branching bisimilarity, and show it if it is small. Of a protocol only the events are\n" +
			"visible, such as leader; --visible and --hide choose others. A quotient of a few states is a proof in itself.",
		Example: "  ringcheck minimize franklin -n 4 -k 2\n" +
			"  ringcheck minimize franklin -n 2 -k 2 --no-bits --visible 'leader,recv(0,*)' --out quotient.dot\n" +
			"  ringcheck minimize system.aut --equivalence divergence --hide 'send,recv'",
		RunE: runE(m.run),
	}
	m.subject.protocol.orFile = true
	m.subject.protocol.register(a, cmd)
	m.subject.reduce.registerKinds(cmd)
	m.register(cmd)
	m.output.registerPath(cmd, "write the quotient to `FILE`")
	return cmd
}

func (m *minimization) run(cmd *cobra.Command) error {
	e, options, err := m.relation.parse(&m.search)
	flags := cmd.Flags()
	if err := cmp.Or(err, m.search.validate(flags), m.subject.validate(flags, e), m.output.validate(), writable("--out", m.output.path)); err != nil {
		return err
	}
	ctx, cancel := m.search.limit(cmd.Context())
	defer cancel()
	watch := newWatch(m.app)
	f, err := m.subject.load(ctx, watch.options(&m.search))
	watch.done()
	if err != nil {
		return err
	}
	m.warnUnused(&m.visible)
	r := &minimized{
		origin: f.origin, Equivalence: m.relation.equivalence, Algorithm: m.relation.algorithm, Labels: []string{}, From: f.extent,
	}
	if f.system == nil {
		r.Stopped = f.stopped
		return cmp.Or(m.publish(r), f.failure)
	}
	m.note("%s states, %s transitions after %.3f s", comma(f.States), comma(f.Transitions), time.Since(m.began).Seconds())
	return m.minimize(ctx, r, f.system, e, options)
}

// minimize computes, writes and reports the quotient.
func (m *minimization) minimize(ctx context.Context, r *minimized, l *lts.LTS, e bisim.Equivalence, o bisim.Options) error {
	q, _, err := bisim.Minimize(ctx, l, e, o)
	if err != nil {
		var why error
		if r.Stopped, why = contextStop(ctx); ctx.Err() == nil {
			return err
		}
		return cmp.Or(m.publish(r), why)
	}
	r.Complete = true
	r.quotient = q
	r.States, r.Transitions, r.Labels = q.States(), q.Transitions(), visibleLabels(q)
	if m.output.path != "" {
		if err := m.output.save(q); err != nil {
			return err
		}
	}
	return m.publish(r)
}

// publish prints the report.
func (m *minimization) publish(r *minimized) error {
	r.Seconds, r.PeakRSSBytes = m.spent()
	return m.write(r)
}

// A minimized is what minimize reports. The numbers of the quotient are void if it is not complete, and those of
// what it is from lower bounds if that is so because not all states were found.
type minimized struct {
	origin
	Equivalence  string   `json:"equivalence"`
	Algorithm    string   `json:"algorithm"`
	Complete     bool     `json:"complete"`
	Stopped      string   `json:"stopped,omitempty"`
	States       int      `json:"states"`
	Transitions  int      `json:"transitions"`
	Labels       []string `json:"labels"` // but for τ, in order
	From         extent   `json:"from"`
	Seconds      float64  `json:"seconds"`
	PeakRSSBytes uint64   `json:"peak_rss_bytes"`

	quotient *lts.LTS
}

// visibleLabels returns the labels of all transitions but τ's.
func visibleLabels(l *lts.LTS) []string {
	used := make([]bool, l.Labels())
	for s := range l.States() {
		for _, e := range l.Out(uint32(s)) {
			used[e.Label] = true
		}
	}
	labels := []string{}
	for a := 1; a < len(used); a++ {
		if used[a] {
			labels = append(labels, l.Label(lts.Label(a)))
		}
	}
	slices.Sort(labels)
	return labels
}

// text returns the report for people.
func (r *minimized) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.title())
	if !r.Complete {
		fmt.Fprintf(&b, "incomplete (%s): there is no quotient\n", r.Stopped)
	}
	rows := []row{
		{"states", comma(r.From.States), ""},
		{"transitions", comma(r.From.Transitions), ""},
	}
	if r.Complete {
		rows = append(rows,
			row{"states of the quotient", comma(uint64(r.States)), ""},
			row{"transitions of the quotient", comma(uint64(r.Transitions)), ""})
	}
	rows = append(rows,
		row{"time", fmt.Sprintf("%.3f", r.Seconds), "s"},
		row{"peak memory", comma(r.PeakRSSBytes >> 20), "MiB"})
	b.WriteByte('\n')
	writeRows(&b, rows)
	if r.Complete {
		fmt.Fprintf(&b, "\nThe quotient by %s:\n", relationName(r.Equivalence))
		writeSystem(&b, r.quotient)
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

// writeSystem lists the transitions of a small system.
func writeSystem(b *strings.Builder, l *lts.LTS) {
	if l.States() > shownStates || l.Transitions() > shownTransitions {
		b.WriteString("  too large to be shown; --out writes it to a file\n")
		return
	}
	var lines [][3]string
	widths := [2]int{}
	for s := range l.States() {
		name := fmt.Sprint(s)
		if uint32(s) == l.Initial() {
			name += " (initial)"
		}
		if len(l.Out(uint32(s))) == 0 {
			lines = append(lines, [3]string{name, "", "no transitions"})
		}
		for _, e := range l.Out(uint32(s)) {
			lines = append(lines, [3]string{name, labelName(l.Label(e.Label)), fmt.Sprint("→ ", e.To)})
			name = ""
		}
	}
	for _, line := range lines {
		for i := range widths {
			widths[i] = max(widths[i], len([]rune(line[i])))
		}
	}
	for _, line := range lines {
		text := fmt.Sprintf("  %-*s  %-*s  %s", widths[0], line[0], widths[1], line[1], line[2])
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
}

// labelName returns a label for people.
func labelName(label string) string {
	if label == lts.TauName {
		return "τ"
	}
	return label
}
