package confluence

import (
	"errors"
	"fmt"

	"ringcheck/model"
	"ringcheck/model/compile"
)

// ErrAssumption is the cause of a fault in a state where the assumption of Options.Assume does not hold.
var ErrAssumption = errors.New("the assumption does not hold")

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
					Message: fmt.Sprintf("the assumption does not hold: process %d in %s finds two messages in its channel from %s, and their order matters: receiving %s, %s",
						role.Process, a.formatLocal(l), a.sys.Protocol().FormatPort(role.Port), a.sys.Message(m), why),
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

// Check returns sys with the assumption of Options.Assume checked: Next returns a *model.Fault where it does not
// hold.
func Check(sys *compile.System) *Checked {
	return &Checked{sys, newAnalysis(sys, composed{compiled{sys}, newTails(sys)}, true)}
}

// Next implements model.System.
func (c *Checked) Next(g int, in []model.Value, out *model.Successors) error {
	role := c.Role(g)
	if err := c.after.check(role, in[role.Self], in[role.Channel]); err != nil {
		return err
	}
	return c.System.Next(g, in, out)
}
