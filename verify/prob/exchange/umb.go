package exchange

import (
	"archive/tar"
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ringcheck/internal/effort"
	"ringcheck/verify/prob"
)

// A umbIndex is the part of the file index.json of the UMB format that is used here.
type umbIndex struct {
	Version     uint32                              `json:"format-version"`
	Revision    uint32                              `json:"format-revision"`
	FileData    map[string]any                      `json:"file-data,omitempty"`
	System      umbSystem                           `json:"transition-system"`
	Annotations map[string]map[string]umbAnnotation `json:"annotations,omitempty"`
	Valuations  map[string]any                      `json:"valuations,omitempty"`
}

// A umbSystem is the kind of process that the file holds, and its size.
type umbSystem struct {
	Time          string   `json:"time"`
	Players       uint64   `json:"#players"`
	States        uint64   `json:"#states"`
	Initial       uint64   `json:"#initial-states"`
	Choices       uint64   `json:"#choices"`
	ChoiceActions uint64   `json:"#choice-actions"`
	Branches      uint64   `json:"#branches"`
	BranchActions uint64   `json:"#branch-actions"`
	Observations  uint64   `json:"#observations"`
	Probability   *umbType `json:"branch-probability-type,omitempty"`
}

// A umbType is the representation of values. Size is in bits, 0 for the default.
type umbType struct {
	Type string `json:"type"`
	Size uint64 `json:"size,omitzero"`
}

// A umbAnnotation is a label (in the group "aps") or a reward ("rewards").
type umbAnnotation struct {
	Alias     string   `json:"alias,omitempty"`
	AppliesTo []string `json:"applies-to"`
	Type      umbType  `json:"type"`
}

// Limits of the files that can be read.
const (
	maxStates   = 1<<32 - 2
	maxBranches = 1<<32 - 1
	maxIndex    = 16 << 20
	maxRational = 1 << 12 // bits
)

// parseIndex reads and checks an index.
func parseIndex(data []byte) (*umbIndex, error) {
	x := new(umbIndex)
	var keys struct {
		System map[string]any `json:"transition-system"`
	}
	if err := cmp.Or(json.Unmarshal(data, x), json.Unmarshal(data, &keys)); err != nil {
		return nil, fmt.Errorf("index.json: %w", err)
	}
	for _, key := range strings.Fields("time #players #states #initial-states #choices #choice-actions #branches " +
		"#branch-actions #observations") {
		if _, ok := keys.System[key]; !ok {
			return nil, fmt.Errorf("index.json: transition-system has no %q", key)
		}
	}
	if err := x.check(); err != nil {
		return nil, fmt.Errorf("index.json: %w", err)
	}
	return x, nil
}

func (x *umbIndex) check() error {
	s := &x.System
	switch {
	case x.Version != 1:
		return fmt.Errorf("version %d of the format is not supported; 1 is", x.Version)
	case s.Time != "discrete" || s.Players > 1:
		return fmt.Errorf("expected a Markov chain or decision process in discrete time, not time %q with %d players",
			s.Time, s.Players)
	case s.Observations != 0:
		return errors.New("partially observable processes are not supported")
	case s.States == 0 || s.States > maxStates || s.Initial > s.States,
		s.Branches > maxBranches || s.Choices > s.Branches:
		return fmt.Errorf("%d states, %d of them initial, %d choices and %d branches are not possible",
			s.States, s.Initial, s.Choices, s.Branches)
	case s.Probability == nil:
		return errors.New("there is no branch-probability-type: this is no probabilistic process")
	}
	if _, err := s.Probability.bytes(); err != nil {
		return err
	}
	for group, list := range x.Annotations {
		for id, a := range list {
			if err := a.check(group, id); err != nil {
				return fmt.Errorf("annotation %q of %q: %w", id, group, err)
			}
		}
	}
	return nil
}

func (a *umbAnnotation) check(group, id string) error {
	if group == "" || id == "" || identifier(group) != group || identifier(id) != id {
		return errors.New("expected names of the characters a-z, 0-9, _ and -")
	}
	if len(a.AppliesTo) == 0 {
		return errors.New("applies-to is missing")
	}
	for i, on := range a.AppliesTo {
		known := on == "states" || group != "aps" && (on == "choices" || on == "branches")
		if !known || slices.Contains(a.AppliesTo[:i], on) {
			return fmt.Errorf("it cannot apply to %q", a.AppliesTo)
		}
	}
	switch group {
	case "aps":
		if a.Type.Type != "bool" || a.Type.Size > 1 {
			return fmt.Errorf("expected type bool, found %q with %d bits", a.Type.Type, a.Type.Size)
		}
	case "rewards":
		_, err := a.Type.bytes()
		return err
	}
	return nil
}

// bytes returns the size of a number.
func (t *umbType) bytes() (int, error) {
	switch {
	case t.Type == "double" && (t.Size == 0 || t.Size == 64):
		return 8, nil
	case t.Type == "rational" && t.Size == 0:
		return 16, nil
	case t.Type == "rational" && t.Size%128 == 0 && t.Size <= maxRational:
		return int(t.Size / 8), nil
	}
	return 0, fmt.Errorf("numbers of type %q with %d bits are not supported; double and rational are", t.Type, t.Size)
}

// identifier returns name with characters that the format allows in file names.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '_'
	}, name)
}

// WriteUMB writes a process in the UMB format, with rationals if exact, else with doubles. The reward of a choice is
// the mean reward of its branches.
func WriteUMB(ctx context.Context, w io.Writer, m *prob.MDP, exact bool) (err error) {
	defer effort.Catch(&err)
	x := flatten(ctx, m)
	u := &umbWriter{explicit: x, tar: tar.NewWriter(w), exact: exact}
	for i := range m.Rewards {
		x.rewards[i].name = m.Rewards[i].Name
	}
	index := effort.Must(json.Marshal(u.index(), json.Deterministic(true), jsontext.WithIndent("  ")))
	u.entry("index.json", int64(len(index)), func(out *bufio.Writer) { out.Write(index) })
	u.set("state-is-initial.bin", x.initial)
	u.column("state-to-choices.bin", x.choices)
	u.column("choice-to-branches.bin", x.branches)
	u.column("branch-to-target.bin", x.to)
	u.values("branch-to-probability.bin", x.weight)
	for i, l := range x.labels {
		u.set("annotations/aps/"+u.id(i, l.Name)+"/states/values.bin", l.States)
	}
	for i, r := range x.rewards {
		u.values("annotations/rewards/"+u.id(i, r.name)+"/choices/values.bin", r.choices)
	}
	return u.tar.Close()
}

// A umbWriter writes the entries of a tar, one after the other.
type umbWriter struct {
	*explicit
	tar   *tar.Writer
	exact bool
}

// id returns the identifier of annotation i of its group.
func (u *umbWriter) id(i int, name string) string { return fmt.Sprintf("%s-%d", identifier(name), i) }

func (u *umbWriter) index() *umbIndex {
	t := umbType{"double", 64}
	if u.exact {
		t = umbType{"rational", 128}
	}
	aps, rewards := map[string]umbAnnotation{}, map[string]umbAnnotation{}
	for i, l := range u.labels {
		aps[u.id(i, l.Name)] = umbAnnotation{l.Name, []string{"states"}, umbType{"bool", 1}}
	}
	for i, r := range u.rewards {
		rewards[u.id(i, r.name)] = umbAnnotation{r.name, []string{"choices"}, t}
	}
	x := &umbIndex{Version: 1, FileData: map[string]any{"tool": "ringcheck"}}
	x.Annotations = map[string]map[string]umbAnnotation{"aps": aps}
	if len(rewards) > 0 {
		x.Annotations["rewards"] = rewards
	}
	x.System = umbSystem{
		Time: "discrete", Players: 1, States: uint64(len(u.choices) - 1), Initial: uint64(u.initial.Len()),
		Choices: uint64(len(u.branches) - 1), Branches: uint64(len(u.to)), Probability: &t,
	}
	return x
}

// entry writes a file of the archive.
func (u *umbWriter) entry(name string, size int64, write func(out *bufio.Writer)) {
	effort.Try(u.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: size, Format: tar.FormatUSTAR}))
	out := bufio.NewWriterSize(u.tar, 1<<16)
	write(out)
	effort.Try(out.Flush())
}

func put(out *bufio.Writer, word uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], word)
	out.Write(b[:])
}

// set writes a set of states, one bit a state.
func (u *umbWriter) set(name string, x prob.Set) {
	u.entry(name, 8*int64(len(x)), func(out *bufio.Writer) {
		for _, word := range x {
			put(out, word)
		}
	})
}

func (u *umbWriter) column(name string, list []uint32) {
	u.entry(name, 8*int64(len(list)), func(out *bufio.Writer) {
		for _, n := range list {
			u.Tick()
			put(out, uint64(n))
		}
	})
}

// values writes numbers of the table.
func (u *umbWriter) values(name string, list []uint16) {
	size := 8
	if u.exact {
		size = 16
	}
	u.entry(name, int64(size*len(list)), func(out *bufio.Writer) {
		for _, n := range list {
			u.Tick()
			r := u.numbers.list[n].text
			switch f, _ := r.Float64(); {
			case !u.exact:
				put(out, math.Float64bits(f))
			case r.Num().IsInt64() && r.Denom().IsUint64():
				put(out, uint64(r.Num().Int64()))
				put(out, r.Denom().Uint64())
			default:
				refuse("%s: %s does not fit into two numbers of 64 bits", name, r.RatString())
			}
		}
	})
}
