package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"ringcheck"
	"ringcheck/internal/inside"
	"ringcheck/results/sweep"
	"ringcheck/verify"
)

// drawing is how a run is shown.
type drawing struct {
	job
	format string
	out    outFile
}

func (c *drawing) register(cmd *cobra.Command) {
	names := inside.Choices("format")
	flags := cmd.Flags()
	flags.StringVar(&c.format, "format", "", "draw the run as `FORM`: "+strings.Join(names, ", ")+" (default: by the "+
		"ending of --out, else text)")
	c.file(cmd, &c.out, "out", "write the run to `FILE` instead of standard output")
	flags.BoolVar(&c.json, "json", false, "the same as --format json")
	offer(cmd, "format", names)
}

// textFormat is the format for people at a terminal.
const textFormat = "text"

// formats are those that file names ask for.
var formats = map[string]string{
	"": textFormat, ".txt": textFormat, ".msc": "msc", ".svg": "svg", ".html": "html", ".json": "json",
	".mmd": "mermaid", ".mermaid": "mermaid",
}

// validate settles the form of the output.
func (c *drawing) validate(*pflag.FlagSet) error {
	if c.json && c.format != "" && c.format != "json" {
		return wrongRequestf("--json and --format %s: give one of them", c.format)
	}
	if c.json {
		c.format = "json"
	}
	byName, known := formats[c.out.ending()]
	switch {
	case !known:
		return wrongRequestf("--out %s: the file name must end in .txt, .msc, .svg, .html, .mmd or .json", c.out.path)
	case c.out.path != "" && c.format != "" && c.format != byName && !(byName == textFormat && c.format == "msc"):
		return wrongRequestf("--out %s and --format %s contradict each other", c.out.path, c.format)
	}
	c.format = cmp.Or(c.format, byName)
	c.json = c.format == "json"
	if !slices.Contains(inside.Choices("format"), c.format) {
		return wrongRequestf("--format %s: want text or one of those in --help", c.format)
	}
	return nil
}

// columns returns how wide the terminal is that something without a path is printed on; 0 if it is none.
func (a *app) columns(path string) int {
	if f, ok := a.stdout.(*os.File); ok && path == "" && term.IsTerminal(int(f.Fd())) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// draw prints or writes a run.
func (c *drawing) draw(run *ringcheck.Run) error {
	var b bytes.Buffer
	run.Width = c.columns(c.out.path)
	err := run.Write(&b, c.format)
	switch {
	case err != nil:
		return fmt.Errorf("drawing a run: %w", err)
	case c.out.path != "":
		return saveFile("--out", c.out.path, b.Bytes())
	}
	return c.print(b.String())
}

// refutation is the sub-command counterexample, or witness.
type refutation struct{ drawing }

// The protocol whose flaws the sub-command shows if none is named.
const defaultSpec = "franklin"

func (a *app) counterexampleCommand() *cobra.Command {
	cmd, c := a.runCommand("counterexample")
	c.protocol.fallback = defaultSpec
	c.search.registerFairness(cmd)
	return cmd
}

func (a *app) witnessCommand() *cobra.Command {
	cmd, c := a.runCommand("witness")
	c.search.opt.Witness = true
	return cmd
}

func (a *app) runCommand(page string) (*cobra.Command, *refutation) {
	c := &refutation{drawing: drawing{job: a.job()}}
	cmd := a.command(page, c.work(c.run, c.drawing.validate))
	c.protocol.register(a, cmd)
	c.search.register(cmd)
	c.search.registerReduce(cmd)
	c.search.registerSymmetry(cmd)
	c.search.registerProperties(cmd, &c.protocol)
	c.drawing.register(cmd)
	return cmd, c
}

func (c *refutation) run(cmd *cobra.Command) error {
	candidates, err := c.protocol.candidates()
	if err != nil {
		return err
	}
	c.warn(c.protocol.spec)
	s := &searched{Steps: []string{}}
	for _, set := range candidates {
		sys, err := c.protocol.systemWith(set)
		if err != nil {
			return err
		}
		found, err := c.refute(cmd.Context(), s, func(opt ringcheck.Options) (*ringcheck.Run, *ringcheck.Report, error) {
			return ringcheck.Counterexample(cmd.Context(), sys, opt)
		})
		if found || err != nil {
			return err
		}
	}
	return c.nothing(s)
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
	case run == nil && i.broken() != nil:
		s.Property, s.Length = &i.broken().Name, i.broken().TraceLength
		return true, cmp.Or(c.publish(s, s.text("no run found")), stopped(
			fmt.Errorf("%w, before a run that breaks %s was found", report.Err(), *s.Property)))
	case run == nil:
		return false, nil
	case c.search.opt.Witness:
		return true, c.draw(run)
	}
	show := c.draw
	if moves, _ := run.Moves(); moves == nil && c.json {
		s.Property = &run.Property
		show = func(*ringcheck.Run) error { return c.printJSON(s) }
	}
	return true, cmp.Or(show(run), violated(fmt.Errorf("violated: %s", run.Property)))
}

// fault draws the run to the fault of the model that ended a search, and returns the failure for it.
func (c *drawing) fault(ctx context.Context, r *ringcheck.Report) error {
	run, err := r.FaultRun(ctx)
	if run == nil || err != nil {
		return c.faulty(ctx, r)
	}
	return cmp.Or(c.draw(run), error(classify(r.Err())))
}

// nothing says what was searched in vain.
func (c *refutation) nothing(s *searched) error {
	if !c.search.opt.Witness {
		return cmp.Or(c.publish(s, s.text("no violation found")), s.ended())
	}
	if len(s.Instances) == 1 {
		s.Report = s.Instances[0].report
	}
	return cmp.Or(c.publish(s, s.text("no witness found")), s.ended(),
		violated(errors.New("no reachable state is one that a property says there is")))
}

// searched says what was searched.
type searched struct {
	Spec      string             `json:"spec"`
	Options   ringcheck.Settings `json:"options"`
	Property  *string            `json:"property"` // null: none is violated, as far as is known
	Length    *int               `json:"length"`   // of the run, null if that is not known
	Steps     []string           `json:"steps"`    // none
	Instances []*instance        `json:"searched"`

	*ringcheck.Report // of the only instance that has no witness
}

// An instance is one that was searched.
type instance struct {
	Params   ringcheck.Settings `json:"params"`
	Complete bool               `json:"complete"`
	Holds    *bool              `json:"holds"`
	States   ringcheck.Number   `json:"states"`

	report *ringcheck.Report
}

func (s *searched) add(r *ringcheck.Report) *instance {
	i := &instance{Params: r.Params, Complete: r.Complete, States: r.States, report: r}
	if r.Verdicts != nil {
		i.Holds = r.Holds
	}
	s.Spec, s.Options = r.Spec, r.Subject.Options
	s.Instances = append(s.Instances, i)
	return i
}

// ended returns nil if every search came to its end with a verdict.
func (s *searched) ended() error {
	for _, i := range s.Instances {
		if !i.Complete || i.Holds == nil && i.report.Verdicts != nil {
			return stopped(errors.New("a search ended too early to tell"))
		}
	}
	return nil
}

func (s *searched) text(finding string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n\n", (&ringcheck.Subject{Spec: s.Spec, Options: s.Options}).Title(), finding)
	for _, i := range s.Instances {
		fmt.Fprintf(&b, "  %s: %s\n", i.title(), i.outcome())
	}
	return b.String()
}

// title names the instance without its options.
func (i *instance) title() string {
	return (&ringcheck.Subject{Spec: i.report.Spec, Params: i.Params}).Title()
}

func (i *instance) outcome() string {
	switch v := i.broken(); {
	case v != nil && v.TraceLength == nil:
		return "violated: " + v.Name
	case v != nil:
		return fmt.Sprintf("violated: %s, after %s", v.Name, countOf(*v.TraceLength, "step"))
	case i.Holds != nil:
		return "all properties hold (" + numberOf(i.States, "state") + ")"
	case i.report.Err() != nil:
		return fmt.Sprintf("unknown: %v after %s", i.report.Err(), numberOf(i.States, "state"))
	case i.report.Verdicts == nil:
		return "no witness (" + numberOf(i.States, "state") + ")"
	}
	for _, v := range i.report.Properties {
		if v.Holds == nil && len(v.Why) > 0 {
			return "unknown: " + v.Name + ": " + v.Why[0]
		}
	}
	return "unknown: all " + numberOf(i.States, "state") + " are known, and there was no time to decide more"
}

// broken returns the first verdict that says that a property is violated, nil if there is none.
func (i *instance) broken() *ringcheck.Verdict {
	if i.report.Verdicts == nil {
		return nil
	}
	list := i.report.Properties
	at := slices.IndexFunc(list, func(v ringcheck.Verdict) bool { return v.Outcome() == verify.Violated })
	if at < 0 {
		return nil
	}
	return &list[at]
}

// How many values of a parameter are searched that is not given.
const (
	firstValues = 4 // of the first parameter
	otherValues = 2
)

// candidates returns the settings to be searched for the smallest with a violation, in that order. What is given can be
// a list or a range; of other parameters the least values are searched, unless they depend on further parameters.
func (p *protocol) candidates() ([]ringcheck.Set, error) {
	values := p.givenTexts()
	for i, param := range inside.Spec(p.spec).Params {
		lo, err := strconv.Atoi(param.Lo)
		if values[param.Name] != "" || err != nil {
			continue
		}
		hi := lo + otherValues - 1
		if i == 0 {
			hi = lo + firstValues - 1
		}
		if top, err := strconv.Atoi(param.Hi); err == nil {
			hi = min(hi, top)
		}
		values[param.Name] = fmt.Sprintf("%d..%d", lo, hi)
	}
	all, err := sweep.Grid(p.spec, values)
	if err != nil {
		return nil, wrongRequest(err)
	}
	return all, nil
}

// givenTexts returns the settings as they were given.
func (p *protocol) givenTexts() map[string]string {
	texts := make(map[string]string)
	for name, value := range p.given {
		texts[name] = fmt.Sprint(value)
	}
	return texts
}
