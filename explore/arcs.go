package explore

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/reduction"
	"ringcheck/explore/store"
	"ringcheck/internal/effort"
	"ringcheck/internal/workers"
	"ringcheck/model"
)

// A diskGraph is the Graph of a search that has spilled. The place of a state is its number, in the order of the
// levels. To look up successors on disk takes a pass over the states, so it is done once: the numbers of the successors
// are written to a pile, section by section, which sweeps read.
type diskGraph struct {
	of       *diskStorage
	class    classifier
	pile     *store.Pile
	runs     []*store.Run // of all levels
	ends     []int        // by level: the number of runs of this and all earlier levels
	states   uint64
	permutes bool // whether the system is a quotient by permutations
	sections []store.Extent
	ids      *store.Reader
	block    []tree.StateID // the block that State read last
	begin    uint64         // the number of its first state
	readers  []sectionReader
}

// sectionStates is the number of states in a section. A section has the class and the number of transitions of each
// state and, for each transition, the difference between its target and the previous target (or the state), its tag
// and, in a quotient by permutations, its permutation.
const sectionStates = 64

// arrowBytes is the memory of a transition during the look-up of its target.
const arrowBytes = 8 + 4 + 8 + 8 + 8

// graph writes the transitions to disk.
func (d *diskStorage) graph(ctx context.Context, class classifier) (_ Graph, err error) {
	defer effort.Catch(&err)
	d.release()
	g := &diskGraph{of: d, class: class, readers: make([]sectionReader, len(d.search.workers))}
	_, g.permutes = model.As[reduction.Permutation](d.search.sys)
	for _, level := range d.disk.levels {
		for _, r := range level {
			if r.IDs > 0 {
				g.runs = append(g.runs, r.Run)
			}
		}
		g.ends = append(g.ends, len(g.runs))
	}
	g.states = store.Number(g.runs)
	g.sections = make([]store.Extent, (g.states+sectionStates-1)/sectionStates)
	g.pile = effort.Must(d.disk.db.Pile())
	g.ids = d.disk.db.Reader()
	d.disk.graphs = append(d.disk.graphs, g)
	g.write(ctx)
	return g, nil
}

// write writes all sections, as many at a time as a worker looks up together.
func (g *diskGraph) write(ctx context.Context) {
	s := g.of.search
	mean := 1 + s.total.transitions.Load()/max(1, s.total.states.Load())
	perTask := max(1, g.maxLookUp()/int(mean)/sectionStates)
	writers := make([]*sectionWriter, len(s.workers))
	for i, w := range s.workers {
		writers[i] = &sectionWriter{diskGraph: g, worker: w, ctx: ctx, reader: g.of.disk.db.Reader()}
		defer writers[i].reader.Close()
	}
	workers.Each(len(writers), (len(g.sections)+perTask-1)/perTask, func(worker, i int) {
		writers[worker].write(i*perTask, min((i+1)*perTask, len(g.sections)))
	})
}

// maxLookUp returns the maximum number of transitions that a worker looks up together.
func (g *diskGraph) maxLookUp() int {
	switch {
	case g.of.search.opt.spilling.collection != 0:
		return g.of.search.opt.spilling.collection
	case g.of.search.opt.Memory == 0:
		return 1 << 20
	}
	return int(min(max(1<<12, g.of.collectionBudget()/arrowBytes/int64(len(g.of.search.workers))), 1<<28))
}

// read appends the states with the numbers from first up to end to ids.
func (g *diskGraph) read(r *store.Reader, first, end uint64, ids []tree.StateID) []tree.StateID {
	for first < end {
		run := g.runs[g.runOf(first)]
		block, begin := run.BlockOf(first)
		from := len(ids)
		ids = effort.Must(r.Block(run, block, ids))
		last := min(end-begin, uint64(len(ids)-from))
		ids = slices.Delete(ids[:from+int(last)], from, from+int(first-begin))
		first = begin + last
	}
	return ids
}

// runOf returns the index of the run that contains the state with a number.
func (g *diskGraph) runOf(number uint64) int {
	return sort.Search(len(g.runs), func(i int) bool { return g.runs[i].First() > number }) - 1
}

// A sectionWriter writes sections for one goroutine.
type sectionWriter struct {
	*diskGraph
	worker *worker
	ctx    context.Context
	reader *store.Reader

	ids              []tree.StateID
	next             tree.Expansion
	counts           []int // the numbers of transitions of the states that are not written yet
	to               []tree.StateID
	tags             []uint32
	permutations     []uint32
	targets, scratch []tree.StateID // the distinct elements of to, in order
	numbers          []uint64       // of targets
	out              []byte
}

// write writes the sections from one up to another.
func (a *sectionWriter) write(section, end int) {
	number, last := uint64(section)*sectionStates, min(uint64(end)*sectionStates, a.states)
	a.ids = a.read(a.reader, number, last, a.ids[:0])
	// No transition leads beyond the next level.
	known := a.runs[:a.ends[min(a.level(last-1)+1, len(a.ends)-1)]]
	for rest := a.ids; len(rest) > 0; {
		a.counts, a.to, a.tags, a.permutations = a.counts[:0], a.to[:0], a.tags[:0], a.permutations[:0]
		n := 0
		for n < len(rest) && len(a.to) < a.maxLookUp() {
			some := rest[n:min(n+statesPerExpansion, len(rest))]
			n += len(some)
			// No error is possible: every state has been expanded before.
			_ = a.worker.tree.Expand(some, nil, &a.next)
			before := 0
			for _, end := range a.next.Ends {
				a.counts = append(a.counts, end-before)
				before = end
			}
			a.to, a.tags = append(a.to, a.next.To...), append(a.tags, a.next.Tags...)
			a.permutations = append(a.permutations, a.next.Permutations...)
			effort.Try(a.ctx.Err())
		}
		a.lookUp(known)
		a.encode(rest[:n], number)
		number, rest = number+uint64(n), rest[n:]
	}
}

// lookUp finds the numbers of the targets of transitions, which are in some runs.
func (a *sectionWriter) lookUp(known []*store.Run) {
	a.targets, a.scratch = sortIDs(append(a.targets[:0], a.to...), a.scratch)
	a.targets, a.numbers = slices.Compact(a.targets), a.numbers[:0]
	joiner := a.of.disk.db.Joiner(a.ctx, known)
	defer joiner.Close()
	for some := range slices.Chunk(a.targets, store.ManyCandidates) {
		joiner.Expect(some)
		a.numbers = append(a.numbers, effort.Must(joiner.Numbers(some))...)
	}
	effort.Try(a.ctx.Err())
}

// numberOf returns the number of one of the targets.
func (a *sectionWriter) numberOf(target tree.StateID) uint64 {
	i, _ := slices.BinarySearch(a.targets, target)
	return a.numbers[i]
}

// encode writes states whose targets have been looked up. The first state has the given number.
func (a *sectionWriter) encode(states []tree.StateID, number uint64) {
	at := 0
	for i, id := range states {
		a.out = binary.AppendUvarint(a.out, uint64(a.class(a.worker, id)))
		a.out = binary.AppendUvarint(a.out, uint64(a.counts[i]))
		before := number
		for range a.counts[i] {
			to := a.numberOf(a.to[at])
			a.out = binary.AppendVarint(a.out, int64(to-before))
			a.out = binary.AppendUvarint(a.out, uint64(a.tags[at]))
			if a.permutes {
				a.out = binary.AppendUvarint(a.out, uint64(a.permutations[at]))
			}
			before = to
			at++
		}
		if number++; number%sectionStates == 0 || number == a.states {
			a.sections[(number-1)/sectionStates] = effort.Must(a.pile.Add(a.out))
			a.out = a.out[:0]
		}
	}
}

// close ends the use of the disk. It may be called again.
func (g *diskGraph) close() {
	g.ids.Close()
	g.pile.Close()
}

func (g *diskGraph) States() uint64        { return g.states }
func (g *diskGraph) Places() uint64        { return g.states }
func (g *diskGraph) Has(place uint64) bool { return place < g.states }

func (g *diskGraph) State(place uint64) ([]model.Value, error) {
	if place < g.begin || place-g.begin >= uint64(len(g.block)) {
		run := g.runs[g.runOf(place)]
		block, begin := run.BlockOf(place)
		var err error
		if g.block, err = g.ids.Block(run, block, g.block[:0]); err != nil {
			return nil, err
		}
		g.begin = begin
	}
	return g.of.search.workers[0].vector(g.block[place-g.begin]), nil
}

func (g *diskGraph) level(number uint64) int { return sort.SearchInts(g.ends, g.runOf(number)+1) }

func (g *diskGraph) FreeBytes() uint64 {
	if g.of.search.opt.Memory == 0 {
		return 1 << 62
	}
	return uint64(g.of.collectionBudget())
}

func (g *diskGraph) Initial() (places []uint64, err error) {
	defer effort.Catch(&err)
	return g.find(effort.Must(g.of.search.initialIDs(g.of.search.sys)), g.runs[:g.ends[0]]), nil
}

func (g *diskGraph) Find(states [][]model.Value) (places []uint64, err error) {
	defer effort.Catch(&err)
	return g.find(g.of.search.ids(states), g.runs), nil
}

// find returns the places of states that are in some runs.
func (g *diskGraph) find(ids []tree.StateID, runs []*store.Run) (places []uint64) {
	a := &sectionWriter{diskGraph: g, ctx: context.Background(), to: ids}
	a.lookUp(runs)
	for _, id := range a.to {
		places = append(places, a.numberOf(id))
	}
	return places
}

// Sweep goes level by level, and gives each worker the next section.
func (g *diskGraph) Sweep(
	ctx context.Context, backward bool, selected Selection, visit func(v *Vertex),
) (err error) {
	defer effort.Catch(&err)
	for level := range g.ends {
		if backward {
			level = len(g.ends) - 1 - level
		}
		first, end := g.first(level), g.first(level+1)
		wanted := func(number uint64) bool {
			return first <= number && number < end && (selected.Number == nil || selected.Number(number)) &&
				(selected.Place == nil || selected.Place(number))
		}
		begin := first / sectionStates
		workers.Each(len(g.readers), int((end+sectionStates-1)/sectionStates-begin), func(worker, i int) {
			effort.Try(ctx.Err())
			from := (begin + uint64(i)) * sectionStates
			for number := max(first, from); number < min(from+sectionStates, end); number++ {
				if wanted(number) {
					g.readers[worker].vertex.Level = level
					g.readers[worker].visit(g, int(begin)+i, wanted, visit)
					return
				}
			}
		})
	}
	return nil
}

// first returns the number of the first state of a level or, if that is empty, after it.
func (g *diskGraph) first(level int) uint64 {
	if level > 0 && g.ends[level-1] == len(g.runs) {
		return g.states
	} else if level > 0 {
		return g.runs[g.ends[level-1]].First()
	}
	return 0
}

// Hold does nothing: the transitions stay on disk.
func (g *diskGraph) Hold(context.Context) error { return nil }

func (g *diskGraph) Expand(places []uint64, visit func(v *Vertex)) (err error) {
	defer effort.Catch(&err)
	for _, p := range places {
		g.readers[0].visit(g, int(p/sectionStates), func(number uint64) bool { return number == p }, visit)
	}
	return nil
}

// A sectionReader reads transitions for one goroutine.
type sectionReader struct {
	buffer, data []byte
	vertex       Vertex
}

// visit visits those states in a section that are wanted.
func (r *sectionReader) visit(
	g *diskGraph, section int, wanted func(number uint64) bool, visit func(v *Vertex),
) {
	r.data = effort.Must(g.pile.Read(g.sections[section], &r.buffer))
	v := &r.vertex
	for number := uint64(section) * sectionStates; len(r.data) > 0; number++ {
		class, count := r.uvarint(), r.uvarint()
		v.Number, v.Place, v.Class, v.To, v.Tags = number, number, uint32(class), v.To[:0], v.Tags[:0]
		v.Permutations = v.Permutations[:0]
		to := number
		for range count {
			difference := r.uvarint()
			to += difference>>1 ^ -(difference & 1) // as binary.Varint
			v.To, v.Tags = append(v.To, to), append(v.Tags, uint32(r.uvarint()))
			if g.permutes {
				v.Permutations = append(v.Permutations, uint32(r.uvarint()))
			}
		}
		if wanted(number) {
			visit(v)
		}
	}
}

// uvarint decodes and removes the next number.
func (r *sectionReader) uvarint() uint64 {
	x, n := binary.Uvarint(r.data)
	if n <= 0 {
		effort.Try(fmt.Errorf("read the transitions of a state: %w", store.ErrDamaged))
	}
	r.data = r.data[n:]
	return x
}
