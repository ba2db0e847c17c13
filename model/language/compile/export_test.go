package compile

import (
	"fmt"
	"slices"

	"ringcheck/model/language/step"
)

// Forget makes s keep next to nothing of what it has computed.
func (s *System) Forget() {
	forget(&s.locals.cache)
	forget(&s.contents.cache)
	forget(&s.actions.cache)
}

func forget[T any](c *cache[T]) {
	c.most.Store(1)
	c.recent.Store(new(make(recentEntries[T], 2)))
}

// CompareLists compares what a lister lists with the definition, for the own actions and all receipts in every known
// local state. It returns how often the lister has listed something, and how often it could not.
func (s *System) CompareLists() (listed, failed int, err error) {
	compare := func(l *local, arrival *step.Arrival) error {
		fast, ok := s.listAll(l.Local, step.Site{}, arrival)
		if !ok {
			failed++
			return nil
		}
		var alternatives []step.Distribution
		var err error
		if arrival == nil {
			alternatives, err = s.machine.OwnSteps(l.Local, step.Site{Full: step.NeverFull})
		} else {
			alternatives, err = s.machine.Receive(l.Local, step.Site{}, arrival.Source, arrival.Message)
		}
		if err != nil {
			return err
		}
		slow, err := s.outcomesOf(alternatives, l.Point)
		if err != nil || !slices.Equal(fast, slow) {
			return fmt.Errorf("%s: listed %+v, not %+v, %v", s.machine.FormatLocal(l.Local), fast, slow, err)
		}
		listed += len(fast)
		return nil
	}
	for v := range s.locals.len() {
		l := s.locals.at(v)
		if s.reading != nil && (s.reading.own[l.Point.ID] || s.reading.receipts[l.Point.ID]) {
			continue // it depends on others
		}
		if err := compare(l, nil); err != nil {
			return 0, 0, err
		}
		for m := range s.messages.len() {
			for source := range s.layout.ports {
				arrival := &step.Arrival{Source: int64(source), Message: *s.messages.at(m)}
				if err := compare(l, arrival); err != nil {
					return 0, 0, err
				}
			}
		}
	}
	return listed, failed, nil
}

// Rare returns the number of groups whose situations are mostly met once.
func (s *System) Rare() (n int) {
	for i := range s.groups {
		if t := s.groups[i].situations; t != nil && t.rare() {
			n++
		}
	}
	return n
}
