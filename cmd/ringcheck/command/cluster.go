package command

import (
	"cmp"
	"context"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
)

// A Cluster is an engine that explores on several machines. It is a program of its own, with what it needs, which takes
// specs, flags and signals, and reports and ends, as ringcheck does.
type Cluster interface {
	// Register adds the flags that say where and how to explore.
	Register(flags *pflag.FlagSet)
	// Explore, Check and Counterexample are those of ringcheck, on the cluster. An error that is a
	// *ringcheck.RequestError is the caller's mistake; one that wraps ringcheck.ErrIncomplete stopped the search.
	Explore(ctx context.Context, sys *ringcheck.System, opt ringcheck.Options) (*ringcheck.Report, error)
	Check(ctx context.Context, sys *ringcheck.System, opt ringcheck.Options) (*ringcheck.Report, error)
	Counterexample(
		ctx context.Context, sys *ringcheck.System, opt ringcheck.Options,
	) (*ringcheck.Run, *ringcheck.Report, error)
	// Commands returns further sub-commands. Their errors are the caller's mistakes, unless they say something else.
	Commands() []*cobra.Command
}

// ClusterMain is Main for the program of a cluster.
func ClusterMain(name string, c Cluster, args []string, stdout, stderr io.Writer) (status int) {
	p := program{name: name, short: "Model checking of leader-election protocols on several machines"}
	p.subcommands = func(a *app) []*cobra.Command {
		own := []*cobra.Command{a.clusterExploreCommand(c), a.clusterCheckCommand(c), a.clusterCounterexampleCommand(c)}
		return append(own, c.Commands()...)
	}
	return p.main(args, stdout, stderr)
}

// registerClustered gives cmd the flags of a search on a cluster.
func (s *search) registerClustered(cmd *cobra.Command, c Cluster) {
	flags := cmd.Flags()
	flags.DurationVar(&s.timeout, "timeout", 0, "stop after duration `D`, such as 90s or 2h (default: no limit)")
	flags.Uint64Var(&s.opt.MaxStates, "max-states", 0, "stop at the end of a level when `N` states are stored "+
		"(default: no limit)")
	s.registerGrowth(cmd)
	s.registerSymmetry(cmd)
	c.Register(flags)
}

func (a *app) clusterExploreCommand(c Cluster) *cobra.Command {
	e := &exploration{job: a.job()}
	cmd := a.command("cluster_explore", e.on(func(ctx context.Context, sys *ringcheck.System) error {
		r, err := searching(&e.job, func(opt ringcheck.Options) (*ringcheck.Report, error) {
			return c.Explore(ctx, sys, opt)
		})
		if err != nil {
			return err
		}
		return cmp.Or(e.publish(r, exploreText(r)), e.verdict(ctx, r))
	}))
	e.protocol.register(a, cmd)
	e.search.registerClustered(cmd, c)
	e.form.register(cmd)
	return cmd
}

func (a *app) clusterCheckCommand(c Cluster) *cobra.Command {
	v := &verification{job: a.job()}
	cmd := a.command("cluster_check", v.on(func(ctx context.Context, sys *ringcheck.System) error {
		return v.decide(ctx, func(opt ringcheck.Options) (*ringcheck.Report, error) { return c.Check(ctx, sys, opt) })
	}))
	v.protocol.register(a, cmd)
	v.search.registerClustered(cmd, c)
	v.search.registerProperties(cmd, &v.protocol)
	v.registerResults(cmd)
	v.form.register(cmd)
	return cmd
}

func (a *app) clusterCounterexampleCommand(c Cluster) *cobra.Command {
	r := &refutation{drawing: drawing{job: a.job()}}
	cmd := a.command("cluster_counterexample", r.on(func(ctx context.Context, sys *ringcheck.System) error {
		s := &searched{Steps: []string{}}
		found, err := r.refute(ctx, s, func(opt ringcheck.Options) (*ringcheck.Run, *ringcheck.Report, error) {
			return c.Counterexample(ctx, sys, opt)
		})
		if found || err != nil {
			return err
		}
		return r.nothing(s)
	}, r.drawing.validate))
	r.protocol.register(a, cmd)
	r.search.registerClustered(cmd, c)
	r.search.registerProperties(cmd, &r.protocol)
	r.drawing.register(cmd)
	return cmd
}
