package conform

import (
	"fmt"
	"sync"

	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// A bounded system is a system without the steps that exceed a bound on growth, such as the number of messages in a
// channel. If one step of a group does, all steps of the group are left out.
type bounded struct {
	model.System
	compiled *compile.System

	mu        sync.Mutex
	bound     string                  // the first in alphabetical order of the bounds that steps exceed; "" if none
	exceeding map[int]map[string]bool // by group of a process: the values of its slots where a step is left out
}

var _ model.Holder = (*bounded)(nil)

// Next implements model.System.
func (b *bounded) Next(g int, in []model.Value, out *model.Successors) error {
	err := b.System.Next(g, in, out)
	if err == nil {
		return nil
	}
	e := model.AsError(err)
	if !e.Growth {
		return err
	}
	b.mu.Lock()
	if text := e.Error(); b.bound == "" || text < b.bound {
		b.bound = text
	}
	if b.compiled.Role(g).Process >= 0 && !b.compiled.Groups()[g].Environment {
		if b.exceeding[g] == nil {
			b.exceeding[g] = make(map[string]bool)
		}
		b.exceeding[g][fmt.Sprint(in)] = true
	}
	b.mu.Unlock()
	out.Reset(len(in))
	return nil
}

// silentProcesses returns the processes with steps of their own that are left out in a state.
func (b *bounded) silentProcesses(state []model.Value) (processes []int) {
	for g, exceeding := range b.exceeding {
		var in []model.Value
		for _, slot := range b.compiled.Groups()[g].Slots {
			in = append(in, state[slot])
		}
		if exceeding[fmt.Sprint(in)] {
			processes = append(processes, b.compiled.Role(g).Process)
		}
	}
	return processes
}

// Bytes implements model.Holder.
func (b *bounded) Bytes() int64 { return b.compiled.Bytes() }
