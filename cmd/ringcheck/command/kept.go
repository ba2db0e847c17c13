package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/explore"
	"ringcheck/explore/store"
)

// kept is the folder that a run is kept in: --store starts a run, --resume continues one; both, with one folder, resume
// if it holds a run and start otherwise.
type kept struct {
	store, resume string // at most one, once decided
	db            *store.Store
}

func (k *kept) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&k.store, "store", "",
		"keep the run in the folder `DIR`, so that it can be resumed after any interruption")
	flags.StringVar(&k.resume, "resume", "", "resume the run in the folder `DIR`, which holds SPEC and its settings; "+
		"without a value, with --store DIR: resume if it holds a run, else start")
}

// validate reports what cannot be kept. showing says that states or transitions are to be shown.
func (k *kept) validate(by *ringcheck.Options, showing bool) error {
	if err := k.decide(); err != nil {
		return err
	}
	flag := "store"
	if k.resume != "" {
		flag = "resume"
	}
	switch {
	case k.dir() == "":
		return nil
	case showing:
		return wrongRequestf("--out writes what there is from the beginning on: give it without --%s", flag)
	case by.Reduction == ringcheck.OnTheFly:
		return wrongRequestf("--%s: what --reduce %s has found out about representatives cannot be kept", flag,
			by.Reduction)
	case by.Assume != "" && !slices.Contains(ringcheck.Choices("assume"), by.Assume):
		return wrongRequestf("--%s: what was seen of the invariant that --assume names cannot be kept", flag)
	}
	return nil
}

// decide makes one of --store and --resume if both are given.
func (k *kept) decide() error {
	switch {
	case k.store == "" || k.resume == "":
		return nil
	case k.store != k.resume:
		return wrongRequestf("--store %s and --resume %s are different folders: to go on if there is something and "+
			"begin if not, give --store DIR --resume", k.store, k.resume)
	}
	begun, err := begun(k.store)
	if err != nil {
		return storeError("resume", err)
	}
	if begun {
		k.store = ""
	} else {
		k.resume = ""
	}
	return nil
}

// begun reports whether a folder keeps something of a run.
func begun(dir string) (bool, error) {
	c, err := explore.ReadCheckpoint(dir)
	if errors.Is(err, store.ErrMissing) {
		err = nil
	}
	return c != nil, err
}

// withFolder gives --resume without a value that of --store.
func withFolder(args []string) []string {
	dir := flagValue(args, "store")
	if dir == "" {
		return args
	}
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if arg == "--resume" && (i+1 == len(args) || args[i+1] != dir) {
			args[i] = "--resume=" + dir
		}
	}
	return args
}

// dir returns the folder, "" if the run is not kept.
func (k *kept) dir() string { return k.store + k.resume }

// open opens the folder. The caller closes k.
func (k *kept) open() (err error) {
	switch {
	case k.store != "":
		k.db, err = store.Create(k.store)
		if errors.Is(err, store.ErrExists) {
			err = fmt.Errorf("%w: go on with it by --resume, or remove it", err)
		}
		return storeError("store", err)
	case k.resume != "":
		k.db, err = store.Open(k.resume)
		return storeError("resume", err)
	}
	return nil
}

func (k *kept) close() error {
	if k.db == nil {
		return nil
	}
	if err := k.db.Close(); err != nil {
		return stopped(err)
	}
	return nil
}

// storeError marks what is wrong with a folder as the caller's mistake.
func storeError(flag string, err error) error {
	if err == nil {
		return nil
	}
	return wrongRequestf("--%s: %w", flag, err)
}

// hint says how to go on with a run that has stopped because of failure or for another reason, if that is possible.
func (k *kept) hint(failure error) string {
	if k.db == nil || errors.Is(failure, store.ErrDamaged) {
		return ""
	}
	if c, err := explore.ReadCheckpoint(k.dir()); c == nil || err != nil {
		return ""
	}
	return "; resume with: ringcheck explore --resume " + shellWord(k.dir())
}

// shellWord writes a word for a shell.
func shellWord(s string) string {
	if strings.ContainsAny(s, " \t\n'\"\\$`&|;<>()*?[]#~!{}") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// record says in opt that the run of sys is to be kept, if so, and what it is.
func (k *kept) record(sys *ringcheck.System, opt *ringcheck.Options) (err error) {
	if k.db == nil {
		return nil
	}
	opt.Store = k.db
	opt.About, err = json.Marshal(ringcheck.NewRequest(version(), sys, *opt))
	return err
}

// readRequest returns what the run in a folder explores, and how far it has come.
func readRequest(dir string) (*ringcheck.Request, *explore.Checkpoint, error) {
	c, err := explore.ReadCheckpoint(dir)
	if err != nil {
		return nil, nil, err
	}
	if c == nil {
		return nil, nil, fmt.Errorf("%s: the run ended before anything was kept: begin it again with --store", dir)
	}
	r := new(ringcheck.Request)
	if err := json.Unmarshal(c.About, r); err != nil {
		return nil, nil, fmt.Errorf("%s: %w: %w", dir, store.ErrDamaged, err)
	}
	return r, c, nil
}

// stored returns the spec of the run that the arguments want to resume, nil if there is none.
func (k *kept) stored(args []string) (*ringcheck.Spec, error) {
	dir := flagValue(args, "resume")
	if dir == "" {
		return nil, nil
	}
	if dir == flagValue(args, "store") {
		if begun, err := begun(dir); err != nil || !begun {
			return nil, storeError("resume", err)
		}
	}
	r, _, err := readRequest(dir)
	if err != nil {
		return nil, storeError("resume", err)
	}
	spec, err := ringcheck.Parse(r.File, []byte(r.Text))
	if err != nil && r.Version == version() {
		return nil, storeError("resume", fmt.Errorf("%s: %w: %w", dir, store.ErrDamaged, err))
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

// adopt makes the request the one of the run that is resumed, and reports where they differ.
func (e *exploration) adopt(flags *pflag.FlagSet) error {
	r, _, err := readRequest(e.kept.resume)
	if err != nil {
		return storeError("resume", err)
	}
	opt := &e.search.opt
	asked := *opt
	r.Apply(opt)
	for flag, take := range map[string]func(){
		"reduce":      func() { opt.Reduction = asked.Reduction },
		"assume":      func() { opt.Assume = asked.Assume },
		"symmetry":    func() { opt.Symmetry = asked.Symmetry },
		"max-channel": func() { opt.MaxChannel = asked.MaxChannel },
		"max-nat":     func() { opt.MaxNat = asked.MaxNat },
	} {
		if flags.Changed(flag) {
			take()
		}
	}
	for name, text := range r.Settings {
		if _, given := e.protocol.given[name]; !given && e.protocol.declares(name) {
			e.protocol.given[name] = text
		}
	}
	sys, err := e.protocol.system()
	if err != nil {
		return err
	}
	if difference := r.Differs(ringcheck.NewRequest(version(), sys, *opt)); difference != "" {
		return wrongRequestf("--resume: the run in %s %s", e.kept.resume, difference)
	}
	return nil
}
