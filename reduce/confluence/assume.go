package confluence

import (
	"errors"
	"fmt"
	"sync/atomic"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce/internal/partial"
)

// ErrAssumption is the cause of a fault in a state where Options.Assume does not hold.
var ErrAssumption = errors.New("the assumption does not hold")

// An Assumption says which two messages a process does not find in one channel, so that they make no diamond. What the
// search meets is checked: Next returns a *model.Fault where a process finds two of them and their order matters.
type Assumption struct {
	invariant *ir.Property // nil: no two
	used      atomic.Bool
}

// NoConflict returns the assumption that a process never finds two messages in one channel of which one can be
// received confluently, as far as everything else is concerned, but the order of the two would matter.
func NoConflict() *Assumption { return &Assumption{} }

// Invariant returns the assumption that an invariant holds in all reachable states. It keeps two messages apart if it
// is false in every state in which a process in a certain local state has both of them in a channel, whatever the rest
// of the state. Whether it holds is for the caller to check in the states that the search meets.
func Invariant(p *ir.Property) *Assumption { return &Assumption{invariant: p} }

// String names the assumption.
func (a *Assumption) String() string {
	if a.particular() {
		return "the assumption " + a.invariant.Name
	}
	return "the assumption"
}

// Used reports whether the invariant has kept any two messages apart.
func (a *Assumption) Used() bool { return a.used.Load() }

// Blanket reports whether any two messages are kept apart, false for nil.
func (a *Assumption) Blanket() bool { return a != nil && a.invariant == nil }

// particular reports whether it depends on the messages and on the local state.
func (a *Assumption) particular() bool { return a != nil && a.invariant != nil }

// keepsApart reports whether another message m cannot be in the channel that t receives from.
func (a *Assumption) keepsApart(by *analysis, t transition, m uint32) bool {
	if !a.particular() {
		return a.Blanket()
	}
	protocol := by.sys.Protocol()
	part := partial.State{
		Local:    by.sys.Seen(t.local),
		Messages: []ir.Content{by.sys.Message(t.stimulus.message), by.sys.Message(m)},
	}
	for part.Process = range protocol.N {
		part.Link = protocol.InLink(part.Process, t.stimulus.source)
		if part.Link >= 0 && !partial.Excludes(protocol, a.invariant.Body, part) {
			return false
		}
	}
	a.used.Store(true)
	return true
}

// check returns a fault if a process in local state l that receives from a channel with the given contents
// meets two messages whose order the assumption rules out.
func (a *analysis) check(role compile.Role, l, contents model.Value) error {
	if role.Kind != compile.Receives || a.fifo {
		return nil
	}
	for m := range a.sys.Messages(contents) {
		t := transition{l, stimulus{role.Port, m}}
		if !a.verdict(t).confluent {
			continue
		}
		for other := range a.sys.Messages(contents) {
			if other == m {
				continue
			}
			if why := a.ruledOut(t, stimulus{role.Port, other}); why != "" {
				return &model.Fault{
					Process: role.Process,
					Cause:   ErrAssumption,
					Message: fmt.Sprintf("%s does not hold: process %d in %s finds two messages in its channel from %s, and their order matters: receiving %s, %s",
						a.assume, role.Process, a.formatLocal(l), a.sys.Protocol().FormatPort(role.Port), a.sys.Message(m), why),
				}
			}
		}
	}
	return nil
}

// ruledOut says why t does not commute with the receipt of another message, "" if it does.
func (a *analysis) ruledOut(t transition, y stimulus) string {
	a.mu.Lock()
	o := a.behaviour.offer(t.local, t.stimulus)
	step, _ := o.certain()
	c := check{analysis: a, t: t, step: step}
	closes := c.against(y)
	a.mu.Unlock()
	if !closes {
		return c.reason
	}
	for _, d := range c.needs {
		if !a.verdict(d).confluent {
			return "then " + a.format(d) + ", which is not confluent"
		}
	}
	return ""
}

// A Checked is a system that is explored as it is, with the assumption checked on every state: a proof of it.
type Checked struct {
	*compile.System
	after *analysis
}

// Check returns sys with the assumption NoConflict checked: Next returns a *model.Fault where it does not
// hold.
func Check(sys *compile.System) *Checked {
	return &Checked{sys, newAnalysis(sys, composed{compiled{sys}, newTails(sys, Options{})}, Options{Assume: NoConflict()})}
}

// Next implements model.System.
func (c *Checked) Next(g int, in []model.Value, out *model.Successors) error {
	role := c.Role(g)
	if err := c.after.check(role, in[role.Self], in[role.Channel]); err != nil {
		return err
	}
	return c.System.Next(g, in, out)
}
