package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ringcheck/explore"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/verify"
)

// verification is the sub-command check.
type verification struct {
	*app
	protocol   protocol
	search     search
	reduce     reduction
	properties choices
	junit      string
	json       bool
}

func (a *app) checkCommand() *cobra.Command {
	v := &verification{app: a}
	cmd := &cobra.Command{
		Use:   "check SPEC",
		Short: "Verify the properties of a protocol",
		Long: "Verify the properties that a protocol declares, in one search: invariants, what holds of terminal states,\n" +
			"what is reachable, and what is inevitable: can be reached from every reachable state, and so happens sooner or\n" +
			"later if chance is fair. The exit status is 0 if all hold, 1 if one is violated, 3 if the search ended too early to\n" +
			"tell. ringcheck counterexample shows the run to a violation.\n\n" +
			"With --symmetry the counts are those of the full system; properties must not tell processes apart by number.\n" +
			"With --reduce they are those of the reduced system, of which only terminal properties can be verified.",
		Example: "  ringcheck check franklin -n 4 -k 2\n" +
			"  ringcheck check dkr -n 5 -k 3 --modulus 3 --property elected\n" +
			"  ringcheck check my.ring -n 3 --junit result.xml",
		RunE: runE(v.run),
	}
	v.protocol.register(a, cmd)
	v.search.register(cmd)
	v.reduce.registerReduce(cmd)
	v.reduce.registerSymmetry(cmd, turnings())
	v.properties.register(cmd, &v.protocol)
	flags := cmd.Flags()
	flags.StringVar(&v.junit, "junit", "", "write the verdicts to `FILE` as JUnit XML, for CI systems")
	flags.BoolVar(&v.json, "json", false, "write one JSON object to standard output, and nothing else there")
	must(cmd.MarkFlagFilename("junit", "xml"))
	return cmd
}

func (v *verification) run(cmd *cobra.Command) error {
	err := cmp.Or(v.search.validate(cmd.Flags()), oneOf("reduce", v.reduce.kind, reductions()), v.reduce.validateTurning(), writable("--junit", v.junit))
	if err != nil {
		return err
	}
	p, err := v.protocol.instantiate()
	if err != nil {
		return err
	}
	properties, err := v.properties.of(p)
	if err != nil {
		return err
	}
	if err := v.reduce.keeps(properties); err != nil {
		return err
	}
	v.warn(v.protocol.spec)
	sys, err := v.search.system(p)
	if err != nil {
		return wrongRequest(err)
	}
	ctx, cancel := v.search.limit(cmd.Context())
	defer cancel()
	small, err := v.reduce.apply(ctx, sys)
	if err != nil {
		return err
	}
	r, err := v.check(ctx, small.subject(), properties)
	if err != nil {
		return v.reduce.propertyError(err)
	}
	return v.publish(sys, r)
}

// check verifies properties of s and shows the progress.
func (v *verification) check(ctx context.Context, s verify.Subject, properties []*ir.Property) (*verify.Report, error) {
	watch := newWatch(v.app)
	defer watch.done()
	return s.Check(ctx, properties, watch.options(&v.search))
}

// keeps returns an error if the reduced system does not tell whether a property holds. It has the same terminal
// states, since nothing can be done in them, but not all of the others.
func (r *reduction) keeps(properties []*ir.Property) error {
	if r.kind == noReduction {
		return nil
	}
	for _, p := range properties {
		if p.Kind != ir.Terminal {
			return wrongRequestf("--reduce %s keeps the terminal states, and %s is about others too: choose terminal properties with --property",
				r.kind, p.Name)
		}
	}
	return nil
}

// propertyError gives an error of a search for violations its exit status.
func (r *reduction) propertyError(err error) error {
	var e *verify.EvalError
	switch {
	case errors.As(err, &e):
		return wrongRequest(err)
	case errors.Is(err, verify.ErrAsymmetric):
		return wrongRequestf("--symmetry %s: %w; --property chooses others", r.symmetry, err)
	}
	return searchError(err)
}

// publish prints the verdicts, writes them to --junit, and returns what they come to.
func (v *verification) publish(sys *compile.System, r *verify.Report) error {
	c, err := newChecked(sys, r, &v.reduce)
	if err != nil {
		return err
	}
	if v.junit != "" {
		if err := c.writeJUnit(v.junit); err != nil {
			return err
		}
	}
	if v.json {
		err = v.printJSON(c)
	} else {
		err = v.print(c.text())
	}
	return cmp.Or(err, verdictOf(r))
}

// verdictOf returns nil if all properties hold, else what is wrong.
func verdictOf(r *verify.Report) error {
	var broken []string
	for _, v := range r.Verdicts {
		if v.Outcome == verify.Violated {
			broken = append(broken, v.Property.Name)
		}
	}
	switch {
	case len(broken) > 0:
		return violated(fmt.Errorf("violated: %s", strings.Join(broken, ", ")))
	case r.Search.Stop == explore.Faulted:
		return faultFailure(r.Search.Fault)
	case !r.Search.Complete():
		return stopped(fmt.Errorf("stopped before the end: %v", r.Search.Stop))
	case !r.Holds():
		return stopped(errors.New("stopped before all properties were decided"))
	}
	return nil
}

// choices are the properties that a call is about.
type choices []string

func (c *choices) register(cmd *cobra.Command, p *protocol) {
	cmd.Flags().StringArrayVar((*[]string)(c), "property", nil, "only the property of that `NAME`; may be repeated (default: all)")
	must(cmd.RegisterFlagCompletionFunc("property", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		instance, err := p.spec.Instantiate(p.given)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return propertyNames(instance), cobra.ShellCompDirectiveNoFileComp
	}))
}

// of returns the properties of p that are chosen, in the order of the spec.
func (c choices) of(p *ir.Protocol) ([]*ir.Property, error) {
	if len(p.Properties) == 0 {
		return nil, wrongRequestf("%s states no property", p.Name)
	}
	if len(c) == 0 {
		return p.Properties, undecided(p)
	}
	names := propertyNames(p)
	for _, name := range c {
		if slices.Contains(names, name) {
			continue
		}
		hint := "there are " + strings.Join(names, ", ")
		if near := syntax.Nearest(name, names); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		return nil, wrongRequestf("--property %s: %s states no such property with these options (%s)", name, p.Name, hint)
	}
	return slices.DeleteFunc(slices.Clone(p.Properties), func(q *ir.Property) bool {
		return !slices.Contains(c, q.Name)
	}), nil
}

// undecided returns an error if p has a property of a kind that is not decided here.
func undecided(p *ir.Protocol) error {
	for _, t := range p.Temporal {
		return wrongRequestf("%s: check does not decide ltl yet (%s); --property chooses others", t.Pos, t.Name)
	}
	for _, b := range p.Bounds {
		return wrongRequestf("%s: check does not decide probabilities and expected rewards yet (%s); --property chooses others", b.Pos, b.Name)
	}
	return nil
}

func propertyNames(p *ir.Protocol) []string {
	var names []string
	for _, q := range p.Properties {
		names = append(names, q.Name)
	}
	return names
}

// text returns the verdicts for people.
func (c *checked) text() string {
	var b strings.Builder
	fmt.Fprintln(&b, title(c.Spec, c.Params, c.Options))
	if !c.Complete {
		fmt.Fprintf(&b, "incomplete (%s): the numbers are lower bounds, and what is not violated is unknown\n", c.Stopped)
	}
	b.WriteByte('\n')
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, p := range c.Properties {
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", p.Kind, p.Name, p.outcome, p.numbers())
		for _, line := range p.Why {
			fmt.Fprintf(table, "  \t\t\t%s\n", line)
		}
	}
	table.Flush()
	b.WriteByte('\n')
	writeReduction(&b, c.Reduction, "", c.Symmetry, c.StoredStates)
	writeRows(&b, []row{
		{"states", comma(c.States), ""},
		{"transitions", comma(c.Transitions), ""},
		{"deadlocks", comma(c.Deadlocks), ""},
		{"levels", comma(uint64(c.Levels)), ""},
		{"time", fmt.Sprintf("%.3f", c.Seconds), "s"},
		{"peak memory", comma(c.PeakRSSBytes >> 20), "MiB"},
	})
	return trimLines(b.String())
}

// trimLines takes the spaces away with which a table fills its last column.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
