package cluster

import (
	"context"
	"strings"
	"testing"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
)

// TestPool checks that a worker ends when another one of its name starts or when it is stopped, and that a request
// without endpoints is refused.
func TestPool(t *testing.T) {
	p := &pool{root: t.Context(), workers: make(map[string]context.CancelFunc)}
	nowhere := &pipepb.ApiServiceDescriptor{Url: "localhost:1"}
	for _, req := range []*fnpb.StartWorkerRequest{
		{WorkerId: "a"}, {WorkerId: "a", ControlEndpoint: nowhere}, {WorkerId: "a", LoggingEndpoint: nowhere},
	} {
		if r, err := p.StartWorker(t.Context(), req); err != nil || !strings.Contains(r.Error, `worker "a"`) {
			t.Errorf("%v: %v, %v", req, r, err)
		}
	}
	if len(p.workers) != 0 {
		t.Errorf("%d workers", len(p.workers))
	}
	first, endFirst := context.WithCancel(t.Context())
	second, endSecond := context.WithCancel(t.Context())
	p.replace("a", endFirst)
	if p.replace("b", endSecond); first.Err() != nil {
		t.Error("a worker ended when one of another name started")
	}
	full := &fnpb.StartWorkerRequest{WorkerId: "a", ControlEndpoint: nowhere, LoggingEndpoint: nowhere}
	if r, err := p.StartWorker(t.Context(), full); err != nil || r.Error != "" || first.Err() == nil {
		t.Errorf("%v, %v: the earlier worker: %v", r, err, first.Err())
	}
	for _, name := range []string{"b", "a", "never started"} {
		if r, err := p.StopWorker(t.Context(), &fnpb.StopWorkerRequest{WorkerId: name}); err != nil || r.Error != "" {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	if second.Err() == nil || len(p.workers) != 0 {
		t.Errorf("a stopped worker: %v; %d workers", second.Err(), len(p.workers))
	}
}
