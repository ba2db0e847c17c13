package tree

import (
	"context"
	"math"
	"sync/atomic"

	"ringcheck/explore/reduction"
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// permutation has the data of the case of a quotient by permutations of processes that all workers share. The store has
// the tree of the other system, whose successors are found as in the plain case and then replaced by their
// representatives. The colours of the processes are sums of the colours of the halves, which are computed once. Often
// they show that a successor is a representative, and nearly always how to permute it.
type permutation struct {
	quotient    reduction.Permutation
	sleep       reduction.PermutedSleep
	sleepTags   bool // whether tags are reduction.SleepTags
	processes   int
	blocks      int // of the colours of a half
	ascents     [][2]int
	environment *environment             // its marks are unused with sleep tags
	colours     [2]intern.Array[colours] // of the left and right halves: blocks of each, by number
}

// colours has the colours of a few processes, with the highest bit set; 0 if unknown.
type colours [4]atomic.Uint32

const (
	colourKnown = 1 << 31
	colourMask  = colourKnown - 1
)

// usePermutation makes s a store of this case, if sys is a quotient by permutations.
func (s *Store) usePermutation(ctx context.Context, sys model.System, tagger Tagger) bool {
	q, ok := model.As[reduction.Permutation](sys)
	if !ok || s.width < 2 {
		return false
	}
	p := &permutation{
		quotient: q, processes: q.Processes(), ascents: q.Ascents(), sleep: q.Sleep(), sleepTags: tagger == nil,
	}
	p.blocks = (p.processes + len(colours{}) - 1) / len(colours{})
	s.plant(ctx, q.FullSystem(p.sleepTags), s.height(), nil)
	p.environment = newEnvironment(s.source.groups)
	s.source.tag, s.source.tagBits, s.source.omitRepeated = labelTag, wide, p.sleepTags
	if !p.sleepTags {
		s.source.tag = p.environment.tagger(&s.source, s.source.distinctChoices(tagger))
		s.source.tagBits = narrow
	}
	s.sleeps = p.sleepTags && len(p.sleep.Shares) > 0
	s.newExpander = func(w *Worker) expander {
		return &permutationExpander{
			permutation: p, taggedSleep: taggedSleep{sets: &p.sleep.SleepSets, acts: p.environment.acts}, w: w,
			permuter: q.Permuter(), test: true, state: make([]model.Value, s.width),
			sums: make([]uint32, p.processes), own: make([]uint32, p.processes),
		}
	}
	s.caseArrays = []array{&p.colours[0], &p.colours[1]}
	return true
}

// distinctChoices returns a Tagger that gets steps of different groups with different choices, which ascend with the
// groups.
func (s *source) distinctChoices(tagger Tagger) func(group, of int, step model.Step) uint32 {
	perGroup := math.MaxUint32 / uint32(max(1, len(s.groups)))
	return func(group, of int, step model.Step) uint32 {
		if step.Choice >= perGroup {
			panic(intern.ErrFull)
		}
		step.Choice += uint32(group) * perGroup
		return tagger(of, step)
	}
}

// A permutationExpander is the expander of a quotient by permutations.
type permutationExpander struct {
	*permutation
	taggedSleep
	w        *Worker
	permuter reduction.Permuter
	test     bool // whether the permuter should test more states
	// Scratch space.
	state      []model.Value
	sums, own  []uint32 // the colours of a state, and of a half
	targets    []int    // indices of successors that may need a permutation
	targetSums []uint32 // their colours
}

// halvesMove returns false: a target need not be a representative.
func (p *permutationExpander) halvesMove() bool { return false }

func (p *permutationExpander) orbitSize(id StateID) (n uint64, known bool) {
	p.sum(id)
	return p.quotient.FullSize(), p.ascends()
}

func (p *permutationExpander) expand(states []StateID, asleep []Sleep, x *successors, out *Expansion) error {
	p.after = p.after[:0]
	err := p.w.expandEach(states, x, out, func(i int, h halves) error {
		if p.test {
			var err error
			p.w.Vector(states[i], p.state)
			if p.test, err = p.permuter.Test(p.state); err != nil {
				return err
			}
		}
		if p.sleepTags {
			return p.expandTagged(p.w, i, h, asleep, x, out)
		}
		return p.environment.expand(p.w, h, x, out)
	})
	p.w.numberMissing(p.w.root, x)
	p.represent(x)
	out.Asleep = append(out.Asleep, p.after...)
	return err
}

// represent replaces the successors in x by their representatives, and permutes their sleep sets. It has three passes,
// in each of which many memory reads overlap: the colours of the halves; the pairs of the halves of successors that may
// have to be permuted; the
// numbers of these.
func (p *permutationExpander) represent(x *successors) {
	root, touch := p.w.root, uint32(0)
	for _, id := range x.to {
		left, right := intern.Split(id)
		touch += p.touch(left, &p.colours[0]) + p.touch(right, &p.colours[1])
	}
	p.targets, p.targetSums = p.targets[:0], p.targetSums[:0]
	for i, id := range x.to {
		if p.sum(id); p.ascends() {
			continue
		}
		left, right := intern.Split(id)
		touch += root.left.touchPair(left) + root.right.touchPair(right)
		p.targets, p.targetSums = append(p.targets, i), append(p.targetSums, p.sums...)
	}
	p.w.touch = touch
	cut := root.right.first
	for k, i := range p.targets {
		p.w.Vector(x.to[i], p.state)
		p.w.countWork(p.w.width)
		to, by := p.permuter.Represent(p.state, p.targetSums[k*p.processes:(k+1)*p.processes])
		if len(p.after) > 0 {
			p.after[i] = p.sleep.Permute(p.after[i], by)
		}
		if x.large() {
			p.w.numberMissing(root, x)
		}
		left, right := intern.Split(x.to[i])
		left = x.leftValues.addChange(left, p.state[:cut], to[:cut], i)
		right = x.rightValues.addChange(right, p.state[cut:], to[cut:], i)
		x.to[i] = intern.Pair(left, right)
	}
	p.w.numberMissing(root, x)
}

// touch reads from the colours of a half.
func (p *permutationExpander) touch(half uint32, known *intern.Array[colours]) uint32 {
	if at, ok := p.blockOf(half); ok {
		return known.At(at)[0].Load()
	}
	return 0
}

// ascends reports whether the colours in sums ascend.
func (p *permutationExpander) ascends() bool {
	for _, a := range p.ascents {
		if p.sums[a[0]] >= p.sums[a[1]] {
			return false
		}
	}
	return true
}

// sum sets sums to the colours of the processes in a state.
func (p *permutationExpander) sum(id StateID) {
	left, right := intern.Split(id)
	clear(p.sums)
	p.addHalf(p.w.root.left, left, &p.colours[0])
	p.addHalf(p.w.root.right, right, &p.colours[1])
}

// blockOf returns the index of the first block of colours of a half; ok is false if it has no place.
func (p *permutation) blockOf(half uint32) (at uint32, ok bool) {
	n := uint64(half) * uint64(p.blocks)
	return uint32(n), n+uint64(p.blocks) < all
}

// addHalf adds the colours in a half to sums.
func (p *permutationExpander) addHalf(n *node, half uint32, known *intern.Array[colours]) {
	at, stored := p.blockOf(half)
	if !stored {
		p.computeColours(n, half)
		for i, c := range p.own {
			p.sums[i] = (p.sums[i] + c) & colourMask
		}
		return
	}
	for first := 0; first < p.processes; first += len(colours{}) {
		block := known.At(at)
		sums := p.sums[first:min(first+len(block), p.processes)]
		if block[0].Load() == 0 || block[len(sums)-1].Load() == 0 {
			p.computeColours(n, half)
			for i, c := range p.own[first : first+len(sums)] {
				block[i].Store(c | colourKnown)
			}
		}
		for i := range sums {
			sums[i] = (sums[i] + block[i].Load()) & colourMask
		}
		at++
	}
}

// computeColours sets own to the colours in a half.
func (p *permutationExpander) computeColours(n *node, half uint32) {
	n.decode(half, p.state)
	clear(p.own)
	p.permuter.AddColours(n.first, p.state[n.first:n.end], p.own)
}
