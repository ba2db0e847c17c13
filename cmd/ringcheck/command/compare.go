package command

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/internal/document"
	"ringcheck/internal/printable"
)

// comparison is the compare sub-command.
type comparison struct {
	equating
	given   ringcheck.Set        // settings for the operands that declare them
	how     ringcheck.Comparison // explains a difference
	refines bool
	model   ringcheck.RefinementModel
	runOut  outFile // the run that only one of the systems has
}

func (a *app) compareCommand() *cobra.Command {
	c := &comparison{equating: equating{job: a.job(), choices: ringcheck.Choices("comparison"),
		more: "; the others are models, see --model, by which each system refines the other"},
		given: make(ringcheck.Set)}
	cmd := c.command("compare", c.work(c.run, c.validate, c.refining), c.register)
	giveParam(cmd, c.given, "set a parameter or option of each system that declares it")
	choice(cmd, (*string)(&c.how.Explain), "explain", "WHAT", ringcheck.Choices("explain"),
		"to show if systems are not equivalent, %s; formula includes the trace")
	cmd.Flags().DurationVar(&c.how.ExplainWithin, "explain-timeout", 5*time.Second,
		"search for the explanation for at most `D`")
	cmd.Flags().BoolVar(&c.refines, "refines", false, "decide whether A does nothing that B does not")
	choice(cmd, (*string)(&c.model), "model", "KIND", ringcheck.Choices("model"), "of behaviour for --refines, %s: "+
		"sequences of visible labels, or also with τ's, or also what is refused, and where τ's can follow for ever")
	c.runFile(cmd, &c.runOut, "run", "write the run that A does and B does not, or the other way round, to `FILE`")
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 2 {
			return nil
		}
		return wrongRequestf("ringcheck compare takes two operands, A and B, but there are %d; put a SPEC and the "+
			"flags for it alone in one pair of quotes",
			len(args))
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 1 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completeSpec(cmd, nil, typed)
	}
	a.specs[cmd] = c
	return cmd
}

// bind adds to cmd the flags that the SPECs among args declare.
func (c *comparison) bind(cmd *cobra.Command, args []string) error {
	common := allFlags(cmd)
	for _, operand := range words(args, common) {
		name := operandWords(operand)[0]
		if !isSpecName(name) || slices.Contains(systemFiles, filepath.Ext(name)) {
			continue // the value of a flag that a SPEC declares, or a file, which declares none
		}
		spec, err := c.open(name)
		if err != nil {
			return err
		}
		for _, s := range settingsOf(spec) {
			if cmd.Flags().Lookup(s.Name) == nil {
				s.register(cmd, common, c.given)
			}
		}
	}
	return nil
}

// operandWords divides an operand into a name and flags. An operand with the extension of a file is a name, even if it
// contains blanks.
func operandWords(operand string) []string {
	words := strings.Fields(operand)
	if len(words) == 0 || filepath.Ext(operand) == ".ring" || slices.Contains(systemFiles, filepath.Ext(operand)) {
		return []string{operand}
	}
	return words
}

func (c *comparison) run(cmd *cobra.Command) error {
	flags := cmd.Flags()
	all := c.options()
	a, err := c.operand(flags.Arg(0), all)
	if err != nil {
		return err
	}
	b, err := c.operand(flags.Arg(1), all)
	if err != nil {
		return err
	}
	for name := range c.given {
		if !a.protocol.declares(name) && !b.protocol.declares(name) {
			return wrongRequestf("neither A nor B has a parameter or option %s", name)
		}
	}
	if b.protocol.spec == nil {
		if err := a.protocol.refuse(flags); err != nil {
			return err
		}
	}
	opt := c.how
	opt.A, opt.B = c.graph, c.graph
	opt.A.Search, opt.B.Search = a.opt, b.opt
	if c.refines {
		return c.refine(cmd.Context(), a.sys, b.sys, opt)
	}
	r, err := ringcheck.Compare(cmd.Context(), a.sys, b.sys, c.relation, opt)
	if err != nil {
		return err
	}
	if r.A.LTS != nil && r.B != nil && r.B.LTS != nil {
		c.warnUnused()
	}
	if r.Equivalent != nil && !*r.Equivalent {
		c.hint(r)
	}
	return c.finishWith(comparisonReport(r, c.runOut.path), r.Violation)
}

// hint points out that by default all labels of a file are visible, but of a spec only the events.
func (c *comparison) hint(r *ringcheck.CompareReport) {
	file, spec := r.A, r.B
	if r.B.File != "" {
		file, spec = spec, file
	}
	if c.quiet || c.visible.given() || file.File == "" || spec.File != "" {
		return
	}
	fmt.Fprintln(c.stderr, printable.Text(fmt.Sprintf(
		"ringcheck: all labels of %s are visible, and of %s only the events: "+
			"--visible '*' shows those of both, "+
			"and explore --hide-internal --out writes a file with events only", file.File, spec.Spec)))
}

// An operand is one of the systems that are compared.
type operand struct {
	protocol protocol
	sys      *ringcheck.System
	opt      ringcheck.Search
}

// operand parses an operand. Its own flags take precedence over the search for both operands, which are in all.
func (c *comparison) operand(text string, all ringcheck.Search) (*operand, error) {
	o := &operand{opt: all, protocol: protocol{app: c.app, files: systemFiles, given: make(ringcheck.Set)}}
	words := operandWords(text)
	cmd := &cobra.Command{Use: words[0], SilenceErrors: true, SilenceUsage: true}
	o.protocol.register(cmd)
	var own search
	own.reductions(cmd)
	if err := o.protocol.bind(cmd, words); err != nil {
		return nil, err
	}
	if err := cmd.ParseFlags(words); err != nil {
		return nil, flagError(cmd, err)
	}
	flags := cmd.Flags()
	if rest := flags.Args(); len(rest) != 1 {
		return nil, wrongRequestf("%q: expected a SPEC and flags, found %s as well", text,
			strings.Join(rest[1:], ", "))
	}
	if err := cmp.Or(own.validate(flags), o.protocol.refuse(flags)); err != nil {
		return nil, err
	}
	for name, value := range c.given {
		o.protocol.inherit(name, value)
	}
	own.given(flags, &o.opt)
	var err error
	if o.sys, err = o.protocol.system(); err == nil {
		c.warn(o.sys.Spec)
	}
	return o, err
}

// inherit sets a parameter or option that the spec declares and that is not given.
func (p *protocol) inherit(name string, value any) {
	if _, given := p.given[name]; !given && p.declares(name) {
		p.given[name] = value
	}
}

// declares reports whether the spec has a parameter or option.
func (p *protocol) declares(name string) bool {
	return p.spec != nil && slices.ContainsFunc(settingsOf(p.spec), func(s setting) bool { return s.Name == name })
}

// comparisonReport returns the report that compare prints. path is the file of a run.
func comparisonReport(c *ringcheck.CompareReport, path string) *report {
	r := &report{Document: document.Document{Data: c}, stopErr: c.Err()}
	if c.ModelError != nil {
		r.evidence = explorePointer
	}
	for i, g := range []*ringcheck.Graph{c.A, c.B} {
		if g != nil {
			r.Line("%c: %s", "AB"[i], g.Title())
			r.Line("   states %s, transitions %s", comma(g.States), comma(g.Transitions))
		}
	}
	r.Gap()
	switch {
	case !c.Complete:
		r.Line("incomplete (%s): it is not known whether they are equivalent", c.Stopped)
	case *c.Equivalent && isModel(c.Equivalence):
		r.Line("the %s are equal", relationName(c.Equivalence))
	case *c.Equivalent:
		r.Line("equivalent modulo %s", relationName(c.Equivalence))
	case c.Violation != nil:
		which, other := "A", "B"
		if c.TraceOf == "b" {
			which, other = other, which
		}
		r.violation = "the " + relationName(c.Equivalence) + " differ"
		r.Line("%s", r.violation)
		r.deviation(c.Violation, which, other, path)
	default:
		r.violation = "not equivalent modulo " + relationName(c.Equivalence)
		r.Line("%s", r.violation)
		r.difference(c)
	}
	r.cost(c.Seconds, c.PeakRSSBytes)
	return r
}

// difference explains why the systems are not equivalent.
func (r *report) difference(c *ringcheck.CompareReport) {
	if c.Trace != nil {
		which, other := "A", "B"
		if c.TraceOf == "b" {
			which, other = other, which
		}
		r.Gap()
		r.Line("%s can do this, %s cannot:", which, other)
		r.trace(c.Trace)
	}
	if c.Cut != "" {
		r.Gap()
		r.Line("no explanation: %s", c.Cut)
	}
	if c.Formula != "" {
		r.Gap()
		r.Line("This holds in A and not in B:")
		r.formula(c.Why.Formula.Lines())
	}
}

// shownSteps is the maximum number of lines of a trace or a formula that are shown.
const shownSteps = 40

// trace lists the labels of a trace; a label that is repeated three times or more is listed once, with a count.
func (r *report) trace(trace []string) {
	for lines := 0; len(trace) > 0; lines++ {
		if lines == shownSteps {
			r.Line("  … and %s more steps; --json has them", comma(len(trace)))
			return
		}
		n := 1
		for n < len(trace) && trace[n] == trace[0] {
			n++
		}
		times := fmt.Sprintf("  (%s times)", comma(n))
		if n < 3 {
			n, times = 1, ""
		}
		r.Line("  %s%s", labelName(trace[0]), times)
		trace = trace[n:]
	}
}

// formula lists the lines of a formula.
func (r *report) formula(lines []string) {
	for i, line := range lines {
		if i == shownSteps {
			r.Line("  … and %s more definitions; --json has them", comma(len(lines)-i))
			return
		}
		r.Line("  %s", printable.Text(line))
	}
}
