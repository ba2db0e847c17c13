package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/bisim/lts"
	"ringcheck/internal/document"
	"ringcheck/internal/printable"
	"ringcheck/verify/prob/exchange"
)

// minimization is the minimize sub-command.
type minimization struct {
	equating
	output outFile
}

func (a *app) minimizeCommand() *cobra.Command {
	m := &minimization{equating: equating{job: a.job(), choices: ringcheck.Choices("equivalence"),
		more: "; probabilistic preserves the probabilities of draws and hides no step"}}
	m.protocol.files = slices.Concat(systemFiles, exchange.Formats())
	cmd := m.command("minimize", m.work(m.run, m.validate), m.protocol.register, m.register)
	cmd.Flags().BoolVar(&m.graph.KeepUnreachable, "keep-unreachable", false, "keep the states of a file that "+
		"cannot be reached from its initial state")
	m.file(cmd, &m.output, "out", "write the quotient to `FILE`"+systemUsage+"; a probabilistic one as .umb or .tra "+
		"(see prob)", systemFormats...)
	return cmd
}

// validate checks the flags.
func (m *minimization) validate(flags *pflag.FlagSet) error {
	if slices.Contains(exchange.Formats(), filepath.Ext(m.protocol.name)) && !flags.Changed("equivalence") {
		m.relation = ringcheck.Probabilistic
	}
	if m.relation == ringcheck.Probabilistic {
		m.output.endings = exchange.Formats()
	}
	return m.equating.validate(flags)
}

func (m *minimization) run(cmd *cobra.Command) error {
	ctx := cmd.Context()
	sys, err := m.instance()
	if err != nil {
		return err
	}
	opt := m.graph
	opt.Search = m.options()
	r, err := ringcheck.Minimize(ctx, sys, m.relation, opt)
	if err != nil {
		return err
	}
	if r.Of.LTS != nil {
		m.warnUnused()
	}
	switch {
	case !r.Complete || m.output.path == "":
	case r.Lumped != nil:
		err = r.Ending.Stop(ctx, saveProcess(ctx, "--out", m.output.path, r.Lumped, true))
	default:
		err = m.output.saveSystem(r.Quotient.Write)
	}
	if err != nil {
		return err
	}
	return m.finish(m.report(r))
}

// equating holds the flags that minimize and compare share.
type equating struct {
	job
	visible  visibility
	graph    ringcheck.GraphOptions // without its Search
	relation ringcheck.Equivalence
	choices  []string
	more     string // the end of the help for --equivalence
}

func (e *equating) register(cmd *cobra.Command) {
	e.search.limits(cmd)
	e.search.reductions(cmd)
	choice(cmd, (*string)(&e.relation), "equivalence", "KIND", e.choices,
		"of bisimilarity, %s: branching abstracts from τ's within a class; divergence also distinguishes states "+
			"that can take τ's for ever"+e.more)
	e.visible.register(cmd)
	e.asJSON(cmd)
}

// validate checks the flags.
func (e *equating) validate(*pflag.FlagSet) error {
	if e.visible.given() {
		e.graph.Visible, e.graph.OnlyEvents = e.visible.shows, e.visible.show.list == nil
	}
	return oneOf("equivalence", string(e.relation), e.choices)
}

func oneOf(name, value string, choices []string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	if value != "" {
		name += " " + value
	}
	return wrongRequestf("--%s: expected %s", name, printable.Or(choices))
}

// refuse rejects flags that apply only to a SPEC, if the argument is a file with a transition system.
func (p *protocol) refuse(flags *pflag.FlagSet) error {
	if p.spec != nil || p.name == "" {
		return nil
	}
	for _, flag := range []string{"param", "reduce", "assume", "symmetry", "max-states", "max-channel", "max-nat"} {
		if flags.Changed(flag) {
			return wrongRequestf("--%s applies to a SPEC, and %s is a file", flag, p.name)
		}
	}
	return nil
}

// explorePointer is the evidence for a model error in a sub-command that does not compute the run to it.
func explorePointer() (string, error) { return "ringcheck explore shows the run to it\n", nil }

// report returns the report that minimize prints.
func (m *minimization) report(q *ringcheck.MinimizeReport) *report {
	r := newReport(q, q.Of.Title(), &q.Ending, ": there is no quotient")
	r.size(&q.From, "")
	if q.Unreachable > 0 {
		r.Row("unreachable states left out", comma(q.Unreachable))
	}
	if q.Complete {
		r.size(&q.Size, " of the quotient")
	}
	r.cost(q.Seconds, q.PeakRSSBytes)
	if q.Quotient != nil {
		r.Line("The quotient by %s:", relationName(q.Equivalence))
		r.system(q.Quotient, m.output.path)
	}
	r.warnings(q.Warnings)
	return r
}

// size adds the numbers of a size; each name is followed by of.
func (r *report) size(s *ringcheck.Size, of string) {
	r.Row("states"+of, comma(s.States))
	if s.Choices != nil {
		r.Row("choices"+of, comma(*s.Choices))
		r.Row("branches"+of, comma(*s.Branches))
		return
	}
	r.Row("transitions"+of, comma(s.Transitions))
}

// relationName returns the name of an equivalence in full.
func relationName(e ringcheck.Equivalence) string {
	switch model := ringcheck.RefinementModel(e); {
	case e == ringcheck.Divergence:
		return "divergence-preserving branching bisimilarity"
	case isModel(e):
		return modelName(model)
	}
	return string(e) + " bisimilarity"
}

// The maximum size of a system that is listed.
const (
	shownStates      = 20
	shownTransitions = 80
)

// system lists the transitions of a small system; path is the file that it was written to, "" if it was not.
func (r *report) system(l *lts.LTS, path string) {
	if l.States() > shownStates || l.Transitions() > shownTransitions {
		where := "--out FILE writes it to a file"
		if path != "" {
			where = "it is in " + path
		}
		r.Line("  too large to be shown; %s", where)
		return
	}
	var t document.Table
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
	r.Table(&t, 2, 2)
}

// visibility decides which labels are not τ: the labels that --visible names (by default the events of a protocol or
// all labels of a file), without the labels that --hide names.
type visibility struct {
	show, hide patterns
}

func (v *visibility) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Func("visible", "show only `LABELS`, and τ for others: names or patterns, such as leader or 'recv(0,*)' "+
		"(default: the events of a spec, all labels of a file)", v.show.set)
	flags.Func("hide", "show τ for `LABELS`, names or patterns", v.hide.set)
}

// given reports whether one of the flags is given.
func (v *visibility) given() bool { return v.show.list != nil || v.hide.list != nil }

// shows reports whether a label is visible. It is called by several goroutines.
func (v *visibility) shows(label string, byDefault bool) bool {
	if v.show.list != nil {
		byDefault = v.show.match(label)
	}
	return !v.hide.match(label) && byDefault
}

// patterns is the value of a flag: patterns separated by commas outside brackets.
type patterns struct{ list []*pattern }

// A pattern matches the text of a label, or its name, which is the text before the first bracket; "*" matches any text.
type pattern struct {
	text  string
	exact *regexp.Regexp
	used  atomic.Bool
}

func (p *patterns) set(text string) error {
	for _, part := range splitOutside(text) {
		if part = strings.TrimSpace(part); part == "" {
			return errors.New("expected labels separated by commas")
		}
		exact := regexp.MustCompile(`(?s)^` + strings.ReplaceAll(regexp.QuoteMeta(part), `\*`, `.*`) + `$`)
		p.list = append(p.list, &pattern{text: part, exact: exact})
	}
	return nil
}

func (p *patterns) match(label string) bool {
	name, _, _ := strings.Cut(label, "(")
	matched := false
	for _, x := range p.list {
		if x.exact.MatchString(label) || x.exact.MatchString(name) {
			x.used.Store(true)
			matched = true
		}
	}
	return matched
}

// splitOutside splits text at the commas outside brackets.
func splitOutside(text string) []string {
	var parts []string
	depth, begin := 0, 0
	for i, c := range text {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth <= 0 {
				parts = append(parts, text[begin:i])
				begin = i + 1
			}
		}
	}
	return append(parts, text[begin:])
}

// warnUnused warns of patterns that matched no label.
func (e *equating) warnUnused() {
	for _, p := range e.visible.unusedPatterns() {
		if !e.quiet {
			fmt.Fprintf(e.stderr, "warning: %s matches no label\n", printable.Text(p))
		}
	}
}

// unusedPatterns returns the patterns that matched no label, each after its flag.
func (v *visibility) unusedPatterns() (list []string) {
	for i, flag := range []string{"--visible ", "--hide "} {
		for _, p := range [...][]*pattern{v.show.list, v.hide.list}[i] {
			if !p.used.Load() {
				list = append(list, flag+p.text)
			}
		}
	}
	return list
}
