package explore

import (
	"context"
	"fmt"

	"ringcheck/model"
)

// A Space is what a search leaves that keeps its states by level, at 8 bytes each, to go back from them.
type Space struct {
	search *search
	result *Result
}

// Keep is Run, but for the levels that it keeps. The caller closes the Space.
func Keep(ctx context.Context, sys model.System, opt Options) (*Space, error) {
	s, err := start(ctx, sys, opt, true)
	if err != nil {
		return nil, err
	}
	return &Space{search: s, result: s.result()}, nil
}

// Result returns what the search found.
func (s *Space) Result() *Result { return s.result }

// Close gives the memory back.
func (s *Space) Close() { s.search.storage.close() }

// Path returns a shortest run to a state of the given level; the same one whatever the number of workers.
func (s *Space) Path(ctx context.Context, state []model.Value, level int) ([]Move, error) {
	if level > len(s.result.Levels) {
		return nil, fmt.Errorf("search for a run: level %d was not reached", level)
	}
	return s.search.backward(ctx, state, level)
}
