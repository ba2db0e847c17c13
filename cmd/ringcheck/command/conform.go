package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/document"
	"ringcheck/internal/textfile"
	"ringcheck/verify/conform"
)

// conformance is the conform sub-command.
type conformance struct {
	job
	logs    []string
	opt     conform.Options
	mapping string
	run     outFile
	graph   outFile
	sample  int
	seed    uint64
}

func (a *app) conformCommand() *cobra.Command {
	c := &conformance{job: a.job()}
	c.protocol.others = &c.logs
	cmd := c.command("conform", c.on(c.judge, c.validate), c.protocol.register, c.search.growth, c.search.means,
		c.search.properties, c.asJSON)
	flags := cmd.Flags()
	choice(cmd, (*string)(&c.opt.Order), "order", "ORDER", ringcheck.Choices("order"),
		"of the lines, %s: all lines, only lines of the same process, or lines that vector clocks relate")
	flags.StringSliceVar(&c.opt.Observe, "observe", nil, "the observed actions, `KINDS,NAMES`: send, recv, event, "+
		"crash, recover, tick, lose, duplicate, names of messages and events (default: the kinds that the log has)")
	flags.BoolVar(&c.opt.AllowEmpty, "allow-empty", false, "accept a log without an observed event")
	flags.StringVar(&c.mapping, "map", "", "read another kind of log: the JSON object in `FILE` "+
		"says where the members of an event are")
	c.runFile(cmd, &c.run, "run", "write one explanation to `FILE`")
	c.file(cmd, &c.graph, "graph", "write all hypotheses of a total order to `FILE`"+systemUsage, systemFormats...)
	flags.IntVar(&c.sample, "sample", 0, "write the log of a random run of at most `N` steps instead")
	flags.Uint64Var(&c.seed, "seed", 1, "the `NUMBER` that determines the random run")
	return cmd
}

func (c *conformance) validate(flags *pflag.FlagSet) error {
	sampling := flags.Changed("sample")
	switch {
	case sampling && (len(c.logs) > 0 || c.sample < 1):
		return wrongRequestf("--sample takes a number of steps, and no LOG")
	case !sampling && len(c.logs) == 0:
		return wrongRequestf(
			"ringcheck conform requires a SPEC and a LOG: a file of JSON lines, or - for standard input")
	}
	return cmp.Or(clash(flags, "sample", "map", "run", "graph", "allow-empty"), needs(flags, "seed", "sample"),
		oneOf("order", string(c.opt.Order), ringcheck.Choices("order")))
}

func (c *conformance) judge(ctx context.Context, sys *ringcheck.System) error {
	opt := c.options()
	c.opt.Properties, c.opt.Memory = c.search.checks.Properties, opt.Memory
	c.opt.Run, c.opt.Graph = c.run.path != "", c.graph.path != ""
	c.opt.Live = slices.Contains(c.logs, standardInput)
	c.opt.MaxChannel, c.opt.MaxNat = opt.MaxChannel, opt.MaxNat
	if c.sample > 0 {
		random := rand.New(rand.NewPCG(c.seed, 0))
		return c.printOutput(func(w io.Writer) error { return conform.Sample(ctx, w, sys, c.sample, random, c.opt) })
	}
	mapping, err := c.readMapping()
	if err != nil {
		return err
	}
	var logs []*conform.Log
	for _, name := range c.logs {
		log, err := openLog(ctx, name)
		if err != nil {
			return err
		}
		defer log.Close()
		if name == standardInput {
			name = "standard input"
		}
		logs = append(logs, &conform.Log{Name: name, Reader: log, Mapping: mapping})
	}
	if !c.quiet {
		c.opt.Progress, c.opt.ProgressEvery = c.progress.show, c.progress.every
	}
	r, err := ringcheck.Conform(ctx, sys, logs, c.opt)
	if line := (*conform.LineError)(nil); errors.As(err, &line) {
		return wrongRequest(err)
	}
	if err != nil {
		return err
	}
	summary := conformReport(r)
	err = c.publish(&summary.Document)
	if err == nil && r.Run != nil {
		err = c.run.saveRun(r.Run)
	}
	if err == nil {
		err = c.graph.saveSystem(r.WriteGraph)
	}
	return cmp.Or(err, summary.verdict())
}

// readMapping reads the file of --map, if there is one.
func (c *conformance) readMapping() (*conform.Mapping, error) {
	if c.mapping == "" {
		return nil, nil
	}
	text, err := textfile.Read(c.mapping)
	if err != nil {
		return nil, wrongRequestf("--map: %w", err)
	}
	mapping, err := conform.ReadMapping(bytes.NewReader(text))
	if err != nil {
		return nil, wrongRequestf("--map %s: %w", c.mapping, err)
	}
	return mapping, nil
}

// openLog opens a file, or standard input. For a pipe, it waits for a writer until ctx ends; then it returns an empty
// log, whose reader reports that ctx has ended.
func openLog(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == standardInput {
		return io.NopCloser(os.Stdin), nil
	}
	var file *os.File
	opened := make(chan error, 1)
	go func() {
		f, err := os.Open(name)
		file = f // set before the channel is read
		opened <- err
	}()
	select {
	case <-ctx.Done():
		return io.NopCloser(strings.NewReader("")), nil
	case err := <-opened:
		if err != nil {
			return nil, wrongRequest(err)
		}
		return file, nil
	}
}

// conformReport returns the report that conform prints.
func conformReport(c *conform.Report) *report {
	r := &report{Document: document.Document{Data: c}, stopErr: cmp.Or(c.Invalid(), c.Err())}
	r.Line("%s", c.Title())
	for _, cut := range c.TruncatedLines {
		r.Line("%s:%d: the last line of the log is cut off; the lines before it are checked", cut.File, cut.Line)
	}
	r.Gap()
	switch {
	case c.Stopped == "empty":
		r.Line("not judged: no line of the log is an observed event (--allow-empty accepts that)")
	case c.Explained == nil:
		r.Line("not known: explained %s of %s so far", comma(c.EventsExplained), countOf(c.Events, "event"))
	case *c.Explained && !c.AllHypotheses:
		r.Line("explained: %s", countOf(c.Events, "event"))
	case *c.Explained:
		r.Line("explained: %s, and the system may then be in %s", countOf(c.Events, "event"),
			countOf(c.Hypotheses, "state"))
	default:
		r.addConflict(c)
	}
	if c.Events == 0 && c.Explained != nil && *c.Explained {
		r.Line("  (no line of the log is an observed event)")
	}
	for _, path := range c.PathsNotFound {
		r.Line("  (--map looks at %s, where no line of the log has a value)", path)
	}
	for _, p := range c.Properties {
		switch {
		case p.EvalError != nil && p.Holds == nil:
			r.Line("no value on the way: %s: %s: %s", p.Name, p.EvalError.Place, p.EvalError.Message)
		case p.Holds == nil || *p.Holds:
		case p.Certain:
			r.Line("violated on the way: %s", p.Name)
			r.violation = cmp.Or(r.violation, "violated: "+p.Name)
		default:
			r.Line("possibly violated on the way: %s (other runs may explain the log without a violation)", p.Name)
		}
	}
	return r
}

// addConflict adds what is known of a log that is not explained.
func (r *report) addConflict(c *conform.Report) {
	if c.AtMost {
		r.violation = "the log is not explained"
		are := "are"
		if c.EventsExplained == 1 {
			are = "is"
		}
		r.Line("not explained; the first wrong line is not known: at most line %d of %s, %s %s explained", c.Line,
			c.File, countOf(c.EventsExplained, "event"), are)
	} else {
		r.violation = fmt.Sprintf("%s:%d is not explained", c.File, c.Line)
		r.Line("not explained: line %d of %s, after %s", c.Line, c.File, countOf(c.EventsExplained, "event"))
		r.Line("    %s", c.Event)
	}
	switch c.Part {
	case "before":
		r.Line(`  the state "before" the action is not possible there`)
	case "after":
		r.Line(`  the action is possible, but not the state "after" it`)
	}
	for _, p := range c.Conflict {
		r.Line("  together with line %d of %s", p.Line, p.File)
	}
	if c.Missing != nil {
		r.Line("  unless an action happened after the last line of its process, such as")
		r.Line("    %s", c.Missing)
	}
	for _, b := range c.Bounds {
		r.Line("  a bound is reached: %s is %d; with %d, a run explains the line", b.Name, b.Value, b.Needs)
	}
	for _, e := range c.StepErrors {
		r.Line("  a step is not possible there: %s: %s", e.Place, e.Message)
	}
	if c.Expected != nil {
		for line := range strings.Lines(c.Expected.String()) {
			r.Line("%s", strings.TrimRight(line, "\n"))
		}
	}
}
