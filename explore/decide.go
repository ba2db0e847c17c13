package explore

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/store"
	"ringcheck/internal/crew"
	"ringcheck/internal/effort"
)

// A decision finds the undecided state IDs that are in none of the known runs, and writes them as a new run. The
// workers take one range after the other. Each sorts a range and announces it to its joiner, which reads the blocks
// while the worker processes the previous range.
type decision struct {
	ctx      context.Context
	workers  []*worker
	db       *store.Store
	from     *undecided
	sets     *sleepSets // nil if nothing is asleep
	share    int64      // the maximum memory of the numbers of sleep sets, in bytes
	known    []*store.Run
	discover bool // the workers call discover for new states

	portions []portion
	next     atomic.Int64
}

// A portion is some consecutive ranges, from first up to end.
type portion struct{ first, end int }

// fewKeys is the minimum number of keys of a portion: for fewer, reading blocks would not pay.
const fewKeys = 1 << 13

// portion groups the ranges into portions.
func (d *decision) portion() {
	least := max(fewKeys, int(d.from.used.Load())/(4*len(d.workers)))
	least = min(least, store.ManyCandidates)
	n, first := 0, 0
	for i := range d.from.ranges {
		n += d.from.count(i)
		if n >= least || i == len(d.from.ranges)-1 && n > 0 {
			d.portions = append(d.portions, portion{first, i + 1})
			n, first = 0, i+1
		}
	}
}

// run decides, and returns the new states as a run, nil if there are none.
func (d *decision) run() (_ *run, err error) {
	defer effort.Catch(&err)
	d.portion()
	w := d.db.Writer()
	var deciders []*decider
	var others []*store.Writer
	group := crew.Crew{OnPanic: func() { d.next.Store(int64(len(d.portions))) }}
	for _, worker := range d.workers {
		x := &decider{decision: d, worker: worker, writer: w.Beside(), buffers: &worker.disk.buffers}
		deciders, others = append(deciders, x), append(others, x.writer)
		group.Go(x.run)
	}
	group.Wait()
	var some []tree.StateID
	var asleep []blockAsleep
	for _, x := range deciders {
		some, asleep = append(some, x.some...), append(asleep, x.asleep...)
	}
	d.from.used.Store(0)
	if len(some) >= min(wellSampled, len(d.from.sample)/2) && len(some) > 0 { // too few are not representative
		d.from.divide(some)
	}
	written, err := w.Finish(others...)
	if err != nil || written.IDs == 0 {
		return nil, err
	}
	return &run{written, d.sleepNumbers(asleep, written.IDs)}, nil
}

// sleepNumbers returns the numbers of the sleep sets of n new states by block, nil if there was not enough room.
func (d *decision) sleepNumbers(blocks []blockAsleep, n uint64) (numbers [][]uint16) {
	if d.sets == nil {
		return nil
	}
	kept := 0
	for _, b := range blocks {
		kept += len(b.numbers)
	}
	if uint64(kept) < n {
		d.sets.held.Add(-2 * int64(kept))
		return nil
	}
	slices.SortFunc(blocks, func(a, b blockAsleep) int { return cmp.Compare(a.first, b.first) })
	for _, b := range blocks {
		numbers = append(numbers, b.numbers)
	}
	return numbers
}

// A blockAsleep is the numbers of the sleep sets of a block.
type blockAsleep struct {
	first   tree.StateID
	numbers []uint16
}

// A decider decides one range after the other, for one worker.
type decider struct {
	*decision
	worker *worker
	joiner *store.Joiner
	writer *store.Writer
	*buffers
	before sorted // the previous range, announced to the joiner
	asleep []blockAsleep
	some   []tree.StateID // a sample of the new states
}

// buffers are the memory of a decider. They stay with the worker.
type buffers struct {
	keys   []uint64
	room   []uint64  // scratch space for sorting
	ranges [2]sorted // one is announced while the other one is compared
	turn   int
}

func (b *buffers) bytes() int64 {
	n := 8 * int64(cap(b.keys)+cap(b.room))
	for _, r := range b.ranges {
		n += 8*int64(cap(r.ids)) + 2*int64(cap(r.numbers))
	}
	return n
}

// sorted is ascending state IDs, with the numbers of their sleep sets.
type sorted struct {
	ids     []tree.StateID
	numbers []uint16
}

func (x *decider) run() {
	x.joiner = x.db.Joiner(x.ctx, x.known)
	defer x.joiner.Close()
	defer x.worker.search.publish(&x.worker.pending)
	for i := x.next.Add(1) - 1; i < int64(len(x.portions)); i = x.next.Add(1) - 1 {
		p := x.portions[i]
		starts := x.pieces(p)
		for k := range starts {
			for keys := x.sort(p, starts[k:]); len(keys) > 0; {
				var next sorted
				next, keys = x.unpack(keys)
				x.joiner.Expect(next.ids)
				x.settle()
				x.before = next
			}
		}
	}
	x.settle()
	if cap(x.keys) > manyKeys {
		x.keys, x.room = nil, nil
	}
	x.worker.disk.weigh()
}

// manyKeys is the intended maximum number of keys of a portion. A portion has more if the sample is below most state
// IDs.
const manyKeys = 4 * store.ManyCandidates

// pieces divides a portion that is too large and returns the first key of each piece. Keys are copied and sorted piece
// by piece, which bounds the memory of the copy. All keys of a state ID are in one piece.
func (x *decider) pieces(p portion) []uint64 {
	n := 0
	for i := p.first; i < p.end; i++ {
		n += x.from.count(i)
	}
	starts := []uint64{0}
	most := max(sampled, int(x.from.capacity/manyPieces))
	if x.worker.search.opt.spilling.undecided == 0 { // a test requires pieces
		most = max(most, manyKeys)
	}
	if n <= most {
		return starts
	}
	var sample []uint64
	for i := p.first; i < p.end; i++ {
		for _, c := range x.from.ranges[i].chunks {
			for k := 0; k < len(c); k += sampled {
				sample = append(sample, c[k]>>x.from.tag<<x.from.tag)
			}
		}
	}
	slices.Sort(sample)
	for k := most / sampled; k < len(sample); k += most / sampled {
		starts = append(starts, sample[k])
	}
	return slices.Compact(starts)
}

// manyPieces is the maximum number of pieces: each takes a scan of all keys of a portion.
const manyPieces = 64

// sort returns the sorted keys of the first of the pieces that begin at starts. The last one frees the memory of the
// portion.
func (x *decider) sort(p portion, starts []uint64) []uint64 {
	x.keys = x.keys[:0]
	for i := p.first; i < p.end; i++ {
		for _, c := range x.from.ranges[i].chunks {
			for _, key := range c {
				if key >= starts[0] && (len(starts) == 1 || key < starts[1]) {
					x.keys = append(x.keys, key)
				}
			}
		}
		if len(starts) == 1 {
			x.from.free(i)
		}
	}
	x.keys, x.room = sortIDs(x.keys, x.room)
	return x.keys
}

// unpack returns the state IDs of the first keys, and the rest of the keys. The state IDs are valid until the next call
// but one.
func (x *decider) unpack(keys []uint64) (s sorted, rest []uint64) {
	x.turn = 1 - x.turn
	s = x.ranges[x.turn]
	s.ids, s.numbers = s.ids[:0], s.numbers[:0]
	for i, key := range keys {
		id, number := x.from.unpack(key)
		if last := len(s.ids) - 1; last >= 0 && s.ids[last] == id {
			s.numbers[last] = x.sets.union(s.numbers[last], number)
			continue
		}
		if len(s.ids) == store.ManyCandidates {
			rest = keys[i:]
			break
		}
		s.ids, s.numbers = append(s.ids, id), append(s.numbers, number)
	}
	x.ranges[x.turn] = s
	return s, rest
}

// settle finds the new states of the previous range and writes them.
func (x *decider) settle() {
	ids := x.before.ids
	if len(ids) == 0 {
		return
	}
	known, err := x.joiner.Known(ids)
	effort.Try(cmp.Or(err, x.ctx.Err()))
	ids, numbers := store.Without(ids, known), store.Without(x.before.numbers, known)
	for left := len(ids); left > 0; left = len(ids) {
		blocks := (left + store.BlockIDs - 1) / store.BlockIDs
		n := (left + blocks - 1) / blocks
		effort.Try(cmp.Or(x.writer.Add(ids[:n]), x.writer.EndBlock()))
		if x.sets != nil && x.sets.reserve(n, x.share) {
			x.asleep = append(x.asleep, blockAsleep{ids[0], slices.Clone(numbers[:n])})
		}
		if x.discover {
			x.worker.discover(ids[:n])
		}
		for i := 0; i < n; i += sampled {
			x.some = append(x.some, ids[i])
		}
		ids, numbers = ids[n:], numbers[n:]
	}
}

// sampled is the sampling rate: one state in sampled is in the sample that determines the ranges.
const sampled = 64
