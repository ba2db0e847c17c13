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

// readClocks reads the vector clocks of the events of a trace, and records which events happened before each (Mattern
// 1989). The clock of an event counts, for each process, the events that happened before it or are it.
func (c *checker) readClocks(t *trace) error {
	n := c.sys.Protocol().N
	clocks := make([][]int, len(t.events))
	for i, e := range t.events {
		process := e.pattern.process
		if process < 0 && e.line.Clock == nil {
			continue // events without a process, such as losses, need no clock
		}
		clock, err := clockVector(c.sys.Protocol(), e.line.Clock)
		if clocks[i] = clock; err == nil && process >= 0 && clock[process] == 0 {
			err = fmt.Errorf("the clock does not count the events of process %d itself", process)
		}
		if err != nil {
			return &LineError{Position: e.line.Position, Err: err}
		}
	}
	for i := range t.events {
		if clocks[i] == nil {
			continue
		}
		if err := t.setBefore(i, n, clocks); err != nil {
			return err
		}
	}
	return nil
}

// setBefore sets the number of events of each of n processes before an event, by clocks.
func (t *trace) setBefore(event, n int, clocks [][]int) error {
	e := t.events[event]
	process := e.pattern.process
	e.before = make([]int, n)
	for p := range n {
		chain := t.chains[p]
		e.before[p] = sort.Search(len(chain), func(k int) bool {
			return p == process && chain[k] >= event || p != process && clocks[chain[k]][p] > clocks[event][p]
		})
		if e.before[p] == 0 {
			continue
		}
		last := chain[e.before[p]-1]
		if t.events[last].line.Position == e.line.Position { // a part of the same line
			continue
		}
		if err := checkOrder(clocks[event], clocks[last], process); err != nil {
			how := "happened before according to the clocks"
			if p == process {
				how = "is an earlier line of this process"
			}
			err = fmt.Errorf("%w in line %d, which %s", err, t.events[last].line.Line, how)
			return &LineError{Position: e.line.Position, Err: err}
		}
	}
	return nil
}

// checkOrder returns an error if the clock of an event of a process, or of noProcess, counts fewer events than the
// clock of an event before it, or no more events of its own process.
func checkOrder(clock, before []int, process int) error {
	for p := range clock {
		if before[p] > clock[p] || p == process && before[p] == clock[p] {
			return fmt.Errorf("the clock has %d for process %d, and %d", clock[p], p, before[p])
		}
	}
	return nil
}

// clockVector returns a vector clock by process. The value is a list, or an object with the numbers or names of
// processes as members.
func clockVector(protocol *ir.Protocol, value any) ([]int, error) {
	clock, counts := make([]int, protocol.N), slices.Repeat([]any{0}, protocol.N)
	switch value := value.(type) {
	case []any:
		if len(value) != len(clock) {
			const text = "the clock has %s; expected one for each of %d processes"
			return nil, fmt.Errorf(text, printable.Count(len(value), "number"), len(clock))
		}
		counts = value
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			p, err := processOf(protocol, name)
			if err != nil {
				return nil, err
			}
			counts[p] = value[name]
		}
	case nil:
		return nil, errors.New(`there is no "clock"; expected a list by process, or an object`)
	default:
		return nil, fmt.Errorf("the clock is %s; expected a list by process, or an object", excerpt(value))
	}
	for p, v := range counts {
		count, ok := integer(v)
		if !ok || count < 0 {
			return nil, fmt.Errorf("the clock has %s for process %d; expected the number of its events", excerpt(v), p)
		}
		clock[p] = int(count)
	}
	return clock, nil
}
