package command

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// TestCollector checks that the percentage of the start ends with the first collection, and that another one set in the
// meantime stays.
func TestCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(usualPercent))
	t.Setenv("GOGC", "")
	percent := func() int {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return int(sample[0].Value.Uint64())
	}
	c := collector{percent: usualPercent}
	c.start()
	if got := percent(); got != firstPercent {
		t.Errorf("the percentage at the start is %d", got)
	}
	for percent() == firstPercent { // until the cleanup has run
		runtime.GC()
	}
	if got := percent(); got != usualPercent {
		t.Errorf("the percentage after a collection is %d", got)
	}
	c.start()
	c.set(thrifty)
	for range 3 {
		runtime.GC()
	}
	if got := percent(); got != thrifty {
		t.Errorf("the percentage is %d, not the one that was set", got)
	}
}
