package conform

import (
	"context"
	"errors"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/step"
)

// A depth is a depth-first search for a run that explains an agenda. It visits each configuration once, except for
// those that a relaxation refutes.
type depth struct {
	*network
	*agenda
	visited map[string]bool
	bytes   uint64
	limit   uint64
	most    int                      // the limit on configurations; 0: none
	visits  int                      // the limit on those of a relaxation, unless there is one
	avoid   func([]model.Value) bool // states that a run must not contain; nil: none
	show    func(tried int)          // progress, if not nil
	normal  bool                     // equivalent local states may be identified
	stack   []frame
	far     farthest
	reached []model.Value // by lane: the most events that were explained together
	key     []byte
	relaxed *relaxation // nil if it is too large
	refuted bool        // by the relaxation: the search only looks for events that are explained together
}

// A frame is a configuration on the stack.
type frame struct {
	configuration
	by    *move  // that led to it; nil at the start
	moves []move // a persistent set
	next  int    // the move that is tried next
}

// A farthest is a configuration in which the most events are explained, of those where a search went back or ended.
type farthest struct {
	configuration
	start []model.Value // nil: there is none
	path  []move
}

// enough is how many configurations more than events are visited after a refutation.
const enough = 1 << 8

// Reasons for which a search ends without a result.
var (
	errMemory = errors.New("memory")
	errMany   = errors.New("too many configurations or hypotheses")
)

// search looks for a run from one of the initial states. It returns its moves; the error is errUnexplained if there is
// none, or errMemory, or that of ctx, or of unexplained.
func (d *depth) search(ctx context.Context, initial [][]model.Value) (start []model.Value, path []move, err error) {
	d.visited = make(map[string]bool)
	d.far, d.reached = farthest{}, make([]model.Value, len(d.lanes))
	if d.relaxed == nil {
		d.relaxed = d.relax(ctx, d.agenda, initial, d.visits)
	}
	d.grown = nil // by the relaxation
	d.refuted = d.relaxed != nil && len(d.relaxed.stuck()) > 0
	for _, state := range initial {
		found, err := d.from(ctx, configuration{state, make([]model.Value, len(d.lanes))})
		if err != nil || found {
			return state, d.path(), err
		}
	}
	if d.refuted {
		return nil, nil, errUnexplained // whatever steps were left out
	}
	return nil, nil, d.unexplained()
}

// from searches from one configuration. If it finds a run, the stack holds it.
func (d *depth) from(ctx context.Context, c configuration) (found bool, err error) {
	d.stack = d.stack[:0]
	defer func() {
		if len(d.stack) > 0 { // the search is cut short
			d.remember()
		}
	}()
	err = d.push(c, nil)
	for count := 0; err == nil && len(d.stack) > 0; count++ {
		if count%16 == 0 {
			if ctx.Err() != nil {
				return false, context.Cause(ctx)
			}
			if d.show != nil {
				d.show(len(d.visited))
			}
		}
		f := &d.stack[len(d.stack)-1]
		if d.first(f.done) < 0 {
			return true, nil
		}
		if f.next == len(f.moves) {
			d.remember()
			d.stack = d.stack[:len(d.stack)-1]
			continue
		}
		switch {
		case d.refuted && len(d.visited) > len(d.events)+enough:
			return false, nil
		case d.bytes > d.limit:
			return false, errMemory
		case d.most > 0 && len(d.visited) > d.most:
			return false, errMany
		}
		m := &f.moves[f.next]
		f.next++
		err = d.push(f.after(d.agenda, m), m)
	}
	return false, err
}

// push puts a configuration after a move on the stack, unless it has been there or no run leads through it.
func (d *depth) push(c configuration, by *move) error {
	key := d.identity(c)
	if d.visited[key] || d.dead(c, by) || d.avoid != nil && d.avoid(c.state) {
		return nil
	}
	moves, err := d.persistent(d.agenda, c)
	slices.SortStableFunc(moves, func(a, b move) int { return d.detour(c, &a) - d.detour(c, &b) })
	if d.relaxed != nil {
		d.relaxed.order(c, moves)
	}
	d.visited[key] = true
	for lane, done := range c.done {
		d.reached[lane] = max(d.reached[lane], done)
	}
	d.bytes += uint64(len(key)) + 64
	d.stack = append(d.stack, frame{configuration: c, by: by, moves: moves})
	return err
}

// detour ranks moves: those that explain an event are tried first, and those after the end of a lane last.
func (d *depth) detour(c configuration, m *move) int {
	switch {
	case m.event >= 0:
		return 0
	case m.process >= 0 && !d.free(c.done, d.lane(m.process)):
		return 1
	}
	return 2
}

// dead reports whether the relaxation refutes a configuration after a move, which changes the place of one process.
func (d *depth) dead(c configuration, by *move) bool {
	if d.relaxed == nil || d.refuted {
		return false
	}
	if by != nil && by.process >= 0 {
		return d.relaxed.dead(c, by.process)
	}
	for p := range d.protocol.N {
		if d.relaxed.dead(c, p) {
			return true
		}
	}
	return false
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
	if d.normal && local != uninitialized {
		return d.head(local)
	}
	return local
}

// unseenFrom returns states and those that unobserved steps reach from them, of one process or of all. In lanes that
// are cut, all steps are unobserved. It ends when there are more than a limit.
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
	hidden := func(label model.Label) (int, bool) {
		_, actor := d.sys.Action(label)
		return -1, d.hides(label) || d.cut[d.lane(actor)]
	}
	for i := 0; i < len(all) && len(all) <= most; i++ {
		moves, err := d.moves(nil, all[i], of, hidden)
		if err != nil {
			return nil, err
		}
		for _, m := range moves {
			add(m.after)
		}
	}
	return all, nil
}

// remember records the configuration on top of the stack if no other that was recorded has explained as many events.
func (d *depth) remember() {
	f := &d.stack[len(d.stack)-1]
	if d.far.start == nil || f.events() > d.far.events() {
		d.far = farthest{f.configuration, d.stack[0].state, d.path()}
	}
}

// path returns the moves to the configuration on top of the stack.
func (d *depth) path() (path []move) {
	for i := 1; i < len(d.stack); i++ {
		path = append(path, *d.stack[i].by)
	}
	return path
}
