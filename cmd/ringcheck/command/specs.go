package command

import (
	"bytes"
	"fmt"
	"math"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/internal/document"
	"ringcheck/internal/textfile"
	"ringcheck/model/language/syntax"
	"ringcheck/specs"
)

// catalogue is the specs sub-command.
type catalogue struct{ job }

func (a *app) specsCommand() *cobra.Command {
	c := &catalogue{a.job()}
	cmd := c.command("specs", runE(func(cmd *cobra.Command) error {
		if name := cmd.Flags().Arg(0); name != "" {
			return c.one(name)
		}
		return c.listSpecs()
	}))
	cmd.Args = operandRange(0, 1, "one SPEC or none")
	cmd.ValidArgsFunction = completeSpec
	cmd.Flags().BoolVar(&c.json, "json", false, "write name, sources, parameters and options as JSON")
	return cmd
}

// listSpecs lists the built-in specs.
func (c *catalogue) listSpecs() error {
	var infos []*specInfo
	for _, name := range specs.Names() {
		spec, err := ringcheck.Open(name)
		if err != nil {
			return fmt.Errorf("built-in spec %s: %w", name, err)
		}
		infos = append(infos, newSpecInfo(spec))
	}
	var t document.Table
	for _, s := range infos {
		t.Add(s.Name, s.Doc)
	}
	d := &document.Document{Data: infos}
	d.Table(&t, 0, 3)
	return c.publish(d)
}

// one prints the text of a spec, or its description as JSON.
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
	return c.publish(&document.Document{Data: newSpecInfo(spec)})
}

// A specInfo is the JSON description of a spec.
type specInfo struct {
	Name    string    `json:"name"`
	Doc     string    `json:"doc"`
	Source  string    `json:"source"`
	Params  []setting `json:"params"`
	Options []setting `json:"options"`
}

func newSpecInfo(s *ringcheck.Spec) *specInfo {
	return &specInfo{
		Name: s.Name, Doc: s.Doc, Source: s.Declarations.Source, Params: parameters(s), Options: options(s),
	}
}

// formatter is the fmt sub-command.
type formatter struct {
	*app
	list, diff bool
}

func (a *app) fmtCommand() *cobra.Command {
	f := &formatter{app: a}
	cmd := a.page("fmt", runE(f.run))
	cmd.Args = operandRange(1, math.MaxInt, "at least one FILE")
	cmd.Flags().BoolVarP(&f.list, "list", "l", false, "only list files with another layout")
	cmd.Flags().BoolVarP(&f.diff, "diff", "d", false, "only show the changes")
	return cmd
}

func (f *formatter) run(cmd *cobra.Command) error {
	other := false
	for _, path := range cmd.Flags().Args() {
		changes, err := f.file(path)
		if err != nil {
			return err
		}
		other = other || changes
	}
	if other && (f.list || f.diff) {
		return (&report{violation: "some files have another layout"}).verdict()
	}
	return nil
}

// file formats a file and reports whether its layout differed.
func (f *formatter) file(path string) (changes bool, err error) {
	src, err := textfile.Read(path)
	if err != nil {
		return false, wrongRequest(err)
	}
	spec, err := syntax.Parse(path, src)
	if err != nil {
		return false, specError(src, err)
	}
	out := syntax.Print(spec)
	if bytes.Equal(src, out) {
		return false, nil
	}
	if f.list {
		err = f.print(path + "\n")
	}
	if f.diff && err == nil {
		err = f.print(string(diff.Diff(path, src, path+" (formatted)", out)))
	}
	if !f.list && !f.diff {
		err = saveBytes("fmt", path, out)
	}
	return true, err
}
