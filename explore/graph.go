package explore

import (
	"context"
	"math"
	"slices"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/internal/visited"
	"ringcheck/explore/reduction"
	"ringcheck/internal/workers"
	"ringcheck/model"
)

// A Graph is the transition system of a Space. A state is identified by its place, a number below Places. Methods
// return errors of the disk or of a context.
type Graph interface {
	// States returns the number of states. They are numbered in the order of forward sweeps.
	States() uint64
	Places() uint64
	// Has reports whether there is a state at a place.
	Has(place uint64) bool
	// Initial returns the places of the initial states, in the order of the system.
	Initial() ([]uint64, error)
	// Find returns the places of some states of the graph.
	Find(states [][]model.Value) ([]uint64, error)
	// State returns the state at a place.
	State(place uint64) ([]model.Value, error)
	// FreeBytes returns the number of bytes that the budget still allows; 2^62 without a budget.
	FreeBytes() uint64
	// Sweep calls visit, from several goroutines, with the selected states: from the first level to the last, or
	// backward. A level is visited after all selected states of the level before it.
	Sweep(ctx context.Context, backward bool, selected Selection, visit func(v *Vertex)) error
	// Hold prepares for many sweeps: it keeps the transitions in memory if they fit in a small part of FreeBytes.
	Hold(ctx context.Context) error
	// Expand calls visit with the states at some places, in order; Vertex.Number is not set.
	Expand(places []uint64, visit func(v *Vertex)) error
	close()
}

// A classifier returns the class of a state. Many goroutines call it, each with its own worker.
type classifier func(w *worker, id tree.StateID) uint32

// A Vertex is a state of a Graph. What it holds is valid during a call.
type Vertex struct {
	Number uint64 // the number of the state in the order of a forward sweep
	Place  uint64
	Level  int      // the BFS level; set by Sweep only
	Class  uint32   // the class by Options.Observer
	To     []uint64 // the places of its successors, by transition; transitions of a group are adjacent
	Tags   []uint32 // the tags of the transitions, by Options.Tag
	// Permutations has, for a quotient by permutations, the number of the permutation by which the target of each
	// transition is represented, see reduction.Permuter. It is empty for other systems.
	Permutations []uint32
}

// Graph returns the graph of a complete search that was made with an Observer and a Tag, valid until the space is
// closed. If the search has spilled, the transitions are on disk; else every sweep computes them. The error is
// ErrIncomplete, or comes from the disk or the context.
func (s *Space) Graph(ctx context.Context) (Graph, error) {
	if !s.result.Complete() {
		return nil, ErrIncomplete
	}
	return s.search.graph(ctx, func(_ *worker, id tree.StateID) uint32 { return s.search.classes.Of(id) })
}

// graph returns the graph of a search, with classes by a classifier.
func (s *search) graph(ctx context.Context, class classifier) (Graph, error) {
	r, ok := s.storage.(*memoryStorage)
	if !ok {
		return s.storage.(*diskStorage).graph(ctx, class)
	}
	g := &memoryGraph{search: s, sys: s.sys, set: r.set, levels: r.frontier.pastLevels}
	for _, w := range s.workers {
		g.readers = append(g.readers, &memoryReader{worker: w, tree: w.tree, class: class, finder: r.set.Finder()})
	}
	for _, level := range g.levels {
		var begins []uint64
		for _, batch := range level {
			begins = append(begins, g.states)
			g.states += uint64(batch.states)
		}
		g.begins = append(g.begins, begins)
	}
	return g, nil
}

// A memoryGraph is the Graph of a search in memory. Places are slots of the visited set.
type memoryGraph struct {
	search   *search
	set      *visited.Set
	levels   [][]compressedBatch
	readers  []*memoryReader // by worker
	begins   [][]uint64      // by level and batch: the number of its first state
	states   uint64
	rows     [][][]uint32 // by level and batch: the rows of the states, after Hold
	rowBytes uint64       // of rows
	sys      model.System // that has the transitions
	overlay  *tree.Store  // of sys; nil if sys is the searched system
}

func (g *memoryGraph) States() uint64 { return g.states }
func (g *memoryGraph) Places() uint64 { return g.set.Slots() }

func (g *memoryGraph) Has(place uint64) bool {
	return g.set.Filled(place) && g.readers[0].has(g.set.ID(place))
}

func (g *memoryGraph) State(place uint64) ([]model.Value, error) {
	return g.search.workers[0].vector(g.set.ID(place)), nil
}

func (g *memoryGraph) close() {}

func (g *memoryGraph) FreeBytes() uint64 {
	held, budget := uint64(g.search.bytes())+g.rowBytes, g.search.opt.Memory
	if budget == 0 {
		return 1 << 62
	}
	if g.overlay != nil {
		held += uint64(g.overlay.Bytes())
	}
	return budget - min(held, budget)
}

// A row is a state in memory: its place, class, and number of transitions, then the place and tag of each.
const rowHead = 3

func (g *memoryGraph) Hold(ctx context.Context) error {
	bytes := 4 * (rowHead*g.states + 2*uint64(g.search.total.transitions.Load()))
	if _, ok := model.As[reduction.Permutation](g.sys); ok { // rows have no permutations
		return nil
	}
	if g.rows != nil || g.overlay != nil || bytes > g.FreeBytes()/4 || g.Places() > math.MaxUint32 {
		return nil
	}
	rows := make([][][]uint32, len(g.levels))
	for i, level := range g.levels {
		rows[i] = make([][]uint32, len(level))
		workers.Each(len(g.readers), len(level), func(worker, j int) {
			if ctx.Err() != nil {
				return
			}
			var all []uint32
			g.readers[worker].sweep(level[j], g.begins[i][j], Selection{}, func(v *Vertex) {
				all = append(all, uint32(v.Place), v.Class, uint32(len(v.To)))
				for t, to := range v.To {
					all = append(all, uint32(to), v.Tags[t])
				}
			})
			rows[i][j] = slices.Clone(all)
		})
	}
	if ctx.Err() == nil {
		g.rows = rows
		g.rowBytes = bytes
	}
	return ctx.Err()
}

func (g *memoryGraph) Initial() ([]uint64, error) {
	ids, err := g.search.initialIDs(g.sys)
	return g.set.Finder().Find(ids, nil), err
}

// initialIDs returns the initial states of the searched system, or of one with states of it.
func (s *search) initialIDs(sys model.System) ([]tree.StateID, error) {
	var ids []tree.StateID
	err := sys.Initial(func(state []model.Value) bool {
		ids = append(ids, s.workers[0].tree.ID(state))
		return true
	})
	return ids, err
}

func (g *memoryGraph) Find(states [][]model.Value) ([]uint64, error) {
	return g.set.Finder().Find(g.search.ids(states), nil), nil
}

// ids returns the IDs of some states.
func (s *search) ids(states [][]model.Value) (ids []tree.StateID) {
	for _, state := range states {
		ids = append(ids, s.workers[0].tree.ID(state))
	}
	return ids
}

// A Selection tells a sweep which states to visit: those for which both predicates are true. A nil predicate is true of
// all states. States that Number excludes take hardly any time.
type Selection struct {
	Number, Place func(uint64) bool
	// Touch, if not nil, is called with the successors of some hundred states before they are visited. It reads what
	// the visits will read, so that the processor overlaps the cache misses, and returns anything that depends on it.
	Touch func(places []uint64) uint64
}

// Sweep goes level by level.
func (g *memoryGraph) Sweep(ctx context.Context, backward bool, selected Selection, visit func(v *Vertex)) error {
	levels := g.levels
	for i := range levels {
		if backward {
			i = len(levels) - 1 - i
		}
		workers.Each(len(g.readers), len(levels[i]), func(worker, j int) {
			e := g.readers[worker]
			e.vertex.Level = i
			switch {
			case ctx.Err() != nil:
			case g.rows != nil:
				e.read(g.rows[i][j], g.begins[i][j], selected, visit)
			case g.wanted(i, j, selected):
				e.sweep(levels[i][j], g.begins[i][j], selected, visit)
			}
		})
	}
	for _, e := range g.readers {
		if e.err != nil {
			return e.err
		}
	}
	return ctx.Err()
}

// wanted reports whether states of a batch may be selected.
func (g *memoryGraph) wanted(level, batch int, selected Selection) bool {
	if selected.Number == nil {
		return true
	}
	first := g.begins[level][batch]
	for n := range uint64(g.levels[level][batch].states) {
		if selected.Number(first + n) {
			return true
		}
	}
	return false
}

func (g *memoryGraph) Expand(places []uint64, visit func(v *Vertex)) error {
	e := g.readers[0]
	e.numbers, e.touch = nil, nil
	for len(places) > 0 {
		n := min(statesPerExpansion, len(places))
		e.places, e.ids = append(e.places[:0], places[:n]...), e.ids[:0]
		for _, p := range e.places {
			e.ids = append(e.ids, g.set.ID(p))
		}
		places = places[n:]
		e.expand(visit)
	}
	return e.err
}

// A memoryReader expands states of a memoryGraph for one goroutine.
type memoryReader struct {
	worker  *worker
	tree    *tree.Worker // that has the transitions
	err     error        // of shortcuts; the states of a search were expanded without an error before
	class   classifier
	finder  *visited.Finder
	batch   []tree.StateID // the current batch of a sweep
	ids     []tree.StateID
	numbers []uint64 // the numbers of ids, if known
	places  []uint64 // the places of ids
	to      []uint64
	tags    []uint32
	next    tree.Expansion
	vertex  Vertex
	touch   func(places []uint64) uint64 // Selection.Touch
	touched uint64                       // keeps the compiler from dropping the reads of touch
}

// read visits those states of some rows that are selected.
func (e *memoryReader) read(rows []uint32, number uint64, selected Selection, visit func(v *Vertex)) {
	v := &e.vertex
	for ; len(rows) > 0; number++ {
		end := rowHead + 2*rows[2]
		if v.Number, v.Place = number, uint64(rows[0]); (selected.Number == nil || selected.Number(number)) &&
			(selected.Place == nil || selected.Place(v.Place)) {
			v.Class, v.To, v.Tags = rows[1], e.to[:0], e.tags[:0]
			for t := uint32(rowHead); t < end; t += 2 {
				v.To, v.Tags = append(v.To, uint64(rows[t])), append(v.Tags, rows[t+1])
			}
			e.to, e.tags = v.To, v.Tags
			visit(v)
		}
		rows = rows[end:]
	}
}

// sweep visits those states of a batch that are selected.
func (e *memoryReader) sweep(batch compressedBatch, number uint64, selected Selection, visit func(v *Vertex)) {
	e.batch = batch.appendTo(e.batch[:0])
	states := e.batch
	e.ids, e.numbers, e.touch = e.ids[:0], e.numbers[:0], selected.Touch
	for i, id := range states {
		if n := number + uint64(i); (selected.Number == nil || selected.Number(n)) && e.has(id) {
			e.ids, e.numbers = append(e.ids, id), append(e.numbers, n)
		}
		if n := len(e.ids); n == statesPerExpansion || n > 0 && i == len(states)-1 {
			e.find(selected.Place)
			e.expand(visit)
			e.ids, e.numbers = e.ids[:0], e.numbers[:0]
		}
	}
}

// find looks up the places of states, and drops states at places that are not wanted.
func (e *memoryReader) find(wanted func(place uint64) bool) {
	e.places = e.finder.Find(e.ids, e.places[:0])
	if wanted == nil {
		return
	}
	n := 0
	for i, p := range e.places {
		if wanted(p) {
			e.ids[n], e.numbers[n], e.places[n] = e.ids[i], e.numbers[i], p
			n++
		}
	}
	e.ids, e.numbers, e.places = e.ids[:n], e.numbers[:n], e.places[:n]
}

func (e *memoryReader) expand(visit func(v *Vertex)) {
	if err := e.tree.Expand(e.ids, nil, &e.next); err != nil && e.err == nil {
		e.err = err
	}
	e.to = e.finder.Find(e.next.To, e.to[:0])
	if e.touch != nil {
		e.touched ^= e.touch(e.to) ^ e.touch(e.places)
	}
	first := 0
	for i, end := range e.next.Ends {
		v := &e.vertex
		v.Place, v.Class = e.places[i], e.class(e.worker, e.ids[i])
		v.To, v.Tags = e.to[first:end], e.next.Tags[first:end]
		if v.Permutations = nil; len(e.next.Permutations) > 0 {
			v.Permutations = e.next.Permutations[first:end]
		}
		if len(e.numbers) > 0 {
			v.Number = e.numbers[i]
		}
		visit(v)
		first = end
	}
}
