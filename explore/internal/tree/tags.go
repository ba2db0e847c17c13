package tree

import (
	"sync"
	"unsafe"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// Every move of a part has a tag: who makes it. For a search that counts, that is the class of its group, in a byte. A
// stepped store keeps the number of the whole step, in a word.

// tagOf returns the tag of transition i of those that the system was asked for last, of group g.
func (w *Worker) tagOf(g, i int) uint32 {
	if w.steps == nil {
		return w.classOf[g]
	}
	return w.steps.number(Step{g, w.out.Step(i)})
}

// tag returns the tag of move i of a part.
func (s *Store) tag(f *facts, i int) uint32 {
	if s.steps != nil {
		return f.tags[i]
	}
	return f.tags[i/4] >> (i % 4 * 8) & 0xff
}

// appendTags appends the tags of moves as facts has them.
func (s *Store) appendTags(run, tags []uint32) []uint32 {
	if s.steps != nil {
		return append(run, tags...)
	}
	for i, tag := range tags {
		if i%4 == 0 {
			run = append(run, 0)
		}
		run[len(run)-1] |= tag << (i % 4 * 8)
	}
	return run
}

// wordsOf returns how many words some moves take with their tags.
func (s *Store) wordsOf(moves int) int {
	if s.steps != nil {
		return 2 * moves
	}
	return moves + (moves+3)/4
}

// movesIn is the inverse of wordsOf.
func (s *Store) movesIn(words int) int {
	if s.steps != nil {
		return words / 2
	}
	return words * 4 / 5
}

// A Step is a step of one group.
type Step struct {
	Group int
	model.Step
}

// Steps numbers the steps that it meets. It is safe for concurrent use.
type Steps struct {
	mu      sync.RWMutex
	numbers map[Step]uint32
	steps   intern.Array[Step]
}

// At returns the step with a number that a worker gave as a tag.
func (s *Steps) At(number uint32) *Step { return s.steps.At(number) }

func (s *Steps) number(step Step) uint32 {
	s.mu.RLock()
	n, ok := s.numbers[step]
	s.mu.RUnlock()
	if ok {
		return n
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, ok = s.numbers[step]; !ok {
		n = uint32(len(s.numbers))
		*s.steps.At(n) = step
		s.numbers[step] = n
	}
	return n
}

// stepBytes is what a step takes in Steps, an estimate.
const stepBytes = 4 * int64(unsafe.Sizeof(Step{}))

func (s *Steps) bytes() int64 {
	if s == nil {
		return 0
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return stepBytes * int64(len(s.numbers))
}
