package refinement

import (
	"fmt"
	"slices"
)

// A Model is a kind of behaviour that the specification must permit.
type Model int

// The models.
const (
	// WeakTrace compares the sequences of visible labels of runs.
	WeakTrace Model = iota
	// Trace compares the sequences of all labels, where τ is a label like any other.
	Trace
	// Failures compares the weak traces, and the failures: a weak trace to a stable state, which has no τ, with a set
	// of labels that it refuses.
	Failures
	// FailuresDivergences compares failures and divergences: weak traces to a state from which τ's can follow for ever.
	// After a divergence of the specification, everything is permitted.
	FailuresDivergences
)

// names are the names of the models.
var names = []string{"weak-trace", "trace", "failures", "failures-divergences"}

// Names returns the names of the models, the default first.
func Names() []string { return slices.Clone(names) }

func (m Model) String() string { return names[m] }

// Parse returns the model with a name.
func Parse(name string) (Model, error) {
	i := slices.Index(names, name)
	if i < 0 {
		return 0, fmt.Errorf("there is no model %q", name)
	}
	return Model(i), nil
}

// hides reports whether τ's do not count.
func (m Model) hides() bool { return m != Trace }

// refuses reports whether failures are compared.
func (m Model) refuses() bool { return m >= Failures }
