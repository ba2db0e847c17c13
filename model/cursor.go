package model

import "slices"

// A Cursor lists the transitions of a state, one group after another. It belongs to one goroutine.
type Cursor struct {
	Successors // of the last call of Next

	system System
	group  *Group
	in     []Value
}

// NewCursor returns a cursor for a system.
func NewCursor(sys System) *Cursor { return &Cursor{system: sys} }

// Next lists the transitions of group g from a state. After an error there are none.
func (c *Cursor) Next(g int, state []Value) error {
	c.group = &c.system.Groups()[g]
	c.in = c.in[:0]
	for _, slot := range c.group.Slots {
		c.in = append(c.in, state[slot])
	}
	err := Ask(c.system, g, c.in, &c.Successors)
	if err != nil {
		c.Reset(len(c.in))
	}
	return err
}

// Take changes a state to the target of transition i. The state has been given to Next, or differs from that only in
// slots of other groups.
func (c *Cursor) Take(i int, state []Value) {
	for k, slot := range c.group.Slots {
		state[slot] = c.Values(i)[k]
	}
}

// Target returns the target of transition i from a state, as Take does.
func (c *Cursor) Target(i int, state []Value) []Value {
	target := slices.Clone(state)
	c.Take(i, target)
	return target
}
