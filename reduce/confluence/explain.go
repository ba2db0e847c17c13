package confluence

import (
	"cmp"
	"slices"
	"strings"
)

// A Verdict is what was found out about the transitions of one kind at one control point.
type Verdict struct {
	Point     string // as model.System.FormatSlot calls it
	Action    string // "recv left M", "send right M", "skip"
	Confluent bool
	// Count is how many there are: different local states, and different messages.
	Count int
	// Example is one of them, in full, and Reason why it is confluent or not.
	Example string
	Reason  string
}

// Verdicts returns what was found out so far about the transitions that a search has come across, and about
// those that they depend on, in the order of control points. What processes do on their own is looked at
// as it is in the text, what they receive with the steps that are composed with it.
func (p *Prioritized) Verdicts() []Verdict {
	e := explainer{Prioritized: p, names: p.sys.Protocol().PointNames(), rows: make(map[rowKey]*Verdict)}
	for t, v := range p.tails.analysis.known() {
		e.add(t, v)
	}
	for t, v := range p.after.known() {
		if t.stimulus != own {
			e.add(t, v)
		}
	}
	return e.sorted()
}

// known returns the verdicts so far.
func (a *analysis) known() map[transition]verdict {
	a.mu.RLock()
	defer a.mu.RUnlock()
	known := make(map[transition]verdict, len(a.verdicts))
	for t, v := range a.verdicts {
		known[t] = v
	}
	return known
}

// An explainer collects verdicts.
type explainer struct {
	*Prioritized
	names []string
	rows  map[rowKey]*Verdict
}

type rowKey struct {
	point     int
	action    string
	confluent bool
}

func (e *explainer) add(t transition, v verdict) {
	action := e.action(t)
	if action == "" {
		return // nothing is possible
	}
	key := rowKey{e.sys.Local(t.local).Point.ID, action, v.confluent}
	row := e.rows[key]
	if row == nil {
		row = &Verdict{Point: e.names[key.point], Action: action, Confluent: v.confluent}
		e.rows[key] = row
	}
	row.Count++
	if example := e.after.format(t); row.Count == 1 || example < row.Example {
		row.Example, row.Reason = example, v.reason
	}
}

// action describes what t does, without values.
func (e *explainer) action(t transition) string {
	outcomes, err := e.sys.OwnOutcomes(t.local)
	if t.stimulus != own {
		outcomes, err = e.sys.ReceiveOutcomes(t.local, t.stimulus.source, t.stimulus.message)
	}
	if err != nil {
		return "fault"
	}
	var texts []string
	for i := range outcomes {
		if text := e.sys.ActionName(outcomes[i].Action); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " or ")
}

func (e *explainer) sorted() []Verdict {
	keys := make([]rowKey, 0, len(e.rows))
	for k := range e.rows {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b rowKey) int {
		confluent := func(k rowKey) int {
			if k.confluent {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.point, b.point), cmp.Compare(a.action, b.action),
			cmp.Compare(confluent(a), confluent(b)))
	})
	all := make([]Verdict, len(keys))
	for i, k := range keys {
		all[i] = *e.rows[k]
	}
	return all
}
