package conform

import (
	"context"
	"errors"
	"math"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A depth is a depth-first search for a run that explains an agenda. It records the configurations from which there is
// no run, each with the processes that are to blame, and skips the choices of other processes when it backtracks
// (conflict-directed backjumping, Prosser 1993).
type depth struct {
	*network
	*agenda
	failed  map[string][]bool // by configuration: the processes to blame; nil while it is on the stack
	bytes   uint64
	limit   uint64
	most    int                      // the limit on configurations; 0: none
	avoid   func([]model.Value) bool // states that a run must not contain; nil: none
	show    func(tried int)          // progress, if not nil
	normal  bool                     // equivalent local states may be identified
	stack   []frame
	far     farthest
	reached []model.Value // by lane: the most events that were explained together
	key     []byte

	initial [][]model.Value
	fails   int         // how many configurations have failed
	enough  int         // after how many failures there is a relaxation: enoughFails
	relaxed *relaxation // afterwards, unless it is too large
}

// A frame is a configuration on the stack.
type frame struct {
	configuration
	key   string
	set   persistent
	next  int    // the move that is tried
	blame []bool // the processes that are to blame for the moves tried before
}

// A farthest is a configuration without a successor in which the most events are explained.
type farthest struct {
	events int
	configuration
	start []model.Value
	path  []move
}

// enoughFails is the number of failures after which a relaxation pays off. The search for most explained logs has
// fewer.
const enoughFails = 1 << 8

// Reasons for which a search ends without a result.
var (
	errMemory = errors.New("memory")
	errMany   = errors.New("too many configurations")
)

// search looks for a run from one of the initial states. It returns its moves; the error is errUnexplained if there is
// none, or errMemory, or that of ctx, or of unexplained.
func (d *depth) search(ctx context.Context, initial [][]model.Value) (start []model.Value, path []move, err error) {
	d.initial = initial
	d.failed, d.grown = make(map[string][]bool), nil
	d.far.events, d.reached = -1, make([]model.Value, len(d.lanes))
	for _, state := range initial {
		found, err := d.from(ctx, configuration{state, make([]model.Value, len(d.lanes))})
		if err != nil || found {
			for _, f := range d.stack[:max(0, len(d.stack)-1)] {
				path = append(path, f.set.moves[f.next])
			}
			return state, path, err
		}
	}
	return nil, nil, d.unexplained()
}

// from searches from one configuration. If it finds a run, the stack holds it.
func (d *depth) from(ctx context.Context, c configuration) (found bool, err error) {
	d.stack = d.stack[:0]
	if _, err := d.push(c); err != nil {
		return false, err
	}
	for count := 0; len(d.stack) > 0; count++ {
		if count%16 == 0 {
			if ctx.Err() != nil {
				return false, context.Cause(ctx)
			}
			if d.show != nil {
				d.show(len(d.failed))
			}
		}
		f := &d.stack[len(d.stack)-1]
		if d.complete(f.done) {
			return true, nil
		}
		if f.next == len(f.set.moves) {
			d.fail(d.exhausted(f))
			continue
		}
		m := &f.set.moves[f.next]
		switch {
		case d.fails >= d.enough:
			d.enough = math.MaxInt
			d.relaxed = d.relax(ctx, d.agenda, d.initial, workForOne)
			if d.relaxed != nil && len(d.relaxed.stuck()) > 0 {
				return false, errUnexplained // whatever steps were left out
			}
		case d.bytes > d.limit:
			return false, errMemory
		case d.most > 0 && len(d.failed) > d.most:
			return false, errMany
		}
		blame, err := d.push(f.after(d.agenda, m))
		if err != nil {
			return false, err
		}
		if blame != nil {
			d.back(f, blame)
		}
	}
	return false, nil
}

// push puts a configuration on the stack, or returns the processes that are to blame if it is known to fail.
func (d *depth) push(c configuration) (blame []bool, err error) {
	key := d.identity(c)
	if blame, known := d.failed[key]; known {
		if blame == nil {
			blame = slices.Repeat([]bool{true}, d.protocol.N) // it is on the stack, with moves that have not been tried
		}
		return blame, nil
	}
	if d.relaxed != nil {
		if p := d.relaxed.dead(c); p >= 0 {
			blame = make([]bool, d.protocol.N)
			blame[p] = true
			return blame, nil
		}
	}
	if d.avoid != nil && d.avoid(c.state) {
		return slices.Repeat([]bool{true}, d.protocol.N), nil
	}
	set := persistent{}
	if !d.complete(c.done) {
		if set, err = d.least(c); err != nil {
			return nil, err
		}
	}
	d.failed[key] = nil
	for lane, done := range c.done {
		d.reached[lane] = max(d.reached[lane], done)
	}
	d.bytes += uint64(len(key)) + uint64(d.protocol.N) + 96
	d.stack = append(d.stack, frame{configuration: c, key: key, set: set, blame: make([]bool, d.protocol.N)})
	return nil, nil
}

// least returns a persistent set with few moves.
func (d *depth) least(c configuration) (best persistent, err error) {
	first := 0
	if n := len(d.stack); n > 0 { // the process that moved last is tried first
		first = max(0, d.stack[n-1].set.moves[d.stack[n-1].next].process)
	}
	most := math.MaxInt
	for i := range d.lanes {
		lane := i
		if !d.total {
			lane = (i + first) % len(d.lanes)
		}
		if !d.left(c.done, lane) {
			continue
		}
		process := lane
		if d.total {
			process = d.events[d.lanes[0][c.done[0]]].process
		} else if lane == d.protocol.N {
			process = nobody
		}
		set, ok, err := d.persistent(d.agenda, c, process, most)
		if err != nil {
			return best, err
		}
		if ok {
			best, most = set, len(set.moves)-1
		}
		if most < 1 || d.coupled {
			break
		}
	}
	return best, nil
}

// identity returns a key that is the same for configurations from which the same events can be explained.
func (d *depth) identity(c configuration) string {
	d.key = d.key[:0]
	for slot, v := range c.state {
		if slot < d.size && d.sys.Slots()[slot].Kind == model.ProcessSlot {
			v = d.alike(v)
		}
		d.key = step.AppendKey(d.key, int64(v))
	}
	for _, n := range c.done {
		d.key = step.AppendKey(d.key, int64(n))
	}
	return string(d.key)
}

// alike returns the representative of the local states from which the same events can be explained.
func (d *depth) alike(local model.Value) model.Value {
	if d.normal {
		return d.head(local)
	}
	return local
}

// unseenFrom returns states and those that unobserved steps reach from them, of one process or of all; nil if there are
// more than a limit.
func (d *depth) unseenFrom(states [][]model.Value, of, most int) (all [][]model.Value, err error) {
	known := make(map[string]bool)
	add := func(state []model.Value) {
		if key := d.identity(configuration{state: state}); !known[key] {
			known[key] = true
			all = append(all, state)
		}
	}
	for _, state := range states {
		add(state)
	}
	hidden := func(label model.Label) (int, bool) { return -1, d.hides(label) }
	for i := 0; i < len(all); i++ {
		for process := nobody; process < d.protocol.N; process++ {
			if of != anybody && of != process {
				continue
			}
			moves, err := d.moves(nil, all[i], process, hidden)
			if err != nil {
				return nil, err
			}
			for _, m := range moves {
				add(m.after)
			}
		}
		if len(all) > most {
			return nil, nil
		}
	}
	return all, nil
}

// exhausted returns the processes that are to blame for a configuration all of whose moves have been tried: those to
// blame for the moves, the processes of the moves, and those whose messages these have not received.
func (d *depth) exhausted(f *frame) []bool {
	if f.set.processes == nil || d.deprived(f) {
		return slices.Repeat([]bool{true}, d.protocol.N)
	}
	blame := slices.Clone(f.set.processes)
	d.senders(blame, f.state)
	for p, b := range f.blame {
		blame[p] = blame[p] || b
	}
	return blame
}

// deprived reports whether a birth lacked values that processes born before it have taken.
func (d *depth) deprived(f *frame) bool {
	if !slices.ContainsFunc(d.protocol.Start.Assignments, func(a *ir.Assignment) bool { return a.Permutation }) {
		return false
	}
	for p, tried := range f.set.processes {
		if tried && f.state[d.sys.SlotOfProcess(p)] == unborn {
			return true
		}
	}
	return false
}

// matched returns how many events are explained by the path to the configuration on top of the stack.
func (d *depth) matched() (events int) {
	for _, n := range d.stack[len(d.stack)-1].done {
		events += int(n)
	}
	return events
}

// remember records the configuration on top of the stack if no other without a successor has explained as many events.
func (d *depth) remember() {
	f, events := &d.stack[len(d.stack)-1], d.matched()
	if events <= d.far.events {
		return
	}
	d.far = farthest{events: events, configuration: f.configuration, start: d.stack[0].state}
	for i := range d.stack[:len(d.stack)-1] {
		d.far.path = append(d.far.path, d.stack[i].set.moves[d.stack[i].next])
	}
}

// fail removes the last configuration from the stack and records the processes that are to blame for it.
func (d *depth) fail(blame []bool) {
	d.remember()
	d.fails++
	last := len(d.stack) - 1
	d.failed[d.stack[last].key] = blame
	d.stack = d.stack[:last]
	if last > 0 {
		d.back(&d.stack[last-1], blame)
	}
}

// back continues after the current move of the last frame has failed: with its next move, or with the frame before it
// if the process of the move is not to blame.
func (d *depth) back(f *frame, blame []bool) {
	m := &f.set.moves[f.next]
	if m.process >= 0 && !blame[m.process] {
		d.fail(blame)
		return
	}
	for p, b := range blame {
		f.blame[p] = f.blame[p] || b
	}
	if m.sender >= 0 {
		f.blame[m.sender] = true
	}
	f.next++
}
