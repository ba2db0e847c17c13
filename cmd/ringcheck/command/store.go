package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ringcheck/explore"
)

func (a *app) storeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "store",
		Short: "Look at what explore --store keeps",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(a.storeInfoCommand())
	return cmd
}

func (a *app) storeInfoCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:     "info DIR",
		Short:   "Say what run a folder keeps, and how far it has come",
		Example: "  ringcheck store info run6",
		Args:    cobra.ExactArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	cmd.RunE = runE(func(cmd *cobra.Command) error {
		dir := cmd.Flags().Arg(0)
		about, c, err := readAccount(dir)
		if err != nil {
			return wrongRequest(err)
		}
		info := newStoreInfo(about, c)
		if asJSON {
			return a.printJSON(info)
		}
		return a.print(info.text(about))
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON object to standard output, and nothing else there")
	return cmd
}

// A storeInfo is what store info prints; its JSON form is an interface that programs rely on.
type storeInfo struct {
	Spec        string          `json:"spec"`
	SHA256      string          `json:"sha256"` // of its text
	Params      json.RawMessage `json:"params"`
	Options     json.RawMessage `json:"options"`
	Reduction   string          `json:"reduction"`
	Assumption  string          `json:"assumption"`
	Symmetry    string          `json:"symmetry"`
	Version     string          `json:"version"`
	Complete    bool            `json:"complete"`
	States      uint64          `json:"states"`
	Transitions uint64          `json:"transitions"`
	Deadlocks   uint64          `json:"deadlocks"`
	Levels      int             `json:"levels"` // that were expanded
	Stored      uint64          `json:"stored_states"`
	Bytes       int64           `json:"bytes"`
	Seconds     float64         `json:"seconds"`
}

func newStoreInfo(a *account, c *explore.Checkpoint) *storeInfo {
	return &storeInfo{
		Spec: a.Spec, SHA256: a.SHA256, Params: a.Params, Options: a.Options,
		Reduction: a.Reduction, Assumption: a.Assumption, Symmetry: a.Symmetry, Version: a.Version,
		Complete: c.Complete, States: c.States, Transitions: c.Transitions, Deadlocks: c.Deadlocks,
		Levels: len(c.Levels), Stored: c.Stored, Bytes: c.Bytes, Seconds: roundTo(c.Elapsed.Seconds(), 1000),
	}
}

// text describes the run for people.
func (i *storeInfo) text(a *account) string {
	var b strings.Builder
	fmt.Fprint(&b, i.Spec)
	for _, members := range []json.RawMessage{i.Params, i.Options} {
		if list := plainMembers(members); list != "" {
			fmt.Fprint(&b, ", ", list)
		}
	}
	fmt.Fprintf(&b, "\nreduction %s, assumption %s, symmetry %s; ringcheck %s\n", i.Reduction, i.Assumption, i.Symmetry, i.Version)
	fmt.Fprintf(&b, "%s, SHA-256 %s\n", a.File, i.SHA256)
	if i.Complete {
		fmt.Fprint(&b, "complete\n\n")
	} else {
		fmt.Fprintf(&b, "incomplete: level %d is next, and the numbers are those before it\n\n", i.Levels)
	}
	writeRows(&b, []row{
		{"states", comma(i.States), ""},
		{"transitions", comma(i.Transitions), ""},
		{"deadlocks", comma(i.Deadlocks), ""},
		{"levels", comma(uint64(i.Levels)), ""},
		{"stored states", comma(i.Stored), ""},
		{"on disk", comma(uint64(i.Bytes)), "bytes"},
		{"time", time.Duration(i.Seconds * float64(time.Second)).Round(time.Millisecond).String(), ""},
	})
	return b.String()
}

// plainMembers writes the members of a JSON object as the reports for people do.
func plainMembers(object json.RawMessage) string {
	text := strings.Trim(string(object), "{}")
	text = strings.ReplaceAll(text, `"`, "")
	return strings.ReplaceAll(strings.ReplaceAll(text, ",", ", "), ":", " = ")
}
