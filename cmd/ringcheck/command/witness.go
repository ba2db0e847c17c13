package command

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"ringcheck"
)

// witness is the sub-command witness.
type witness struct{ drawing }

func (a *app) witnessCommand() *cobra.Command {
	w := &witness{drawing: drawing{job: a.job()}}
	cmd := a.command("witness", w.on(w.run, w.drawing.validate))
	w.protocol.register(a, cmd)
	w.search.register(cmd)
	w.search.registerReduce(cmd)
	w.search.registerSymmetry(cmd)
	w.search.registerProperties(cmd, &w.protocol)
	w.drawing.register(cmd)
	return cmd
}

func (w *witness) run(ctx context.Context, sys *ringcheck.System) error {
	var report *ringcheck.Report
	run, err := searching(&w.job, func(opt ringcheck.Options) (run *ringcheck.Run, err error) {
		opt.Witness = true
		run, report, err = ringcheck.Counterexample(ctx, sys, opt)
		return run, err
	})
	switch {
	case err != nil:
		return err
	case run != nil:
		return w.draw(run)
	case report.Fault != nil:
		return w.fault(ctx, report)
	case w.json:
		if err := w.printJSON(&unwitnessed{Steps: []string{}, Report: report}); err != nil {
			return err
		}
	}
	if err := report.Err(); err != nil {
		return err
	}
	return violated(fmt.Errorf("none of the %s reachable states is one that a property says there is",
		report.States.Comma()))
}

// unwitnessed is printed in the place of a run where none was found.
type unwitnessed struct {
	Property *string  `json:"property"` // null
	Length   *int     `json:"length"`   // null
	Steps    []string `json:"steps"`    // none
	*ringcheck.Report
}

// drawing is how a run is shown.
type drawing struct {
	job
	format string
	out    outFile
}

func (c *drawing) register(cmd *cobra.Command) {
	names := ringcheck.Choices("format")
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
	switch {
	case !slices.Contains(ringcheck.Choices("format"), c.format):
		return wrongRequestf("--format %s: want text or one of those in --help", c.format)
	}
	return nil
}

// fault draws the run to the fault of the model that ended a search, and returns the failure for it.
func (c *drawing) fault(ctx context.Context, r *ringcheck.Report) error {
	run, err := r.FaultRun(ctx)
	if run == nil || err != nil {
		return c.faulty(ctx, r)
	}
	return cmp.Or(c.draw(run), error(classify(r.Err())))
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
