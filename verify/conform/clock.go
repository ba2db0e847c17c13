package conform

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"

	"ringcheck/internal/printable"
	"ringcheck/model/language/ir"
)

// stamps reads the vector clocks of the events of a log and notes what happened before each of them (Mattern 1989). The
// clock of an event counts, for each process, events that happened before it or are it.
func (f *follower) stamps(a *agenda) error {
	n := f.sys.Protocol().N
	clocks := make([][]int, len(a.events))
	for i, e := range a.events {
		if e.process < 0 && e.Clock == nil {
			continue // nobody's events, such as losses, need none
		}
		clock, err := vector(f.sys.Protocol(), e.Clock)
		if clocks[i] = clock; err == nil && e.process >= 0 && clock[e.process] == 0 {
			err = fmt.Errorf("the clock does not count the events of process %d itself", e.process)
		}
		if err != nil {
			return &LineError{Place: e.Place, Err: err}
		}
	}
	for i, e := range a.events {
		if clocks[i] == nil {
			continue
		}
		e.needs = make([]int, n)
		for p := range n {
			lane := a.lanes[p]
			e.needs[p] = sort.Search(len(lane), func(k int) bool {
				return p == e.process && lane[k] >= i || p != e.process && clocks[lane[k]][p] > clocks[i][p]
			})
			if e.needs[p] == 0 {
				continue
			}
			last := lane[e.needs[p]-1]
			if err := follows(clocks[i], clocks[last], e.process); err != nil {
				before := a.events[last].Line
				how := "happened before according to the clocks"
				if p == e.process {
					how = "is an earlier line of this process"
				}
				err = fmt.Errorf("%w in line %d, which %s", err, before, how)
				return &LineError{Place: e.Place, Err: err}
			}
		}
	}
	return nil
}

// follows returns an error if the clock of an event of a process, or of nobody, counts less than that of one before it,
// or no more of its own process.
func follows(clock, before []int, process int) error {
	for p := range clock {
		if before[p] > clock[p] || p == process && before[p] == clock[p] {
			return fmt.Errorf("the clock has %d for process %d, and %d", clock[p], p, before[p])
		}
	}
	return nil
}

// vector returns a vector clock by process: of a list, or of an object with the numbers or names of processes.
func vector(protocol *ir.Protocol, value any) ([]int, error) {
	clock, said := make([]int, protocol.N), slices.Repeat([]any{0}, protocol.N)
	switch value := value.(type) {
	case []any:
		if len(value) != len(clock) {
			const text = "the clock has %s; expected one for each of %d processes"
			return nil, fmt.Errorf(text, printable.Count(len(value), "number"), len(clock))
		}
		said = value
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			p, err := processOf(protocol, name)
			if err != nil {
				return nil, err
			}
			said[p] = value[name]
		}
	case nil:
		return nil, errors.New(`there is no "clock"; expected a list by process, or an object`)
	default:
		return nil, fmt.Errorf("the clock is %s; expected a list by process, or an object", excerpt(value))
	}
	for p, v := range said {
		count, ok := integer(v)
		if !ok || count < 0 {
			return nil, fmt.Errorf("the clock has %s for process %d; expected the number of its events", excerpt(v), p)
		}
		clock[p] = int(count)
	}
	return clock, nil
}
