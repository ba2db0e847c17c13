package conform

import (
	"sync"

	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// A bounded system is a system without the steps that exceed a bound on growth, such as the number of messages in a
// channel. If one step of a group does, all steps of the group are left out.
type bounded struct {
	model.System
	compiled *compile.System

	mu    sync.Mutex
	bound string // the first in alphabetical order of the bounds that steps exceed; "" if no step does
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
	b.mu.Unlock()
	out.Reset(len(in))
	return nil
}

// Bytes implements model.Holder.
func (b *bounded) Bytes() int64 { return b.compiled.Bytes() }
