package explore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/store"
	"ringcheck/internal/crew"
	"ringcheck/model"
)

// A spilledGraph is one of a search that has spilled. Its places are the numbers of the states, which are numbered in
// the order of the levels. To look successors up on disk takes a pass over the states, so it is done once for each:
// their numbers are written behind each other, and a sweep reads them. In memory are 4 bytes for sectionStates states.
type spilledGraph struct {
	of      *spilled
	class   classifier
	pile    *store.Pile
	runs    []*store.Run // of all levels
	ends    []int        // by level: how many runs are of it and those before
	states  uint64
	chunks  []chunk
	per     int // sections of a chunk, but for the last one
	ids     *store.Reader
	block   []tree.StateID // that State has read last
	begin   uint64         // the number of the first of it
	readers []*arcReader   // by worker
}

// A chunk is some sections that were written together.
type chunk struct {
	at   int64
	ends []uint32 // of each section
}

// A section is the states of which the numbers divided by sectionStates are the same, sealed: of each its class, how
// many transitions it has, and of each transition how far its target is from that of the one before, or from the state,
// and its tag.
const sectionStates = 64

// arrowBytes is what a transition takes while its target is looked up.
const arrowBytes = 16 + 16 + 8 + 8 + 8 + 4

// An arrow leads to a state from the transition with a number.
type arrow struct {
	to tree.StateID
	at uint32
}

// graph writes the transitions to disk.
func (d *spilled) graph(ctx context.Context, class classifier) (_ Graph, err error) {
	d.release()
	g := &spilledGraph{of: d, class: class, readers: make([]*arcReader, len(d.search.workers))}
	for _, level := range d.disk.levels {
		for _, r := range level {
			if r.IDs > 0 {
				g.runs = append(g.runs, r.Run)
			}
		}
		g.ends = append(g.ends, len(g.runs))
	}
	if g.states, err = d.disk.db.Number(g.runs); err != nil {
		return nil, err
	}
	if g.pile, err = d.disk.db.Pile(); err != nil {
		return nil, err
	}
	g.ids = d.disk.db.Reader()
	d.disk.graphs = append(d.disk.graphs, g)
	total := &d.search.total
	mean := 1 + total.transitions.Load()/max(1, total.states.Load())
	g.per = max(1, g.most()/int(mean)/sectionStates)
	perChunk := uint64(g.per) * sectionStates
	g.chunks = make([]chunk, (g.states+perChunk-1)/perChunk)
	return g, g.write(ctx)
}

// most returns how many transitions a worker looks up together.
func (g *spilledGraph) most() int {
	switch {
	case g.of.search.opt.spilling.undecided != 0:
		return g.of.search.opt.spilling.undecided
	case g.of.search.opt.Memory == 0:
		return 1 << 20
	}
	return int(min(max(1<<12, g.of.room()/arrowBytes/int64(len(g.of.search.workers))), 1<<28))
}

// write writes all chunks.
func (g *spilledGraph) write(ctx context.Context) error {
	var next atomic.Int64
	var group crew.Crew
	errs := make([]error, len(g.of.search.workers))
	for i, w := range g.of.search.workers {
		group.Go(func() {
			a := &arcWriter{spilledGraph: g, worker: w, ctx: ctx, reader: g.of.disk.db.Reader()}
			defer a.reader.Close()
			for c := next.Add(1) - 1; c < int64(len(g.chunks)) && errs[i] == nil; c = next.Add(1) - 1 {
				errs[i] = a.write(int(c))
			}
			if errs[i] != nil {
				next.Store(int64(len(g.chunks)))
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// read appends the states with the numbers from first up to end to ids.
func (g *spilledGraph) read(r *store.Reader, first, end uint64, ids []tree.StateID) ([]tree.StateID, error) {
	for first < end {
		run := g.runs[g.runOf(first)]
		block, begin := run.Numbered(first)
		from := len(ids)
		var err error
		if ids, err = r.Block(run, block, ids); err != nil {
			return ids, err
		}
		last := min(end-begin, uint64(len(ids)-from))
		ids = slices.Delete(ids[:from+int(last)], from, from+int(first-begin))
		first = begin + last
	}
	return ids, nil
}

// runOf returns which run the state with a number is in.
func (g *spilledGraph) runOf(number uint64) int {
	return sort.Search(len(g.runs), func(i int) bool { return g.runs[i].First() > number }) - 1
}

// An arcWriter writes chunks for one goroutine.
type arcWriter struct {
	*spilledGraph
	worker *worker
	ctx    context.Context
	reader *store.Reader

	ids          []tree.StateID
	next         tree.Expansion
	counts       []int // of the arrows of the states that are not encoded yet
	arrows, room []arrow
	tags         []uint32
	different    []tree.StateID // targets
	numbers      []uint64       // by transition: that of its target
	out          []byte
	sections     []uint32 // where those in out end
}

// write writes a chunk.
func (a *arcWriter) write(c int) error {
	first := uint64(c) * uint64(a.per) * sectionStates
	end := min(first+uint64(a.per)*sectionStates, a.states)
	var err error
	if a.ids, err = a.read(a.reader, first, end, a.ids[:0]); err != nil {
		return err
	}
	// A transition leads to the next level at most.
	known := a.runs[:a.ends[min(a.level(end-1)+1, len(a.ends)-1)]]
	a.out, a.sections = a.out[:0], nil
	encoded := 0
	for at := 0; at < len(a.ids); at += stride {
		some := a.ids[at:min(at+stride, len(a.ids))]
		// Every state was expanded without an error before.
		_ = a.worker.tree.Expand(some, nil, &a.next)
		before := 0
		for _, end := range a.next.Ends {
			a.counts = append(a.counts, end-before)
			before = end
		}
		for i, to := range a.next.To {
			a.arrows = append(a.arrows, arrow{to, uint32(len(a.arrows))})
			a.tags = append(a.tags, a.next.Tags[i])
		}
		if len(a.arrows) < a.most() && at+stride < len(a.ids) && a.ctx.Err() == nil {
			continue
		}
		if err := a.look(known); err != nil {
			return err
		}
		a.encode(a.ids[encoded:at+len(some)], first+uint64(encoded))
		encoded = at + len(some)
	}
	a.endSection()
	at, err := a.pile.Add(a.out)
	a.chunks[c] = chunk{at, a.sections}
	return err
}

// look finds the numbers of the targets of the arrows, which are in some runs.
func (a *arcWriter) look(known []*store.Run) error {
	a.arrows, a.room = sortArrows(a.arrows, a.room)
	a.different = a.different[:0]
	for _, x := range a.arrows {
		if n := len(a.different); n == 0 || a.different[n-1] != x.to {
			a.different = append(a.different, x.to)
		}
	}
	a.numbers = slices.Grow(a.numbers[:0], len(a.arrows))[:len(a.arrows)]
	joiner := a.of.disk.db.Joiner(a.ctx, known)
	defer joiner.Close()
	rest := a.arrows
	for some := range slices.Chunk(a.different, store.ManyCandidates) {
		joiner.Expect(some)
		numbers, err := joiner.Numbers(some)
		if err != nil {
			return err
		}
		for i, id := range some {
			for ; len(rest) > 0 && rest[0].to == id; rest = rest[1:] {
				a.numbers[rest[0].at] = numbers[i]
			}
		}
	}
	return a.ctx.Err()
}

// sortArrows sorts by targets, with room for as many: it returns them sorted in one of the two. It is sortSome for
// arrows.
func sortArrows(arrows, room []arrow) (sorted, other []arrow) {
	differ := uint64(0)
	for _, x := range arrows {
		differ |= x.to ^ arrows[0].to
	}
	room = slices.Grow(room[:0], len(arrows))[:len(arrows)]
	for shift := 0; shift < 64 && differ>>shift != 0; shift += shortBits {
		if differ>>shift%(1<<shortBits) == 0 {
			continue
		}
		var next [1 << shortBits]int32
		for _, x := range arrows {
			next[x.to>>shift%(1<<shortBits)]++
		}
		at := int32(0)
		for i, n := range next {
			next[i] = at
			at += n
		}
		for _, x := range arrows {
			to := &next[x.to>>shift%(1<<shortBits)]
			room[*to] = x
			*to++
		}
		arrows, room = room, arrows
	}
	return arrows, room
}

// encode appends states of which the targets have been looked up, the first of which has a number.
func (a *arcWriter) encode(states []tree.StateID, number uint64) {
	at := 0
	for i, id := range states {
		if (number+uint64(i))%sectionStates == 0 {
			a.endSection()
			a.out = append(a.out, make([]byte, store.SealBytes)...)
		}
		a.out = binary.AppendUvarint(a.out, uint64(a.class(a.worker, id)))
		a.out = binary.AppendUvarint(a.out, uint64(a.counts[i]))
		before := number + uint64(i)
		for range a.counts[i] {
			a.out = binary.AppendVarint(a.out, int64(a.numbers[at]-before))
			a.out = binary.AppendUvarint(a.out, uint64(a.tags[at]))
			before = a.numbers[at]
			at++
		}
	}
	a.counts, a.arrows, a.tags = a.counts[:0], a.arrows[:0], a.tags[:0]
}

func (a *arcWriter) endSection() {
	begin := 0
	if n := len(a.sections); n > 0 {
		begin = int(a.sections[n-1])
	}
	if len(a.out) > begin {
		store.Seal(a.out[begin:])
		a.sections = append(a.sections, uint32(len(a.out)))
	}
}

// close ends the use of the disk. It may be called again.
func (g *spilledGraph) close() {
	g.ids.Close()
	g.pile.Close()
}

func (g *spilledGraph) States() uint64        { return g.states }
func (g *spilledGraph) Places() uint64        { return g.states }
func (g *spilledGraph) Has(place uint64) bool { return place < g.states }

func (g *spilledGraph) State(place uint64) ([]model.Value, error) {
	if place < g.begin || place-g.begin >= uint64(len(g.block)) {
		run := g.runs[g.runOf(place)]
		block, begin := run.Numbered(place)
		var err error
		if g.block, err = g.ids.Block(run, block, g.block[:0]); err != nil {
			return nil, err
		}
		g.begin = begin
	}
	return g.of.search.workers[0].vector(g.block[place-g.begin]), nil
}

func (g *spilledGraph) level(number uint64) int { return sort.SearchInts(g.ends, g.runOf(number)+1) }

func (g *spilledGraph) Room() uint64 {
	if g.of.search.opt.Memory == 0 {
		return 1 << 62
	}
	return uint64(g.of.room())
}

func (g *spilledGraph) Initial() ([]uint64, error) {
	ids, err := g.of.search.initialIDs()
	if err != nil {
		return nil, err
	}
	a := &arcWriter{spilledGraph: g, ctx: context.Background()}
	for i, id := range ids {
		a.arrows = append(a.arrows, arrow{id, uint32(i)})
	}
	err = a.look(g.runs[:g.ends[0]])
	return a.numbers, err
}

// sweepSections is how many sections a worker reads at a time: some hundred kilobytes.
const sweepSections = 64

// Sweep gives each worker the next sections.
func (g *spilledGraph) Sweep(ctx context.Context, backward bool, selected Selection, visit func(v *Vertex)) error {
	pieces := (g.per + sweepSections - 1) / sweepSections // of a chunk
	var next atomic.Int64
	var group crew.Crew
	errs := make([]error, len(g.of.search.workers))
	for i := range g.of.search.workers {
		group.Go(func() {
			r := g.reader(i)
			for n := int(next.Add(1) - 1); n < pieces*len(g.chunks) && errs[i] == nil; n = int(next.Add(1) - 1) {
				if backward {
					n = pieces*len(g.chunks) - 1 - n
				}
				first := n % pieces * sweepSections
				errs[i] = r.sweep(n/pieces, first, min(first+sweepSections, g.per), selected, visit)
				if errs[i] == nil {
					errs[i] = ctx.Err()
				}
			}
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(errs...)
}

func (g *spilledGraph) Expand(places []uint64, visit func(v *Vertex)) error {
	r := g.reader(0)
	for _, p := range places {
		at := int(p / sectionStates)
		section, err := r.section(at/g.per, at%g.per)
		if err == nil {
			err = r.decode(section, p-p%sectionStates, func(number uint64) bool { return number == p }, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (g *spilledGraph) reader(worker int) *arcReader {
	if g.readers[worker] == nil {
		g.readers[worker] = &arcReader{g: g}
	}
	return g.readers[worker]
}

// An arcReader reads transitions for one goroutine.
type arcReader struct {
	g      *spilledGraph
	data   []byte
	vertex Vertex
}

// fetch reads the sections of a chunk from one up to another.
func (r *arcReader) fetch(c *chunk, first, end int) error {
	begin := c.begin(first)
	n := int(c.ends[end-1] - begin)
	r.data = slices.Grow(r.data[:0], n)[:n]
	return r.g.pile.Read(c.at+int64(begin), r.data)
}

func (c *chunk) begin(section int) uint32 {
	if section == 0 {
		return 0
	}
	return c.ends[section-1]
}

// section returns one section of a chunk.
func (r *arcReader) section(chunk, section int) ([]byte, error) {
	if err := r.fetch(&r.g.chunks[chunk], section, section+1); err != nil {
		return nil, err
	}
	return store.Unseal(r.data)
}

// sweep visits those states in the sections of a chunk from one up to another that are selected.
func (r *arcReader) sweep(n, first, end int, selected Selection, visit func(v *Vertex)) error {
	c := &r.g.chunks[n]
	wanted := func(number uint64) bool {
		return (selected.Number == nil || selected.Number(number)) && (selected.Place == nil || selected.Place(number))
	}
	fetched := false
	for i := first; i < min(end, len(c.ends)); i++ {
		number := (uint64(n)*uint64(r.g.per) + uint64(i)) * sectionStates
		if !r.g.some(number, wanted) {
			continue
		}
		if !fetched {
			first, fetched = i, true
			if err := r.fetch(c, first, min(end, len(c.ends))); err != nil {
				return err
			}
		}
		base := c.begin(first)
		section, err := store.Unseal(r.data[c.begin(i)-base : c.ends[i]-base])
		if err == nil {
			err = r.decode(section, number, wanted, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// some reports whether some state of the section that begins with a number is wanted.
func (g *spilledGraph) some(number uint64, wanted func(number uint64) bool) bool {
	for n := number; n < min(number+sectionStates, g.states); n++ {
		if wanted(n) {
			return true
		}
	}
	return false
}

// decode visits those states in a section that are wanted.
func (r *arcReader) decode(data []byte, number uint64, wanted func(number uint64) bool, visit func(v *Vertex)) error {
	v := &r.vertex
	for ; len(data) > 0; number++ {
		class, n := binary.Uvarint(data)
		count, m := binary.Uvarint(data[max(0, n):])
		if n <= 0 || m <= 0 {
			return fmt.Errorf("read the transitions of a state: %w", store.ErrDamaged)
		}
		data = data[n+m:]
		v.Number, v.Place, v.Class, v.To, v.Tags = number, number, uint32(class), v.To[:0], v.Tags[:0]
		before := number
		for range count {
			difference, n := binary.Varint(data)
			tag, m := binary.Uvarint(data[max(0, n):])
			if n <= 0 || m <= 0 {
				return fmt.Errorf("read the transitions of a state: %w", store.ErrDamaged)
			}
			data = data[n+m:]
			before += uint64(difference)
			v.To, v.Tags = append(v.To, before), append(v.Tags, uint32(tag))
		}
		if wanted(number) {
			visit(v)
		}
	}
	return nil
}
