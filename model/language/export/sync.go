package export

import (
	"fmt"
	"strconv"
	"strings"

	"ringcheck/model/language/ir"
)

// A receipt is a step of a process that receives a message over a synchronous channel.
type receipt struct {
	from *ir.Point
	step *step
}

// listReceipts lists the receipts over synchronous channels.
func (e *promela) listReceipts() {
	if !e.Channel.Sync {
		return
	}
	if e.Reading() != nil {
		refuse("%v: synchronous channels cannot be exported with shared variables or reads of registers of others",
			e.ChannelPos)
	}
	e.receipts = make(map[int][]receipt)
	for process := range e.N {
		e.eachStep(e, process, func(at *ir.Point, s *step) {
			if s.receives() {
				e.receipts[s.link] = append(e.receipts[s.link], receipt{at, s})
			}
		})
	}
}

// meet writes a send of a process over a synchronous channel, with each receipt of its message, and returns the
// number of receipts. Receipts alone are no steps.
func (e *promela) meet(process int, at *ir.Point, s *step) (written int) {
	to := e.Links[max(0, s.link)].To
	if !s.sends() || to == process {
		return 0
	}
	for _, r := range e.receipts[s.link] {
		same, possible := e.matches(s, r.step)
		if !possible {
			continue
		}
		if e.meetings++; e.meetings > maxSteps {
			refuse("there are more than %d steps of two processes", maxSteps)
		}
		guards := append([]string{fmt.Sprintf("pc_%d == %s", process, e.point(at))}, s.guards...)
		guards = append(append(guards, fmt.Sprintf("pc_%d == %s", to, e.point(r.from))), r.step.guards...)
		guards = append(guards, same...)
		effects := append(s.assignments(e, at, process), r.step.assignments(e, r.from, to)...)
		effects = append(effects, fmt.Sprintf("pc_%d = %s", process, e.point(s.at)),
			fmt.Sprintf("pc_%d = %s", to, e.point(r.step.at)))
		e.line("  :: d_step { (%s) -> %s } /* %s; %s */", strings.Join(guards, " && "), strings.Join(effects, "; "),
			e.describe(s), e.describe(r.step))
		written++
	}
	return written
}

// matches returns the conditions under which a receipt takes the message of a send. If possible is false, it never
// does. The fields that are received are constants.
func (e *promela) matches(send, received *step) (same []string, possible bool) {
	if send.action.(*ir.Send).Message != received.action.(*ir.Receive).Message {
		return nil, false
	}
	for i, arg := range send.args {
		want := received.args[i]
		if _, err := strconv.ParseInt(arg, 10, 64); arg == want || err == nil {
			if arg != want {
				return nil, false
			}
			continue
		}
		same = append(same, fmt.Sprintf("%s == %s", arg, want))
	}
	return same, true
}
