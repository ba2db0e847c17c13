package command

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ringcheck"
)

// firstSpec is the spec that ringcheck new writes; NAME is a placeholder for the name of the protocol.
//
//go:embed template/first.ring
var firstSpec string

func (a *app) newCommand() *cobra.Command {
	cmd := a.page("new", runE(a.writeFirst))
	cmd.Args = operandRange(1, 1, "one NAME")
	return cmd
}

// writeFirst writes the first spec to a new file.
func (a *app) writeFirst(cmd *cobra.Command) error {
	path := strings.TrimSuffix(cmd.Flags().Arg(0), ".ring") + ".ring"
	name := strings.TrimSuffix(filepath.Base(path), ".ring")
	text := []byte(strings.ReplaceAll(firstSpec, "NAME", name))
	if spec, err := ringcheck.Parse(path, text); err != nil || spec.Name != name {
		return wrongRequestf("%q is not a name for a protocol: use letters, digits and hyphens, such as my-election",
			name)
	}
	if _, err := os.Lstat(path); err == nil {
		return wrongRequestf("%s exists already", path)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return wrongRequest(err)
	}
	if err := saveBytes("new", path, text); err != nil {
		return err
	}
	file := shellWord(path)
	return a.print(fmt.Sprintf("%s is written; next, for example:\n\n"+
		"  ringcheck view %[1]s    step through it in a browser\n"+
		"  ringcheck check %[1]s   verify its properties\n", file))
}
