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
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/conform"
	"ringcheck/internal/document"
	"ringcheck/internal/textfile"
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
	choice(cmd, (*string)(&c.opt.Order), "order", "ORDER", []string{"total", "process", "clock"},
		"of the lines, %s: all are in order, only those of the same process, or as vector clocks relate them")
	flags.StringSliceVar(&c.opt.Observe, "observe", nil, "the observed actions, `KINDS,NAMES`: send, recv, event, "+
		"crash, recover, tick, lose, duplicate, names of messages and events (default: the kinds that the log has)")
	flags.StringVar(&c.mapping, "map", "", "read another kind of log, whose members the JSON object in `FILE` maps")
	c.file(cmd, &c.run, "run", "write one explanation to `FILE`, by its ending .txt, .msc, .svg, .html, .mmd or .json")
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
	case sampling && (c.mapping != "" || c.run.path != "" || c.graph.path != ""):
		return clash(flags, "sample", "map", "run", "graph")
	case !sampling && flags.Changed("seed"):
		return wrongRequestf("--seed is for --sample")
	case !sampling && len(c.logs) == 0:
		return wrongRequestf(
			"ringcheck conform requires a SPEC and a LOG: a file of JSON lines, or - for standard input")
	case formats[c.run.ending()] == "":
		return wrongRequestf("--run %s: the file name must end in .txt, .msc, .svg, .html, .mmd or .json", c.run.path)
	}
	return oneOf("order", string(c.opt.Order), []string{"total", "process", "clock"})
}

func (c *conformance) judge(ctx context.Context, sys *ringcheck.System) error {
	opt := c.options()
	c.opt.Properties, c.opt.Memory = opt.Properties, opt.Memory
	c.opt.Run, c.opt.Graph = c.run.path != "", c.graph.path != ""
	c.opt.Live = slices.Contains(c.logs, standardInput)
	c.opt.MaxChannel, c.opt.MaxNat = opt.MaxChannel, opt.MaxNat
	if c.sample > 0 {
		return c.write(ctx, sys)
	}
	logs, end, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer end()
	if !c.quiet {
		last := time.Duration(0)
		c.opt.Progress = func(p conform.Progress) {
			if p.Elapsed < last+c.progress.every {
				return
			}
			last = p.Elapsed
			line := fmt.Sprintf("events explained %s  hypotheses %s  %.0f s", comma(p.Events), comma(p.Hypotheses),
				p.Elapsed.Seconds())
			if p.Hypotheses >= manyHypotheses && p.Advice != "" {
				line += "  fewer if you " + p.Advice
			}
			c.progress.say(line)
		}
	}
	r, err := conform.Explain(ctx, sys, logs, c.opt)
	if line := (*conform.LineError)(nil); errors.As(err, &line) {
		return wrongRequest(err)
	}
	if err != nil {
		return err
	}
	told := conformReport(r)
	if err := c.publish(&told.Document); err != nil {
		return err
	}
	if c.run.path != "" && r.Run != nil {
		err := c.run.save(func(w *os.File) error { return r.Run.Write(w, cmp.Or(formats[c.run.ending()], textFormat)) })
		if err != nil {
			return err
		}
	}
	if c.graph.path != "" {
		if err := c.graph.saveSystem(r.WriteGraph); err != nil {
			return err
		}
	}
	return told.verdict()
}

// manyHypotheses is the number of hypotheses from which on the report advises how to reduce it.
const manyHypotheses = 1000

// write prints the log of a random run.
func (c *conformance) write(ctx context.Context, sys *ringcheck.System) error {
	var b strings.Builder
	if err := conform.Sample(ctx, &b, sys, c.sample, rand.New(rand.NewPCG(c.seed, 0)), c.opt); err != nil {
		return err
	}
	return c.print(b.String())
}

// open opens the logs, and reads the mapping. end closes them.
func (c *conformance) open(ctx context.Context) (logs []*conform.Log, end func(), err error) {
	var files []io.Closer
	end = func() {
		for _, f := range files {
			f.Close()
		}
	}
	var mapping *conform.Mapping
	if c.mapping != "" {
		text, err := textfile.Read(c.mapping)
		if err != nil {
			return nil, end, wrongRequestf("--map: %w", err)
		}
		if mapping, err = conform.ReadMapping(bytes.NewReader(text)); err != nil {
			return nil, end, wrongRequestf("--map %s: %w", c.mapping, err)
		}
	}
	for _, name := range c.logs {
		log := &conform.Log{Name: name, Reader: os.Stdin, Mapping: mapping}
		if name == standardInput {
			log.Name = "standard input"
		} else {
			f, err := openLog(ctx, name)
			if err != nil {
				end()
				return nil, end, err
			}
			files = append(files, f)
			log.Reader = f
		}
		logs = append(logs, log)
	}
	return logs, end, nil
}

// openLog opens a file. If it is a pipe, it waits for a writer until ctx ends; then it returns an empty log, whose
// reader reports that ctx has ended.
func openLog(ctx context.Context, name string) (io.ReadCloser, error) {
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

// conformReport returns what conform prints.
func conformReport(c *conform.Report) *report {
	r := &report{Document: document.Document{Data: c}, ended: c.Err()}
	r.Line("%s", c.Title())
	for _, cut := range c.Cut {
		r.Line("%s:%d: the last line of the log is cut off; the lines before it are checked", cut.File, cut.Line)
	}
	r.Gap()
	switch {
	case c.Explained == nil:
		r.Line("not known: explained %s of %s so far", comma(c.Explains), countOf(c.Events, "event"))
	case *c.Explained && !c.AllHypotheses:
		r.Line("explained: %s", countOf(c.Events, "event"))
	case *c.Explained:
		r.Line("explained: %s, and the system may then be in %s", countOf(c.Events, "event"),
			countOf(c.Hypotheses, "state"))
	default:
		r.violated = fmt.Sprintf("%s:%d is not explained", c.File, c.Line)
		r.Line("not explained: line %d of %s, after %s", c.Line, c.File, countOf(c.Explains, "event"))
		r.Line("    %s", c.Event)
		for _, p := range c.Conflict {
			r.Line("  together with line %d of %s", p.Line, p.File)
		}
		if c.Expected != nil {
			for line := range strings.Lines(c.Expected.String()) {
				r.Line("%s", strings.TrimRight(line, "\n"))
			}
		}
	}
	if c.Events == 0 && c.Explained != nil && *c.Explained {
		r.Line("  (no line of the log is an observed event)")
	}
	for _, path := range c.PathsNotFound {
		r.Line("  (--map looks at %s, where no line of the log has a value)", path)
	}
	for _, p := range c.Properties {
		switch {
		case p.Holds == nil || *p.Holds:
		case p.Certain:
			r.Line("violated on the way: %s", p.Name)
			r.violated = cmp.Or(r.violated, "violated: "+p.Name)
		default:
			r.Line("possibly violated on the way: %s (other runs may explain the log without that)", p.Name)
		}
	}
	return r
}
