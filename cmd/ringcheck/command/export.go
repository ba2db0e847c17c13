package command

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"ringcheck/model/language/export"
)

// exportation is the sub-command export.
type exportation struct {
	*app
	protocol protocol
	format   string
	path     string
}

func (a *app) exportCommand() *cobra.Command {
	e := &exportation{app: a}
	cmd := &cobra.Command{
		Use:   "export SPEC --format mcrl2|promela",
		Short: "Write an instance of a protocol as a model for another tool",
		Long: "Write an instance of a protocol as a model for the mCRL2 toolset or, in Promela, for SPIN. The model has the same\n" +
			"states and transitions. Its first lines say how to generate them.",
		Example: "  ringcheck export franklin -n 2 -k 2 --format promela --out franklin.pml\n" +
			"  ringcheck export my.ring -n 3 --format mcrl2",
		RunE: runE(e.run),
	}
	e.protocol.register(a, cmd)
	flags := cmd.Flags()
	flags.StringVar(&e.format, "format", "", "the language of the model: `FORM` mcrl2|promela")
	flags.StringVar(&e.path, "out", "", "write the model to `FILE` instead of standard output")
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

func (e *exportation) run(cmd *cobra.Command) error {
	if err := cmp.Or(oneOf("format", e.format, exportNames()), writable("--out", e.path)); err != nil {
		return err
	}
	sys, err := e.protocol.system()
	if err != nil {
		return err
	}
	if err := sys.Explorable(); err != nil {
		return err
	}
	e.warn(sys.Spec)
	var b bytes.Buffer
	format := export.Formats()[slices.Index(exportNames(), e.format)]
	if sys, err = sys.WithoutGhosts(); err != nil { // only properties look at them
		return err
	}
	if err := format.Write(cmd.Context(), &b, sys.Protocol()); err != nil {
		return cmp.Or(cmd.Context().Err(), wrongRequest(err))
	}
	if e.path != "" {
		return saveFile("--out", e.path, b.Bytes())
	}
	return e.print(b.String())
}
