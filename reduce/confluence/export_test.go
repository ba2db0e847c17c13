package confluence

import (
	"fmt"
	"slices"
	"strings"

	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// Verdicts returns the verdicts so far, like "A1, send right M: true": on actions that a process takes on its own as
// they are in the text, and on receives with the steps composed with them.
func (p *PrioritizedSystem) Verdicts() []string {
	var all []string
	add := func(t transition, confluent bool) {
		outcomes, err := p.sys.OwnOutcomes(t.local)
		if t.trigger != own {
			outcomes, err = p.sys.ReceiveOutcomes(t.local, t.trigger.source, t.trigger.message)
		}
		var actions []string
		for i := range outcomes {
			if text := actionName(p.sys, outcomes[i].Action); !slices.Contains(actions, text) {
				actions = append(actions, text)
			}
		}
		if err == nil && len(actions) > 0 {
			point := p.sys.Protocol().PointNames()[p.sys.Local(t.local).Point.ID]
			all = append(all, fmt.Sprintf("%s: %s: %t", point, strings.Join(actions, " or "), confluent))
		}
	}
	for t, confluent := range p.tails.analysis.verdicts {
		add(t, confluent)
	}
	for t, confluent := range p.analysis.verdicts {
		if t.trigger != own {
			add(t, confluent)
		}
	}
	return all
}

// actionName describes an action without the values that it carries: "send right M", "recv left M", "skip", "leader".
func actionName(sys *compile.System, action uint32) string {
	a, _ := sys.Action(sys.ActionLabel(action, 0))
	switch {
	case a.Kind == model.SendAction:
		return fmt.Sprintf("send %s %s", sys.Protocol().FormatPort(a.Port), a.Message.Message.Name)
	case a.Kind == model.ReceiveAction:
		return fmt.Sprintf("recv %s %s", sys.Protocol().FormatPort(a.Port), a.Message.Message.Name)
	case a.Kind == model.EventAction:
		return a.Event.Name
	case a.Set != nil:
		return "set " + a.Set.Name
	}
	return "skip"
}

// LimitDependencies sets the number of transitions that a verdict may depend on, until a function is called.
func LimitDependencies(n int) (restore func()) {
	before := maxDependencies
	maxDependencies = n
	return func() { maxDependencies = before }
}
