package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ringcheck"
	"ringcheck/prob"
	"ringcheck/prob/exchange"
)

// runFile answers questions about a process in a file of another tool.
func (p *probability) runFile(ctx context.Context) error {
	for name := range p.protocol.given {
		return wrongRequestf("-p %s: a file has no parameters", name)
	}
	if p.search.opt.Symmetry.String() != ringcheck.NoSymmetry.String() {
		return wrongRequestf("--symmetry %s: nothing is known of what the states of a file are made of", p.search.opt.Symmetry)
	}
	if p.reduced() {
		return wrongRequestf("--reduce %s: nothing is known of what the states of a file are made of", p.search.opt.Reduction)
	}
	if p.witness != "" {
		return wrongRequestf("--witness %s: a run of a file would have no names", p.witness)
	}
	r := &probable{File: p.protocol.name, until: p.until, Results: []probableResult{}}
	m, err := exchange.Read(ctx, p.protocol.name, p.search.budget())
	if err != nil {
		if err := r.Ending.Stop(ctx, err); err != nil {
			return wrongRequest(err)
		}
		return cmp.Or(p.publish(r), r.Err())
	}
	r.Complete = true
	r.States, r.Choices, r.Branches = ringcheck.Count(m.States()), ringcheck.Count(m.Choices()), ringcheck.Count(m.Branches())
	if r.until, err = p.label(m); err != nil {
		return err
	}
	if err := p.chooseRewards(m); err != nil {
		return err
	}
	goal := prob.Goal{Terminal: r.until == ringcheck.UntilTerminal}
	if l := m.Label(r.until); l != nil {
		goal = prob.Goal{States: l.States}
	}
	return p.answer(ctx, r, m, goal)
}

// label returns the goal: a label of the process, the only one by default.
func (p *probability) label(m *prob.MDP) (string, error) {
	var names []string
	for _, l := range m.Labels {
		names = append(names, l.Name)
	}
	switch {
	case p.until == "" && len(names) == 1:
		return names[0], nil
	case slices.Contains(names, p.until) || p.until == ringcheck.UntilTerminal:
		return p.until, nil
	}
	return "", wrongRequestf("--until %s: want a label of the file: %s", p.until, strings.Join(append(names, ringcheck.UntilTerminal), " or "))
}

// chooseRewards leaves the rewards that --reward names: by default all, unless other things are asked for.
func (p *probability) chooseRewards(m *prob.MDP) error {
	if len(p.rewards) == 0 && p.bounded() {
		m.Rewards = nil
	}
	if len(p.rewards) == 0 {
		return nil
	}
	var chosen []prob.Reward
	for _, name := range p.rewards {
		r := m.Reward(name)
		if r == nil {
			var names []string
			for _, r := range m.Rewards {
				names = append(names, r.Name)
			}
			return wrongRequestf("--reward %s: want a reward of the file: %s", name, strings.Join(names, " or "))
		}
		chosen = append(chosen, *r)
	}
	m.Rewards = chosen
	return nil
}

// goalLabel returns the name by which a goal is known in a file: the word for it, or "goal" for an expression.
func goalLabel(until string) string {
	for _, c := range until {
		if !(c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			return "goal"
		}
	}
	if until == ringcheck.UntilTerminal {
		return "goal"
	}
	return until
}

// writeProcess writes a process to the files that a flag asks for, all or none.
func writeProcess(ctx context.Context, flag, path string, m *prob.MDP, exact bool) error {
	base, files, err := exchange.Write(ctx, path, m, exact)
	if err != nil {
		return wrongRequestf("%s: %w", flag, err)
	}
	var made []*replacement
	defer func() {
		for _, f := range made {
			f.discard()
		}
	}()
	for _, f := range files {
		r, err := replaceFile(base + f.Suffix)
		if err != nil {
			return wrongRequestf("%s: %w", flag, err)
		}
		made = append(made, r)
		if err := f.Write(r); err != nil {
			return stopped(fmt.Errorf("%s: %w", flag, err))
		}
	}
	for len(made) > 0 {
		if err := made[0].commit(); err != nil {
			return stopped(fmt.Errorf("%s: %w", flag, err))
		}
		made = made[1:]
	}
	return nil
}

// exportModules writes the protocol in PRISM's language, if --export asks for that.
func (p *probability) exportModules(ctx context.Context, small *ringcheck.Prepared, until string, asked *prob.Protocol) error {
	if !p.modules() {
		return nil
	}
	search := small.Search
	search.Progress = nil
	err := p.export.save(func(w io.Writer) error { return exchange.WriteLanguage(ctx, w, asked, goalLabel(until), search) })
	if errors.Is(err, exchange.ErrLanguage) {
		return wrongRequestf("--export %s: %w", p.export.path, err)
	}
	return err
}

// attain finds the run of --witness.
func (p *probability) attain(ctx context.Context, r *probable, sys *ringcheck.System) error {
	if p.witness == "" {
		return nil
	}
	q := ringcheck.Quantity{Until: r.until, Reward: "messages", Scheduler: p.witness}
	if len(p.rewards) == 1 {
		q.Reward = p.rewards[0]
	}
	run, err := searching(&p.job, func(opt ringcheck.Options) (*ringcheck.Run, error) { return ringcheck.ExtremeRun(ctx, sys, q, opt) })
	switch {
	case errors.Is(err, prob.ErrChance) || errors.Is(err, prob.ErrNoRun):
		return wrongRequestf("--witness %s: %w", p.witness, err)
	case err != nil && ctx.Err() == nil:
		return err
	}
	if r.run = run; run != nil {
		r.Witness = &witnessed{Reward: q.Reward, Scheduler: q.Scheduler, Length: run.Length(), Lasso: run.Lasso}
	}
	return nil
}
