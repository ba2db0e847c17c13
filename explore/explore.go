package explore

import (
	"encoding/json"
	"fmt"
	"time"

	"ringcheck/explore/store"
	"ringcheck/model"
)

// Options configure a search. The zero value explores everything with all cores.
type Options struct {
	// Workers is the number of goroutines that expand states; 0 means GOMAXPROCS.
	Workers int
	// MaxStates stops the search when there are more states to store; 0 means no limit. Run may store a few thousand
	// more before it stops, or a whole collection if it has spilled; Walk never does.
	MaxStates uint64
	// Memory is the budget in bytes for everything that grows with the state space (visited set, tree, tables,
	// frontier, and what the system holds, see model.Holder); 0 means no limit. The search stops there, unless it
	// spills.
	Memory uint64
	// Spill lets Run, Keep and Path go on beyond Memory: visited states and the frontier go to a temporary folder in
	// SpillDir, "" for the system's. The tree stays in memory; recently found states get the rest of the budget, but at
	// least an eighth of it. A tree that reaches five eighths of the budget is compacted, and slower from then on.
	Spill    bool
	SpillDir string
	// Store, if not nil, keeps the run: Run resumes the run in the store, and writes a checkpoint at the end of every
	// level. It spills whatever Spill says, and excludes Match, Observer and Until. The caller opens and closes the
	// store, and makes sure that the system is the same as before. The system must have a model.Codec.
	Store *store.Store
	// About is kept with the run, for ReadCheckpoint: JSON that describes for the caller what is explored.
	About json.RawMessage
	// Ceiling is the memory in bytes beyond which even a search that spills stops; 0 means no limit.
	Ceiling uint64
	// Progress, if not nil, is called every ProgressEvery (default: 1 s), by Run from a goroutine of its own; never
	// concurrently and never after the search has returned. It must not block for long.
	Progress      func(Progress) // of a SearchProgress
	ProgressEvery time.Duration
	// Match, Observer and Until may take long for one state. If one of them panics with an error that wraps the error
	// of the context, the search stops as when the context ends.

	// Match, if not nil, is called once for every new state, from the goroutines of the search (workers are numbered
	// from 0). The search ends after the level in which Match has returned true, and Result.Matches holds the states of
	// that level for which it did. state is valid during the call.
	Match func(worker int, state []model.Value) bool
	// Observer, if not nil, divides the states into classes, which Result.Classes reports.
	Observer Observer
	// Until, if not nil, is called with the class and level of new states, at least of the first of each class, and
	// again with quiescent set if such a state turns out to have no transitions but the environment's. The search ends
	// after a level with a state for which it returned true; all states of the next level are known then. Several
	// goroutines call it.
	Until func(class uint32, level int, quiescent bool) bool

	// NoSleepSets makes the search look up every successor, even if another state is certain to lead to it. No result
	// depends on it.
	NoSleepSets bool

	// Tag, if not nil, gives each step the tag that it has in Vertex.Tags: always the same one, different ones for
	// steps of different groups. Small numbers take less room. Several goroutines call it.
	Tag func(group int, step model.Step) uint32

	spilling spilling
}

// spilling is for tests, which spill where there is no need.
type spilling struct {
	at         uint64 // the number of stored states at which the search spills; 0 means at the budget
	collection int    // the maximum size of a collection, in state IDs; 0 means as the budget says
}

// A Stop is the reason for which a search ended.
type Stop int

// The reasons to stop. Everything but Exhausted is incomplete: the counts are lower bounds.
const (
	Exhausted     Stop = iota // every reachable state was expanded
	StateLimit                // Options.MaxStates
	MemoryLimit               // Options.Memory
	Deadline                  // the context's deadline
	Interrupted               // the context was cancelled
	ModelFailure              // the system reported a *model.Error; Result.ModelError says which
	Matched                   // Options.Match or Until was true of a state
	DiskFailure               // what was spilled could not be written or read; Result.Failure says why
	CapacityLimit             // states have more different parts than there are numbers for (2^32)
)

func (s Stop) String() string {
	return [...]string{
		Exhausted: "exhausted", StateLimit: "state limit reached", MemoryLimit: "memory budget reached",
		Deadline: "timeout", Interrupted: "interrupted", ModelFailure: "error in the model", Matched: "state found",
		DiskFailure:   "disk failure",
		CapacityLimit: "a table is full (states have too many different parts; a symmetry or a reduction leaves fewer)",
	}[s]
}

// A StopError says why a search ended early. It wraps ErrIncomplete.
type StopError struct{ Stop Stop }

func (e *StopError) Error() string { return fmt.Sprintf("%v: %v", ErrIncomplete, e.Stop) }
func (e *StopError) Unwrap() error { return ErrIncomplete }

// A Result has the counts of a search, and how it ended.
type Result struct {
	Stop Stop
	// The search of a model.Quotient counts the states and transitions of the original system.
	States         uint64 // distinct reachable states
	Transitions    uint64
	Generated      uint64 // successors that were looked up: below Transitions with sleep sets or a quotient
	TerminalStates uint64 // states without transitions
	// EnvironmentOnly is the number of states that have transitions, all of which are the environment's: see
	// model.Group.
	EnvironmentOnly uint64
	Levels          []uint64 // states of each BFS level; level 0 holds the initial states
	Stored          uint64   // states that were stored: fewer than States for a quotient
	Bytes           uint64   // held at the end by the visited set (slots and tree), in bytes
	TotalBytes      uint64   // the most that the search held at any time, frontier and tables included
	Workers         int
	Elapsed         time.Duration
	ModelError      *model.Error    // why, if Stop is ModelFailure
	ErrorState      []model.Value   // where
	Matches         [][]model.Value // states of the last level for which Options.Match was true, in no order
	Classes         []Observation   // by class, if there was an Observer
	Spilled         uint64          // states that are on disk because memory did not suffice
	DiskBytes       uint64          // written to disk
	Failure         error           // why, if Stop is DiskFailure
	// If the search has spilled and Stop is MemoryLimit, Parts is the bytes that cannot go to disk, and Needs the
	// budget with which the search would have gone on; else both are 0.
	Parts, Needs uint64
}

// Complete reports whether every reachable state was expanded.
func (r *Result) Complete() bool { return r.Stop == Exhausted }

// Err returns nil if every reachable state was expanded, otherwise a *StopError.
func (r *Result) Err() error {
	if r.Complete() {
		return nil
	}
	return &StopError{r.Stop}
}
