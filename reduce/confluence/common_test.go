package confluence_test

import (
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
)

func count(t testing.TB, sys model.System, workers int) *explore.Result {
	t.Helper()
	r := systemtest.Run(t, sys, explore.Options{Workers: workers})
	if !r.Complete() {
		t.Fatalf("stopped: %v %v", r.Stop, r.ModelError)
	}
	return r
}
