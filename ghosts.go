package ringcheck

import (
	"context"
	"errors"

	"ringcheck/explore"
)

// WithoutGhosts returns an instance of a spec without its ghosts and properties: it does the same otherwise.
func (s *System) WithoutGhosts() (*System, error) {
	if s.protocol == nil || !s.protocol.HasGhosts() {
		return s, nil
	}
	p, err := s.Spec.WithoutGhosts(s.given)
	if err != nil {
		return nil, err
	}
	return &System{Name: s.Name, Spec: s.Spec, given: s.given, protocol: p}, nil
}

// maxGhostly is up to how many stored states the system is searched once more without its ghosts.
const maxGhostly = 1 << 20

// countWithoutGhosts sets how many states there would be without the ghosts of the spec, which tells what they cost, after a
// complete search. A ghost changes nothing but itself, so that there is a state of that system for each state but for the ghosts.
// There is no such number for large systems, where an invariant is assumed, or if there is no time for it.
func (t *task) countWithoutGhosts(ctx context.Context, r *explore.Result, c *Counts) error {
	if t.sys.protocol == nil || !t.sys.protocol.HasGhosts() || !r.Complete() || r.Stored > maxGhostly || t.invariant != nil {
		return nil
	}
	bare, err := t.sys.WithoutGhosts()
	if err != nil {
		return err
	}
	opt := t.opt
	opt.Store, opt.About, opt.Progress, opt.Log = nil, nil, nil, nil
	other, err := prepare(ctx, bare, opt)
	if err != nil {
		return ignoreIncomplete(err)
	}
	found, err := explore.Run(ctx, other.target, other.options())
	if err != nil {
		return ignoreIncomplete(err)
	}
	if found.Complete() {
		c.StatesWithoutGhosts = new(Count(found.States))
	}
	return nil
}

func ignoreIncomplete(err error) error {
	if errors.Is(err, ErrIncomplete) {
		return nil
	}
	return err
}
