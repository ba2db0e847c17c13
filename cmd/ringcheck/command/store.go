package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/explore"
)

func (a *app) storeCommand() *cobra.Command {
	cmd := a.command("store", nil)
	cmd.Args = cobra.NoArgs
	cmd.AddCommand(a.storeInfoCommand())
	return cmd
}

func (a *app) storeInfoCommand() *cobra.Command {
	out := form{app: a}
	cmd := a.command("store_info", runE(func(cmd *cobra.Command) error {
		dir := cmd.Flags().Arg(0)
		about, c, err := readAccount(dir)
		if err != nil {
			return wrongRequest(err)
		}
		info := newStoreInfo(about, c)
		return out.publish(info, info.text(about))
	}))
	cmd.Args = between(1, 1, "one DIR")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	out.register(cmd)
	return cmd
}

// A storeInfo is what store info prints; its JSON form is an interface that programs rely on.
type storeInfo struct {
	Spec             string          `json:"spec"`
	SHA256           string          `json:"sha256"` // of its text
	Params           json.RawMessage `json:"params"`
	Options          json.RawMessage `json:"options"`
	Reduction        string          `json:"reduction"`
	Assumption       string          `json:"assumption"`
	Symmetry         string          `json:"symmetry"`
	Version          string          `json:"version"`
	Complete         bool            `json:"complete"`
	ringcheck.Counts                 // of the levels that were expanded
	Levels           int             `json:"levels"`
	StoredStates     ringcheck.Count `json:"stored_states"`
	Bytes            int64           `json:"bytes"`
	Seconds          float64         `json:"seconds"`
}

func newStoreInfo(a *account, c *explore.Checkpoint) *storeInfo {
	return &storeInfo{
		Spec: a.Spec, SHA256: a.SHA256, Params: a.Params, Options: a.Options,
		Reduction: a.Reduction, Assumption: a.Assumption, Symmetry: a.Symmetry, Version: a.Version,
		Complete: c.Complete, Bytes: c.Bytes, Seconds: c.Elapsed.Round(time.Millisecond).Seconds(),
		Counts: ringcheck.NewCounts(c.States, c.Transitions, c.Deadlocks, c.EnvironmentOnly),
		Levels: len(c.Levels), StoredStates: ringcheck.Count(c.Stored),
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
	writeRows(&b, append(countRows(&i.Counts), []row{
		{"levels", comma(i.Levels), ""},
		{"stored states", comma(i.StoredStates), ""},
		{"on disk", comma(uint64(i.Bytes)), "bytes"},
		{"time", time.Duration(i.Seconds * float64(time.Second)).Round(time.Millisecond).String(), ""},
	}...))
	return b.String()
}

// plainMembers writes the members of a JSON object as the reports for people do.
func plainMembers(object json.RawMessage) string {
	text := strings.Trim(string(object), "{}")
	text = strings.ReplaceAll(text, `"`, "")
	return strings.ReplaceAll(strings.ReplaceAll(text, ",", ", "), ":", " = ")
}
