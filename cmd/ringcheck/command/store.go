package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/cmd/internal/request"
	"ringcheck/explore"
	"ringcheck/explore/store"
	"ringcheck/internal/document"
)

// storeFolder is the folder of --store, which keeps a run. If it already holds a run, that run is resumed.
type storeFolder struct {
	dir string // "" if the run is not kept
	db  *store.Store
}

func (k *storeFolder) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.dir, "store", "",
		"store the search in the folder `DIR`, to resume it after an interruption; a folder with a search resumes it, "+
			"with its SPEC and settings")
}

// open opens the folder. The caller closes k.
func (k *storeFolder) open(resumed bool) (err error) {
	switch {
	case k.dir == "":
		return nil
	case resumed:
		k.db, err = store.Open(k.dir)
	default:
		k.db, err = store.Create(k.dir)
	}
	return storeError(err)
}

func (k *storeFolder) close() error {
	if k.db == nil {
		return nil
	}
	if err := k.db.Close(); err != nil {
		return earlyStop(err)
	}
	return nil
}

// storeError marks an error about the folder as a mistake of the caller, unless the disk is full.
func storeError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrFull):
		return earlyStop(fmt.Errorf("--store: %w", err))
	}
	return wrongRequestf("--store: %w", err)
}

// hint tells the user how to resume a stopped run, if that is possible.
func (k *storeFolder) hint(failure error) string {
	if k.db == nil || errors.Is(failure, store.ErrDamaged) {
		return ""
	}
	switch r, _, err := readRequest(k.dir); {
	case err != nil:
		return ""
	case r == nil:
		return "; nothing is stored yet: the same arguments start again"
	}
	return "; resume with: ringcheck explore --store " + shellWord(k.dir)
}

// noRun suggests a command to type if the folder of --store contains no run.
func noRun(dir string) string {
	return fmt.Sprintf("%s contains no run to resume: ringcheck explore SPEC --store %s starts one", dir,
		shellWord(dir))
}

// shellWord quotes a word for a shell.
func shellWord(s string) string {
	if strings.ContainsAny(s, " \t\n'\"\\$`&|;<>()*?[]#~!{}") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// explore explores sys. With a folder, it keeps the run there, with the request that describes it.
func (k *storeFolder) explore(
	ctx context.Context, sys *ringcheck.System, search ringcheck.Search,
) (*ringcheck.Report, error) {
	if k.db == nil {
		return ringcheck.Explore(ctx, sys, search)
	}
	about, err := json.Marshal(request.New(version(), sys, nil, search))
	if err != nil {
		return nil, err
	}
	return ringcheck.ExploreInto(ctx, k.db, about, sys, search)
}

// readRequest returns the request and the progress of the run in a folder; nil for a folder without a run.
func readRequest(dir string) (*request.Request, *explore.Checkpoint, error) {
	c, err := explore.ReadCheckpoint(dir)
	switch {
	case errors.Is(err, store.ErrMissing), err == nil && c == nil:
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	}
	r := new(request.Request)
	if err := json.Unmarshal(c.About, r); err != nil {
		return nil, nil, fmt.Errorf("%s: %w: %w", dir, store.ErrDamaged, err)
	}
	return r, c, nil
}

// storedSpec returns the spec of the run in the folder of --store; nil for a folder without a run.
func (k *storeFolder) storedSpec(args []string) (*ringcheck.Spec, error) {
	dir := flagValue(args, "store")
	r, _, err := readRequest(dir)
	if dir == "" || r == nil {
		return nil, storeError(err)
	}
	spec, err := ringcheck.Parse(r.File, []byte(r.Text))
	if err != nil && r.Version == version() {
		return nil, storeError(fmt.Errorf("%s: %w: %w", dir, store.ErrDamaged, err))
	}
	return spec, nil
}

// flagValue returns the value of a long flag among arguments that are not parsed yet.
func flagValue(args []string, name string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			return value
		}
		if arg == "--"+name && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// adopt completes the request from the request of a run in the folder, if any, and returns an error if they differ.
func (e *exploration) adopt(cmd *cobra.Command) (resumed bool, err error) {
	if e.folder.dir == "" {
		return false, nil
	}
	r, _, err := readRequest(e.folder.dir)
	if r == nil || err != nil {
		return false, storeError(err)
	}
	asked, opt := e.search, &e.search.opt
	r.Apply(opt)
	asked.given(cmd.Flags(), opt)
	for name, text := range r.Settings {
		e.protocol.inherit(name, text)
	}
	sys, err := e.protocol.system()
	if err != nil {
		return true, err
	}
	if difference := r.Differs(request.New(version(), sys, nil, *opt)); difference != "" {
		return true, wrongRequestf("--store: the run in %s %s", e.folder.dir, difference)
	}
	return true, nil
}

func (a *app) storeCommand() *cobra.Command {
	cmd := a.page("store", nil)
	cmd.AddCommand(a.storeInfoCommand())
	return cmd
}

func (a *app) storeInfoCommand() *cobra.Command {
	out := a.job()
	cmd := out.command("store_info", runE(func(cmd *cobra.Command) error {
		dir := cmd.Flags().Arg(0)
		r, c, err := readRequest(dir)
		if r == nil && err == nil {
			return wrongRequest(errors.New(noRun(dir)))
		}
		if err != nil {
			return wrongRequestf("%s: %w", dir, err)
		}
		info, err := newStoreInfo(r, c)
		if err != nil {
			return wrongRequestf("%s: %w", dir, err)
		}
		return out.finish(info.report(r))
	}), out.asJSON)
	cmd.Args = operandRange(1, 1, "one DIR")
	cmd.ValidArgsFunction = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	return cmd
}

// A storeInfo is the output of store info. Its JSON form is a public interface.
type storeInfo struct {
	SHA256 string `json:"sha256"` // of the text of the spec
	ringcheck.Description
	Version               string  `json:"version"`
	Complete              bool    `json:"complete"`
	ringcheck.Counts              // of the levels that were expanded
	ringcheck.Enumeration         // likewise
	Bytes                 int64   `json:"bytes"`
	Seconds               float64 `json:"seconds"`
}

func newStoreInfo(r *request.Request, c *explore.Checkpoint) (*storeInfo, error) {
	sys, err := r.System()
	if err != nil {
		return nil, err
	}
	return &storeInfo{
		Description: ringcheck.Description{
			Spec: r.Spec, Params: sys.Params(), Options: sys.Options(),
			Reduction: r.Reduction.String(), Symmetry: r.Symmetry.String(), Assumption: r.Assume,
		},
		SHA256: r.SHA256(), Version: r.Version, Complete: c.Complete, Bytes: c.Bytes,
		Seconds: c.Elapsed.Round(time.Millisecond).Seconds(),
		Counts: ringcheck.Counts{
			States: ringcheck.Count(c.States).Number(), Transitions: ringcheck.Count(c.Transitions).Number(),
			TerminalStates:        ringcheck.Count(c.TerminalStates).Number(),
			EnvironmentOnlyStates: ringcheck.Count(c.EnvironmentOnly).Number(),
		},
		Enumeration: ringcheck.Enumeration{Levels: len(c.Levels), StoredStates: ringcheck.Count(c.Stored)},
	}, nil
}

// report returns the report of store info.
func (i *storeInfo) report(of *request.Request) *report {
	r := &report{Document: document.Document{Data: i}}
	r.Line("%s", i.Title())
	r.Line("reduction %s, assumption %s, symmetry %s; ringcheck %s", i.Reduction, i.Assumption, i.Symmetry, i.Version)
	r.Line("%s, SHA-256 %s", of.File, i.SHA256)
	if i.Complete {
		r.Line("complete")
	} else {
		r.Line("incomplete: level %d is next, and the numbers do not include it", i.Levels)
	}
	r.counts(&ringcheck.Report{Counts: i.Counts, Enumeration: &i.Enumeration}, nil)
	r.Row("stored states", comma(i.StoredStates))
	r.Row("on disk", comma(uint64(i.Bytes)), "bytes")
	r.Row("time", fmt.Sprintf("%.3f", i.Seconds), "s")
	return r
}
