package command

import (
	"embed"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck/internal/document"
)

// pages holds the help texts of the sub-commands: usage, a summary, details, and examples.
//
//go:embed help/*.txt
var pages embed.FS

// page returns a sub-command with the help text of a page. In the page, {program} is a placeholder for the name of the
// program.
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

// beginning is the part of the program's help for beginners.
const beginning = `

Begin with a built-in protocol:

  ringcheck specs                      list the built-in protocols
  ringcheck view franklin -n 4         step through a protocol in a browser
  ringcheck check franklin -n 4        verify its properties
  ringcheck counterexample --no-bits   show how a wrong variant of it fails
  ringcheck specs franklin             print its spec, as a pattern for your own`

// writeCommands lists the sub-commands of cmd, first by group, and then those in no group.
func writeCommands(w io.Writer, cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	rest := "Commands"
	for _, g := range cmd.Groups() {
		writeGroup(w, cmd, g.Title, g.ID)
		rest = "Other commands"
	}
	writeGroup(w, cmd, rest, "")
}

// writeGroup lists the sub-commands of cmd in a group.
func writeGroup(w io.Writer, cmd *cobra.Command, title, id string) {
	var t document.Table
	for _, c := range cmd.Commands() {
		if c.GroupID == id && (c.IsAvailableCommand() || c.Name() == "help") {
			t.Add(c.Name(), c.Short)
		}
	}
	if len(t.Rows) > 0 {
		fmt.Fprintf(w, "\n%s:\n%s", title, t.Text(2, 3))
	}
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

// version returns the version of the program.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown)"
	}
	return strings.TrimSpace(info.Main.Version + " " + info.GoVersion)
}

// buildInfo returns the version control revision, modules and platform of the program.
func buildInfo() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	text := fmt.Sprintf("\nfor %s/%s, CGO_ENABLED=%s", set["GOOS"], set["GOARCH"], set["CGO_ENABLED"])
	if set["vcs.revision"] != "" {
		text += fmt.Sprintf("\nfrom revision %s of %s", set["vcs.revision"], set["vcs.time"])
	}
	if set["vcs.modified"] == "true" {
		text += ", with changes that are not committed"
	}
	for _, m := range info.Deps {
		text += "\nwith " + m.Path + " " + m.Version
	}
	return text
}
