package command

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
)

// A Cluster is an engine that explores on several machines. It is a program of its own, with what it needs, which takes specs,
// flags and signals, and reports and ends, as ringcheck does.
type Cluster interface {
	// Register adds the flags that say where and how to explore.
	Register(flags *pflag.FlagSet)
	// Explore is ringcheck.Explore, on the cluster. An error that is a *ringcheck.RequestError is the caller's mistake; one that
	// wraps ringcheck.ErrIncomplete stopped the search.
	Explore(ctx context.Context, sys *ringcheck.System, opt ringcheck.Options) (*ringcheck.Report, error)
	// Commands returns further sub-commands. Their errors are the caller's mistakes, unless they say something else.
	Commands() []*cobra.Command
}

// ClusterMain is Main for the program of a cluster.
func ClusterMain(name string, c Cluster, args []string, stdout, stderr io.Writer) (status int) {
	p := program{name: name, short: "Model checking of leader-election protocols on several machines"}
	p.subcommands = func(a *app) []*cobra.Command {
		return append([]*cobra.Command{a.clusterExploreCommand(name, c)}, c.Commands()...)
	}
	return p.main(args, stdout, stderr)
}

// clusterExploration is the sub-command explore of a cluster.
type clusterExploration struct {
	exploration
	cluster Cluster
}

func (a *app) clusterExploreCommand(name string, c Cluster) *cobra.Command {
	e := &clusterExploration{exploration: exploration{form: form{app: a}}, cluster: c}
	cmd := &cobra.Command{
		Use:   "explore SPEC",
		Short: "Count the states and transitions of a protocol",
		Long: "Count the reachable states, the transitions and the terminal states of a protocol, breadth first, on several\n" +
			"machines. SPEC is the name of a built-in protocol or the path of a .ring file; with it, --help lists its\n" +
			"parameters and options too.",
		Example: "  " + name + " explore franklin -n 4 -k 2 --dir run42 --shards 16",
		RunE:    runE(e.run),
	}
	e.protocol.register(a, cmd)
	flags := cmd.Flags()
	flags.DurationVar(&e.search.timeout, "timeout", 0, "stop after duration `D`, such as 90s or 2h (default: no limit)")
	flags.Uint64Var(&e.search.opt.MaxStates, "max-states", 0, "stop at the end of a level when `N` states are stored (default: no limit)")
	noFiles(cmd, "timeout", "max-states")
	e.search.registerGrowth(cmd)
	c.Register(flags)
	e.form.register(cmd)
	return cmd
}

func (e *clusterExploration) run(cmd *cobra.Command) error {
	if err := e.search.validate(cmd.Flags()); err != nil {
		return err
	}
	sys, err := e.protocol.system()
	if err != nil {
		return err
	}
	e.warn(sys.Spec)
	ctx, cancel := e.search.limit(cmd.Context())
	defer cancel()
	watch := newProgress(e.app)
	r, err := e.cluster.Explore(ctx, sys, e.search.options(watch))
	watch.clear()
	if err != nil {
		return err
	}
	if err := e.publish(r, exploreText(r)); err != nil {
		return err
	}
	return e.verdict(ctx, r)
}
