package compile

import (
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// Initial implements model.System. An error is a *model.Error.
//
// There is a state for each combination of assigned values, and most processes depend on few of these values. So each
// process has a table of its initial local states, and so have the contents of all channels.
func (s *System) Initial(yield func(state []model.Value) bool) error {
	if s.protocol.Start.Condition != nil {
		return s.machine.Initial(func(state *step.State) bool { return yield(s.Encode(nil, state)) })
	}
	c := s.protocol.Combination()
	state := make([]model.Value, len(s.layout.slots))
	room := maxDecisions
	var processes []decisions
	for p := range s.protocol.N {
		processes = append(processes, decisions{room: &room, call: func() ([]model.Value, []int, error) {
			l, reads, err := c.Local(p)
			if err != nil {
				return nil, nil, err
			}
			return []model.Value{s.locals.number(l)}, reads, nil
		}})
	}
	channels := decisions{room: &room, call: func() ([]model.Value, []int, error) {
		contents, reads, err := c.Contents()
		values := make([]model.Value, 0, len(contents))
		for _, list := range contents {
			values = append(values, s.EncodeContents(list))
		}
		return values, reads, err
	}}
	var shared []decisions
	for slot := range s.protocol.Shared {
		shared = append(shared, decisions{room: &room, call: func() ([]model.Value, []int, error) {
			value, reads, err := c.Shared(slot)
			return []model.Value{s.EncodeShared(value)}, reads, err
		}})
	}
	for {
		clear(state) // no fault has happened
		for p := range processes {
			values, err := processes[p].result(c)
			if err != nil {
				return step.AsModelError(err)
			}
			state[s.layout.processes[p]] = values[0]
		}
		values, err := channels.result(c)
		if err != nil {
			return step.AsModelError(err)
		}
		for link, v := range values {
			state[s.layout.channels[link]] = v
		}
		for i := range shared {
			values, err := shared[i].result(c)
			if err != nil {
				return step.AsModelError(err)
			}
			state[s.layout.shared[i]] = values[0]
		}
		if !yield(state) || !c.Next() {
			return nil
		}
	}
}

// InitialValues implements model.InitialProduct.
func (s *System) InitialValues() [][]model.Value {
	product := s.protocol.Product(maxDecisions)
	if product == nil {
		return nil
	}
	values := make([][]model.Value, len(s.layout.slots))
	for slot := range values {
		values[slot] = []model.Value{0} // no fault has happened
	}
	for i, list := range product.Shared {
		values[s.layout.shared[i]] = s.encodeAll(list)
	}
	for p, locals := range product.Locals {
		var all []model.Value
		for _, l := range locals {
			all = append(all, s.locals.number(l))
		}
		slices.Sort(all)
		values[s.layout.processes[p]] = slices.Compact(all)
	}
	for link, list := range product.Channels {
		values[s.layout.channels[link]][0] = s.EncodeContents(list)
	}
	return values
}

// encodeAll returns the different values of a slot for values of a shared variable, ascending.
func (s *System) encodeAll(list []int64) []model.Value {
	var all []model.Value
	for _, value := range list {
		all = append(all, s.EncodeShared(value))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// decisions tabulate a function of assigned values as a decision tree: an inner node has the number of the next value
// that the function reads, and a child for each content of that value.
type decisions struct {
	// call computes the function for the current combination. It returns the numbers of the assigned values that it
	// reads, in their order.
	call func() (result []model.Value, reads []int, err error)
	root *decision
	room *int // the number of nodes and places for children that may be added to some tables
}

// A decision is a node: a leaf if result is not nil.
type decision struct {
	result   []model.Value
	read     int
	low      int64 // the content of children[0]
	children []*decision
}

// maxDecisions bounds the nodes, and the places for children, of the tables of a system: a few MiB. Other results are
// computed each time.
const maxDecisions = 1 << 17

// result returns the result for a combination. The caller does not change it.
func (d *decisions) result(c *ir.Combination) ([]model.Value, error) {
	n := d.root
	for n != nil && n.result == nil {
		i := c.Value(n.read) - n.low
		if i < 0 || i >= int64(len(n.children)) {
			n = nil
			break
		}
		n = n.children[i]
	}
	if n != nil {
		return n.result, nil
	}
	result, reads, err := d.call()
	if err == nil && result != nil {
		d.add(c, result, reads)
	}
	return result, err
}

// add adds the result for a combination.
func (d *decisions) add(c *ir.Combination, result []model.Value, reads []int) {
	at := &d.root
	for _, read := range reads {
		if *at == nil {
			if *d.room <= 0 {
				return
			}
			*d.room--
			*at = &decision{read: read, low: c.Value(read)}
		}
		if at = d.child(*at, c.Value(read)); at == nil {
			return
		}
	}
	if *at == nil && *d.room > 0 {
		*d.room--
		*at = &decision{result: result}
	}
}

// child returns the place of a node's child for a content, nil if there is no room for it.
func (d *decisions) child(n *decision, content int64) **decision {
	before, after := max(0, n.low-content), max(0, content+1-n.low-int64(len(n.children)))
	if before+after > int64(*d.room) {
		return nil
	}
	*d.room -= int(before + after)
	n.children = append(n.children, make([]*decision, after)...) // values mostly ascend
	n.children = slices.Insert(n.children, 0, make([]*decision, before)...)
	n.low -= before
	return &n.children[content-n.low]
}
