package symmetry_test

import (
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/reduce/symmetry"
)

// seeds returns how many of the random specs to try: a quarter without RINGCHECK_TEST.
func seeds(all uint64) uint64 {
	if testlevel.Gate() {
		return all
	}
	return all / 4
}

// skipLarge skips the rest of a test without RINGCHECK_TEST if sys is not small.
func skipLarge(t *testing.T, sys model.System) {
	t.Helper()
	limit := uint64(20_000)
	if testing.Short() {
		limit = 3_000
	}
	if !testlevel.Gate() && !systemtest.Run(t, sys, explore.Options{MaxStates: limit}).Complete() {
		t.Skip("large")
	}
}

// open compiles a spec of the catalogue; settings are like "n=3 k=2".
func open(t testing.TB, name, settings string) *compile.System {
	t.Helper()
	return spectest.Compile(t, spectest.Open(t, name, settings))
}

// rotation returns the quotient of a system that has one.
func rotation(t testing.TB, sys model.System) *symmetry.Quotient {
	t.Helper()
	q, err := symmetry.Rotation(t.Context(), sys)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// compiled compiles a spec given as text.
func compiled(t testing.TB, source string, settings map[string]string) *compile.System {
	t.Helper()
	return spectest.Compile(t, spectest.Instantiate(t, source, settings))
}
