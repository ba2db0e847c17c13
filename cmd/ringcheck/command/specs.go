package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/internal/tabular"
	"ringcheck/specs"
)

// catalogue is the sub-command specs.
type catalogue struct{ form }

func (a *app) specsCommand() *cobra.Command {
	c := &catalogue{form{app: a}}
	cmd := a.command("specs", runE(func(cmd *cobra.Command) error {
		if name := cmd.Flags().Arg(0); name != "" {
			return c.one(name)
		}
		return c.all()
	}))
	cmd.Args = between(0, 1, "one SPEC or none")
	cmd.ValidArgsFunction = completeSpec
	cmd.Flags().BoolVar(&c.json, "json", false, "describe as JSON: name, sources, parameters and options")
	return cmd
}

// all lists the built-in specs.
func (c *catalogue) all() error {
	var infos []*specInfo
	for _, name := range specs.Names() {
		spec, err := ringcheck.Open(name)
		if err != nil {
			return fmt.Errorf("built-in spec %s: %w", name, err)
		}
		infos = append(infos, newSpecInfo(spec))
	}
	if c.json {
		return c.printJSON(infos)
	}
	var t tabular.Table
	for _, s := range infos {
		t.Add(s.Name, s.Doc)
	}
	return c.print(t.Text(0, 3))
}

// one prints the text of a spec, or describes it.
func (c *catalogue) one(name string) error {
	if !c.json {
		_, text, err := specs.Read(name)
		if err != nil {
			return wrongRequest(err)
		}
		return c.print(string(text))
	}
	spec, err := c.open(name)
	if err != nil {
		return err
	}
	return c.printJSON(newSpecInfo(spec))
}

// A specInfo describes a spec for programs.
type specInfo struct {
	Name    string    `json:"name"`
	Doc     string    `json:"doc"`
	Source  string    `json:"source"`
	Params  []setting `json:"params"`
	Options []setting `json:"options"`
}

func newSpecInfo(s *ringcheck.Spec) *specInfo {
	return &specInfo{Name: s.Name, Doc: s.Doc, Source: s.Source, Params: parameters(s), Options: options(s)}
}
