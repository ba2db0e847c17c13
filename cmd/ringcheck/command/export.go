package command

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/model/language/export"
)

// exportation is the export sub-command.
type exportation struct {
	job
	format string
	out    outFile
}

func (a *app) exportCommand() *cobra.Command {
	e := &exportation{job: a.job()}
	cmd := e.command("export", e.on(e.run, e.validate), e.protocol.register, e.search.limits)
	cmd.Flags().StringVar(&e.format, "format", "", "the language of the model: `FORM` mcrl2|promela (default: by "+
		"the ending of the file, .mcrl2 or .pml)")
	e.file(cmd, &e.out, "out", "write the model to `FILE` instead of standard output")
	offer(cmd, "format", exportNames())
	return cmd
}

func exportNames() []string {
	var names []string
	for _, f := range export.Formats() {
		names = append(names, f.Name)
	}
	return names
}

// validate checks the flags. The ending of the file determines the format unless a flag does.
func (e *exportation) validate(*pflag.FlagSet) error {
	for _, f := range export.Formats() {
		if e.format == "" && filepath.Ext(e.out.path) == f.Ending {
			e.format = f.Name
		}
	}
	if e.format == "" {
		return wrongRequestf("say in which language: --format %s, or --out with the ending .mcrl2 or .pml",
			strings.Join(exportNames(), " or --format "))
	}
	return oneOf("format", e.format, exportNames())
}

func (e *exportation) run(ctx context.Context, sys *ringcheck.System) error {
	if err := sys.Explorable(); err != nil {
		return err
	}
	spec, given := sys.Spec.Declarations, sys.Given
	p, err := spec.Instantiate(given)
	if err == nil && p.HasGhosts() {
		p, err = spec.WithoutGhosts(given) // only properties read ghosts
	}
	if err != nil {
		return err
	}
	format := export.Formats()[slices.Index(exportNames(), e.format)]
	return e.output(&e.out, func(w io.Writer) error {
		if err := format.Write(ctx, w, p); err != nil {
			return cmp.Or(ctx.Err(), wrongRequest(err))
		}
		return nil
	})
}
