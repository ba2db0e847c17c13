package confluence_test

import (
	"context"
	"testing"

	"ringcheck/explore"
	"ringcheck/model"
)

func count(t testing.TB, sys model.System, workers int) *explore.Result {
	t.Helper()
	r, err := explore.Run(context.Background(), sys, explore.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Complete() {
		t.Fatalf("stopped: %v %v", r.Stop, r.Fault)
	}
	return r
}
