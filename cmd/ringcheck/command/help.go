package command

import (
	"embed"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck/internal/document"
)

// pages holds the help texts of the sub-commands: usage, a summary, details, and examples.
//
//go:embed help/*.txt
var pages embed.FS

// page returns a sub-command with the help text of a page, in which {program} stands for the name of the program.
func (a *app) page(name string, run func(*cobra.Command, []string) error) *cobra.Command {
	data, err := pages.ReadFile("help/" + name + ".txt")
	must(err)
	text, example, _ := strings.Cut(strings.ReplaceAll(string(data), "{program}", a.name), "\nExamples:\n\n")
	use, text, _ := strings.Cut(text, "\n")
	short, long, _ := strings.Cut(text, "\n")
	return &cobra.Command{
		Use: use, Short: short, Long: strings.TrimSpace(long), Example: strings.TrimRight(example, "\n"), RunE: run,
	}
}

// usage writes the usage of cmd: the settings that its SPEC declares, then the flags that do not depend on the spec.
func (a *app) usage(cmd *cobra.Command) error {
	w := cmd.OutOrStderr()
	fmt.Fprintf(w, "Usage:\n  %s\n", cmd.UseLine())
	writeCommands(w, cmd)
	flags := cmd.Flags()
	if p, ok := a.specs[cmd].(*protocol); ok && p.spec != nil {
		writeSettings(w, "Parameters of "+p.spec.Name, parameters(p.spec), p.common)
		writeSettings(w, "Options of "+p.spec.Name, options(p.spec), p.common)
		flags = p.common
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	fmt.Fprintf(w, "\nFlags:\n%s", flags.FlagUsages())
	return nil
}

func writeCommands(w io.Writer, cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	var t document.Table
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			t.Add(c.Name(), c.Short)
		}
	}
	fmt.Fprintf(w, "\nCommands:\n%s", t.Text(2, 3))
}

// writeSettings lists settings with their documentation and default.
func writeSettings(w io.Writer, title string, settings []setting, common *pflag.FlagSet) {
	if len(settings) == 0 {
		return
	}
	var t document.Table
	for _, s := range settings {
		note := "required"
		if s.Default != "" {
			note = "default " + s.Default
		}
		t.Add(s.flags(common), strings.TrimSpace(s.Doc+" ("+note+")"))
	}
	fmt.Fprintf(w, "\n%s:\n%s", title, t.Text(2, 3))
}
