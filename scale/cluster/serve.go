package cluster

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"github.com/spf13/cobra"
)

// workerCommand returns the command that starts workers on request of a runner.
func workerCommand() *cobra.Command {
	var port int
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Work for a runner that asks for it at a port of this machine (--environment_type EXTERNAL)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			quiet()
			pool, err := extworker.StartLoopback(cmd.Context(), port)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), pool.EnvironmentConfig(cmd.Context()))
			<-cmd.Context().Done()
			return nil
		},
	}
	cmd.Flags().IntVar(&port, "port", 0, "listen at port `N` (default: one that is free)")
	return cmd
}

// prismCommand returns the command that runs Prism as a server.
func prismCommand() *cobra.Command {
	var port int
	cmd := &cobra.Command{
		Use:   "prism",
		Short: "Serve as a runner on this machine (--runner universal --endpoint HOST:PORT)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			quiet()
			if _, err := prism.CreateJobServer(cmd.Context(), prism.Options{Port: port}); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "localhost:%d\n", port)
			<-cmd.Context().Done()
			return nil
		},
	}
	cmd.Flags().IntVar(&port, "port", 8073, "listen at port `N`")
	return cmd
}

// IsWorker reports whether the arguments are those of a worker started by a runner (--environment_type PROCESS).
func IsWorker(args []string) bool { return argument(args, "provision_endpoint") != "" }

// Work runs a worker until the runner stops it.
func Work(ctx context.Context, args []string) error {
	quiet()
	ctx = grpcx.WriteWorkerID(ctx, argument(args, "id")) // without it no service answers
	info, err := tools.ProvisionInfo(ctx, argument(args, "provision_endpoint"))
	if err != nil {
		return err
	}
	return harness.MainWithOptions(ctx, info.GetLoggingEndpoint().GetUrl(), info.GetControlEndpoint().GetUrl(),
		harness.Options{StatusEndpoint: info.GetStatusEndpoint().GetUrl(), RunnerCapabilities: info.GetRunnerCapabilities()})
}

// argument returns the value of --name=value without quotes, "" if absent.
func argument(args []string, name string) string {
	for _, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			return strings.Trim(value, "'\"")
		}
	}
	return ""
}
