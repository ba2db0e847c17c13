package command

import (
	"cmp"
	"io"
	"os"

	"github.com/spf13/cobra"

	"ringcheck/internal/document"
	"ringcheck/view"
)

// runs is the sub-command runs.
type runs struct {
	*app
	json bool
}

func (a *app) runsCommand() *cobra.Command {
	r := &runs{app: a}
	cmd := a.page("runs", runE(r.run))
	cmd.Args = operandRange(2, 2, "two FILEs")
	cmd.Flags().BoolVar(&r.json, "json", false, "print one JSON object")
	return cmd
}

// run compares two runs. It is a violation if they differ.
func (r *runs) run(cmd *cobra.Command) error {
	var data [2][]byte
	for i, path := range cmd.Flags().Args() {
		text, err := os.ReadFile(path)
		if err != nil {
			return wrongRequest(err)
		}
		if _, err := view.ReadRecording(text); err != nil {
			return wrongRequestf("%s: %w", path, err)
		}
		data[i] = text
	}
	d, err := view.Compare(data[0], data[1])
	if err != nil {
		return wrongRequest(err)
	}
	summary := &report{Document: document.Document{Data: d}}
	if !d.Same {
		summary.violation = "the runs differ"
	}
	const columns = 120
	err = r.printOutput(func(w io.Writer) error {
		if r.json {
			return summary.Document.Write(w, ".json")
		}
		return d.Text(w, cmp.Or(r.columns(""), columns))
	})
	return cmp.Or(err, summary.verdict())
}
