package command

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ringcheck/bisim"
)

// comparison is the sub-command compare.
type comparison struct {
	equating
	pair pair
}

func (a *app) compareCommand() *cobra.Command {
	c := &comparison{equating: newEquating(a)}
	c.pair = pair{app: a, search: &c.search, visible: &c.visible}
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Say whether two systems are equivalent, and if not, why",
		Long: "Decide whether two systems are equivalent modulo strong, branching or divergence-preserving branching\n" +
			"bisimilarity. If they are not, show a formula that holds in A and not in B, in words too, and a trace that only\n" +
			"one of them can do, where that is enough; both are checked on the two systems first. The exit status is 0 if\n" +
			"they are equivalent, 1 if not.\n\n" +
			"A and B are SPECs or .aut files. Flags apply to both; those of one SPEC only stand behind it, in quotes:\n" +
			"parameters and options, --reduce, --assume and --symmetry. Those in quotes come first.",
		Example: "  ringcheck compare franklin 'franklin --channel fifo' -n 3 -k 2\n" +
			"  ringcheck compare 'franklin --reduce onthefly' franklin -n 3 -k 2\n" +
			"  ringcheck compare mine.aut theirs.aut --equivalence strong",
		RunE: runE(c.run),
	}
	c.pair.register(cmd)
	c.register(cmd)
	return cmd
}

func (c *comparison) run(cmd *cobra.Command) error {
	e, options, err := c.relation.parse(&c.search)
	flags := cmd.Flags()
	if err := cmp.Or(err, c.search.validate(flags)); err != nil {
		return err
	}
	a, b, err := c.pair.subjects(flags, e)
	if err != nil {
		return err
	}
	ctx, cancel := c.search.limit(cmd.Context())
	defer cancel()
	r := &compared{Equivalence: c.relation.equivalence, Algorithm: c.relation.algorithm}
	watch := newWatch(c.app)
	if r.A, err = c.load(ctx, watch, "A", a); err == nil && r.A.system != nil {
		r.B, err = c.load(ctx, watch, "B", b)
	}
	if err != nil {
		return err
	}
	for _, f := range []*found{r.A, r.B} {
		if f.system == nil {
			r.Stopped = f.stopped
			return cmp.Or(c.publish(r), f.failure)
		}
	}
	c.warnUnused(&c.visible)
	return c.compare(ctx, r, e, options)
}

// load makes or reads one of the systems.
func (c *comparison) load(ctx context.Context, watch *watch, which string, s *subject) (*found, error) {
	watch.begin(which + ": " + s.protocol.name)
	defer watch.done()
	return s.load(ctx, watch.options(&c.search))
}

// compare compares and reports.
func (c *comparison) compare(ctx context.Context, r *compared, e bisim.Equivalence, o bisim.Options) error {
	verdict, err := bisim.Compare(ctx, r.A.system, r.B.system, e, o)
	if err != nil {
		var why error
		if r.Stopped, why = contextStop(ctx); ctx.Err() == nil {
			return err
		}
		return cmp.Or(c.publish(r), why)
	}
	r.Complete = true
	r.Equivalent = &verdict.Equivalent
	if !verdict.Equivalent {
		r.formula, r.Formula, r.Trace = verdict.Formula, verdict.Formula.String(), verdict.Trace
		switch {
		case r.Trace == nil:
		case verdict.TraceOfFirst:
			r.TraceOf = "a"
		default:
			r.TraceOf = "b"
		}
	}
	if err := c.publish(r); err != nil || verdict.Equivalent {
		return err
	}
	return violated(fmt.Errorf("not equivalent modulo %s", relationName(r.Equivalence)))
}

// publish prints the report.
func (c *comparison) publish(r *compared) error {
	r.Seconds, r.PeakRSSBytes = c.spent()
	return c.write(r)
}
