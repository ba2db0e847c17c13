package command

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/explore"
	"ringcheck/explore/store"
)

// kept is where a run is kept: --store begins it, --resume goes on with it; both, with one folder, do what is possible.
type kept struct {
	store, resume string // at most one, once decided
	db            *store.Store
	account       *account // of the run that is resumed
}

func (k *kept) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&k.store, "store", "", "keep the run in the folder `DIR`, to be resumed after whatever ends it")
	flags.StringVar(&k.resume, "resume", "", "continue the run in the folder `DIR`; SPEC and its settings are taken from there.\n"+
		"With --store DIR, and then without a value: go on if there is something, else begin")
	must(cmd.MarkFlagDirname("store"))
	must(cmd.MarkFlagDirname("resume"))
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
		return wrongRequestf("--%s: what --reduce %s has found out about representatives cannot be kept", flag, by.Reduction)
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
		return wrongRequestf("--store %s and --resume %s are different folders: to go on if there is something and begin if not, give --store DIR --resume", k.store, k.resume)
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

// An account says what a run explores: what is kept with it.
type account struct {
	Version    string            `json:"version"` // of ringcheck
	File       string            `json:"file"`
	Text       string            `json:"text"` // of the spec
	SHA256     string            `json:"sha256"`
	Spec       string            `json:"spec"`
	Settings   map[string]string `json:"settings"` // as a person gives them
	Params     json.RawMessage   `json:"params"`   // as reports show them
	Options    json.RawMessage   `json:"options"`
	Reduction  string            `json:"reduction"`
	Assumption string            `json:"assumption"`
	Symmetry   string            `json:"symmetry"`
	MaxChannel int               `json:"max_channel"`
	MaxNat     int64             `json:"max_nat"`
}

// account says in opt that the run of sys is to be kept, if so, and what it is.
func (e *exploration) account(sys *ringcheck.System, opt *ringcheck.Options) (err error) {
	if e.kept.db == nil {
		return nil
	}
	a := e.kept.account
	if a == nil {
		hash := sha256.Sum256(sys.Spec.Text)
		a = &account{
			Version: version(), File: sys.Spec.File, Text: string(sys.Spec.Text), SHA256: hex.EncodeToString(hash[:]), Spec: sys.Name,
			Settings:  settingTexts(sys),
			Reduction: opt.Reduction.String(), Assumption: cmp.Or(opt.Assume, none), Symmetry: opt.Symmetry.String(),
			MaxChannel: opt.MaxChannel, MaxNat: opt.MaxNat,
		}
		if a.Params, err = json.Marshal(sys.Params()); err == nil {
			a.Options, err = json.Marshal(sys.Options())
		}
	}
	if err != nil {
		return err
	}
	opt.Store = e.kept.db
	opt.About, err = json.Marshal(a)
	return err
}

// settingTexts returns all settings as a person gives them.
func settingTexts(sys *ringcheck.System) map[string]string {
	texts := make(map[string]string)
	for _, s := range append(sys.Params(), sys.Options()...) {
		texts[s.Name] = s.Type.Format(s.Value)
	}
	return texts
}

// readAccount returns what is kept in a folder.
func readAccount(dir string) (*account, *explore.Checkpoint, error) {
	c, err := explore.ReadCheckpoint(dir)
	if err != nil {
		return nil, nil, err
	}
	if c == nil {
		return nil, nil, fmt.Errorf("%s: the run ended before anything was kept: begin it again with --store", dir)
	}
	a := &account{}
	if err := json.Unmarshal(c.About, a); err != nil {
		return nil, nil, fmt.Errorf("%s: %w: %w", dir, store.ErrDamaged, err)
	}
	return a, c, nil
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
	a, _, err := readAccount(dir)
	if err != nil {
		return nil, storeError("resume", err)
	}
	if a.Version != version() {
		return nil, wrongRequestf("--resume: the run in %s is one of ringcheck %s, and this is %s", dir, a.Version, version())
	}
	spec, err := ringcheck.Parse(a.File, []byte(a.Text))
	if err != nil {
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
	a, _, err := readAccount(e.kept.resume)
	if err != nil {
		return storeError("resume", err)
	}
	if e.protocol.named {
		if string(e.protocol.spec.Text) != a.Text {
			return wrongRequestf("--resume: the run in %s is of another text of %s", e.kept.resume, a.Spec)
		}
	}
	opt := &e.search.opt
	for _, f := range []struct{ flag, given, was string }{
		{"reduce", opt.Reduction.String(), a.Reduction},
		{"assume", opt.Assume, a.Assumption},
		{"symmetry", opt.Symmetry.String(), a.Symmetry},
		{"max-channel", fmt.Sprint(opt.MaxChannel), fmt.Sprint(a.MaxChannel)},
		{"max-nat", fmt.Sprint(opt.MaxNat), fmt.Sprint(a.MaxNat)},
	} {
		if flags.Changed(f.flag) && f.given != f.was {
			return wrongRequestf("--resume: the run in %s has --%s %s, not %s", e.kept.resume, f.flag, f.was, f.given)
		}
	}
	opt.Reduction, opt.Symmetry, opt.Assume = ringcheck.Reduction(a.Reduction), ringcheck.Symmetry(a.Symmetry), a.Assumption
	if a.Assumption == none {
		opt.Assume = ""
	}
	opt.MaxChannel, opt.MaxNat = a.MaxChannel, a.MaxNat
	e.kept.account = a
	return e.adoptSettings(a)
}

func (e *exploration) adoptSettings(a *account) error {
	both := make(ringcheck.Set)
	for name, text := range a.Settings {
		both[name] = text
	}
	maps.Copy(both, e.protocol.given)
	sys, err := e.protocol.systemWith(both)
	if err != nil {
		return err
	}
	for name, given := range settingTexts(sys) {
		if given != a.Settings[name] {
			return wrongRequestf("--resume: the run in %s has %s = %s, not %s", e.kept.resume, name, a.Settings[name], given)
		}
	}
	e.protocol.given = both
	return nil
}
