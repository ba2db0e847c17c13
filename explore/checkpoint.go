package explore

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"ringcheck/explore/store"
	"ringcheck/internal/effort"
)

// A Checkpoint describes a run in a store: the results before the expansion of a level began.
type Checkpoint struct {
	About          json.RawMessage `json:"about"` // Options.About of the process that began the run
	Complete       bool            `json:"complete"`
	States         uint64          `json:"states"`
	Transitions    uint64          `json:"transitions"`     // the number of transitions from the expanded levels
	TerminalStates uint64          `json:"terminal_states"` // the number of states without transitions in these levels
	// EnvironmentOnly is as in Result, for the expanded levels.
	EnvironmentOnly uint64        `json:"environment_only"`
	Stored          uint64        `json:"stored"`
	Levels          []uint64      `json:"levels"` // the numbers of states of the expanded levels
	Bytes           int64         `json:"bytes"`  // the size on disk
	Elapsed         time.Duration `json:"elapsed"`
}

// A record is the content of a store's record.
type record struct {
	Format int `json:"format"`
	Checkpoint
	Runs [][]runRecord `json:"runs"` // by level; the last level has not been expanded
	Tree []uint32      `json:"tree"` // the number of pairs of each node
}

type runRecord struct {
	Number uint32 `json:"number"`
	IDs    uint64 `json:"roots"`
	Blocks int    `json:"blocks"`
}

// format is the version of a store's content. It changes whenever an older one could be misread.
const format = 7

// ReadCheckpoint returns the checkpoint in a folder, nil before the first one. It writes nothing, and works while
// another process runs. It returns the errors of store.ReadRecord.
func ReadCheckpoint(dir string) (*Checkpoint, error) {
	r, err := readRecord(dir)
	if r == nil {
		return nil, err
	}
	return &r.Checkpoint, nil
}

func readRecord(dir string) (*record, error) {
	data, err := store.ReadRecord(dir)
	if data == nil {
		return nil, err
	}
	r, err := parseRecord(data)
	if err != nil {
		return nil, fmt.Errorf("read the checkpoint of %s: %w", dir, err)
	}
	return r, nil
}

func parseRecord(data []byte) (*record, error) {
	r := &record{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrDamaged, err)
	}
	switch {
	case r.Format != format:
		return nil, fmt.Errorf("%w: %d, expected %d", store.ErrFormat, r.Format, format)
	case !r.Complete && len(r.Runs) < len(r.Levels):
		return nil, fmt.Errorf("%w: the states of some levels are missing", store.ErrDamaged)
	}
	return r, nil
}

// checkpoint writes the state of the search, if the run is kept and there was no error.
func (s *search) checkpoint(complete bool) {
	if s.archive == nil || s.halted() {
		return
	}
	if err := s.writeCheckpoint(complete); err != nil {
		s.failDisk(err)
	}
}

func (s *search) writeCheckpoint(complete bool) (err error) {
	defer effort.Catch(&err)
	r := &record{Format: format, Checkpoint: Checkpoint{
		About:           s.opt.About,
		Complete:        complete,
		States:          s.total.states.Load(),
		Transitions:     s.total.transitions.Load(),
		TerminalStates:  s.total.terminal.Load(),
		EnvironmentOnly: s.total.environmentOnly.Load(),
		Stored:          s.total.stored.Load(),
		Levels:          s.sizes,
		Elapsed:         time.Since(s.begin),
	}}
	for _, level := range s.archive.levels {
		var runs []runRecord
		for _, run := range level {
			runs = append(runs, runRecord{run.Number, run.IDs, run.Blocks()})
		}
		r.Runs = append(r.Runs, runs)
	}
	s.writeTree()
	r.Tree, r.Bytes = s.archive.tree, s.archive.db.Bytes()
	return s.archive.db.Commit(effort.Must(json.Marshal(r)))
}

// pairsPerEntry is the number of pairs of a node that are written at a time.
const pairsPerEntry = 1 << 16

// writeTree writes the pairs that the tree has numbered since the last time.
func (s *search) writeTree() {
	sizes := s.store.Sizes()
	for node, end := range sizes {
		first := uint32(0)
		if node < len(s.archive.tree) {
			first = s.archive.tree[node]
		}
		for first < end {
			next := min(first+pairsPerEntry, end)
			effort.Try(s.archive.db.Put(uint32(node), uint64(first), s.store.AppendPairs(nil, node, first, next)))
			first = next
		}
	}
	s.archive.tree = sizes
}

// resume continues a stored run.
func (s *search) resume(r *record) error {
	s.begin = s.begin.Add(-r.Elapsed)
	s.sizes = r.Levels
	for _, n := range r.Levels {
		s.before += n
	}
	s.total.states.Store(r.States)
	s.total.stored.Store(r.Stored)
	s.total.transitions.Store(r.Transitions)
	s.total.terminal.Store(r.TerminalStates)
	s.total.environmentOnly.Store(r.EnvironmentOnly)
	if s.finished = r.Complete; s.finished {
		return nil
	}
	if err := s.readDisk(r); err != nil {
		return fmt.Errorf("resume the run in %s: %w", s.archive.db.Dir(), err)
	}
	return s.fill()
}

// readDisk reads everything but the states, and removes what does not belong to the checkpoint.
func (s *search) readDisk(r *record) (err error) {
	defer effort.Catch(&err)
	effort.Try(s.archive.db.Prune(r.keepsRun, r.keepsEntry))
	s.readTree(r.Tree)
	s.readRuns(r.Runs)
	return nil
}

// keepsRun reports whether r names a run. Other runs were written for a level that was not completed.
func (r *record) keepsRun(number uint32) bool {
	return slices.ContainsFunc(r.Runs, func(level []runRecord) bool {
		return slices.ContainsFunc(level, func(run runRecord) bool { return run.Number == number })
	})
}

// keepsEntry does so for an entry of a table.
func (r *record) keepsEntry(table uint32, at uint64) bool {
	return int(table) < len(r.Tree) && at < uint64(r.Tree[table])
}

// readTree fills the tree.
func (s *search) readTree(want []uint32) {
	for node := range s.store.Sizes() {
		restore := func(_ uint64, pairs []byte) error {
			if s.treeTooLarge() {
				s.compactTree()
			}
			return s.store.Restore(node, pairs)
		}
		effort.Try(s.archive.db.Each(uint32(node), restore))
	}
	if sizes := s.store.Sizes(); !slices.Equal(sizes, want) {
		effort.Try(fmt.Errorf("%w: the tree has %d pairs, not %d", store.ErrDamaged, sizes, want))
	}
	s.archive.tree = want
}

func (s *search) readRuns(levels [][]runRecord) {
	for _, level := range levels {
		var runs []*run
		for _, r := range level {
			runs = append(runs, &run{Run: effort.Must(s.archive.db.Load(r.Number, r.IDs, r.Blocks))})
		}
		s.archive.levels = append(s.archive.levels, runs)
	}
}

// fill puts all states into the visited set, or until there is no room and the search spills.
func (s *search) fill() (err error) {
	defer effort.Catch(&err)
	reader := s.archive.db.Reader()
	defer reader.Close()
	put, in := s.workers[0].set, s.storage.(*memoryStorage)
	var block, added []uint64
	for _, run := range slices.Concat(s.archive.levels...) {
		for i := range run.Blocks() {
			block = effort.Must(reader.Block(run.Run, i, block[:0]))
			for rest := block; len(rest) > 0; {
				added, rest = put.Put(rest, added[:0])
				if in.set.ShouldGrow() {
					s.storage.makeRoom()
				}
				if s.storage != storage(in) || s.halted() {
					return s.failure
				}
			}
		}
	}
	return nil
}
