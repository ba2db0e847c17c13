package cluster

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"ringcheck/cmd/ringcheck-beam/level"
)

// The counters show on a runner's own pages how far a pipeline has come. They count attempts, so they count repeated
// work again; the counts of a search are in its manifests.
var (
	expandedStates = beam.NewCounter(counterNamespace, "expanded_states") // stored states
	transitions    = beam.NewCounter(counterNamespace, "transitions")     // of the full system
	newStates      = beam.NewCounter(counterNamespace, "new_states")      // of the full system
	shuffledBytes  = beam.NewCounter(counterNamespace, "shuffled_bytes")  // of blocks of states
	newBytes       = beam.NewCounter(counterNamespace, "new_bytes")       // of the files of new states
	levels         = beam.NewCounter(counterNamespace, "levels")
)

const counterNamespace = "ringcheck"

// countPart counts the result of a task or of the merge of a shard.
func countPart(ctx context.Context, p *level.Part) {
	expandedStates.Inc(ctx, int64(p.Expanded))
	transitions.Inc(ctx, int64(p.Transitions))
	newStates.Inc(ctx, int64(p.Found))
	shuffledBytes.Inc(ctx, int64(p.ShuffledBytes))
	if p.New != nil {
		newBytes.Inc(ctx, int64(p.New.Bytes))
	}
}
