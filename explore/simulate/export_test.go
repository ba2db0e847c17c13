package simulate

import (
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// State returns a copy of the whole state.
func (r *Run) State() *step.State {
	s := &step.State{Shared: slices.Clone(r.shared), Faults: r.Faults()}
	for p := range r.protocol.N {
		l := r.Local(p)
		s.Processes = append(s.Processes, ir.Local{Point: l.Point, Env: slices.Clone(l.Env)})
	}
	for link := range r.protocol.NumberOfLinks() {
		all := view{r}.Channel(link)
		for i := range all {
			all[i].Args = slices.Clone(all[i].Args)
		}
		s.Channels = append(s.Channels, all)
	}
	return s
}

// Text describes the last step.
func (r *Run) Text() string { return r.machine.Label(r.Last, r.Process).Text }

// Choices returns the number of choices of a run with a Uniform schedule.
func (r *Run) Choices() uint32 { return r.choices() }

// Choose takes choice i.
func (r *Run) Choose(i uint32) error {
	r.draws, r.writes, r.age, r.position = r.draws[:0], r.writes[:0], 0, 0
	return r.choose(i)
}
