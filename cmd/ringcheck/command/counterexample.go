package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ringcheck/explore"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/verify"
	"ringcheck/view"
)

// refutation is the sub-command counterexample.
type refutation struct {
	*app
	protocol   protocol
	search     search
	reduce     reduction
	properties choices
	sizes      sizes
	full       bool
	format     string
	path       string
	json       bool
}

// The protocol whose flaws the sub-command shows if none is named.
const defaultSpec = "franklin"

func (a *app) counterexampleCommand() *cobra.Command {
	c := &refutation{app: a}
	cmd := &cobra.Command{
		Use:   "counterexample [SPEC]",
		Short: "Show a shortest run that breaks a property of a protocol",
		Long: "Find a shortest run that breaks a property of a protocol (default: " + defaultSpec + "), and show it step by step.\n\n" +
			"Parameters that are not given are searched: from the smallest value up to --NAME-max, the first parameter outermost.\n" +
			"By default the first goes up to its fourth value and the others to their second. A search looks for runs to a state\n" +
			"that breaks an invariant or a terminal property first; if there is none, to one from which what is inevitable cannot\n" +
			"be reached. Every run is taken again by a second implementation before it is shown.\n\n" +
			"The exit status is 1 if a property is violated, 0 if all that was searched holds, 3 if a search ended too early.",
		Example: "  ringcheck counterexample --no-bits\n" +
			"  ringcheck counterexample dkr --format msc\n" +
			"  ringcheck counterexample my.ring -n 3 --property unique --out run.html",
		RunE: runE(c.run),
	}
	c.protocol.fallback = defaultSpec
	c.protocol.declared = func(cmd *cobra.Command) { c.sizes.register(cmd, &c.protocol) }
	c.protocol.register(a, cmd)
	c.search.register(cmd)
	c.reduce.registerSymmetry(cmd, turnings())
	c.properties.register(cmd, &c.protocol)
	c.registerForm(cmd)
	return cmd
}

// textFormat is the format that the package view does not have.
const textFormat = "text"

func (c *refutation) registerForm(cmd *cobra.Command) {
	names := []string{textFormat}
	for _, f := range view.Formats() {
		names = append(names, f.Name)
	}
	flags := cmd.Flags()
	flags.BoolVar(&c.full, "full", false, "in text, show whole states")
	flags.StringVar(&c.format, "format", "", "draw the run as `FORM`: "+strings.Join(names, ", ")+" (default: by the ending of --out, else text)")
	flags.StringVar(&c.path, "out", "", "write the run to `FILE` instead of standard output")
	flags.BoolVar(&c.json, "json", false, "the same as --format json")
	must(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)))
}

func (c *refutation) run(cmd *cobra.Command) error {
	flags := cmd.Flags()
	if err := cmp.Or(c.search.validate(flags), c.reduce.validateTurning(), c.validateForm(), writable("--out", c.path)); err != nil {
		return err
	}
	candidates, err := c.sizes.candidates(&c.protocol)
	if err != nil {
		return err
	}
	c.warn(c.protocol.spec)
	ctx, cancel := c.search.limit(cmd.Context())
	defer cancel()
	watch := newWatch(c.app)
	defer watch.done()
	s := &searched{}
	for _, given := range candidates {
		found, err := c.try(ctx, watch, given, s)
		if found || err != nil {
			return err
		}
	}
	watch.done()
	return cmp.Or(c.publish(s.text(), s), s.verdict())
}

// validateForm settles the form of the output.
func (c *refutation) validateForm() error {
	if c.json && c.format != "" && c.format != "json" {
		return wrongRequestf("--json and --format %s: give one of them", c.format)
	}
	if c.json {
		c.format = "json"
	}
	if c.format == "" {
		c.format = formatOf(c.path)
	}
	if c.full && c.format != textFormat {
		return wrongRequestf("--full is for --format text")
	}
	if c.format == textFormat {
		return nil
	}
	_, err := view.Lookup(c.format)
	if err != nil {
		return wrongRequestf("--format %s: want text or one of those in --help", c.format)
	}
	return nil
}

// formatOf returns the format that a file name asks for.
func formatOf(path string) string {
	switch filepath.Ext(path) {
	case ".svg":
		return "svg"
	case ".html", ".htm":
		return "html"
	case ".mmd", ".mermaid":
		return "mermaid"
	case ".json":
		return "json"
	}
	return textFormat
}

// try searches one instance of the spec and reports whether it has found, and shown, a violation.
func (c *refutation) try(ctx context.Context, watch *watch, given map[string]string, s *searched) (found bool, err error) {
	p, err := c.protocol.spec.Instantiate(given)
	if err != nil {
		return false, specError(c.protocol.name, err)
	}
	properties, err := c.properties.of(p)
	if err != nil {
		return false, err
	}
	sys, err := c.search.system(p)
	if err != nil {
		return false, wrongRequest(err)
	}
	small, err := c.reduce.apply(ctx, sys)
	if err != nil {
		return false, err
	}
	run, report, err := small.subject().Counterexample(ctx, properties, watch.options(&c.search))
	watch.done()
	if err != nil {
		return false, c.reduce.propertyError(err)
	}
	s.add(p, report)
	c.note("%s: %s", title(p.Name, p.Params, nil), s.last().outcome())
	if run == nil {
		return false, s.failure()
	}
	if err := verify.Replay(sys, c.search.bounds(), run); err != nil {
		return false, fmt.Errorf("the two implementations of %s disagree: %w", p.Name, err)
	}
	return true, cmp.Or(c.show(sys, run, s), violated(fmt.Errorf("violated: %s", run.Property.Name)))
}

// show prints or writes a run.
func (c *refutation) show(sys *compile.System, run *verify.Run, s *searched) error {
	if run.Moves == nil {
		return c.publish(fmt.Sprintf("%s\n\n%s is violated: no reachable state satisfies it\n", s.last().title(), run.Property.Name), s)
	}
	trace, err := view.New(sys, run.Moves)
	if err != nil {
		return err
	}
	trace.Caption.Property = run.Property.Name
	trace.Caption.Finding = finding(run)
	if c.format == textFormat {
		text, err := c.text(sys, run, trace)
		if err != nil {
			return err
		}
		return c.write([]byte(text))
	}
	format, err := view.Lookup(c.format)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := format.Write(trace, &b); err != nil {
		return fmt.Errorf("drawing a run: %w", err)
	}
	return c.write(b.Bytes())
}

// publish prints what there is to say where there is no run to show.
func (c *refutation) publish(text string, s *searched) error {
	if c.format == "json" {
		return c.printJSON(s)
	}
	return c.print(text)
}

func (c *refutation) write(data []byte) error {
	if c.path != "" {
		return saveFile("--out", c.path, data)
	}
	return c.print(string(data))
}

// finding says in a sentence what a run shows.
func finding(run *verify.Run) string {
	text := run.Property.Name
	if run.Property.Doc != "" {
		text += fmt.Sprintf(" (%s)", run.Property.Doc)
	}
	text += " is violated after " + countOf(uint64(len(run.Moves)-1), "step")
	if run.Property.Kind == ir.Terminal {
		text += ", where nobody can do anything any more"
	}
	return text
}

// searched is what was searched without a violation, but for the last.
type searched struct {
	Spec      string     `json:"spec"`
	Options   settings   `json:"options"`
	Property  *string    `json:"property"` // null: none is violated, as far as is known
	Length    *int       `json:"length"`   // null
	Steps     []string   `json:"steps"`    // none
	Instances []instance `json:"searched"`
}

// An instance is one that was searched.
type instance struct {
	Params   settings `json:"params"`
	Complete bool     `json:"complete"`
	Holds    *bool    `json:"holds"`
	States   uint64   `json:"states"`

	name    string
	options settings
	report  *verify.Report
}

func (s *searched) add(p *ir.Protocol, r *verify.Report) {
	i := instance{Params: p.Params, Complete: r.Search.Complete(), States: r.Search.States, name: p.Name, options: p.Options, report: r}
	if r.Holds() || r.Violated() {
		i.Holds = new(r.Holds())
	}
	s.Spec, s.Options, s.Steps = p.Name, p.Options, []string{}
	s.Instances = append(s.Instances, i)
	for _, v := range r.Verdicts {
		if v.Outcome == verify.Violated && v.State == nil {
			s.Property = &v.Property.Name
		}
	}
}

func (s *searched) last() *instance { return &s.Instances[len(s.Instances)-1] }

// failure returns why the search of the last instance cannot go on, if so.
func (s *searched) failure() error {
	r := s.last().report
	if r.Search.Stop == explore.Faulted {
		return faultFailure(r.Search.Fault)
	}
	return nil
}

// verdict returns nil if everything that was searched holds.
func (s *searched) verdict() error {
	for i := range s.Instances {
		if s.Instances[i].Holds == nil {
			return stopped(errors.New("a search ended too early to tell"))
		}
	}
	return nil
}

func (i *instance) title() string { return title(i.name, i.Params, i.options) }

func (i *instance) outcome() string {
	switch {
	case i.Holds == nil:
		return fmt.Sprintf("unknown: %v after %s", i.report.Search.Stop, countOf(i.States, "state"))
	case *i.Holds:
		return "all properties hold (" + countOf(i.States, "state") + ")"
	}
	return "violated"
}

func (s *searched) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nno violation found\n\n", title(s.Spec, nil, s.Options))
	for i := range s.Instances {
		fmt.Fprintf(&b, "  %s: %s\n", title(s.Spec, s.Instances[i].Params, nil), s.Instances[i].outcome())
	}
	return b.String()
}
