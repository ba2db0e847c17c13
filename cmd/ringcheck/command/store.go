package command

import (
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
		r, c, err := readRequest(dir)
		if err != nil {
			return wrongRequest(err)
		}
		info, err := newStoreInfo(r, c)
		if err != nil {
			return wrongRequest(fmt.Errorf("%s: %w", dir, err))
		}
		return out.publish(info, info.text(r))
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
	SHA256 string `json:"sha256"` // of the text of the spec
	ringcheck.Subject
	Version          string          `json:"version"`
	Complete         bool            `json:"complete"`
	ringcheck.Counts                 // of the levels that were expanded
	Levels           int             `json:"levels"`
	StoredStates     ringcheck.Count `json:"stored_states"`
	Bytes            int64           `json:"bytes"`
	Seconds          float64         `json:"seconds"`
}

func newStoreInfo(r *ringcheck.Request, c *explore.Checkpoint) (*storeInfo, error) {
	sys, err := r.System()
	if err != nil {
		return nil, err
	}
	return &storeInfo{
		Subject: ringcheck.Subject{
			Spec: r.Spec, Params: sys.Params(), Options: sys.Options(),
			Reduction: r.Reduction.String(), Symmetry: r.Symmetry.String(), Assumption: r.Assume,
		},
		SHA256: r.SHA256(), Version: r.Version, Complete: c.Complete, Bytes: c.Bytes,
		Seconds: c.Elapsed.Round(time.Millisecond).Seconds(),
		Counts:  ringcheck.NewCounts(c.States, c.Transitions, c.Deadlocks, c.EnvironmentOnly),
		Levels:  len(c.Levels), StoredStates: ringcheck.Count(c.Stored),
	}, nil
}

// text describes the run for people.
func (i *storeInfo) text(r *ringcheck.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nreduction %s, assumption %s, symmetry %s; ringcheck %s\n", i.Title(), i.Reduction,
		i.Assumption, i.Symmetry, i.Version)
	fmt.Fprintf(&b, "%s, SHA-256 %s\n", r.File, i.SHA256)
	if i.Complete {
		fmt.Fprint(&b, "complete\n\n")
	} else {
		fmt.Fprintf(&b, "incomplete: level %d is next, and the numbers are those before it\n\n", i.Levels)
	}
	writeRows(&b, append(countRows(&i.Counts), []row{
		{"levels", comma(i.Levels), ""},
		{"stored states", comma(i.StoredStates), ""},
		{"on disk", comma(uint64(i.Bytes)), "bytes"},
		{"time", fmt.Sprintf("%.3f", i.Seconds), "s"},
	}...))
	return b.String()
}
