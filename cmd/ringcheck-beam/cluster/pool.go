package cluster

import (
	"context"
	"fmt"
	"net"
	"sync"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"github.com/spf13/cobra"
	"google.golang.org/grpc"
)

// A pool starts workers in this process on request of a runner. It differs from the pool in Beam's SDK in two ways: a
// runner on another machine can reach it, and a worker replaces another one of the same name. Runners number their
// workers, so a runner that was restarted asks for names that the pool has had before.
type pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer
	root context.Context

	mu      sync.Mutex
	workers map[string]context.CancelFunc
}

// servePool serves a pool at a listener until ctx ends.
func servePool(ctx context.Context, l net.Listener) error {
	server := grpc.NewServer()
	fnpb.RegisterBeamFnExternalWorkerPoolServer(server, &pool{root: ctx, workers: map[string]context.CancelFunc{}})
	defer context.AfterFunc(ctx, server.Stop)()
	if err := server.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// StartWorker implements fnpb.BeamFnExternalWorkerPoolServer.
func (p *pool) StartWorker(_ context.Context, req *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	logging, control := req.GetLoggingEndpoint(), req.GetControlEndpoint()
	if logging.GetUrl() == "" || control.GetUrl() == "" {
		missing := fmt.Sprintf("worker %q: an endpoint is missing", req.GetWorkerId())
		return &fnpb.StartWorkerResponse{Error: missing}, nil
	}
	ctx, cancel := context.WithCancel(grpcx.WriteWorkerID(p.root, req.GetWorkerId()))
	var opts harness.Options
	if url := req.GetProvisionEndpoint().GetUrl(); url != "" {
		if info, err := tools.ProvisionInfo(ctx, url); err == nil { // otherwise the defaults suffice
			opts.StatusEndpoint = info.GetStatusEndpoint().GetUrl()
			opts.RunnerCapabilities = info.GetRunnerCapabilities()
		}
	}
	p.replace(req.GetWorkerId(), cancel)
	// The runner notices a failure of the worker, because their connection ends.
	go func() { _ = harness.MainWithOptions(ctx, logging.GetUrl(), control.GetUrl(), opts) }()
	return new(fnpb.StartWorkerResponse), nil
}

// StopWorker implements fnpb.BeamFnExternalWorkerPoolServer.
func (p *pool) StopWorker(_ context.Context, req *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	p.replace(req.GetWorkerId(), nil)
	return new(fnpb.StopWorkerResponse), nil
}

// replace ends the worker of a name, and records how to end its successor unless that is nil.
func (p *pool) replace(name string, cancel context.CancelFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if before, ok := p.workers[name]; ok {
		before()
		delete(p.workers, name)
	}
	if cancel != nil {
		p.workers[name] = cancel
	}
}

// workerCommand returns the command that starts workers on request of a runner.
func workerCommand() *cobra.Command {
	var host string
	var port int
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Work for a runner that asks for it at a port of this machine (--environment_type EXTERNAL)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			quiet()
			l, err := net.Listen("tcp", net.JoinHostPort(host, fmt.Sprint(port)))
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), l.Addr())
			return servePool(cmd.Context(), l)
		},
	}
	cmd.Flags().StringVar(&host, "host", "localhost",
		"listen at the address `HOST`: whoever reaches it can start workers")
	cmd.Flags().IntVar(&port, "port", 0, "listen at port `N` (default: one that is free)")
	return cmd
}
