package explore_test

import (
	"fmt"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/systemtest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
)

// twoPhase is the two-phase commit protocol as in the specification TwoPhase of J. Gray and L. Lamport, Consensus on
// Transaction Commit (2006), a common calibration model: n resource managers, a transaction manager, and
// messages, none of which is ever taken away. There is no ring in it.
//
// Slots: the state of the transaction manager, the set of managers that it knows to be prepared, its
// decisions sent; then for each resource manager its state and whether it has sent "prepared".
type twoPhase struct{ n int }

const (
	tmState = iota
	tmPrepared
	decisions
	firstManager
)

// States of the managers; a transaction manager is working until it has decided.
const (
	working model.Value = iota
	prepared
	committed
	aborted
)

// Decisions sent, as bits.
const (
	commitSent model.Value = 1 << iota
	abortSent
)

func (p twoPhase) rmState(i int) int    { return firstManager + 2*i }
func (p twoPhase) rmPrepared(i int) int { return firstManager + 2*i + 1 }

// The groups of the transaction manager, then those of each resource manager.
const (
	tmCommit = iota
	tmAbort
	managerGroups
)

const (
	tmReceive = iota
	rmPrepare
	rmAbort
	rmDecide
	groupsPerManager
)

func (p twoPhase) Slots() []model.Slot { return make([]model.Slot, firstManager+2*p.n) }

func (p twoPhase) Groups() []model.Group {
	groups := []model.Group{
		{Name: "TMCommit", Slots: []int{tmState, tmPrepared, decisions}},
		{Name: "TMAbort", Slots: []int{tmState, decisions}},
	}
	for i := range p.n {
		groups = append(groups,
			model.Group{Name: "TMRcvPrepared", Slots: []int{tmState, tmPrepared, p.rmPrepared(i)}},
			model.Group{Name: "RMPrepare", Slots: []int{p.rmState(i), p.rmPrepared(i)}},
			model.Group{Name: "RMChooseToAbort", Slots: []int{p.rmState(i)}},
			model.Group{Name: "RMRcvDecision", Slots: []int{decisions, p.rmState(i)}})
	}
	return groups
}

func (p twoPhase) Initial(yield func([]model.Value) bool) error {
	yield(make([]model.Value, len(p.Slots())))
	return nil
}

func (p twoPhase) Next(g int, in []model.Value, out *model.Successors) error {
	add := func(values ...model.Value) {
		copy(out.Add(model.Step{Label: model.Label(g), Weight: model.Certain}), values)
	}
	switch {
	case g == tmCommit:
		if in[0] == working && in[1] == 1<<p.n-1 {
			add(committed, in[1], in[2]|commitSent)
		}
		return nil
	case g == tmAbort:
		if in[0] == working {
			add(aborted, in[1]|abortSent)
		}
		return nil
	}
	manager, action := (g-managerGroups)/groupsPerManager, (g-managerGroups)%groupsPerManager
	switch action {
	case tmReceive:
		if in[0] == working && in[2] == 1 {
			add(in[0], in[1]|1<<manager, in[2])
		}
	case rmPrepare:
		if in[0] == working {
			add(prepared, 1)
		}
	case rmAbort:
		if in[0] == working {
			add(aborted)
		}
	case rmDecide:
		if in[0]&commitSent != 0 {
			add(in[0], committed)
		}
		if in[0]&abortSent != 0 {
			add(in[0], aborted)
		}
	}
	return nil
}

func (p twoPhase) Label(l model.Label) model.LabelInfo {
	return model.LabelInfo{Text: p.Groups()[l].Name, Process: -1, Slot: -1}
}

func (p twoPhase) FormatSlot(_ int, v model.Value) string { return fmt.Sprint(v) }

// TestTwoPhaseCommit: the number of states, which other tools publish, and that never one manager commits and
// another aborts (TCConsistent).
func TestTwoPhaseCommit(t *testing.T) {
	for n, states := range map[int]uint64{3: 288, 5: 8_832, 7: 296_448, 9: 10_340_352} {
		if n > 7 && !testlevel.Gate() {
			continue
		}
		p := twoPhase{n}
		r := systemtest.Run(t, p, explore.Options{Match: p.inconsistent})
		if !r.Complete() || r.States != states {
			t.Errorf("%d resource managers: %v, %d states, want %d", n, r.Stop, r.States, states)
		}
	}
}

func (p twoPhase) inconsistent(_ int, state []model.Value) bool {
	commits, aborts := false, false
	for i := range p.n {
		commits = commits || state[p.rmState(i)] == committed
		aborts = aborts || state[p.rmState(i)] == aborted
	}
	return commits && aborts
}
