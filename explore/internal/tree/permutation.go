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
// representatives. The colours of the processes in a part of a state are the sums of those in its halves, and are
// computed once. Often they show that a successor is a representative, and nearly always how to permute it.
type permutation struct {
	quotient    reduction.Permutation
	sleep       reduction.PermutedSleep
	sleepTags   bool // whether tags are reduction.SleepTags
	ascents     [][2]int
	environment *environment                   // its marks are unused with sleep tags
	words       int                            // of the colours of a part
	colours     []*intern.Array[atomic.Uint64] // by node: the colours of parts, by number; 0 if unknown
}

// colourKnown is set in all colours that were computed.
const colourKnown = 1 << 63

// usePermutation makes s a store of this case, if sys is a quotient by permutations.
func (s *Store) usePermutation(ctx context.Context, sys model.System, tagger Tagger) bool {
	q, ok := model.As[reduction.Permutation](sys)
	if !ok || s.width < 2 {
		return false
	}
	p := &permutation{
		quotient: q, ascents: q.Ascents(), sleep: q.Sleep(), sleepTags: tagger == nil,
		words: reduction.ColourWords(q.Colours()),
	}
	s.plant(ctx, q.FullSystem(p.sleepTags), s.height(), nil)
	p.environment = newEnvironment(s.source.groups)
	s.source.tag, s.source.tagBits, s.source.omitRepeated = labelTag, wide, p.sleepTags
	if !p.sleepTags {
		s.source.tag = p.environment.tagger(&s.source, s.source.distinctChoices(tagger))
		s.source.tagBits = narrow
	}
	s.sleeps = p.sleepTags && len(p.sleep.Shares) > 0
	for range s.nodes {
		p.colours = append(p.colours, new(intern.Array[atomic.Uint64]))
		s.caseArrays = append(s.caseArrays, p.colours[len(p.colours)-1])
	}
	s.newExpander = func(w *Worker) expander {
		return &permutationExpander{
			permutation: p, taggedSleep: taggedSleep{sets: &p.sleep.SleepSets, acts: p.environment.acts}, w: w,
			permuter: q.Permuter(), test: true, state: make([]model.Value, s.width),
			sums: make([]reduction.Colours, p.words), zero: make([]reduction.Colours, p.words),
		}
	}
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
	sums       []reduction.Colours // the colours of a state
	targets    []int               // indices of successors that may need a permutation
	targetSums []reduction.Colours // their colours
	partial    []reduction.Colours // those of parts that are being computed
	zero       []reduction.Colours
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
	if !p.sleepTags {
		out.Permutations = append(out.Permutations[:0], make([]uint32, len(x.to))...)
	}
	p.represent(x, out.Permutations)
	out.Asleep = append(out.Asleep, p.after...)
	return err
}

// represent replaces the successors in x by their representatives, and permutes their sleep sets. It has three passes,
// in each of which many memory reads overlap: the colours of the halves; the pairs of the halves of successors that may
// have to be permuted; the numbers of these.
//
// It sets the permutations of successors, which were the identity, unless permutations is empty.
func (p *permutationExpander) represent(x *successors, permutations []uint32) {
	root, touch := p.w.root, uint32(0)
	for _, id := range x.to {
		left, right := intern.Split(id)
		touch += p.touch(root.left, left) + p.touch(root.right, right)
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
		to, by := p.permuter.Represent(p.state, p.targetSums[k*p.words:(k+1)*p.words])
		if len(p.after) > 0 {
			p.after[i] = p.sleep.Permute(p.after[i], by)
		}
		if len(permutations) > 0 {
			permutations[i] = by
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

// touch reads from the colours of a part of n.
func (p *permutationExpander) touch(n *node, part uint32) uint32 {
	if at, ok := p.firstWord(part); ok {
		return uint32(p.colours[n.id].At(at).Load())
	}
	return 0
}

// firstWord returns the index of the first word of the colours of a part; ok is false if it has none.
func (p *permutation) firstWord(part uint32) (at uint32, ok bool) {
	n := uint64(part) * uint64(p.words)
	return uint32(n), n+uint64(p.words) < all
}

// ascends reports whether the colours in sums ascend.
func (p *permutationExpander) ascends() bool {
	for _, a := range p.ascents {
		if reduction.Colour(p.sums, a[0]) >= reduction.Colour(p.sums, a[1]) {
			return false
		}
	}
	return true
}

// sum sets sums to the colours in a state.
func (p *permutationExpander) sum(id StateID) {
	left, right := intern.Split(id)
	clear(p.sums)
	p.addColours(p.w.root.left, left, p.sums)
	p.addColours(p.w.root.right, right, p.sums)
}

// addColours adds the colours in a part of n to sums.
func (p *permutationExpander) addColours(n *node, part uint32, sums []reduction.Colours) {
	if n.leaf() {
		if !n.empty() {
			for i, c := range p.permuter.ColoursOf(n.first, part) {
				sums[i] = sums[i].Plus(c)
			}
		}
		return
	}
	at, stored := p.firstWord(part)
	if !stored {
		left, right := n.children(part)
		p.addColours(n.left, left, sums)
		p.addColours(n.right, right, sums)
		return
	}
	known := p.colours[n.id]
	for i := range sums {
		c := known.At(at + uint32(i)).Load()
		if c == 0 {
			c = p.computeColours(n, part, known, at, i)
		}
		sums[i] = sums[i].Plus(reduction.Colours(c &^ colourKnown))
	}
}

// computeColours computes the colours in a part of n and stores them. It returns word i.
func (p *permutationExpander) computeColours(
	n *node, part uint32, known *intern.Array[atomic.Uint64], at uint32, i int,
) uint64 {
	first := len(p.partial)
	p.partial = append(p.partial, p.zero...)
	own := p.partial[first:]
	left, right := n.children(part)
	p.addColours(n.left, left, own)
	p.addColours(n.right, right, own)
	p.partial = p.partial[:first]
	for k, c := range own {
		known.At(at + uint32(k)).Store(uint64(c) | colourKnown)
	}
	return uint64(own[i]) | colourKnown
}
