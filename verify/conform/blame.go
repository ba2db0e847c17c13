package conform

import (
	"context"
	"errors"
	"slices"
	"sort"

	"ringcheck/model"
)

// blame notes the event that is not explained.
func (f *follower) blame(e *logged) {
	f.report.File, f.report.Line, f.report.Event = e.File, e.Line, e.whole()
}

// reportConflict notes the event that is not explained, and the events of other processes that cannot be explained
// together with it.
func (f *follower) reportConflict(ctx context.Context, d *depth, initial [][]model.Value) {
	lengths, blamed, certain := f.conflict(ctx, d, initial)
	last := func(lane int) int { return d.lanes[lane][lengths[lane]-1] }
	wrong := d.events[last(blamed)]
	f.blame(wrong)
	f.report.AtMost = !certain
	var others []int
	for lane, length := range lengths {
		if length > 0 && lane != blamed {
			others = append(others, last(lane))
		}
	}
	slices.Sort(others)
	for _, event := range others {
		f.report.Conflict = append(f.report.Conflict, d.events[event].Place)
	}
	if !certain {
		f.report.Event = nil // it may be right
		return
	}
	f.report.Expected = f.alternatives(ctx, d, initial, wrong)
	f.report.Missing = f.missing(ctx, d, initial, lengths)
	f.report.Bounds = f.bounds(ctx, d.upTo(lengths))
}

// missing returns an action after the last event of a process in the log with which the first events of lanes can be
// explained together, the first such action in some run; nil if that is not quickly found.
func (f *follower) missing(ctx context.Context, d *depth, initial [][]model.Value, lengths []int) *Event {
	s := f.part(d, lengths)
	free := s.cut // the lanes in which anything may happen already
	s.cut = slices.Repeat([]bool{true}, len(free))
	_, path, err := s.search(ctx, initial)
	for i := 0; err == nil && i < len(path); i++ {
		label := path[i].step.Label
		if _, actor := s.sys.Action(label); !free[s.lane(actor)] && s.unlogged(&path[i]) {
			e := s.event(label)
			return &e
		}
	}
	return nil
}

// alternatives returns what was possible in place of an event of a process: after the events in the lines before, as
// far as a relaxation reaches, or after as many as a search has explained and all before it of the same process. It is
// nil if none are quickly found. It notes what is explained.
func (f *follower) alternatives(ctx context.Context, d *depth, initial [][]model.Value, wrong *logged) Alternatives {
	lengths := d.among(slices.Index(d.events, wrong))
	for lane := 0; d.relaxed != nil && lane < d.protocol.N; lane++ { // those of nobody are not looked at
		lengths[lane] = min(lengths[lane], int(d.relaxed.reached[lane]))
	}
	s := f.part(d, lengths)
	state, path, err := s.search(ctx, initial)
	d.adopt(&s.far)
	lane := s.lane(wrong.process)
	for i := range path {
		_, actor := s.sys.Action(path[i].step.Label)
		if actor == wrong.process && s.unlogged(&path[i]) {
			break // an alternative already
		}
		state = path[i].after
	}
	if err != nil {
		if d.far.start == nil || int(d.far.done[lane]) != lengths[lane] {
			return nil
		}
		state = d.far.state
	}
	process := wrong.process
	if d.total {
		process = anybody
	}
	s.cut[lane] = false
	for _, of := range []int{wrong.process, anybody} { // what others do is looked at only where it is necessary
		states, err := s.unseenFrom([][]model.Value{state}, of, s.most)
		if all := f.expected(states, process, wrong.pattern); err == nil && len(all) > 0 {
			return all
		}
	}
	return nil
}

// unlogged reports whether a move is an action that the log would show, and does not.
func (n *network) unlogged(m *move) bool {
	return m.group >= 0 && m.event < 0 && !n.hides(m.step.Label)
}

// adopt notes what another search has explained, up to an action that the log would show.
func (d *depth) adopt(far *farthest) {
	if far.start == nil {
		return
	}
	c, path := configuration{far.start, make([]model.Value, len(d.lanes))}, far.path
	for i := range path {
		if d.unlogged(&path[i]) {
			path = path[:i]
			break
		}
		c = c.after(d.agenda, &path[i])
	}
	if d.far.start == nil || c.events() > d.far.events() {
		d.far = farthest{c, far.start, path}
	}
}

// part returns a limited search for a run that explains the first events of lanes, after a search has found none for
// all.
func (f *follower) part(d *depth, lengths []int) *depth {
	s := f.depth(d.upTo(lengths))
	s.normal, s.most, s.visits = d.normal, workForAll/f.sys.Protocol().N, workForAll
	if d.relaxed == nil {
		s.visits = 0
	}
	return s
}

// suspects is how many processes are looked at of those that do not come to the ends of their lanes. Most may only wait
// for the one that is wrong, and then their lines are later ones, or those of another file.
const suspects = 8

// cone returns how many events of a lane and of those near it cannot be explained together, if a relaxation tells. The
// lane is one of those whose neighbourhood needs to be known least far, the one of the first line.
func (f *follower) cone(ctx context.Context, d *depth, initial [][]model.Value) (lengths []int, blamed int) {
	r := d.relaxed
	if r == nil {
		return nil, 0
	}
	stuck := r.stuck()
	left := slices.DeleteFunc(slices.Clone(stuck), func(p int) bool { return !d.left(r.reached, p) })
	// In this order: by line, then what follows from what another does, then where messages of receipts are not sent.
	place := slices.Repeat([]int{2 * len(d.events)}, len(d.lanes))
	for _, p := range left {
		place[p] = d.lanes[p][r.reached[p]]
		if r.follows(p, left) {
			place[p] += len(d.events)
		}
	}
	slices.SortFunc(stuck, func(p, q int) int { return place[p] - place[q] })
	stuck = stuck[:min(len(stuck), suspects)]
	refuted := func(lengths []int) bool {
		r := d.relax(ctx, d.upTo(lengths), initial, workForAll)
		return r != nil && len(r.stuck()) > 0
	}
	for radius := 0; radius < 2*d.protocol.N; radius = max(1, 2*radius) {
		for _, p := range stuck {
			near := d.near(p, radius)
			lengths = slices.Repeat([]int{without}, len(d.lanes))
			for _, q := range near {
				lengths[q] = len(d.lanes[q])
			}
			if d.left(r.reached, p) {
				lengths[p] = int(r.reached[p]) + 1
			}
			if !refuted(lengths) {
				continue
			}
			slices.Reverse(near)
			fewest(lengths, near, without, refuted)
			if lengths[p] <= int(r.reached[p]) {
				p = d.latest(lengths)
			}
			return lengths, p
		}
	}
	return nil, 0
}

// follows reports whether a process may be stuck because of what another one does: it is stuck where that sends it the
// message, or, as the clocks say, before.
func (r *relaxation) follows(process int, stuck []int) bool {
	at := func(p int) *logged { return r.events[r.lanes[p][r.reached[p]]] }
	e := at(process)
	lo, hi := r.protocol.InLinks(process)
	for _, q := range stuck {
		if e.needs != nil && q != process && e.needs[q] > int(r.reached[q]) {
			return true
		}
		for l := lo; l < hi; l++ {
			f, link := at(q), r.protocol.Link(l)
			if link.From == q && e.kind == model.ReceiveAction && f.kind == model.SendAction && is(link.In, e.port) &&
				is(link.Out, f.port) && (e.message == nil || f.message == nil || e.message == f.message) {
				return true
			}
		}
	}
	return false
}

// latest returns the lane with the last one of the first events of lanes.
func (a *agenda) latest(lengths []int) (latest int) {
	last := -1
	for lane, length := range lengths {
		if length > 0 && a.lanes[lane][length-1] > last {
			last, latest = a.lanes[lane][length-1], lane
		}
	}
	return latest
}

// near returns the processes that are so many links away from a process, the nearest first.
func (n *network) near(process, radius int) []int {
	list := []int{process}
	for first := 0; radius > 0; radius-- {
		last := len(list)
		for _, p := range list[first:last] {
			for _, q := range n.protocol.Neighbours(p) {
				if !slices.Contains(list, q) {
					list = append(list, q)
				}
			}
		}
		first = last
	}
	return list
}

// conflict returns how many events of each lane cannot be explained together, whatever happens after them, after a
// search has found no run, and the lane that is blamed. They are those that cone returns or, if it returns none, those
// up to the first line with which the lines before cannot be explained; of these, the fewest lane by lane, as far as
// that is quickly decided. If certain is false, an earlier line may be the first wrong one.
func (f *follower) conflict(ctx context.Context, d *depth, initial [][]model.Value) (lengths []int, blamed int,
	certain bool) {
	lengths, blamed = f.cone(ctx, d, initial)
	near := lengths != nil
	if !near {
		var first int
		first, certain = f.least(ctx, d, initial, len(d.events), true, d.among)
		lengths, blamed = d.among(first), d.lane(d.events[first-1].process)
	}
	order := make([]int, len(d.lanes))
	for lane := range order {
		order[lane] = lane
	}
	// Lanes that the search has come through, or far along, are the first that can do without.
	slices.SortStableFunc(order, func(a, b int) int { return int(d.reached[b]) - int(d.reached[a]) })
	order = slices.DeleteFunc(order, func(lane int) bool { return lane == blamed })
	left := workForAll / f.sys.Protocol().N
	fewest(lengths, order, 0, func(lengths []int) bool {
		if left <= 0 {
			return false
		}
		s := f.part(d, lengths)
		s.most = min(left, s.most)
		_, _, err := s.search(ctx, initial)
		left -= len(s.visited)
		return errors.Is(err, errUnexplained)
	})
	for near {
		lengths[blamed], certain = f.least(ctx, d, initial, lengths[blamed], false, func(events int) []int {
			fewer := slices.Clone(lengths)
			fewer[blamed] = events
			return fewer
		})
		if lengths[blamed] > 0 {
			return lengths, blamed, certain || int(d.reached[blamed]) >= lengths[blamed]-1
		}
		blamed = d.latest(lengths) // the other lanes contradict each other
	}
	return lengths, blamed, certain
}

// least returns the least number of events that cannot be explained together, of which all cannot be; at returns how
// many of each lane a number of events are. Each search is limited. If persistent is true, the searches are repeated
// with twice the work until the number is certain, or the context, the memory or a bound ends them. If the number is
// not certain, it is the least one that is known.
func (f *follower) least(ctx context.Context, d *depth, initial [][]model.Value, all int, persistent bool,
	at func(events int) []int) (least int, certain bool) {
	if d.total {
		return int(d.reached[0]) + 1, true // the search has tried everything
	}
	explained, most := -1, workForAll/f.sys.Protocol().N
	least = all
	for {
		if persistent {
			f.blame(d.events[least-1]) // so far
		}
		undecided := false
		explains := func(events int) bool {
			s := f.part(d, at(events))
			s.most = most
			s.show = func(tried int) { f.show(f.report.Explains+d.far.events(), tried) }
			_, _, err := s.search(ctx, initial)
			switch {
			case err == nil:
				explained = max(explained, events)
			case errors.Is(err, errUnexplained):
				least = min(least, events)
			case errors.Is(err, errMany):
				undecided = true
			}
			return err == nil
		}
		if least == explained+1 || explains(least-1) {
			return least, true
		}
		for low := explained; low+1 < least; {
			if middle := int(uint(low+least) / 2); explains(middle) || middle < least {
				low = middle // if it is not decided, a later one may be
			}
		}
		if !persistent || !undecided || ctx.Err() != nil {
			return least, least == explained+1
		}
		most *= 2
	}
}

// fewest lowers the lengths of lanes that cannot be explained together, lane by lane, as far as that is so.
func fewest(lengths, lanes []int, least int, unexplained func(lengths []int) bool) {
	for _, lane := range lanes {
		lengths[lane] = least + sort.Search(lengths[lane]-least, func(more int) bool {
			fewer := slices.Clone(lengths)
			fewer[lane] = least + more
			return unexplained(fewer)
		})
	}
}
