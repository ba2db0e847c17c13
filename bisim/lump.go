package bisim

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"slices"
)

// A Process is a finite probabilistic process whose states are to be lumped. The branches of state s are those from
// Rows[s] to Rows[s+1]-1; what a branch is but for its target is one of few Terms.
type Process struct {
	Rows  []uint32
	To    []uint32
	Class []uint16 // by branch, an index of Terms
	Terms []Term
	Total uint64 // what the weights of each choice add up to
	// Chain says that each choice of a state is equally likely, so that only the sum of all its branches matters.
	Chain bool
	// Block is the initial partition, which is refined. It is overwritten.
	Block []uint32
}

// A Term is what a branch is but for its target. All weights have one common denominator.
type Term struct {
	Weight uint64
	First  bool   // the first branch of its choice
	Mark   uint32 // branches with different marks are different; of no meaning in a Chain
}

// ErrWeights says that weights have no common denominator by which they could be added up.
var ErrWeights = errors.New("the probabilities have no common denominator below 2^63")

// Lump returns the coarsest refinement of the initial partition that is a probabilistic bisimulation (Larsen and Skou 1991, Segala
// and Lynch 1995): states of one block have the same choices, where two choices are the same if they lead into each block with the same
// marks with equal probability; in a Chain, if they go to each block with equal probability. It returns the number of blocks, and
// overwrites p.Block. Weights are added up as integers, so nothing is rounded.
//
// A state's signature is worked out again only when a successor's block has changed, and of the parts of a block that is split the largest keeps its
// number (Hopcroft 1971): a branch is looked at O(log n) times.
func Lump(ctx context.Context, p *Process) (int, error) {
	l := &lumper{Process: p, ctx: ctx, pending: make([]bool, len(p.Block))}
	if err := l.scale(); err != nil {
		return 0, err
	}
	l.arrange()
	l.reverse()
	for s := range uint32(len(p.Block)) {
		l.touch(s)
	}
	for len(l.dirty) > 0 {
		if l.round(); ctx.Err() != nil {
			return 0, ctx.Err()
		}
	}
	return len(l.begin), nil
}

// A lumper refines a partition.
type lumper struct {
	*Process
	ctx    context.Context // the result is void once it is done
	factor []uint64        // of a chain: by what to multiply the weights of a state with so many choices

	states     []uint32 // those of a block together
	place      []uint32 // of a state in states
	begin, end []uint32 // of a block in states

	rows, from []uint32 // predecessors

	pending []bool   // a state's signature has to be worked out again
	dirty   []uint32 // these states

	parts   []part
	key     []byte
	choices []string
}

// A part is how much of a choice leads into a block with a mark.
type part struct {
	block, mark uint32
	weight      uint64
}

// scale makes the choices of all states in a chain comparable: a state with c choices counts their weights 1/c-fold.
func (l *lumper) scale() error {
	if !l.Chain {
		if l.Total > 1<<63 {
			return ErrWeights
		}
		return nil
	}
	most, least := uint64(0), uint64(1)
	seen := []bool{true}
	for s := range l.Block {
		c := l.choicesOf(uint32(s))
		for c >= uint64(len(seen)) {
			seen = append(seen, false)
		}
		if most = max(most, c); !seen[c] {
			seen[c] = true
			if least = least / gcd(least, c) * c; least > 1<<31 {
				return ErrWeights
			}
		}
	}
	if l.Total > 1<<63/least {
		return ErrWeights
	}
	l.factor = make([]uint64, most+1)
	for c := uint64(1); c <= most; c++ {
		l.factor[c] = least / c
	}
	return nil
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (l *lumper) choicesOf(s uint32) uint64 {
	n := uint64(0)
	for _, c := range l.Class[l.Rows[s]:l.Rows[s+1]] {
		if l.Terms[c].First {
			n++
		}
	}
	return n
}

// arrange sorts the states by block.
func (l *lumper) arrange() {
	n := uint32(len(l.Block))
	l.states, l.place = make([]uint32, n), make([]uint32, n)
	for s := range n {
		l.states[s] = s
	}
	slices.SortStableFunc(l.states, func(a, b uint32) int { return cmp.Compare(l.Block[a], l.Block[b]) })
	last := uint32(0)
	for i, s := range l.states {
		if i == 0 || l.Block[s] != last {
			last = l.Block[s]
			l.begin, l.end = append(l.begin, uint32(i)), append(l.end, uint32(i))
		}
		l.place[s] = uint32(i)
		l.end[len(l.end)-1]++
		l.Block[s] = uint32(len(l.begin) - 1)
	}
}

// reverse finds the predecessors of each state.
func (l *lumper) reverse() {
	l.rows = make([]uint32, len(l.Block)+1)
	for _, t := range l.To {
		l.rows[t+1]++
	}
	for s := range l.Block {
		l.rows[s+1] += l.rows[s]
	}
	l.from = make([]uint32, len(l.To))
	next := slices.Clone(l.rows)
	for s := range uint32(len(l.Block)) {
		for _, t := range l.To[l.Rows[s]:l.Rows[s+1]] {
			l.from[next[t]] = s
			next[t]++
		}
	}
}

// touch notes that the signature of s has to be worked out again.
func (l *lumper) touch(s uint32) {
	if b := l.Block[s]; !l.pending[s] && l.end[b]-l.begin[b] > 1 {
		l.pending[s] = true
		l.dirty = append(l.dirty, s)
	}
}

// round splits all blocks with dirty states.
func (l *lumper) round() {
	dirty := l.dirty
	l.dirty = nil
	slices.SortFunc(dirty, func(a, b uint32) int { return cmp.Or(cmp.Compare(l.Block[a], l.Block[b]), cmp.Compare(a, b)) })
	type move struct{ state, block uint32 }
	var moves []move
	next := uint32(len(l.begin))
	for first := 0; first < len(dirty) && l.ctx.Err() == nil; {
		end := first + 1
		for end < len(dirty) && l.Block[dirty[end]] == l.Block[dirty[first]] {
			end++
		}
		for _, group := range l.split(dirty[first:end]) { // all signatures are of the partition before the round
			for _, s := range group {
				moves = append(moves, move{s, next})
			}
			next++
		}
		first = end
	}
	for _, s := range dirty {
		l.pending[s] = false
	}
	for first := 0; first < len(moves); {
		end := first
		for end < len(moves) && moves[end].block == moves[first].block {
			l.take(moves[end].state)
			end++
		}
		b := l.end[l.Block[moves[first].state]]
		l.begin, l.end = append(l.begin, b), append(l.end, b+uint32(end-first))
		for _, m := range moves[first:end] {
			l.Block[m.state] = m.block
		}
		first = end
	}
	for _, m := range moves {
		for _, s := range l.from[l.rows[m.state]:l.rows[m.state+1]] {
			l.touch(s)
		}
	}
}

// take moves a state to the end of its block and makes the block end before it.
func (l *lumper) take(s uint32) {
	b := l.Block[s]
	l.end[b]--
	i, j := l.place[s], l.end[b]
	t := l.states[j]
	l.states[i], l.states[j] = t, s
	l.place[t], l.place[s] = i, j
}

// split returns the parts into which a block falls, but for the largest, given its dirty states. The others all have one signature, for
// they had one when they were last looked at, and none of their successors has changed its block.
func (l *lumper) split(dirty []uint32) [][]uint32 {
	b := l.Block[dirty[0]]
	size := int(l.end[b] - l.begin[b])
	groups := [][]uint32{nil} // the first is that of the clean states
	known := make(map[string]int)
	clean := size - len(dirty)
	if clean > 0 {
		known[string(l.signature(l.clean(b)))] = 0
	}
	for n, s := range dirty {
		if n%(1<<16) == 1<<16-1 && l.ctx.Err() != nil {
			return nil
		}
		key := l.signature(s)
		i, ok := known[string(key)]
		if !ok {
			i = len(groups)
			known[string(key)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	if len(groups) == 1 || len(groups) == 2 && clean == 0 {
		return nil
	}
	largest, most := 0, clean+len(groups[0])
	for i, g := range groups[1:] {
		if len(g) > most {
			largest, most = i+1, len(g)
		}
	}
	if largest != 0 && clean > 0 {
		for _, s := range l.states[l.begin[b]:l.end[b]] {
			if !l.pending[s] {
				groups[0] = append(groups[0], s)
			}
		}
	}
	groups = slices.Delete(groups, largest, largest+1)
	return slices.DeleteFunc(groups, func(g []uint32) bool { return len(g) == 0 })
}

// clean returns a state of a block that is not dirty.
func (l *lumper) clean(b uint32) uint32 {
	i := l.begin[b]
	for l.pending[l.states[i]] {
		i++
	}
	return l.states[i]
}

// signature returns what a state does, as seen through the partition. It is valid until the next call.
func (l *lumper) signature(s uint32) []byte {
	l.key = l.key[:0]
	if l.Chain {
		l.chain(s)
		return l.key
	}
	l.choices = l.choices[:0]
	for i := l.Rows[s]; i < l.Rows[s+1]; {
		l.parts = l.parts[:0]
		for first := true; i < l.Rows[s+1] && (first || !l.Terms[l.Class[i]].First); i++ {
			t := &l.Terms[l.Class[i]]
			l.parts = append(l.parts, part{l.Block[l.To[i]], t.Mark, t.Weight})
			first = false
		}
		l.key = l.key[:0]
		l.encode()
		l.choices = append(l.choices, string(l.key))
	}
	slices.Sort(l.choices)
	l.choices = slices.Compact(l.choices)
	l.key = l.key[:0]
	for _, c := range l.choices {
		l.key = binary.AppendUvarint(l.key, uint64(len(c)))
		l.key = append(l.key, c...)
	}
	return l.key
}

func (l *lumper) chain(s uint32) {
	l.parts = l.parts[:0]
	choices := uint64(0)
	for i := l.Rows[s]; i < l.Rows[s+1]; i++ {
		t := &l.Terms[l.Class[i]]
		if t.First {
			choices++
		}
		l.parts = append(l.parts, part{l.Block[l.To[i]], 0, t.Weight})
	}
	for i := range l.parts {
		l.parts[i].weight *= l.factor[choices]
	}
	l.encode()
}

// encode appends the parts, those of one block and mark added up.
func (l *lumper) encode() {
	slices.SortFunc(l.parts, func(a, b part) int { return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.mark, b.mark)) })
	for i := 0; i < len(l.parts); {
		p := l.parts[i]
		for i++; i < len(l.parts) && l.parts[i].block == p.block && l.parts[i].mark == p.mark; i++ {
			p.weight += l.parts[i].weight
		}
		l.key = binary.AppendUvarint(l.key, uint64(p.block))
		l.key = binary.AppendUvarint(l.key, uint64(p.mark))
		l.key = binary.AppendUvarint(l.key, p.weight)
	}
}
