package ringcheck

import (
	"context"

	"ringcheck/explore"
	"ringcheck/model/language/ir"
	"ringcheck/prob"
	"ringcheck/prob/exchange"
)

// A processed is an instance of a spec that was explored as a process, with all its transitions.
type processed struct {
	*Prepared
	asked  prob.Protocol
	mdp    *prob.MDP   // nil if the search did not come to its end
	goals  []prob.Goal // in the order of those asked
	stored Count       // states
	ending Ending
}

// process explores the system for questions about its goals, and rewards.
func (s *System) process(ctx context.Context, rewards []*ir.Reward, opt Options) (*processed, error) {
	p, err := s.Prepare(ctx, opt)
	if err != nil {
		return nil, err
	}
	goals := s.protocol.Goals
	for _, goal := range goals {
		if err := symmetricGoal(p.System, goal); p.Searched != p.System && err != nil {
			return nil, &RequestError{Err: err}
		}
	}
	x := &processed{
		Prepared: p,
		asked:    prob.Protocol{System: p.System, Searched: p.Searched, Actions: p.Actions, Goals: goals, Rewards: rewards},
	}
	var result *explore.Result
	if x.mdp, x.goals, result, err = x.asked.Process(ctx, p.Search); err != nil {
		return nil, boundError(err)
	}
	x.stored = Count(result.Stored)
	x.ending, err = p.Ending(result)
	return x, err
}

// goalLabel returns the name by which a goal is known in a file: the word for it, or "goal" for an expression.
func goalLabel(until string) string {
	for _, c := range until {
		if !(c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			return "goal"
		}
	}
	if until == UntilTerminal {
		return "goal"
	}
	return until
}

// readProcess reads a process in one of the formats of package exchange; nil if it did not come to the end of the file,
// which e then says.
func (e *Ending) readProcess(ctx context.Context, file string, o *Options) (*prob.MDP, []Warning, error) {
	m, assumed, err := exchange.Read(ctx, file, o.budget())
	var warnings []Warning
	for _, text := range assumed {
		if o.Strict {
			return nil, nil, refuse("strict", "", "%s: %s", file, text)
		}
		warnings = append(warnings, Warning{file, text})
	}
	if err == nil {
		e.Complete = true
	} else if err = e.Stop(ctx, err); err != nil {
		err = &RequestError{Err: err}
	}
	return m, warnings, err
}
