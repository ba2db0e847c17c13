package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/model/language/check"
	"ringcheck/results/sweep"
	"ringcheck/verify"
)

// refutation is the sub-command counterexample.
type refutation struct {
	drawing
	sizes sizes
}

// The protocol whose flaws the sub-command shows if none is named.
const defaultSpec = "franklin"

func (a *app) counterexampleCommand() *cobra.Command {
	c := &refutation{drawing: drawing{job: a.job()}}
	cmd := a.command("counterexample", c.work(c.run, c.drawing.validate))
	c.protocol.fallback = defaultSpec
	c.protocol.declared = func(cmd *cobra.Command) { c.sizes.register(cmd, &c.protocol) }
	c.protocol.register(a, cmd)
	c.search.register(cmd)
	c.search.registerReduce(cmd)
	c.search.registerSymmetry(cmd)
	c.search.registerProperties(cmd, &c.protocol)
	c.search.registerFairness(cmd)
	c.drawing.register(cmd)
	return cmd
}

func (c *refutation) run(cmd *cobra.Command) error {
	candidates, err := c.sizes.candidates(&c.protocol)
	if err != nil {
		return err
	}
	c.warn(c.protocol.spec)
	s := &searched{Steps: []string{}}
	for _, set := range candidates {
		if found, err := c.try(cmd.Context(), set, s); found || err != nil {
			return err
		}
	}
	return cmp.Or(c.publish(s, s.text()), s.verdict())
}

// try searches one instance of the spec and reports whether it has found, and shown, a violation.
func (c *refutation) try(ctx context.Context, given ringcheck.Set, s *searched) (found bool, err error) {
	sys, err := c.protocol.systemWith(given)
	if err != nil {
		return false, err
	}
	return c.refute(ctx, s, func(opt ringcheck.Options) (*ringcheck.Run, *ringcheck.Report, error) {
		return ringcheck.Counterexample(ctx, sys, opt)
	})
}

// refute shows what find finds.
func (c *refutation) refute(
	ctx context.Context, s *searched, find func(ringcheck.Options) (*ringcheck.Run, *ringcheck.Report, error),
) (found bool, err error) {
	var report *ringcheck.Report
	run, err := searching(&c.job, func(opt ringcheck.Options) (run *ringcheck.Run, err error) {
		run, report, err = find(opt)
		return run, err
	})
	if err != nil {
		return false, err
	}
	i := s.add(report)
	c.note(i.title() + ": " + i.outcome())
	switch {
	case run == nil && report.Fault != nil:
		return false, c.fault(ctx, report)
	case run == nil && report.Holds != nil && !*report.Holds:
		s.breaks(i.broken())
		return true, cmp.Or(c.publish(s, s.text()), stopped(fmt.Errorf("%w, before a run that breaks %s was found",
			report.Err(), *s.Property)))
	case run == nil:
		return false, nil
	}
	return true, cmp.Or(c.show(run, s), violated(fmt.Errorf("violated: %s", run.Property)))
}

// show prints or writes a run.
func (c *refutation) show(run *ringcheck.Run, s *searched) error {
	if moves, _ := run.Moves(); moves == nil && c.json {
		s.Property = &run.Property
		return c.printJSON(s)
	}
	return c.draw(run)
}

// searched is what was searched without a violation, but for the last.
type searched struct {
	Spec      string             `json:"spec"`
	Options   ringcheck.Settings `json:"options"`
	Property  *string            `json:"property"` // null: none is violated, as far as is known
	Length    *int               `json:"length"`   // of the run, null if that is not known
	Steps     []string           `json:"steps"`    // none
	Instances []*instance        `json:"searched"`
}

// An instance is one that was searched.
type instance struct {
	Params   ringcheck.Settings `json:"params"`
	Complete bool               `json:"complete"`
	Holds    *bool              `json:"holds"`
	States   ringcheck.Number   `json:"states"`

	report *ringcheck.Report
}

// breaks notes a violation of which there is no run.
func (s *searched) breaks(v *ringcheck.Verdict) { s.Property, s.Length = &v.Name, v.TraceLength }

func (s *searched) add(r *ringcheck.Report) *instance {
	i := &instance{Params: r.Params, Complete: r.Complete, Holds: r.Holds, States: r.States, report: r}
	s.Spec, s.Options = r.Spec, r.Subject.Options
	s.Instances = append(s.Instances, i)
	return i
}

// verdict returns nil if every search came to its end and everything holds.
func (s *searched) verdict() error {
	for _, i := range s.Instances {
		if i.Holds == nil || !i.Complete {
			return stopped(errors.New("a search ended too early to tell"))
		}
	}
	return nil
}

// title names the instance without its options.
func (i *instance) title() string {
	return (&ringcheck.Subject{Spec: i.report.Spec, Params: i.Params}).Title()
}

func (i *instance) outcome() string {
	switch {
	case i.Holds == nil:
		return "unknown: " + i.reason()
	case *i.Holds:
		return "all properties hold (" + numberOf(i.States, "state") + ")"
	}
	v := i.broken()
	if v.TraceLength == nil {
		return "violated: " + v.Name
	}
	return fmt.Sprintf("violated: %s, after %s", v.Name, countOf(*v.TraceLength, "step"))
}

// broken returns the first verdict that says that a property is violated.
func (i *instance) broken() *ringcheck.Verdict {
	list := i.report.Properties
	return &list[slices.IndexFunc(list, func(v ringcheck.Verdict) bool { return v.Outcome() == verify.Violated })]
}

// reason says why it is not known whether everything holds.
func (i *instance) reason() string {
	if err := i.report.Err(); err != nil {
		return fmt.Sprintf("%v after %s", err, numberOf(i.States, "state"))
	}
	for _, v := range i.report.Properties {
		if v.Holds == nil && len(v.Why) > 0 {
			return v.Name + ": " + v.Why[0]
		}
	}
	return "all " + numberOf(i.States, "state") + " are known, and there was no time to decide more"
}

func (s *searched) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n\n", (&ringcheck.Subject{Spec: s.Spec, Options: s.Options}).Title(),
		map[bool]string{true: "no violation found", false: "no run found"}[s.Property == nil])
	for _, i := range s.Instances {
		fmt.Fprintf(&b, "  %s: %s\n", i.title(), i.outcome())
	}
	return b.String()
}

// sizes are the values of parameters that are searched for the smallest with a violation.
type sizes struct {
	limits map[string]*int // by parameter: --NAME-max
	flags  interface{ Changed(name string) bool }
}

// How many values are searched by default.
const (
	firstValues = 4 // of the first parameter
	otherValues = 2
)

// register adds a flag for each parameter of the spec.
func (s *sizes) register(cmd *cobra.Command, p *protocol) {
	s.limits, s.flags = make(map[string]*int), cmd.Flags()
	for _, param := range p.spec.Params {
		flag := param.Name + "-max"
		if cmd.Flags().Lookup(flag) != nil {
			continue
		}
		limit := new(int)
		cmd.Flags().IntVar(limit, flag, 0, "search values of "+param.Name+" up to `N`")
		complete(cmd, cmd.Flags().Lookup(flag))
		p.common.AddFlag(cmd.Flags().Lookup(flag))
		s.limits[param.Name] = limit
	}
}

// candidates returns the settings to be searched, in that order.
func (s *sizes) candidates(p *protocol) ([]ringcheck.Set, error) {
	ranges := make(map[string]string)
	for i, param := range p.spec.Params {
		values, err := s.values(&param, given(p.given, param.Name), i == 0)
		if err != nil {
			return nil, err
		}
		if values != "" {
			ranges[param.Name] = values
		}
	}
	all, err := sweep.Grid(p.spec, ranges)
	if err != nil {
		return nil, wrongRequest(err)
	}
	for _, set := range all {
		maps.Copy(set, p.given)
	}
	return all, nil
}

// given returns the value of a parameter, "" if it has none.
func given(set ringcheck.Set, name string) string {
	if value, ok := set[name]; ok {
		return fmt.Sprint(value)
	}
	return ""
}

// values returns the range of one parameter, "2..5"; "" if it is not searched.
func (s *sizes) values(param *check.Param, given string, first bool) (string, error) {
	flag := param.Name + "-max"
	limited := s.limits[param.Name] != nil && s.flags.Changed(flag)
	switch {
	case given != "" && limited:
		return "", wrongRequestf("--%s says how far to search values of %s, and %s = %s is given: give one of them",
			flag, param.Name, param.Name, given)
	case given != "":
		return "", nil
	}
	lo, err := strconv.Atoi(param.Lo)
	if err != nil && !limited {
		return "", nil // a range that depends on other parameters
	}
	if err != nil {
		return "", wrongRequestf("--%s: the values of %s depend on other parameters: give it one", flag, param.Name)
	}
	hi := lo + otherValues - 1
	if first {
		hi = lo + firstValues - 1
	}
	if limited {
		hi = *s.limits[param.Name]
	}
	if top, err := strconv.Atoi(param.Hi); err == nil {
		hi = min(hi, top)
	}
	if hi < lo {
		return "", wrongRequestf("--%s %d: %s begins with %d", flag, hi, param.Name, lo)
	}
	return fmt.Sprintf("%d..%d", lo, hi), nil
}
