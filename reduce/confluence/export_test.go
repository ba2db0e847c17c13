package confluence

import (
	"fmt"
	"slices"
	"strings"
)

// Verdicts returns what was found out so far, "A1, send right M: true" and so on: what processes do on their own as it
// is in the text, what they receive with the steps that are composed with it.
func (p *Prioritized) Verdicts() []string {
	var all []string
	add := func(t transition, confluent bool) {
		outcomes, err := p.sys.OwnOutcomes(t.local)
		if t.stimulus != own {
			outcomes, err = p.sys.ReceiveOutcomes(t.local, t.stimulus.source, t.stimulus.message)
		}
		var actions []string
		for i := range outcomes {
			if text := p.sys.ActionName(outcomes[i].Action); !slices.Contains(actions, text) {
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
	for t, confluent := range p.after.verdicts {
		if t.stimulus != own {
			add(t, confluent)
		}
	}
	return all
}
