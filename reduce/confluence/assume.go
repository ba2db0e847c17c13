package confluence

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// ErrAssumption is the cause of a model error in a state that violates Options.NoConflict.
var ErrAssumption = errors.New("the assumption does not hold")

// check returns a model error if a process in local state l finds two messages in a channel with the given contents
// whose order of receipt matters.
func (a *analysis) check(role compile.Role, l, contents model.Value) error {
	if role.Kind != compile.Receives || a.channel.First {
		return nil
	}
	for m := range a.sys.Messages(contents) {
		t := transition{l, trigger{role.Port, m}}
		if !a.confluent(t) {
			continue
		}
		for other := range a.sys.Messages(contents) {
			if other == m || a.commutes(t, trigger{role.Port, other}) {
				continue
			}
			return &model.Error{
				Process: role.Process,
				Cause:   ErrAssumption,
				Message: fmt.Sprintf("%v: process %d in %s finds two messages in its channel from %s, "+
					"and their order matters: %s and %s",
					ErrAssumption, role.Process, a.sys.FormatSlot(a.sys.SlotOfProcess(0), l),
					a.sys.Protocol().FormatPort(role.Port), a.sys.Message(m), a.sys.Message(other)),
			}
		}
	}
	return nil
}

// commutes reports whether t, confluent under the assumption, commutes with the receipt of another message.
func (a *analysis) commutes(t transition, y trigger) bool {
	a.mu.Lock()
	o := a.behaviour.offer(t.local, t.trigger)
	step, _ := o.certain()
	c := check{analysis: a, t: t, step: step}
	closes := c.commutesWith(y)
	a.mu.Unlock()
	return closes && !slices.ContainsFunc(c.needs, func(d transition) bool { return !a.confluent(d) })
}

// A CheckedSystem is an unreduced system that checks the assumption in every state. Exploring it proves the assumption.
type CheckedSystem struct {
	*compile.System
	analysis *analysis
	tails    *tails
}

// Check returns sys with a Next that returns a *model.Error where the assumption of Options.NoConflict does not hold.
// Only Options.Equal of opt matters.
func Check(sys *compile.System, opt Options) *CheckedSystem {
	opt = Options{NoConflict: true, Equal: opt.Equal}
	t := newTails(sys, opt)
	return &CheckedSystem{sys, newAnalysis(sys, composedBehaviour{compiledBehaviour{sys}, t}, opt), t}
}

// Next implements model.System.
func (c *CheckedSystem) Next(g int, in []model.Value, out *model.Successors) error {
	role := c.Role(g)
	err := c.analysis.check(role, in[role.Self], in[role.Channel])
	if err = cmp.Or(err, c.tails.analysis.checkEqual(), c.analysis.checkEqual()); err != nil {
		return err
	}
	return c.System.Next(g, in, out)
}
