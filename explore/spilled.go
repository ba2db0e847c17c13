package explore

import (
	"math"
	"sync"
	"sync/atomic"

	"ringcheck/explore/internal/tree"
	"ringcheck/explore/internal/visited"
	"ringcheck/internal/crew"
	"ringcheck/internal/intern"
	"ringcheck/internal/largepage"
)

// spilled is the storage of a search that has outgrown memory. All states that it knows are on disk, in sorted runs. In
// memory is a cache: state IDs that were met lately, among them those of whole runs.
//
// What is new to the cache is undecided: it may be in a run that is not, or not wholly, in the cache. When there is no more
// room, and at the end of a level, the undecided state IDs are sorted and compared with those runs, all at once. What is in
// none of them is a new state: it is counted, and written as one more run of the next level. So whatever is decided is
// on disk, and to empty the cache costs no writing.
type spilled struct {
	*search
	*disk
	cache *visited.Cache
	maybe *undecided
	found int // the level that is being found
	sets  sleepSets
}

func (d *spilled) inserter() inserter { return d.cache.Inserter() }

func (d *spilled) accept(w *worker, added []tree.StateID) {
	asleep := d.maybe.add(added)
	for i := range asleep {
		w.sift.queued(added[i], &asleep[i])
	}
}

func (d *spilled) crowded() bool { return d.cache.Crowded() || d.maybe.full() }

// overrun asks for relieve if the tree has grown so much that the cache has to become smaller.
func (d *spilled) overrun(int64) {
	if d.oversized() {
		d.safepoint.wanted.Store(true)
	}
}

// oversized reports whether the cache has more than its share.
func (d *spilled) oversized() bool {
	share := d.share()
	return d.opt.Memory != 0 && d.cache.Bytes()+d.maybe.bytes() > share+share/4
}

// relieve decides what is undecided, and empties the cache if it is full or too large.
func (d *spilled) relieve() {
	if !d.decide() {
		return
	}
	switch {
	case d.oversized():
		d.release()
		d.allocate()
		d.refill()
	case d.cache.Crowded():
		d.cache.Clear()
		d.refill()
	}
}

// next ends a level.
func (d *spilled) next() (source, uint64) {
	d.frontier.drop()
	d.forgetAsleep(d.found - 1)
	if d.halted() || !d.decide() {
		return d.source(d.search, d.found), 0
	}
	level := d.found
	d.found++
	return d.levelSource(level), d.states(level)
}

// levelSource returns the states of a level with what is asleep at them.
func (d *spilled) levelSource(level int) source {
	l := d.source(d.search, level)
	l.sets = &d.sets
	return l
}

func (d *spilled) level(i int) source { return d.source(d.search, i) }

func (d *spilled) slots() int64 { return d.cache.Bytes() }
func (d *spilled) bytes() int64 {
	return d.cache.Bytes() + d.maybe.bytes() + d.frontier.bytes() + d.sets.bytes()
}

func (d *spilled) close() {
	d.release()
	d.disk.close()
}

// decide finds out which of the undecided state IDs are new states. It reports whether it could.
func (d *spilled) decide() bool {
	for _, w := range d.workers {
		w.forgetPlaces()
	}
	for {
		ids, asleep := d.maybe.take()
		if len(ids) == 0 {
			return true
		}
		if err := d.settle(ids, asleep); err != nil {
			d.broke(err)
			return false
		}
	}
}

func (d *spilled) settle(ids []tree.StateID, asleep []tree.Sleep) error {
	if !d.frontier.sleeps {
		asleep = nil
	}
	sortTagged(ids, asleep, len(d.workers))
	fresh, asleep, err := d.db.SubtractTagged(d.ctx, ids, asleep, d.cold(), len(d.workers))
	if err != nil || len(fresh) == 0 {
		return err
	}
	r, err := d.add(d.found, fresh)
	if err != nil {
		return err
	}
	if asleep != nil {
		r.asleep = d.sets.numbers(asleep, d.share())
	}
	var next atomic.Int64
	var group crew.Crew
	for _, w := range d.workers {
		group.Go(func() {
			for i := int(next.Add(batchStates)) - batchStates; i < len(fresh); i = int(next.Add(batchStates)) - batchStates {
				w.discover(fresh[i:min(i+batchStates, len(fresh))])
			}
			w.publish()
		})
	}
	group.Wait()
	return nil
}

// share returns the bytes that the cache and the undecided state IDs may take: what the tree leaves of the budget, and at
// least a quarter of that, since the tree cannot be spilled.
func (s *search) share() int64 {
	budget := int64(s.opt.Memory)
	return max(budget-s.others()-s.frontier.bytes(), budget/4)
}

// slotsPerUndecided is how many slots of the cache there are for each state ID that can be undecided.
const slotsPerUndecided = 2

// allocate makes the cache and the room for undecided state IDs.
func (d *spilled) allocate() {
	n := max(1, int(d.share())/(8*slotsPerUndecided+undecidedBytes))
	if d.opt.spilling.undecided != 0 {
		n = d.opt.spilling.undecided
	}
	d.cache = visited.NewCache(slotsPerUndecided * n)
	d.maybe = newUndecided(n)
	for _, w := range d.workers {
		w.set = d.inserter()
	}
}

// release gives the memory back.
func (d *spilled) release() {
	d.cache.Close()
	d.maybe.unmap()
}

// refill fills an empty cache with the newest runs, up to half.
func (d *spilled) refill() {
	d.all(func(r *run) bool { r.cached = false; return true })
	room := uint64(d.cache.Room()) / 2
	d.all(func(r *run) bool {
		if r.IDs > room {
			return false
		}
		room -= r.IDs
		return d.load(r)
	})
}

// load puts a run into the cache and reports whether that was possible.
func (d *spilled) load(r *run) bool {
	var next atomic.Int64
	var failed atomic.Bool
	var group crew.Crew
	for _, w := range d.workers {
		group.Go(func() {
			reader := d.db.Reader() // a worker's own may be older than the run
			defer reader.Close()
			var block []tree.StateID
			for i := int(next.Add(1) - 1); i < r.Blocks() && !failed.Load(); i = int(next.Add(1) - 1) {
				var err error
				if block, err = reader.Block(r.Run, i, block[:0]); err != nil {
					w.broke(err)
				}
				if err != nil || !d.cache.Add(block) {
					failed.Store(true)
				}
			}
		})
	}
	group.Wait()
	r.cached = !failed.Load()
	return r.cached
}

// forgetAsleep is called when a level has been expanded.
func (d *spilled) forgetAsleep(level int) {
	if level < 0 || level >= len(d.disk.levels) {
		return
	}
	for _, r := range d.disk.levels[level] {
		d.sets.held -= 2 * int64(cap(r.asleep))
		r.asleep = nil
	}
}

// sleepSets numbers what is asleep, so that it takes two bytes a state. The empty set has number 0, and so has what is met
// when there are no numbers left: nothing need be asleep.
type sleepSets struct {
	known intern.Map
	all   intern.Array[tree.Sleep] // by number
	count uint32                   // but for the empty set
	held  int64                    // bytes of all numbers in use
}

// asleepShare divides what a search that spills may hold: that much can be the numbers of what is asleep.
const asleepShare = 8

// numbers returns the numbers of some sets, or none if there is no room for them.
func (s *sleepSets) numbers(sets []tree.Sleep, share int64) []uint16 {
	if s.held+2*int64(len(sets)) > share/asleepShare {
		return nil
	}
	numbers := make([]uint16, len(sets))
	for i, set := range sets {
		if set != 0 {
			numbers[i] = s.number(set)
		}
	}
	s.held += 2 * int64(cap(numbers))
	return numbers
}

func (s *sleepSets) number(set tree.Sleep) uint16 {
	if n, ok := s.known.Load(set); ok {
		return uint16(n)
	}
	if s.count == math.MaxUint16 {
		return 0
	}
	s.count++
	*s.all.At(s.count) = set
	return uint16(s.known.LoadOrStore(set, s.count))
}

// sets writes the sets with some numbers to out.
func (s *sleepSets) sets(numbers []uint16, out []tree.Sleep) {
	for i, n := range numbers {
		out[i] = *s.all.At(uint32(n))
	}
}

func (s *sleepSets) bytes() int64 { return s.held + s.known.Bytes() + s.all.Bytes() }

// undecided collects the state IDs that are new to the cache, from all workers, until it is known which of them are new.
type undecided struct {
	ids    []tree.StateID
	asleep []tree.Sleep // at each of them
	unmap  func()
	used   atomic.Int64 // claimed
	mu     sync.Mutex
	// A claim that does not fit goes to over. The first of them begins at end: what is before is in use, without a gap.
	end  int64
	over []tree.StateID
}

func newUndecided(n int) *undecided {
	u := &undecided{}
	both, unmap := largepage.Map[uint64](2 * n)
	u.ids, u.asleep, u.unmap = both[:n:n], both[n:], unmap
	u.clear()
	return u
}

// add adds state IDs, and returns where it is kept what is asleep at each. There is always room, but see full; what there was
// no room for comes without.
func (u *undecided) add(ids []tree.StateID) (asleep []tree.Sleep) {
	n := int64(len(ids))
	at := u.used.Add(n) - n
	if at+n <= int64(len(u.ids)) {
		copy(u.ids[at:], ids)
		return u.asleep[at : at+n]
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.end = min(u.end, at)
	u.over = append(u.over, ids...)
	return nil
}

// full reports whether more state IDs take more memory.
func (u *undecided) full() bool { return u.used.Load() >= int64(len(u.ids)) }

// take takes as many state IDs out as there is room for; none may be added concurrently, nor before the caller is done with them.
func (u *undecided) take() ([]tree.StateID, []tree.Sleep) {
	n := int(min(u.used.Load(), u.end))
	moved := copy(u.ids[n:], u.over)
	clear(u.asleep[n : n+moved])
	rest := u.over[moved:]
	u.clear()
	u.over = rest
	return u.ids[:n+moved], u.asleep[:n+moved]
}

func (u *undecided) clear() {
	u.used.Store(0)
	u.end = int64(len(u.ids))
	u.over = nil
}

func (u *undecided) bytes() int64 { return undecidedBytes * int64(len(u.ids)) }

// undecidedBytes is what an undecided state ID takes, with what is asleep.
const undecidedBytes = 8 + 8
