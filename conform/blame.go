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
	l := &f.lines[e.line]
	f.report.File, f.report.Line, f.report.Event = l.File, l.Line, l.Event
}

// accuse notes the event that is not explained, and the events of other processes that cannot be explained together
// with it.
func (f *follower) accuse(ctx context.Context, d *depth, initial [][]model.Value) {
	var last []*logged
	for lane, length := range f.conflict(ctx, d, initial) {
		if length > 0 {
			last = append(last, d.events[d.lanes[lane][length-1]])
		}
	}
	slices.SortFunc(last, func(a, b *logged) int { return a.line - b.line })
	wrong := last[len(last)-1]
	f.blame(wrong)
	for _, e := range last[:len(last)-1] {
		f.report.Conflict = append(f.report.Conflict, f.lines[e.line].Place)
	}
	process := wrong.process
	if d.total {
		process = anybody
	}
	if state := f.before(ctx, d, initial, wrong); state != nil {
		f.report.Expected = f.expected([]hypothesis{{state: state}}, process)
	}
}

// before returns a state in which the events in the lines before one have happened, nil if none is quickly found.
func (f *follower) before(ctx context.Context, d *depth, initial [][]model.Value, wrong *logged) []model.Value {
	lengths := make([]int, len(d.lanes))
	for lane, events := range d.lanes {
		lengths[lane] = sort.Search(len(events), func(i int) bool { return d.events[events[i]].line >= wrong.line })
	}
	s := &depth{network: d.network, agenda: d.upTo(lengths), limit: f.Memory / 4, normal: d.normal,
		most: workForAll / f.sys.Protocol().N}
	start, path, err := s.search(ctx, initial)
	switch {
	case err != nil:
		return nil
	case len(path) == 0:
		return start
	}
	return path[len(path)-1].after
}

// conflict returns how many events of each lane cannot be explained together, whatever happens behind them, after a
// search has found no run. They are the fewest as far as that is quickly told: first, those up to the first line with
// which the lines before cannot be explained; of these, the fewest lane by lane.
func (f *follower) conflict(ctx context.Context, d *depth, initial [][]model.Value) []int {
	left := workForOne / f.sys.Protocol().N
	unexplained := func(lengths []int) bool {
		s := &depth{network: d.network, agenda: d.upTo(lengths), limit: f.Memory / 4, normal: d.normal,
			most: min(left, workForAll/f.sys.Protocol().N)}
		if left <= 0 {
			return false
		}
		_, _, err := s.search(ctx, initial)
		left -= len(s.failed)
		return errors.Is(err, errUnexplained)
	}
	lengths, order := make([]int, len(d.lanes)), make([]int, len(d.lanes))
	for lane, events := range d.lanes {
		lengths[lane], order[lane] = len(events), lane
	}
	until := func(last int) []int { // lines are numbered in the order of events
		fewer := slices.Clone(lengths)
		for lane, events := range d.lanes {
			fewer[lane] = sort.Search(fewer[lane], func(i int) bool { return events[i] > last })
		}
		return fewer
	}
	lengths = until(sort.Search(len(d.events), func(last int) bool { return unexplained(until(last)) }))
	// Lanes that the search has come through, or far along, are the first that can do without.
	slices.SortStableFunc(order, func(a, b int) int { return int(d.reached[b]) - int(d.reached[a]) })
	for _, lane := range order {
		lengths[lane] = sort.Search(lengths[lane], func(length int) bool {
			fewer := slices.Clone(lengths)
			fewer[lane] = length
			return unexplained(fewer)
		})
	}
	return lengths
}
