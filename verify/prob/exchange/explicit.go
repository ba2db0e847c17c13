package exchange

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/internal/printable"
	"ringcheck/verify/prob"
)

// An explicit is a process as a file lists it, array by array. Readers fill it, and process builds an MDP from it.
// Numbers are indices into a table, since few are distinct.
type explicit struct {
	*effort.Effort
	numbers  numbers
	choices  []uint32 // by state: its first choice; the last element is the number of choices
	branches []uint32 // by choice: its first branch, likewise
	to       []uint32 // by branch
	weight   []uint16 // by branch
	rewards  []gain
	labels   []prob.Label
	initial  prob.Set
	assumed  []string // the assumptions about an incomplete file

	rows   map[string]row
	off    deviation
	marks  map[string]uint32 // by the rewards of a branch, of its choice and of its state
	values map[string]uint32 // marks by the sums of these
	sums   [][]*big.Rat      // by reward and mark
}

// A gain holds the values of a reward for states, choices and branches; nil means none.
type gain struct {
	name                      string
	states, choices, branches []uint16
}

// A row is the probabilities of a choice.
type row struct {
	weights []prob.Weight
	off     float64 // the error corrected by rescaling
}

// A deviation summarises the choices whose probabilities are not exact.
type deviation struct {
	choices int
	largest float64
	place   string // the position of the largest error
}

func newExplicit(f *effort.Effort) *explicit {
	return &explicit{
		Effort: f, numbers: newNumbers(),
		rows: make(map[string]row), marks: make(map[string]uint32), values: make(map[string]uint32),
	}
}

// Bytes held for a branch and a state of the MDP, and for an entry of a table.
const (
	branchBytes = 6
	stateBytes  = 4
	tableBytes  = 256
)

// process returns the process that was read, without the loops that flatten adds.
func (x *explicit) process() (_ *prob.MDP, err error) {
	defer effort.Catch(&err)
	effort.Try(x.distinct())
	states := len(x.choices) - 1
	x.Hold(branchBytes*uint64(len(x.to)) + stateBytes*uint64(states))
	b := prob.NewBuilder()
	x.sums = make([][]*big.Rat, len(x.rewards))
	deadlock := x.takeDeadlock()
	var list []prob.Branch
	var initial []uint32
	for s := range uint32(states) {
		x.Tick()
		if x.initial.Has(s) {
			initial = append(initial, s)
		}
		closed := deadlock != nil && deadlock.Has(s) && x.stays(s)
		for c := x.choices[s]; c < x.choices[s+1]; c++ {
			if list = x.choice(s, c, list[:0]); !closed {
				b.Choice(list...)
			}
		}
		b.End()
	}
	m := effort.Must(b.MDP(initial...))
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

// distinct returns an error if two labels or two rewards have the same name.
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

// takeDeadlock removes the label deadlock, which tools add (see flatten), and returns its states.
func (x *explicit) takeDeadlock() prob.Set {
	for i, l := range x.labels {
		if l.Name == deadlockLabel {
			x.labels = append(x.labels[:i:i], x.labels[i+1:]...)
			return l.States
		}
	}
	return nil
}

// stays reports whether all branches of a state lead back to it.
func (x *explicit) stays(s uint32) bool {
	to := x.to[x.branches[x.choices[s]]:x.branches[x.choices[s+1]]]
	return !slices.ContainsFunc(to, func(t uint32) bool { return t != s })
}

// choice appends the branches of choice c of state s.
func (x *explicit) choice(s, c uint32, list []prob.Branch) []prob.Branch {
	place := func() string { return fmt.Sprintf("state %d, choice %d", s, c-x.choices[s]) }
	first, end := x.branches[c], x.branches[c+1]
	if first == end {
		refuse("%s: a choice has no branches", place())
	}
	row, err := x.row(x.weight[first:end])
	if err != nil {
		refuse("%s: %w", place(), err)
	}
	if d := &x.off; row.off > 0 {
		d.choices++
		if row.off > d.largest {
			d.largest, d.place = row.off, place()
		}
	}
	for i := first; i < end; i++ {
		mark, err := x.mark(s, c, i)
		if err != nil {
			refuse("%s: %w", place(), err)
		}
		list = append(list, prob.Branch{To: x.to[i], Weight: row.weights[i-first], Mark: mark})
	}
	return list
}

// row returns the probabilities of a choice whose branches have the given numbers.
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

// mark returns the mark of branch i of choice c of state s.
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
				sums[k].Add(sums[k], x.numbers.list[n].text)
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

// Labels with a meaning to PRISM and Storm.
const (
	initialLabel  = "init"
	deadlockLabel = "deadlock"
)

// loop is the mark of branches that only a file has.
const loop = math.MaxUint32

// flatten returns a process in the form that other tools expect. They require every state to have a choice, so a state
// without any gets a loop without reward and the label deadlock, which comes first; PRISM writes the same, and process
// removes it again. A state where a run may end in spite of choices gets a loop as one more choice.
func flatten(ctx context.Context, m *prob.MDP) *explicit {
	x := newExplicit(&effort.Effort{Context: ctx})
	states, initial := unfold(m)
	choices, branches := m.Choices(), m.Branches() // capacities: added loops come on top
	x.choices, x.branches = make([]uint32, 1, len(states)+1), make([]uint32, 1, choices+1)
	x.to, x.weight, x.initial = make([]uint32, 0, branches), make([]uint16, 0, branches), initial
	for range m.Rewards {
		x.rewards = append(x.rewards, gain{choices: make([]uint16, 0, choices)})
	}
	for i, s := range states {
		x.Tick()
		m.Each(s, func(choice []prob.Branch) { x.add(m, choice) })
		if m.Terminal(s) || m.MayEnd(s) {
			x.add(m, []prob.Branch{{To: uint32(i), Weight: prob.Certain, Mark: loop}})
		}
		x.choices = append(x.choices, uint32(len(x.branches)-1))
	}
	label := func(name string, has func(s uint32) bool) {
		set := prob.NewSet(len(states))
		for i, s := range states {
			if has(s) {
				set.Add(uint32(i))
			}
		}
		x.labels = append(x.labels, prob.Label{Name: name, States: set})
	}
	label(deadlockLabel, m.Terminal)
	for _, l := range m.Labels {
		label(l.Name, l.States.Has)
	}
	return x
}

// unfold returns the state of m for each state of a file. The initial states of a file are a set and equally likely, so
// one of greater weight is copied several times, with the same choices and labels.
func unfold(m *prob.MDP) (states []uint32, initial prob.Set) {
	weights, unit := m.InitialWeights(), new(big.Int)
	for _, w := range weights {
		unit.GCD(nil, nil, unit, new(big.Int).SetUint64(w))
	}
	for s := range uint32(m.States()) {
		states = append(states, s)
	}
	for _, s := range slices.Sorted(maps.Keys(weights)) {
		copies := weights[s]/unit.Uint64() - 1
		if copies > maxStates-uint64(len(states)) {
			effort.Try(prob.ErrTooLarge)
		}
		states = append(states, slices.Repeat([]uint32{s}, int(copies))...)
	}
	initial = prob.NewSet(len(states))
	for i, s := range states {
		if weights[s] > 0 {
			initial.Add(uint32(i))
		}
	}
	return states, initial
}

// add adds a choice. In decision processes of PRISM and Storm rewards belong to choices: PRISM refuses a .trew in which
// branches of a choice have different rewards, and ignores rewards of branches in a .umb. Giving a choice the mean
// reward of its branches preserves all expectations.
func (x *explicit) add(m *prob.MDP, choice []prob.Branch) {
	for i := range x.rewards {
		r := &x.rewards[i]
		r.choices = append(r.choices, x.number(mean(&m.Rewards[i], choice)))
	}
	for _, b := range mergeTargets(choice) {
		x.to, x.weight = append(x.to, b.To), append(x.weight, x.number(b.Weight.Rat()))
	}
	if uint64(len(x.to)) > maxBranches {
		effort.Try(prob.ErrTooLarge)
	}
	x.branches = append(x.branches, uint32(len(x.to)))
}

// number returns the index of a number in the table.
func (x *explicit) number(r *big.Rat) uint16 {
	read := func() (number, error) { return number{r, r}, nil }
	return effort.Must(x.numbers.add(x.Effort, []byte(r.RatString()), read))
}

// mergeTargets returns the branches of a choice by their targets, in ascending order, those to one state as one.
func mergeTargets(choice []prob.Branch) []prob.Branch {
	if len(choice) == 1 {
		return choice
	}
	list := slices.Clone(choice)
	slices.SortFunc(list, func(a, b prob.Branch) int { return cmp.Compare(a.To, b.To) })
	out := list[:1]
	for _, b := range list[1:] {
		last := &out[len(out)-1]
		if last.To == b.To {
			last.Weight = prob.WeightOf(new(big.Rat).Add(last.Weight.Rat(), b.Weight.Rat()))
			continue
		}
		out = append(out, b)
	}
	return out
}

// mean returns the mean reward of a choice.
func mean(r *prob.Reward, choice []prob.Branch) *big.Rat {
	if len(choice) == 1 {
		return r.At(choice[0].Mark)
	}
	sum := new(big.Rat)
	for _, b := range choice {
		if of := r.At(b.Mark); of.Sign() != 0 {
			sum.Add(sum, new(big.Rat).Mul(b.Weight.Rat(), of))
		}
	}
	return sum
}

// decimal writes a number: as a fraction if exact, else as the shortest decimal that rounds to the same double.
func decimal(r *big.Rat, exact bool) string {
	if exact || r.IsInt() {
		return r.RatString()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}
