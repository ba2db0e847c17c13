package ltl

import (
	"math/bits"
	"slices"
)

// Safety returns a formula that f implies, with weak untils in place of untils: a word violates it if and only if a
// prefix does, whatever follows. It is f itself if f has no until (Sistla, Safety, liveness and fairness in temporal
// logic, Form. Asp. Comput. 6, 1994). It need not be the strongest such formula.
func (f *Formula) Safety() *Formula {
	if f.op == until {
		return WeakUntil(f.args[0].Safety(), f.args[1].Safety())
	}
	if len(f.args) == 0 {
		return f
	}
	return build(f.op, f.args, (*Formula).Safety)
}

// Invariant returns a formula g without operators of time such that f is equivalent to always g; nil if f does not have
// that form.
func (f *Formula) Invariant() *Formula {
	switch f.op {
	case constant:
		return f
	case and:
		parts := make([]*Formula, len(f.args))
		for i, a := range f.args {
			if parts[i] = a.Invariant(); parts[i] == nil {
				return nil
			}
		}
		return And(parts...)
	case release:
		if g := f.args[1]; f.args[0] == False && g.isPropositional() {
			return g
		}
	case literal, or, next, until:
	}
	return nil
}

// isPropositional reports whether f has no operators of time.
func (f *Formula) isPropositional() bool {
	switch f.op {
	case constant, literal:
		return true
	case and, or:
		return !slices.ContainsFunc(f.args, func(a *Formula) bool { return !a.isPropositional() })
	case next, until, release:
	}
	return false
}

// Progress returns the formula that holds of the rest of a word with a given first letter if and only if f holds of the
// word.
func (f *Formula) Progress(letter uint64) *Formula {
	progress := func(g *Formula) *Formula { return g.Progress(letter) }
	switch f.op {
	case constant:
		return f
	case literal:
		return truth((letter>>f.atom&1 == 1) == f.yes)
	case next:
		return f.args[0]
	case until:
		return Or(progress(f.args[1]), And(progress(f.args[0]), f))
	case release:
		return And(progress(f.args[1]), Or(progress(f.args[0]), f))
	}
	return build(f.op, f.args, progress)
}

// States of a Monitor that it never leaves.
const (
	Violated = -1 // no word with the prefix satisfies the formula
	Safe     = -2 // no word with the prefix violates it
)

// Bounds of a Monitor: its states, the states of the automaton that it follows, and the size of the translation.
const (
	maxMonitor = 64
	maxPairs   = 1 << 12
)

// A Monitor is a deterministic automaton that follows the prefixes of a word over some letters.
type Monitor struct {
	Initial int
	States  int
	next    [][]int // by state below States and letter
}

// Next returns the state after a letter, which is given by its index.
func (m *Monitor) Next(state, letter int) int { return m.next[state][letter] }

// NewMonitor returns a monitor of Safety of f for words over some letters; nil if it would be too large. If the
// automaton of the formula is small, the states are the sets of its states that a prefix leads to. Each infinite run of
// that automaton is accepting, so a set that is not empty has an accepted continuation. Otherwise the states are the
// formulas that prefixes leave by Progress. Each word that violates a formula without until has a prefix after which
// False remains (Kupferman and Vardi, Model checking of safety properties, FMSD 19, 2001), but not always the shortest
// prefix that decides it.
func NewMonitor(f *Formula, letters []uint64) *Monitor {
	f = f.Safety()
	if a := translate(f, maxPairs); a != nil && len(a.Edges) <= maxMonitor {
		return newMonitor(1<<a.Initial, letters, func(states, letter uint64) (next uint64, violated bool) {
			next = a.successors(states, letter)
			return next, next == 0
		})
	}
	formulas := map[string]*Formula{f.key: f}
	return newMonitor(f.key, letters, func(key string, letter uint64) (next string, violated bool) {
		g := formulas[key].Progress(letter)
		formulas[g.key] = g
		return g.key, g == False
	})
}

// newMonitor returns the monitor with an initial state and a function that returns the next state.
func newMonitor[S comparable](
	initial S, letters []uint64, after func(state S, letter uint64) (next S, violated bool),
) *Monitor {
	states, numbers := []S{initial}, map[S]int{initial: 0}
	m := &Monitor{}
	for i := 0; i < len(states); i++ {
		if len(states) > maxMonitor {
			return nil
		}
		row := make([]int, len(letters))
		for j, letter := range letters {
			next, violated := after(states[i], letter)
			n, ok := numbers[next]
			switch {
			case violated:
				n = Violated
			case !ok:
				n = len(states)
				states, numbers[next] = append(states, next), n
			}
			row[j] = n
		}
		m.next = append(m.next, row)
	}
	m.States = len(states)
	m.markSafe()
	return m
}

// successors returns the states to which some states lead with a letter.
func (a *Automaton) successors(states, letter uint64) (to uint64) {
	for ; states != 0; states &= states - 1 {
		for _, e := range a.Edges[bits.TrailingZeros64(states)] {
			if e.Guard.Has(letter) {
				to |= 1 << e.To
			}
		}
	}
	return to
}

// markSafe replaces the states from which no letters lead to Violated by Safe.
func (m *Monitor) markSafe() {
	risky := make([]bool, m.States)
	for changed := true; changed; {
		changed = false
		for i, row := range m.next {
			if !risky[i] && slices.ContainsFunc(row, func(to int) bool { return to == Violated || risky[to] }) {
				risky[i], changed = true, true
			}
		}
	}
	for _, row := range m.next {
		for j, to := range row {
			if to >= 0 && !risky[to] {
				row[j] = Safe
			}
		}
	}
	if !risky[0] {
		m.Initial = Safe
	}
}
