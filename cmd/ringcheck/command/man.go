package command

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func (a *app) manCommand() *cobra.Command {
	var out string
	cmd := a.page("man", runE(func(cmd *cobra.Command) error { return a.manual(cmd.Root(), out) }))
	cmd.Args = cobra.NoArgs
	cmd.Flags().StringVar(&out, "out", "", "write the pages to the folder `DIR`, which is made if it does not exist")
	return cmd
}

// manual writes a manual page for each command.
func (a *app) manual(root *cobra.Command, out string) error {
	if out == "" {
		return wrongRequestf("man needs --out DIR: the folder to write")
	}
	if err := refuseOthers("--out", out, a.name+".1"); err != nil {
		return err
	}
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: a.name + " " + version(), Manual: strings.ToUpper(a.name)}
	return saveFolder("--out", out, func(made string) error { return doc.GenManTree(root, header, made) })
}
