package prob

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/big"
	"slices"

	"ringcheck/internal/graph"
	"ringcheck/internal/largepage"
)

// An MDP is a Markov decision process with finitely many states, numbered from 0 on. A state has choices, between which
// a scheduler decides; a choice has branches, one of which is taken at random. A state without choices is terminal.
//
// It is stored as compressed sparse rows of branches, with 6 bytes per branch and 4 per state. A branch has a target
// and a class. There are few classes.
type MDP struct {
	rows    []uint32 // the branches of state s are rows[s] to rows[s+1]-1, grouped by choice
	to      []uint32
	class   []uint16
	classes []Class
	initial []start

	Rewards []Reward // nonnegative quantities that a run accumulates
	Labels  []Label
	// Stops are the states where a run may end although they have choices, all the environment's; nil if there are
	// none. Min and Max can choose to end there, without reward; Uniform does not.
	Stops Set
}

// A start is an initial state with its weight, to which its probability under the uniform scheduler is proportional.
// The weights of a state that occurs several times add up.
type start struct {
	state  uint32
	weight uint64
}

// A Class is a branch without its target.
type Class struct {
	Weight Weight
	First  bool   // whether it is the first branch of its choice
	Mark   uint32 // determines its rewards and events
}

// A Reward is a quantity that branches add to.
type Reward struct {
	Name string
	Of   []*big.Rat // by mark
}

// At returns the reward of a mark.
func (r *Reward) At(mark uint32) *big.Rat {
	if int(mark) < len(r.Of) && r.Of[mark] != nil {
		return r.Of[mark]
	}
	return new(big.Rat)
}

// A Label is a named set of states.
type Label struct {
	Name   string
	States Set
}

// A Set is a set of states.
type Set = graph.Set[uint32]

// NewSet returns the empty set of states below n.
func NewSet(n int) Set { return graph.NewSet(uint32(n)) }

// Limits of what an MDP can hold.
const (
	maxStates   = 1<<32 - 2
	maxBranches = 1<<32 - 1
	maxClasses  = 1<<16 - 1 // one is reserved for the end of a run
)

// ErrTooLarge says that an MDP would have too many states, branches or different classes of branches.
var ErrTooLarge = errors.New("the process has more states, branches or different probabilities and rewards " +
	"than can be held")

// States returns the number of states.
func (m *MDP) States() int { return len(m.rows) - 1 }

// Branches returns the number of branches.
func (m *MDP) Branches() int { return len(m.to) }

// Choices returns the number of choices.
func (m *MDP) Choices() int {
	n := 0
	for _, c := range m.class {
		if m.classes[c].First {
			n++
		}
	}
	return n
}

// InitialWeights returns the weights of the initial states, which are proportional to their probabilities.
func (m *MDP) InitialWeights() map[uint32]uint64 {
	weights := make(map[uint32]uint64)
	for _, s := range m.initial {
		weights[s.state] += s.weight
	}
	return weights
}

// chain reports whether every state has at most one choice, so that all schedulers are the same.
func (m *MDP) chain() bool {
	for s := range uint32(m.States()) {
		if !m.Terminal(s) && m.end(m.rows[s], s) < m.rows[s+1] {
			return false
		}
	}
	return true
}

// Terminal reports whether a state has no choices.
func (m *MDP) Terminal(s uint32) bool { return m.rows[s] == m.rows[s+1] }

// MayEnd reports whether a run may end in a state that has choices.
func (m *MDP) MayEnd(s uint32) bool { return m.Stops != nil && m.Stops.Has(s) }

// targets returns the targets of the branches of a state.
func (m *MDP) targets(s uint32) []uint32 { return m.to[m.rows[s]:m.rows[s+1]] }

// choices yields the range of branches of each choice of a state.
func (m *MDP) choices(s uint32) iter.Seq2[uint32, uint32] {
	return func(yield func(first, end uint32) bool) {
		for first := m.rows[s]; first < m.rows[s+1]; {
			end := m.end(first, s)
			if !yield(first, end) {
				return
			}
			first = end
		}
	}
}

// end returns the end of the choice of s whose first branch is first.
func (m *MDP) end(first, s uint32) uint32 {
	end := first + 1
	for end < m.rows[s+1] && !m.classes[m.class[end]].First {
		end++
	}
	return end
}

// A Branch is one outcome of a choice.
type Branch struct {
	To     uint32
	Weight Weight
	Mark   uint32
}

// Each calls yield with the branches of each choice of a state. The slice is valid during the call.
func (m *MDP) Each(s uint32, yield func(choice []Branch)) {
	var choice []Branch
	for first, end := range m.choices(s) {
		choice = choice[:0]
		for i := first; i < end; i++ {
			c := &m.classes[m.class[i]]
			choice = append(choice, Branch{m.to[i], c.Weight, c.Mark})
		}
		yield(choice)
	}
}

// marks returns one more than the largest mark of a branch.
func (m *MDP) marks() uint32 {
	n := uint32(0)
	for _, c := range m.classes {
		n = max(n, c.Mark+1)
	}
	return n
}

// Reward returns the reward with the given name, or nil.
func (m *MDP) Reward(name string) *Reward {
	i := slices.IndexFunc(m.Rewards, func(r Reward) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	return &m.Rewards[i]
}

// Label returns the label with the given name, or nil.
func (m *MDP) Label(name string) *Label {
	i := slices.IndexFunc(m.Labels, func(l Label) bool { return l.Name == name })
	if i < 0 {
		return nil
	}
	return &m.Labels[i]
}

// Check reports a target that is not a state, a choice whose weights do not add up to exactly 1, or a weight of 0.
func (m *MDP) Check() error {
	if len(m.initial) == 0 {
		return errors.New("there is no initial state")
	}
	for _, s := range m.initial {
		if int(s.state) >= m.States() {
			return fmt.Errorf("initial state %d is out of range: there are %d states", s.state, m.States())
		}
	}
	whole := make(map[string]bool) // choices, as classes, known to add up to 1; few differ
	var key []byte
	for s := range uint32(m.States()) {
		number := 0
		for first, end := range m.choices(s) {
			key = key[:0]
			for _, c := range m.class[first:end] {
				key = binary.LittleEndian.AppendUint16(key, c)
			}
			var err error
			if t := slices.Max(m.to[first:end]); int(t) >= m.States() {
				err = fmt.Errorf("target %d is out of range: there are %d states", t, m.States())
			} else if !whole[string(key)] {
				err = m.checkWeights(m.class[first:end])
				if len(whole) == maxClasses {
					clear(whole)
				}
				whole[string(key)] = true
			}
			if err != nil {
				return fmt.Errorf("state %d, choice %d: %w", s, number, err)
			}
			number++
		}
	}
	return nil
}

// checkWeights reports weights of a choice that are 0 or do not add up to 1.
func (m *MDP) checkWeights(choice []uint16) error {
	sum := new(big.Rat)
	for _, c := range choice {
		w := m.classes[c].Weight.Rat()
		if w.Sign() == 0 {
			return errors.New("a branch has probability 0")
		}
		sum.Add(sum, w)
	}
	if sum.Cmp(big.NewRat(1, 1)) != 0 {
		return fmt.Errorf("the probabilities add up to %s, not to 1", sum.RatString())
	}
	return nil
}

// A Builder makes an MDP, state by state in ascending order.
type Builder struct {
	m       MDP // without rows
	rows    chunks[uint32]
	to      chunks[uint32]
	class   chunks[uint16]
	classOf map[Class]uint16
	err     error
}

// NewBuilder returns a Builder of an MDP without states.
func NewBuilder() *Builder {
	b := &Builder{classOf: make(map[Class]uint16)}
	b.rows.add(0)
	return b
}

// Choice adds a choice to the state that is being built.
func (b *Builder) Choice(branches ...Branch) {
	for i, br := range branches {
		b.add(br.To, b.number(Class{Weight: br.Weight, First: i == 0, Mark: br.Mark}))
	}
}

func (b *Builder) add(to uint32, class uint16) {
	b.to.add(to)
	b.class.add(class)
}

func (b *Builder) number(c Class) uint16 {
	n, ok := b.classOf[c]
	if !ok {
		if len(b.m.classes) == maxClasses {
			b.err = ErrTooLarge
			return 0
		}
		n = uint16(len(b.m.classes))
		b.m.classes = append(b.m.classes, c)
		b.classOf[c] = n
	}
	return n
}

// End ends the state that is being built; what follows belongs to the next one.
func (b *Builder) End() {
	if b.to.len() > maxBranches || b.rows.len() > maxStates {
		b.err = ErrTooLarge
		return
	}
	b.rows.add(uint32(b.to.len()))
}

// MDP ends the building and returns the MDP, with initial states of equal weight. The error is ErrTooLarge or an error
// of Check.
func (b *Builder) MDP(initial ...uint32) (*MDP, error) {
	var starts []start
	for _, s := range initial {
		starts = append(starts, start{s, 1})
	}
	return b.mdp(starts)
}

func (b *Builder) mdp(initial []start) (*MDP, error) {
	if b.err != nil {
		return nil, b.err
	}
	b.m.initial = initial
	b.m.rows, b.m.to, b.m.class = b.rows.join(), b.to.join(), b.class.join()
	return &b.m, b.m.Check()
}

// A chunks is a list whose elements are not moved while it grows.
type chunks[T any] struct {
	full [][]T
	held uint64 // the number of elements in full chunks
	last []T
}

// chunkLen is the length of a chunk, other than the first ones.
const chunkLen = 1 << 20

func (c *chunks[T]) add(v T) {
	if len(c.last) == cap(c.last) {
		c.full, c.held = append(c.full, c.last), c.len()
		c.last = make([]T, 0, min(chunkLen, max(8, 2*cap(c.last))))
	}
	c.last = append(c.last, v)
}

func (c *chunks[T]) len() uint64 { return c.held + uint64(len(c.last)) }

// join empties the list and returns its contents.
func (c *chunks[T]) join() []T {
	all := largepage.Make[T](int(c.len()))[:0]
	for _, chunk := range append(c.full, c.last) {
		all = append(all, chunk...)
	}
	*c = chunks[T]{}
	return all
}

// A Weight is a probability Num/Den in lowest terms. A fraction that does not fit has Den 0, see WeightOf.
type Weight struct {
	Num, Den uint64
	wide     string // the fraction if Den is 0
}

// Certain is the weight of the only branch of a choice.
var Certain = Weight{Num: 1, Den: 1}

// NewWeight returns num/den in lowest terms; den must not be 0.
func NewWeight(num, den uint64) Weight {
	d := gcd(num, den)
	return Weight{Num: num / d, Den: den / d}
}

// WeightOf returns r, with numerator and denominator of any size, as a weight.
func WeightOf(r *big.Rat) Weight {
	if r.Num().IsUint64() && r.Denom().IsUint64() {
		return Weight{Num: r.Num().Uint64(), Den: r.Denom().Uint64()}
	}
	return Weight{wide: r.String()}
}

// Rat returns w as a rational number.
func (w Weight) Rat() *big.Rat {
	if w.Den == 0 {
		r, _ := new(big.Rat).SetString(cmp.Or(w.wide, "0"))
		return r
	}
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(w.Num), new(big.Int).SetUint64(w.Den))
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
