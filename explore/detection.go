package explore

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/store"
	"ringcheck/internal/effort"
	"ringcheck/internal/workers"
)

// A detection decides which of the state IDs in a collection are new. It is delayed duplicate detection (see package
// store), in four stages. The first runs while states are found, the others in run:
//
//	collect  workers put the IDs of found states into the ranges of a collection (collector.collect)
//	sort     a worker sorts a range, or a piece of it, and announces it to its joiner (detector.sort)
//	compare  it removes the state IDs that are in the known runs, whose blocks the joiner has read (detector.compare)
//	write    it writes the other ones to a new run (detector.write)
//
// A worker sorts a range before it compares the previous one, so that the joiner reads blocks meanwhile.
type detection struct {
	ctx      context.Context
	workers  []*worker
	db       *store.Store
	from     *collection
	sets     *sleepSets // nil if nothing is asleep
	share    int64      // the maximum memory of the numbers of sleep sets, in bytes
	runs     []*store.Run
	discover bool // whether the workers call discover for new states

	portions []portion
	next     atomic.Int64
}

// A portion is some consecutive ranges, from first up to end.
type portion struct{ first, end int }

// fewKeys is the minimum number of keys of a portion: for fewer, reading blocks would not pay.
const fewKeys = 1 << 13

// portion groups the ranges into portions.
func (d *detection) portion() {
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

// run returns the new states as a run, or nil if no state is new.
func (d *detection) run() (_ *run, err error) {
	defer effort.Catch(&err)
	d.portion()
	w := d.db.Writer()
	var deciders []*detector
	var others []*store.Writer
	group := workers.Group{OnPanic: func() { d.next.Store(int64(len(d.portions))) }}
	for _, worker := range d.workers {
		x := &detector{detection: d, worker: worker, writer: w.Fork(), buffers: &worker.disk.buffers}
		deciders, others = append(deciders, x), append(others, x.writer)
		group.Go(x.run)
	}
	group.Wait()
	var sample []tree.StateID
	var asleep []blockAsleep
	for _, x := range deciders {
		sample, asleep = append(sample, x.sample...), append(asleep, x.asleep...)
	}
	d.from.used.Store(0)
	if len(sample) >= min(wellSampled, len(d.from.sample)/2) && len(sample) > 0 { // too few are not representative
		d.from.divide(sample)
	}
	written, err := w.Finish(others...)
	if err != nil || written.IDs == 0 {
		return nil, err
	}
	return &run{written, d.sleepNumbers(asleep, written.IDs)}, nil
}

// sleepNumbers returns the numbers of the sleep sets of n new states by block, nil if there was not enough room.
func (d *detection) sleepNumbers(blocks []blockAsleep, n uint64) (numbers [][]uint16) {
	if d.sets == nil {
		return nil
	}
	count := 0
	for _, b := range blocks {
		count += len(b.numbers)
	}
	if uint64(count) < n {
		d.sets.bytesInUse.Add(-2 * int64(count))
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

// A detector processes one range after the other, for one worker.
type detector struct {
	*detection
	worker *worker
	joiner *store.Joiner
	writer *store.Writer
	*buffers
	before sortedRange // the previous range, announced to the joiner
	asleep []blockAsleep
	sample []tree.StateID // of the new states
}

// buffers are the memory of a detector. They stay with the worker.
type buffers struct {
	keys    []uint64
	scratch []uint64       // scratch space for sorting
	ranges  [2]sortedRange // one is announced while the other one is compared
	turn    int
}

func (b *buffers) bytes() int64 {
	n := 8 * int64(cap(b.keys)+cap(b.scratch))
	for _, r := range b.ranges {
		n += 8*int64(cap(r.ids)) + 2*int64(cap(r.numbers))
	}
	return n
}

// A sortedRange has ascending state IDs, with the numbers of their sleep sets.
type sortedRange struct {
	ids     []tree.StateID
	numbers []uint16
}

func (x *detector) run() {
	x.joiner = x.db.Joiner(x.ctx, x.runs)
	defer x.joiner.Close()
	defer x.worker.search.publish(&x.worker.pending)
	for i := x.next.Add(1) - 1; i < int64(len(x.portions)); i = x.next.Add(1) - 1 {
		p := x.portions[i]
		starts := x.pieceStarts(p)
		for k := range starts {
			for keys := x.sort(p, starts[k:]); len(keys) > 0; {
				var next sortedRange
				next, keys = x.unpack(keys)
				x.joiner.Expect(next.ids)
				x.write(x.compare())
				x.before = next
			}
		}
	}
	x.write(x.compare())
	if cap(x.keys) > manyKeys {
		x.keys, x.scratch = nil, nil
	}
	x.worker.disk.publishBytes()
}

// manyKeys is the intended maximum number of keys of a portion. A portion has more if the sample is below most state
// IDs.
const manyKeys = 4 * store.ManyCandidates

// pieceStarts divides a portion that is too large and returns the first key of each piece. Keys are copied and sorted
// piece by piece, which bounds the memory of the copy. All keys of a state ID are in one piece.
func (x *detector) pieceStarts(p portion) []uint64 {
	n := 0
	for i := p.first; i < p.end; i++ {
		n += x.from.count(i)
	}
	starts := []uint64{0}
	most := max(sampled, int(x.from.capacity/manyPieces))
	if x.worker.search.opt.spilling.collection == 0 { // a test requires pieces
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
func (x *detector) sort(p portion, starts []uint64) []uint64 {
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
	x.keys, x.scratch = sortIDs(x.keys, x.scratch)
	return x.keys
}

// unpack returns the state IDs of the first keys, and the rest of the keys. The state IDs are valid until the next call
// but one.
func (x *detector) unpack(keys []uint64) (s sortedRange, rest []uint64) {
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

// compare returns the states of the previous range that are in no known run.
func (x *detector) compare() sortedRange {
	r := x.before
	if len(r.ids) == 0 {
		return sortedRange{}
	}
	known, err := x.joiner.Find(r.ids)
	effort.Try(cmp.Or(err, x.ctx.Err()))
	return sortedRange{store.RemoveKnown(r.ids, known), store.RemoveKnown(r.numbers, known)}
}

// write writes new states, in blocks of about equal size.
func (x *detector) write(fresh sortedRange) {
	ids, numbers := fresh.ids, fresh.numbers
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
			x.sample = append(x.sample, ids[i])
		}
		ids, numbers = ids[n:], numbers[n:]
	}
}

// sampled is the sampling rate: one state in sampled is in the sample that determines the ranges.
const sampled = 64
