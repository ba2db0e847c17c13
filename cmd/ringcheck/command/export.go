package command

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/model/language/export"
)

// exportation is the sub-command export.
type exportation struct {
	job
	format   string
	out      outFile
	verdicts bool
}

func (a *app) exportCommand() *cobra.Command {
	e := &exportation{job: a.job()}
	cmd := a.command("export", e.on(e.run, e.validate))
	e.protocol.register(a, cmd)
	e.search.register(cmd)
	cmd.Flags().StringVar(&e.format, "format", "", "the language of the model: `FORM` mcrl2|promela")
	cmd.Flags().BoolVar(&e.verdicts, "verdicts", false, "check the properties first, and write beside each what was found")
	e.file(cmd, &e.out, "out", "write the model to `FILE` instead of standard output")
	must(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(exportNames(), cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func exportNames() []string {
	var names []string
	for _, f := range export.Formats() {
		names = append(names, f.Name)
	}
	return names
}

// validate reports a value that makes no sense.
func (e *exportation) validate(*pflag.FlagSet) error {
	if e.verdicts && e.format == "mcrl2" {
		return wrongRequestf("--verdicts needs --format promela")
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
	sys, err = sys.WithoutGhosts() // only properties look at them
	if err != nil {
		return err
	}
	var b bytes.Buffer
	format := export.Formats()[slices.Index(exportNames(), e.format)]
	if err := format.Write(ctx, &b, sys.Protocol(), verdicts); err != nil {
		return cmp.Or(ctx.Err(), wrongRequest(err))
	}
	if e.out.path != "" {
		return saveFile("--out", e.out.path, b.Bytes())
	}
	return e.print(b.String())
}

// check returns what is known of the properties, nil unless that was asked for.
func (e *exportation) check(ctx context.Context, sys *ringcheck.System) (export.Verdicts, error) {
	if !e.verdicts || len(sys.Protocol().Properties) == 0 {
		return nil, nil
	}
	report, err := ringcheck.Check(ctx, sys, e.search.options(newProgress(e.app)))
	if err != nil {
		return nil, err
	}
	verdicts := make(export.Verdicts)
	for _, v := range report.Properties {
		verdicts[v.Name] = v.Outcome().String()
	}
	return verdicts, nil
}
