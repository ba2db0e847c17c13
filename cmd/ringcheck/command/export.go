package command

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/inside"
	"ringcheck/model/language/export"
	"ringcheck/model/language/ir"
)

// exportation is the export sub-command.
type exportation struct {
	job
	format   string
	out      outFile
	verdicts bool
	formulas string
}

func (a *app) exportCommand() *cobra.Command {
	e := &exportation{job: a.job()}
	cmd := e.command("export", e.on(e.run, e.validate), e.protocol.register, e.search.limits)
	cmd.Flags().StringVar(&e.format, "format", "", "the language of the model: `FORM` mcrl2|promela")
	cmd.Flags().BoolVar(&e.verdicts, "verdicts", false, "check the properties first, and write the verdict beside each")
	cmd.Flags().StringVar(&e.formulas, "formulas", "",
		"write the properties to `DIR`/NAME.mcf as formulas for lps2pbes, and add the actions they need to the model")
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

// validate checks the flags.
func (e *exportation) validate(*pflag.FlagSet) error {
	switch {
	case e.formulas != "" && e.format != "mcrl2":
		return wrongRequestf("--formulas needs --format mcrl2")
	case e.verdicts && e.format == "mcrl2" && e.formulas == "":
		return wrongRequestf("--verdicts needs --formulas, or --format promela")
	}
	return oneOf("format", e.format, exportNames())
}

func (e *exportation) run(ctx context.Context, sys *ringcheck.System) error {
	if err := sys.Explorable(); err != nil {
		return err
	}
	verdicts, err := e.check(ctx, sys)
	if err != nil {
		return err
	}
	spec, given := inside.Spec(sys.Spec), inside.Given(sys)
	p, err := spec.Instantiate(given)
	if err == nil && p.HasGhosts() {
		p, err = spec.WithoutGhosts(given) // only properties look at ghosts
	}
	if err != nil {
		return err
	}
	opt := export.Options{Verdicts: verdicts, Probes: e.formulas != ""}
	if opt.Probes {
		if err := e.write(ctx, p, opt); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	format := export.Formats()[slices.Index(exportNames(), e.format)]
	if err := format.Write(ctx, &b, p, opt); err != nil {
		return cmp.Or(ctx.Err(), wrongRequest(err))
	}
	if e.out.path != "" {
		return saveBytes("--out", e.out.path, b.Bytes())
	}
	return e.print(b.String())
}

// check returns the verdicts on the properties for --verdicts, otherwise nil.
func (e *exportation) check(ctx context.Context, sys *ringcheck.System) (map[string]string, error) {
	if !e.verdicts || len(sys.Properties()) == 0 {
		return nil, nil
	}
	report, err := ringcheck.Check(ctx, sys, e.options())
	if err != nil {
		return nil, err
	}
	verdicts := make(map[string]string)
	for _, v := range report.Properties {
		verdicts[v.Name] = v.Outcome().String()
	}
	return verdicts, nil
}

// write writes each formula to a file.
func (e *exportation) write(ctx context.Context, p *ir.Protocol, opt export.Options) error {
	formulas, err := export.Formulas(ctx, p, opt)
	if err != nil {
		return cmp.Or(ctx.Err(), wrongRequest(err))
	}
	if err := os.MkdirAll(e.formulas, 0o777); err != nil {
		return wrongRequestf("--formulas: %w", err)
	}
	for _, f := range formulas {
		if err := saveBytes("--formulas", filepath.Join(e.formulas, f.Name+".mcf"), []byte(f.Text)); err != nil {
			return err
		}
	}
	return nil
}
