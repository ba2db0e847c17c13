package conform

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
)

// stamps reads the vector clocks of the events of a log and notes what happened before each of them (Mattern 1989). The
// clock of an event counts, for each process, events that happened before it or are it.
func (f *follower) stamps(a *agenda) error {
	n := f.sys.Protocol().N
	clocks := make([][]int, len(a.events))
	for i, e := range a.events {
		var err error
		if e.process < 0 && f.lines[e.line].Clock == nil {
			continue // nobody's events, such as losses, need none
		} else if clocks[i], err = vector(f.lines[e.line].Clock, n); err != nil {
			return &LineError{f.lines[e.line].Place, err}
		}
		if e.process >= 0 && clocks[i][e.process] == 0 {
			return &LineError{f.lines[e.line].Place,
				fmt.Errorf("the clock does not count the events of process %d itself", e.process)}
		}
	}
	for lane := range n {
		for i := 1; i < len(a.lanes[lane]); i++ {
			before, after := a.lanes[lane][i-1], a.lanes[lane][i]
			p := exceeded(clocks[after], clocks[before])
			if p < 0 && clocks[after][lane] == clocks[before][lane] {
				p = lane
			}
			if p >= 0 {
				return &LineError{f.lines[a.events[after].line].Place, fmt.Errorf(
					"the clock has %d for process %d, and %d in line %d, which comes before it in process %d",
					clocks[after][p], p, clocks[before][p], f.lines[a.events[before].line].Line, lane)}
			}
		}
	}
	for i, e := range a.events {
		if clocks[i] == nil {
			continue
		}
		e.needs = make([]int, n)
		for p := range n {
			if p == e.process {
				continue
			}
			lane := a.lanes[p]
			e.needs[p] = sort.Search(len(lane), func(k int) bool { return clocks[lane[k]][p] > clocks[i][p] })
			if e.needs[p] == 0 {
				continue
			}
			last := lane[e.needs[p]-1]
			before := f.lines[a.events[last].line].Line
			if e.process >= 0 && clocks[last][e.process] >= clocks[i][e.process] {
				return &LineError{f.lines[e.line].Place, fmt.Errorf(
					"by their clocks this line and line %d each happened before the other", before)}
			} else if q := exceeded(clocks[i], clocks[last]); q >= 0 {
				return &LineError{f.lines[e.line].Place, fmt.Errorf(
					"the clock has %d for process %d, and %d in line %d, which by it happened before",
					clocks[i][q], q, clocks[last][q], before)}
			}
		}
	}
	return nil
}

// exceeded returns the first process of which another clock counts more events than a clock, -1 if there is none.
func exceeded(clock, other []int) int {
	for p := range clock {
		if other[p] > clock[p] {
			return p
		}
	}
	return -1
}

// vector returns a vector clock by process: of a list, or of an object with the numbers of processes.
func vector(value any, n int) ([]int, error) {
	clock := make([]int, n)
	set := func(process int, value any) error {
		count, ok := integer(value)
		if !ok || count < 0 || process < 0 || process >= n {
			return fmt.Errorf("the clock has %s for process %d; want the number of its events", excerpt(value), process)
		}
		clock[process] = int(count)
		return nil
	}
	switch value := value.(type) {
	case []any:
		if len(value) != n {
			return nil, fmt.Errorf("the clock has %d numbers; want one for each of %d processes", len(value), n)
		}
		for p, v := range value {
			if err := set(p, v); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name, v := range value {
			p, err := strconv.Atoi(name)
			if err != nil {
				return nil, fmt.Errorf("the clock has %q; want the number of a process", name)
			}
			if err := set(p, v); err != nil {
				return nil, err
			}
		}
	case nil:
		return nil, errors.New(`there is no "clock"; want a list by process, or an object`)
	default:
		return nil, fmt.Errorf("the clock is %s; want a list by process, or an object", excerpt(value))
	}
	return clock, nil
}
