package level_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ringcheck"
	"ringcheck/cmd/ringcheck-beam/level"
	"ringcheck/explore"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
	"ringcheck/reduce/symmetry"
)

// named is a system whose values mean the same everywhere.
type named struct{ *systemtest.System }

func (named) AppendSlot(buf []byte, _ int, v model.Value) []byte { return fmt.Appendf(buf, "%d,", v) }

func (named) DecodeSlot(_ int, data []byte) (v model.Value, rest []byte, err error) {
	n, err := fmt.Sscanf(string(data), "%d,", &v)
	if n != 1 {
		return 0, nil, err
	}
	return v, data[len(fmt.Sprintf("%d,", v)):], err
}

// search searches in a folder to the end. Now and then another process goes on.
func search(t testing.TB, sys func() model.System, shards int, dir string, changes *rand.Rand) *level.Manifest {
	t.Helper()
	begin := func() *level.System {
		s, err := level.NewSystem(sys(), shards, level.Folder(dir), nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := begin()
	m, err := s.Begin(t.Context())
	for err == nil && !m.Ended() {
		if changes.IntN(4) == 0 {
			s = begin()
		}
		if m, err = next(t, s, m); err == nil && changes.IntN(4) == 0 {
			err = m.Collect(t.Context(), level.Folder(dir))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Check(t.Context(), level.Folder(dir)); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRandomSystems: counts and levels are those of a search in memory, whatever the number of shards.
func TestRandomSystems(t *testing.T) {
	slept := false
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		shape := systemtest.RandomShape(r)
		if seed%2 == 0 {
			shape = systemtest.Shape{Slots: 3 + r.IntN(5), Values: 2, Groups: 1 + r.IntN(90), Rare: 50 + r.IntN(40)}
		}
		sys := func() model.System { return named{systemtest.New(seed, shape)} }
		want, err := explore.Run(t.Context(), sys(), explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := search(t, sys, 1+r.IntN(9), t.TempDir(), r)
		if want.Stop == explore.ModelFailure {
			if m.ModelError == nil || m.Level != len(want.Levels)-1 {
				t.Errorf("seed %d: error %v at level %d, want level %d", seed, m.ModelError, m.Level,
					len(want.Levels)-1)
			}
			continue
		}
		same(t, fmt.Sprint("seed ", seed), m, want)
		slept = slept || m.Generated < m.Transitions
	}
	if !slept {
		t.Error("no sleep set was used")
	}
}

// next does all the work on a level, one task and shard after the other, and returns the manifest of the next one.
func next(t testing.TB, s *level.System, m *level.Manifest) (*level.Manifest, error) {
	return nextAfter(t, s, m, func() error { return nil })
}

// nextAfter does the same, and calls before when only the commit is left.
func nextAfter(t testing.TB, s *level.System, m *level.Manifest, before func() error) (*level.Manifest, error) {
	blocks := make([][][]byte, len(m.Shards))
	var parts []level.Part
	var words []level.Word
	for task := range m.Tasks() {
		part, fresh, err := s.Expand(t.Context(), m.Level, task, func(to int, block []byte) error {
			blocks[to] = append(blocks[to], block)
			return nil
		})
		if err != nil {
			return nil, err
		}
		parts, words = append(parts, part), append(words, fresh...)
	}
	for shard, sent := range blocks {
		if len(sent) > 0 {
			part, err := s.Merge(t.Context(), m.Level, shard, words, sent)
			if err != nil {
				return nil, err
			}
			parts = append(parts, part)
		}
	}
	if err := before(); err != nil {
		return nil, err
	}
	return s.Commit(t.Context(), m.Level, words, parts)
}

// TestCollectBehind checks that a manifest stays valid if files are collected for an earlier level while it is made:
// the driver of a search may have been replaced while its job goes on.
func TestCollectBehind(t *testing.T) {
	for behind := range 3 {
		dir := level.Folder(t.TempDir())
		s, err := level.NewSystem(compiled(t, 2, 3), 3, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.Begin(t.Context())
		earlier := []*level.Manifest{m}
		for err == nil && !m.Ended() {
			m, err = nextAfter(t, s, m, func() error {
				return earlier[max(0, len(earlier)-1-behind)].Collect(t.Context(), dir)
			})
			if err == nil {
				earlier = append(earlier, m)
				err = m.Check(t.Context(), dir)
			}
		}
		if err != nil {
			t.Fatalf("%d levels behind: %v", behind, err)
		}
		if err := m.Collect(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		names, err := dir.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		runs := 0
		for _, shard := range m.Shards {
			runs += len(shard.Runs)
		}
		if len(names) != runs+m.Level+1 {
			t.Errorf("%d files remain, not the %d manifests and %d runs", len(names), m.Level+1, runs)
		}
	}
}

func same(t testing.TB, name string, m *level.Manifest, want *explore.Result) {
	t.Helper()
	levels := m.LevelSizes[:len(m.LevelSizes)-1]
	if m.States() != want.States || m.Transitions != want.Transitions || m.TerminalStates != want.TerminalStates ||
		m.EnvironmentOnly != want.EnvironmentOnly || fmt.Sprint(levels) != fmt.Sprint(want.Levels) {
		t.Errorf("%s: %d states, %d transitions, %d terminal, levels %v; want %d, %d, %d, %v", name,
			m.States(), m.Transitions, m.TerminalStates, levels, want.States, want.Transitions, want.TerminalStates,
			want.Levels)
	}
}

// TestFranklin: the published counts, with files of several chunks.
func TestFranklin(t *testing.T) {
	sys := func() model.System { return compiled(t, 3, 3) }
	want, err := explore.Run(t.Context(), sys(), explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := search(t, sys, 3, t.TempDir(), rand.New(rand.NewPCG(1, 1)))
	same(t, "franklin", m, want)
	if m.States() != 55009 || m.Transitions != 168102 {
		t.Errorf("%d states, %d transitions", m.States(), m.Transitions)
	}
}

// TestQuotient: counts are those of the full system, though fewer states are stored; and those are as many as in
// memory.
func TestQuotient(t *testing.T) {
	sys := func() model.System {
		q, err := symmetry.Rotation(t.Context(), compiled(t, 3, 2))
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	want, err := explore.Run(t.Context(), sys(), explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(3) {
		m := search(t, sys, 1+int(seed)*2, t.TempDir(), rand.New(rand.NewPCG(seed, 7)))
		same(t, "franklin", m, want)
		if m.States() != 15445 || m.Stored != want.Stored {
			t.Errorf("%d states, %d stored, want %d", m.States(), m.Stored, want.Stored)
		}
	}
}

// TestBack: going back from a state of the last level leads along the same run as a search in memory finds.
func TestBack(t *testing.T) {
	checked := 0
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 4))
		sys := func() model.System { return named{systemtest.New(seed, systemtest.RandomShape(r))} }()
		dir := level.Folder(t.TempDir())
		s, err := level.NewSystem(sys, 1+r.IntN(5), dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.Begin(t.Context())
		for err == nil && !m.Ended() {
			m, err = next(t, s, m)
		}
		if err != nil {
			t.Fatal(err)
		}
		if m.ModelError != nil {
			continue
		}
		var end []model.Value
		want, err := explore.Path(t.Context(), sys, explore.Options{Workers: 1}, func(_ int, state []model.Value) bool {
			if end == nil && r.IntN(20) == 0 {
				end = slices.Clone(state)
			}
			return end != nil && slices.Equal(state, end)
		})
		if errors.Is(err, explore.ErrNoPath) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		checked++
		codec, _ := model.As[model.Codec](sys)
		at := model.AppendState(codec, nil, end)
		for i := len(want) - 1; i >= 0; i-- {
			if state := model.AppendState(codec, nil, want[i].State); string(state) != string(at) {
				t.Fatalf("seed %d, level %d: %s, want %s", seed, i, at, state)
			}
			if i > 0 {
				at = before(t, s, dir, i-1, at)
			}
		}
	}
	if checked < 4 {
		t.Errorf("only %d runs", checked)
	}
}

// before returns the least state of a level that leads to a target.
func before(t *testing.T, s *level.System, dir level.Files, at int, target []byte) []byte {
	t.Helper()
	m, err := level.ReadManifest(t.Context(), dir, at)
	if err != nil {
		t.Fatal(err)
	}
	var found [][]byte
	for task := range m.Tasks() {
		state, err := s.Predecessor(t.Context(), at, task, target)
		if err != nil {
			t.Fatal(err)
		}
		if state != nil {
			found = append(found, state)
		}
	}
	least, err := s.LeastState(found)
	if err != nil {
		t.Fatal(err)
	}
	return least
}

func compiled(t testing.TB, n, k int) model.System {
	t.Helper()
	sys, err := ringcheck.Load("franklin", ringcheck.Set{"n": n, "k": k})
	if err != nil {
		t.Fatal(err)
	}
	p, err := ringcheck.Prepare(t.Context(), sys, ringcheck.Search{})
	if err != nil {
		t.Fatal(err)
	}
	return p.System
}

// TestAgain: work that is done once more, in whatever order, by a process that has come further meanwhile, writes the
// same files.
func TestAgain(t *testing.T) {
	dir := t.TempDir()
	s, err := level.NewSystem(compiled(t, 2, 3), 3, level.Folder(dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Begin(t.Context())
	manifests := []*level.Manifest{m}
	for err == nil && !m.Ended() {
		m, err = next(t, s, m)
		manifests = append(manifests, m)
	}
	if err != nil || m.States() != 1525 {
		t.Fatal(err, m)
	}
	before := contents(t, dir)
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		if m := manifests[r.IntN(len(manifests)-1)]; err == nil {
			_, err = next(t, s, m)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range contents(t, dir) {
		if before[name] != data {
			t.Errorf("%s is another one", name)
		}
	}
}

// contents returns the files of a search.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := level.Folder(dir).List(t.Context())
	files := make(map[string]string)
	for _, name := range names {
		data, readErr := os.ReadFile(filepath.Join(dir, name))
		files[name], err = string(data), errors.Join(err, readErr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return files
}
