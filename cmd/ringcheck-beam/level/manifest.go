package level

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"ringcheck/cmd/internal/request"
)

// A Manifest commits a level: it exists once all states of the level are known, and names all valid files. Others were
// written by failed attempts or are no longer needed. It does not depend on who did the work in which order.
type Manifest struct {
	Level      int      `json:"level"`
	LevelSizes []uint64 `json:"level_sizes"` // of all levels so far; the last is 0 if the search is complete
	Stored     uint64   `json:"stored"`      // states in files so far: of a quotient fewer than LevelSizes add up to
	Counts              // of all levels before
	// Observations are the observations of the states of these levels, by the string that a Judge returns for them.
	// ShownNumbers are the numbers that they have shown the Judge.
	Observations map[string]Observation `json:"observations,omitempty"`
	ShownNumbers []int                  `json:"shown,omitempty"`
	// LevelBytes is the size of the files of all levels, this one included, if they are kept for Predecessor.
	LevelBytes uint64 `json:"level_bytes,omitempty"`
	// ModelError is a mistake of the model in a state of this level, which then is the last one.
	ModelError *ModelError `json:"fault,omitempty"`
	Words      []byte      `json:"words"`  // all, by AppendWords, in the order of their slots and numbers
	Shards     []Shard     `json:"shards"` // by number
}

// Counts are counts over expanded states.
type Counts struct {
	Transitions     uint64 `json:"transitions"` // of the full system, like the next two
	TerminalStates  uint64 `json:"terminal_states"`
	EnvironmentOnly uint64 `json:"environment_only"` // as in explore.Result
	Generated       uint64 `json:"generated"`        // transitions that were not asleep
	ShuffledBytes   uint64 `json:"shuffled_bytes"`   // of the blocks in which states went to their shards
}

func (c *Counts) add(d Counts) {
	c.Transitions += d.Transitions
	c.TerminalStates += d.TerminalStates
	c.EnvironmentOnly += d.EnvironmentOnly
	c.Generated += d.Generated
	c.ShuffledBytes += d.ShuffledBytes
}

// A Shard is the entry of a manifest for a shard.
type Shard struct {
	New  *Run  `json:"new,omitempty"`  // the states of the level; nil without states
	Runs []Run `json:"runs,omitempty"` // all states so far, each in one of them
}

// A Run is a file with states.
type Run struct {
	Name   string `json:"name"`
	Class  int    `json:"class"` // 0 for a level, one more for what is made of several of a class
	States uint64 `json:"states"`
	Bytes  uint64 `json:"bytes"`
}

// A ModelError is a *model.Error in a state of some level, as bytes (model.AppendState).
type ModelError struct {
	Place   string `json:"place,omitempty"`
	Process int    `json:"process"`
	Message string `json:"message"`
	Growth  bool   `json:"growth,omitempty"`
	State   []byte `json:"state"`
}

// States returns the number of known states of the full system.
func (m *Manifest) States() (sum uint64) {
	for _, n := range m.LevelSizes {
		sum += n
	}
	return sum
}

// Frontier returns the number of states of the level in the full system.
func (m *Manifest) Frontier() uint64 { return m.LevelSizes[len(m.LevelSizes)-1] }

// Ended reports whether there is nothing left to expand or a model error was found.
func (m *Manifest) Ended() bool { return m.Frontier() == 0 || m.ModelError != nil }

// KeptBytes returns the total size of the files that the manifest names.
func (m *Manifest) KeptBytes() uint64 {
	sum := m.LevelBytes
	for _, s := range m.Shards {
		for _, r := range s.Runs {
			if r.Class > 0 || m.LevelBytes == 0 {
				sum += r.Bytes
			}
		}
	}
	return sum
}

// waiting returns the number of stored states to expand.
func (m *Manifest) waiting() (sum uint64) {
	for _, s := range m.Shards {
		if s.New != nil {
			sum += s.New.States
		}
	}
	return sum
}

// A task should take some milliseconds, and its blocks, one per shard, should have enough states to compress well.
var (
	leastTask    uint64 = 1 << 17 // tests have smaller ones
	leastInBlock uint64 = 1 << 10
)

// perTask returns roughly how many states a task expands.
func perTask(shards int) uint64 { return max(leastTask, leastInBlock*uint64(shards)) }

// Tasks groups the shards that have states of the level. A small level is one task, as small blocks compress badly.
func (m *Manifest) Tasks() (tasks [][]int) {
	all := m.waiting()
	n := min((all+perTask(len(m.Shards))-1)/perTask(len(m.Shards)), uint64(len(m.Shards)))
	before, last := uint64(0), uint64(0)
	for i, s := range m.Shards {
		if s.New == nil {
			continue
		}
		task := before / ((all + n - 1) / n)
		if tasks == nil || task != last {
			tasks = append(tasks, nil)
		}
		tasks[len(tasks)-1] = append(tasks[len(tasks)-1], i)
		before, last = before+s.New.States, task
	}
	return tasks
}

const manifestName = "manifest.json"

func folderOf(level int) string { return fmt.Sprintf("%05d", level) }

func manifestOf(level int) string { return path.Join(folderOf(level), manifestName) }

// newRunName and mergedRunName return the names of a shard's new states of a level, and of the run of a class merged at
// that level.
func newRunName(level, shard int) string { return fmt.Sprintf("%s/%05d.new", folderOf(level), shard) }

func mergedRunName(level, shard, class int) string {
	return fmt.Sprintf("%s/%05d-%d.run", folderOf(level), shard, class)
}

// ReadManifest reads the manifest of a level.
func ReadManifest(ctx context.Context, files Files, level int) (*Manifest, error) {
	name := manifestOf(level)
	data, err := ReadFile(ctx, files, name)
	if err != nil {
		return nil, err
	}
	m := new(Manifest)
	if err := json.Unmarshal(data, m); err != nil || m.Level != level || len(m.LevelSizes) != level+1 ||
		(m.Frontier() > 0) != (m.waiting() > 0) {
		return nil, fmt.Errorf("%s: %w: it is not a manifest of level %d", name, ErrDamaged, level)
	}
	return m, nil
}

// LastManifest reads the manifest of the last complete level, nil if no level is complete.
func LastManifest(ctx context.Context, files Files) (*Manifest, error) {
	names, err := files.List(ctx)
	if err != nil {
		return nil, err
	}
	last := -1
	for _, name := range names {
		if folder, is := strings.CutSuffix(name, "/"+manifestName); is {
			if level, err := strconv.Atoi(folder); err == nil {
				last = max(last, level)
			}
		}
	}
	if last < 0 {
		return nil, nil
	}
	return ReadManifest(ctx, files, last)
}

// write writes the manifest, which commits the level.
func (m *Manifest) write(ctx context.Context, files Files) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return WriteFile(ctx, files, manifestOf(m.Level), append(data, '\n'))
}

// Check returns an error if one of the files that m names is missing or has another size.
func (m *Manifest) Check(ctx context.Context, files Files) error {
	for _, s := range m.Shards {
		runs := s.Runs
		if s.New != nil {
			runs = append(slices.Clone(runs), *s.New)
		}
		for _, r := range runs {
			size, err := files.Size(ctx, r.Name)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return fmt.Errorf("%s: %w: the file is missing", r.Name, ErrDamaged)
			case err != nil:
				return err
			case size != int64(r.Bytes):
				return fmt.Errorf("%s: %w: it has %d bytes in place of %d", r.Name, ErrDamaged, size, r.Bytes)
			}
		}
	}
	return nil
}

// Collect removes files of levels up to m.Level that m does not name, but keeps manifests and, with a Judge, the states
// of earlier levels for Back. Other processes may go on with the search during the call, such as a job of an earlier
// driver: later manifests can name files of later levels, which stay, and files that m names.
func (m *Manifest) Collect(ctx context.Context, files Files) error {
	names, err := files.List(ctx)
	if err != nil {
		return err
	}
	keep := make(map[string]bool)
	for _, s := range m.Shards {
		if s.New != nil {
			keep[s.New.Name] = true
		}
		for _, r := range s.Runs {
			keep[r.Name] = true
		}
	}
	for _, name := range names {
		switch path.Ext(name) {
		case ".new", ".run":
			earlier := m.LevelBytes > 0 && path.Ext(name) == ".new"
			if keep[name] || earlier || path.Dir(name) > folderOf(m.Level) {
				continue
			}
		case unfinished:
		default:
			continue
		}
		if err := files.Remove(ctx, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// words decodes the words of m, for a system with the given number of slots.
func (m *Manifest) words(slots int) (*Words, error) {
	list, err := DecodeWords(m.Words, slots)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", manifestOf(m.Level), err)
	}
	w := NewWords(slots)
	for _, word := range list {
		if !w.add(word) {
			return nil, fmt.Errorf("%s: %w: a word comes twice", manifestOf(m.Level), ErrDamaged)
		}
	}
	return w, nil
}

// A Job describes a search and its division: everything that the files of a search depend on.
type Job struct {
	Format int `json:"format"`
	request.Request
	Shards int `json:"shards"`
}

// format is the version of the files. Others are refused.
const format = 7

const jobName = "job.json"

// ErrAnother means that a folder holds another search.
var ErrAnother = errors.New("the folder holds another search")

// Claim records the job in an empty folder. The error wraps ErrAnother if the folder has a different job.
func (j *Job) Claim(ctx context.Context, files Files) error {
	j.Format = format
	data, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	found, err := ReadJob(ctx, files)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return WriteFile(ctx, files, jobName, append(data, '\n'))
	case err != nil:
		return err
	}
	if found.Shards != j.Shards {
		return fmt.Errorf("%w, which has %d shards, not %d", ErrAnother, found.Shards, j.Shards)
	}
	if difference := found.Differs(&j.Request); difference != "" {
		return fmt.Errorf("%w, which %s", ErrAnother, difference)
	}
	return nil
}

// ReadJob reads the job recorded in a folder.
func ReadJob(ctx context.Context, files Files) (*Job, error) {
	data, err := ReadFile(ctx, files, jobName)
	if err != nil {
		return nil, err
	}
	j := new(Job)
	if err := json.Unmarshal(data, j); err != nil {
		return nil, fmt.Errorf("%s: %w: the system to search is missing", jobName, ErrDamaged)
	}
	if j.Format != format {
		return nil, fmt.Errorf("%w: of format %d, and this program writes format %d", ErrAnother, j.Format, format)
	}
	return j, nil
}
