package command

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
)

// A Cluster is an engine that explores on several machines. Its program handles specs, flags, signals, reports and exit
// statuses as ringcheck does.
type Cluster interface {
	// Register adds the flags that set where and how to explore.
	Register(flags *pflag.FlagSet)
	// Explore, Check and Counterexample are the calls of ringcheck, on the cluster. An error that is a
	// *ringcheck.RequestError is the caller's mistake. An error that wraps ringcheck.ErrIncomplete stopped the search.
	Explore(ctx context.Context, sys *ringcheck.System, search ringcheck.Search) (*ringcheck.Report, error)
	Check(
		ctx context.Context, sys *ringcheck.System, properties []string, search ringcheck.Search,
	) (*ringcheck.Report, error)
	Counterexample(
		ctx context.Context, sys *ringcheck.System, properties []string, search ringcheck.Search,
	) (*ringcheck.Run, *ringcheck.Report, error)
	// Commands returns further sub-commands. Their errors are the caller's mistakes unless classified otherwise.
	Commands() []*cobra.Command
}

// ClusterMain is Main for a cluster's program.
func ClusterMain(name string, c Cluster, args []string, stdout, stderr io.Writer) (status int) {
	p := program{name: name, short: "Model checking of protocols on small networks, on several machines"}
	p.subcommands = func(a *app) []*cobra.Command {
		own := []*cobra.Command{a.clusterExploreCommand(c), a.clusterCheckCommand(c), a.clusterCounterexampleCommand(c)}
		return append(own, c.Commands()...)
	}
	return p.main(args, stdout, stderr)
}

// clusterFlags adds the flags of a search on a cluster.
func (j *job) clusterFlags(c Cluster) func(cmd *cobra.Command) {
	return func(cmd *cobra.Command) {
		flags := cmd.Flags()
		flags.Uint64Var(&j.search.opt.MaxStates, "max-states", 0, "stop at the end of a level when `N` states are "+
			"stored (default: no limit)")
		j.protocol.register(cmd)
		j.search.deadline(cmd)
		j.search.growth(cmd)
		j.search.symmetry(cmd)
		c.Register(flags)
	}
}

func (a *app) clusterExploreCommand(c Cluster) *cobra.Command {
	e := &exploration{job: a.job()}
	return e.command("cluster_explore", e.on(func(ctx context.Context, sys *ringcheck.System) error {
		r, err := c.Explore(ctx, sys, e.options())
		if err != nil {
			return err
		}
		return e.conclude(ctx, r, nil)
	}), e.clusterFlags(c), e.asJSON)
}

func (a *app) clusterCheckCommand(c Cluster) *cobra.Command {
	v := &verification{job: a.job()}
	return v.command("cluster_check", v.on(func(ctx context.Context, sys *ringcheck.System) error {
		r, err := c.Check(ctx, sys, v.search.checks.Properties, v.options())
		if err != nil {
			return err
		}
		return v.conclude(ctx, r)
	}), v.clusterFlags(c), v.search.properties, v.results, v.asJSON)
}

func (a *app) clusterCounterexampleCommand(c Cluster) *cobra.Command {
	r := &refutation{drawing: drawing{job: a.job()}}
	return r.job.command("cluster_counterexample", r.work(func(cmd *cobra.Command) error {
		return r.refute(cmd.Context(), []ringcheck.Set{r.protocol.given},
			func(ctx context.Context, sys *ringcheck.System, search ringcheck.Search) (
				*ringcheck.Run, *ringcheck.Report, error) {
				return c.Counterexample(ctx, sys, r.search.checks.Properties, search)
			})
	}, r.drawing.validate), r.clusterFlags(c), r.search.properties, r.drawing.register)
}
