package command

import (
	"bytes"
	"errors"
	"math"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"ringcheck/internal/textfile"
	"ringcheck/model/language/syntax"
)

// formatter is the sub-command fmt.
type formatter struct {
	*app
	list, diff bool
}

func (a *app) fmtCommand() *cobra.Command {
	f := &formatter{app: a}
	cmd := a.command("fmt", runE(f.run))
	cmd.Args = between(1, math.MaxInt, "at least one FILE")
	cmd.Flags().BoolVarP(&f.list, "list", "l", false, "only list the files that are in another layout")
	cmd.Flags().BoolVarP(&f.diff, "diff", "d", false, "only show what would change")
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
		return violated(errors.New("some files are in another layout"))
	}
	return nil
}

// file formats one file and reports whether it was in another layout.
func (f *formatter) file(path string) (changes bool, err error) {
	src, err := textfile.Read(path)
	if err != nil {
		return false, wrongRequest(err)
	}
	spec, err := syntax.Parse(path, src)
	if err != nil {
		return false, specError(src, err)
	}
	var out bytes.Buffer
	if err := syntax.Print(&out, spec); err != nil || bytes.Equal(src, out.Bytes()) {
		return false, err
	}
	if f.list {
		err = f.print(path + "\n")
	}
	if f.diff && err == nil {
		err = f.print(string(diff.Diff(path, src, path+" (formatted)", out.Bytes())))
	}
	if !f.list && !f.diff {
		err = saveFile("fmt", path, out.Bytes())
	}
	return true, err
}
