package exchange

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/internal/printable"
	"ringcheck/prob"
)

// An explicit is a process as a file lists it, array by array. Readers fill it, and process makes an MDP of it.
// Numbers are kept by their places in a table: there are few different ones.
type explicit struct {
	*effort.Effort
	numbers  numbers
	choices  []uint32 // by state: its first choice; and behind the last state the number of choices
	branches []uint32 // by choice: its first branch, likewise
	to       []uint32 // by branch
	weight   []uint16 // by branch
	rewards  []gain
	labels   []prob.Label
	initial  prob.Set
	assumed  []string // what was assumed of a file that says too little

	rows   map[string]row
	off    deviation
	marks  map[string]uint32 // by what the rewards give to a branch
	values map[string]uint32 // marks by the sums of that
	sums   [][]*big.Rat      // by reward and mark
}

// A gain is what a reward gives to states, choices and branches; nil is nothing.
type gain struct {
	name                      string
	states, choices, branches []uint16
}

// A row is what the probabilities of a choice come to.
type row struct {
	weights []prob.Weight
	off     float64 // what they were wrong by
}

// A deviation tells of choices whose probabilities are not exact.
type deviation struct {
	choices int
	largest float64
	place   string // of the largest
}

func newExplicit(f *effort.Effort) *explicit {
	return &explicit{
		Effort: f, numbers: newNumbers(),
		rows: make(map[string]row), marks: make(map[string]uint32), values: make(map[string]uint32),
	}
}

// What is held for a branch and a state of the MDP, and for what is kept in a table.
const (
	branchBytes = 6
	stateBytes  = 4
	tableBytes  = 256
)

// process returns the process that was read, without what closed adds.
func (x *explicit) process() (*prob.MDP, error) {
	if err := x.distinct(); err != nil {
		return nil, err
	}
	states := len(x.choices) - 1
	x.Hold(branchBytes*uint64(len(x.to)) + stateBytes*uint64(states))
	b := prob.NewBuilder()
	b.Grow(states, len(x.to))
	x.sums = make([][]*big.Rat, len(x.rewards))
	deadlock := x.takeDeadlock()
	var list []prob.Branch
	for s := range uint32(states) {
		x.Tick()
		closed := deadlock != nil && deadlock.Has(s) && x.stays(s)
		for c := x.choices[s]; c < x.choices[s+1]; c++ {
			var err error
			if list, err = x.choice(s, c, list[:0]); err != nil {
				return nil, fmt.Errorf("state %d, choice %d: %w", s, c-x.choices[s], err)
			}
			if !closed {
				b.Choice(list...)
			}
		}
		b.End()
	}
	var initial []uint32
	for s := range uint32(states) {
		if x.initial.Has(s) {
			initial = append(initial, s)
		}
	}
	m, err := b.MDP(initial...)
	if err != nil {
		return nil, err
	}
	m.Labels = x.labels
	for i, r := range x.rewards {
		m.Rewards = append(m.Rewards, prob.Reward{Name: r.name, Of: x.sums[i]})
	}
	if d := &x.off; d.choices > 0 {
		x.assume("the probabilities of %s do not add up to exactly 1, but to within %.2g of it (%s): "+
			"each is divided by the sum of its choice", printable.Count(d.choices, "choice"), d.largest, d.place)
	}
	return m, nil
}

// distinct reports a name that two labels or two rewards have.
func (x *explicit) distinct() error {
	var names []string
	for _, l := range x.labels {
		names = append(names, fmt.Sprintf("labels %q", l.Name))
	}
	for _, r := range x.rewards {
		names = append(names, fmt.Sprintf("rewards %q", r.name))
	}
	slices.Sort(names)
	for i := range names[min(1, len(names)):] {
		if names[i] == names[i+1] {
			return errors.New("there are two " + names[i])
		}
	}
	return nil
}

func (x *explicit) assume(format string, args ...any) {
	x.assumed = append(x.assumed, fmt.Sprintf(format, args...))
}

// takeDeadlock returns the states with the label deadlock, which is none of the process' own: see closed.
func (x *explicit) takeDeadlock() prob.Set {
	for i, l := range x.labels {
		if l.Name == deadlockLabel {
			x.labels = append(x.labels[:i:i], x.labels[i+1:]...)
			return l.States
		}
	}
	return nil
}

// stays reports whether all that can happen in a state leads to it again.
func (x *explicit) stays(s uint32) bool {
	for _, t := range x.to[x.branches[x.choices[s]]:x.branches[x.choices[s+1]]] {
		if t != s {
			return false
		}
	}
	return true
}

// choice appends the branches of choice c, which is one of state s.
func (x *explicit) choice(s, c uint32, list []prob.Branch) ([]prob.Branch, error) {
	first, end := x.branches[c], x.branches[c+1]
	if first == end {
		return nil, errors.New("a choice has no branches")
	}
	row, err := x.row(x.weight[first:end])
	if err != nil {
		return nil, err
	}
	if row.off > 0 {
		d := &x.off
		d.choices++
		if row.off > d.largest {
			d.largest, d.place = row.off, fmt.Sprintf("state %d, choice %d", s, c-x.choices[s])
		}
	}
	for i := first; i < end; i++ {
		mark, err := x.mark(s, c, i)
		if err != nil {
			return nil, err
		}
		list = append(list, prob.Branch{To: x.to[i], Weight: row.weights[i-first], Mark: mark})
	}
	return list, nil
}

// row returns what some probabilities come to.
func (x *explicit) row(list []uint16) (row, error) {
	var buffer [64]byte
	key := buffer[:0]
	for _, n := range list {
		key = binary.LittleEndian.AppendUint16(key, n)
	}
	if r, ok := x.rows[string(key)]; ok {
		return r, nil
	}
	parts := make([]number, len(list))
	for i, n := range list {
		x.Tick()
		parts[i] = x.numbers.list[n]
	}
	w, off, err := weights(parts)
	if err != nil {
		return row{}, err
	}
	r := row{w, off}
	x.Hold(tableBytes + uint64(len(key)))
	x.rows[string(key)] = r
	return r, nil
}

// mark returns the mark of branch i, of choice c of state s.
func (x *explicit) mark(s, c, i uint32) (uint32, error) {
	var buffer [64]byte
	key := buffer[:0]
	for _, r := range x.rewards {
		for _, of := range []struct {
			list []uint16
			at   uint32
		}{{r.states, s}, {r.choices, c}, {r.branches, i}} {
			n := uint16(0)
			if of.list != nil {
				n = of.list[of.at]
			}
			key = binary.LittleEndian.AppendUint16(key, n)
		}
	}
	if m, ok := x.marks[string(key)]; ok {
		return m, nil
	}
	var text strings.Builder
	sums := make([]*big.Rat, len(x.rewards))
	for k := range sums {
		sums[k] = new(big.Rat)
		for j := range 3 {
			if n := binary.LittleEndian.Uint16(key[6*k+2*j:]); n != 0 {
				sums[k].Add(sums[k], x.numbers.list[n].written)
			}
		}
		if sums[k].Sign() < 0 {
			return 0, fmt.Errorf("the reward %s is negative", sums[k].RatString())
		}
		text.WriteString(sums[k].RatString() + " ")
	}
	x.Hold(tableBytes)
	m, ok := x.values[text.String()]
	if !ok {
		m = uint32(len(x.values))
		x.values[text.String()] = m
		for k, r := range sums {
			x.sums[k] = append(x.sums[k], r)
		}
	}
	x.marks[string(key)] = m
	return m, nil
}
