package tree

import (
	"sync"
	"unsafe"

	"ringcheck/internal/intern"
	"ringcheck/model"
)

// tagOf returns the tag of transition i of those that the system was asked for last, of group g: who makes it. For a search
// that counts, that is the class of the group. A stepped store keeps the number of the whole step.
func (w *Worker) tagOf(g, i int) uint32 {
	if w.steps == nil {
		return w.classOf[g]
	}
	return w.steps.number(Step{g, w.out.Step(i)})
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
