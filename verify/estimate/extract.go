package estimate

import (
	"context"
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/replay"
	"ringcheck/reduce"
	"ringcheck/verify"
	"ringcheck/view"
)

// Limits of the excerpt that is drawn of a run of a large system.
const (
	drawnProcesses = 8
	drawnSteps     = 100
	maxCulprits    = 4 // processes whose past is drawn
)

// An extract is a replayed run with the causes of the violation at its end.
type extract struct {
	protocol *ir.Protocol
	property *ir.Property
	end      replay.Condition

	schedule    *replay.Run
	causes      []replay.Cause
	last        *replay.State
	why         *verify.Witness
	past        *replay.Past
	receiptStep []int // by step: the step that receives its message, counted from 1; 0 if none does
	all         bool  // whether all of the run is drawn
}

// take replays a run and explains the violation at its end.
func (x *extract) take(ctx context.Context, schedule *replay.Run) (err error) {
	x.schedule = schedule
	if x.causes, x.last, err = schedule.Causes(ctx); err != nil {
		return err
	}
	shown, err := x.end.Holds(x.last)
	if err == nil && !shown {
		err = fmt.Errorf("replaying: %s is not violated in the last state", x.property.Name)
	}
	if err != nil {
		return err
	}
	if x.why, err = verify.ExplainView(x.protocol, x.property, x.last, x.last.Sets()); err != nil {
		return err
	}
	x.past = replay.NewPast(x.causes, x.protocol.N, x.culprits())
	x.receiptStep = make([]int, len(x.causes))
	for i, c := range x.causes {
		if c.Sender > 0 {
			x.receiptStep[c.Sender-1] = i + 1
		}
	}
	return nil
}

// culprits returns the processes that make the property false: the ones that it counts, or all that it depends on if
// they are few, or else the last one that acted.
func (x *extract) culprits() []int {
	var all []int
	for _, s := range x.why.Sums {
		all = append(all, s.Nodes...)
	}
	if len(all) == 0 && len(x.why.Processes) <= maxCulprits {
		all = x.why.Processes
	}
	for i := len(x.causes) - 1; i >= 0 && len(all) == 0; i-- {
		if p := x.causes[i].Process; p >= 0 {
			all = append(all, int(p))
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), maxCulprits)]
}

// draw replays the run again and draws some processes: their steps in the past of the culprits, and the messages
// between them.
func (x *extract) draw(ctx context.Context, sys *reduce.System) (*view.Run, error) {
	processes := x.participants()
	x.all = processes != nil
	if !x.all {
		processes = x.past.Chosen(drawnProcesses)
	}
	slices.Sort(processes)
	drawn, count := make([]bool, len(x.causes)), 0
	for i := len(x.causes) - 1; i >= 0 && count < drawnSteps; i-- {
		if drawn[i] = x.drawable(i, processes); drawn[i] {
			count++
		}
	}
	picture, err := view.Excerpt(ctx, x.protocol, x.schedule, processes, drawn)
	if err != nil {
		return nil, err
	}
	found := &verify.Run{Property: x.property, Moves: make([]model.Move, 1+len(x.causes))}
	run := &view.Run{Name: sys.Name, Title: sys.Title(), Property: x.property.Name, Excerpt: picture,
		Steps: len(x.causes), Why: x.reasons()}
	run.Finding = found.Finding(true)
	if count < len(x.causes) {
		const text = "; drawn are %d of these steps, of %d of %d processes"
		run.Finding += fmt.Sprintf(text, count, len(processes), x.protocol.N)
	}
	return run, nil
}

// participants returns the processes that act or are sent messages; nil if they are too many, or the run is too long,
// to draw them all.
func (x *extract) participants() []int {
	if len(x.causes) > drawnSteps {
		return nil
	}
	var all []int
	for _, d := range x.schedule.Steps {
		if d.Process >= 0 {
			all = append(all, d.Process)
		}
		if d.Message.Message != nil {
			all = append(all, x.protocol.Link(d.Link(x.protocol)).To)
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) > drawnProcesses {
		return nil
	}
	return all
}

// drawable reports whether step i is drawn: it is in the past of the culprits, and its process is drawn, as is that at
// the other end of its message, if it has one.
func (x *extract) drawable(i int, processes []int) bool {
	draws := func(p int32) bool { return p >= 0 && slices.Contains(processes, int(p)) }
	c := x.causes[i]
	if x.all {
		return x.schedule.Steps[i].Kind != model.TickAction
	}
	if !x.past.Steps[i] || !draws(c.Process) {
		return false
	}
	switch x.schedule.Steps[i].Kind {
	case model.ReceiveAction:
		return c.Sender > 0 && draws(x.causes[c.Sender-1].Process)
	case model.SendAction:
		at := x.receiptStep[i] - 1
		return at >= 0 && x.past.Steps[at] && draws(x.causes[at].Process)
	case model.SyncAction:
		return draws(c.Receiver - 1)
	case model.Internal, model.EventAction, model.FaultAction, model.CrashAction, model.RecoverAction,
		model.TickAction: // no other step belongs to it
	}
	return true
}

// reasons says, line by line, what makes the property false.
func (x *extract) reasons() []string {
	lines, points := x.why.Lines(), x.protocol.PointNames()
	for _, p := range x.culprits() {
		lines = append(lines, fmt.Sprintf("  %-20s %s", x.protocol.ProcessName(p), points[x.last.Local(p).Point.ID]))
	}
	return lines
}
