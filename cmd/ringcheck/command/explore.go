package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// exploration is the sub-command explore.
type exploration struct {
	*app
	protocol protocol
	search   search
	reduce   reduction
	output   output
	dump     dump
	kept     kept
	json     bool
}

func (a *app) exploreCommand() *cobra.Command {
	e := &exploration{app: a}
	cmd := &cobra.Command{
		Use:   "explore SPEC | --resume DIR",
		Short: "Count the states and transitions of a protocol",
		Long: "Count the reachable states, the transitions and the terminal states of a protocol, breadth first.\n" +
			"SPEC is the name of a built-in protocol (see ringcheck specs) or the path of a .ring file; with it,\n" +
			"--help lists its parameters and options too.",
		Example: "  ringcheck explore franklin -n 4 -k 2\n" +
			"  ringcheck explore my.ring -n 3 --json\n" +
			"  ringcheck explore franklin -n 2 -k 2 --no-bits --out franklin.aut\n" +
			"  ringcheck explore franklin -n 6 -k 2 --mem 512MiB --store run6\n" +
			"  ringcheck explore --resume run6\n" +
			"  ringcheck explore franklin -n 6 -k 2 --store run6 --resume",
		RunE: runE(e.run),
	}
	e.protocol.stored = e.kept.stored
	e.protocol.register(a, cmd)
	e.search.register(cmd)
	e.reduce.register(cmd)
	e.output.register(cmd)
	e.dump.register(cmd)
	e.kept.register(cmd)
	cmd.Flags().BoolVar(&e.json, "json", false, "write one JSON object to standard output, and nothing else there")
	return cmd
}

func (e *exploration) run(cmd *cobra.Command) error {
	flags := cmd.Flags()
	showing := e.output.path != "" || e.dump.wanted(flags)
	err := cmp.Or(e.search.validate(flags), e.dump.validate(flags), e.output.validate(), e.reduce.validate(showing),
		e.kept.validate(flags, &e.reduce, showing))
	if err != nil {
		return err
	}
	if e.dump.wanted(flags) && e.output.path != "" {
		return wrongRequestf("--dump-level stops before there is anything to write with --out: give one of them")
	}
	if showing && e.reduce.kind == onthefly {
		e.search.workers = 1 // which state represents others can depend on the order in which they are met
	}
	if e.kept.resume != "" {
		if err := e.adopt(flags); err != nil {
			return err
		}
	}
	p, err := e.protocol.instantiate()
	if err != nil {
		return err
	}
	e.warn(e.protocol.spec)
	sys, err := e.search.system(p)
	if err != nil {
		return wrongRequest(err)
	}
	ctx, cancel := e.search.limit(cmd.Context())
	defer cancel()
	small, err := e.reduce.apply(ctx, sys)
	if err != nil {
		return err
	}
	if e.dump.wanted(flags) {
		return e.show(ctx, p, small)
	}
	if err := e.kept.open(); err != nil {
		return err
	}
	err = e.count(ctx, p, small)
	return cmp.Or(err, e.kept.close())
}

// count explores everything and reports the numbers.
func (e *exploration) count(ctx context.Context, p *ir.Protocol, sys *reduced) error {
	result, err := e.generate(ctx, p, sys)
	if result == nil {
		return searchError(err)
	}
	r := newReport(p, result, &e.reduce, sys.InternalStates())
	if err != nil {
		r.Complete, r.Stopped = false, "output"
	}
	if err := e.publish(r, r.text()+e.explanation(sys)); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	return e.verdict(ctx, sys, result)
}

// generate explores sys, and writes it to --out if that is given.
func (e *exploration) generate(ctx context.Context, p *ir.Protocol, sys *reduced) (*explore.Result, error) {
	opt, done := e.options(sys.System)
	defer done()
	if e.kept.db != nil {
		about, err := e.account(p)
		if err != nil {
			return nil, err
		}
		opt.Store = e.kept.db
		if opt.About, err = json.Marshal(about); err != nil {
			return nil, err
		}
	}
	if e.output.path != "" {
		return e.output.write(ctx, sys.System, opt)
	}
	return explore.Run(ctx, sys.System, sys.watch(opt))
}

// options returns the options of a search that shows its progress until done is called.
func (e *exploration) options(sys model.System) (opt explore.Options, done func()) {
	opt = e.search.options()
	e.note("%d slots, %d transition groups; a budget of %s", len(sys.Slots()), len(sys.Groups()), humanize.IBytes(opt.Memory))
	if e.quiet {
		return opt, func() {}
	}
	p := newProgress(e.stderr)
	opt.Progress, opt.ProgressEvery = p.show, p.every
	return opt, p.clear
}

// show prints some states of a level.
func (e *exploration) show(ctx context.Context, p *ir.Protocol, sys *reduced) error {
	opt, done := e.options(sys.System)
	states := newPrinter(sys.System)
	level, result, err := e.dump.collect(ctx, states, opt)
	done()
	if err != nil {
		return searchError(err)
	}
	if result.Complete() && level.Count == 0 {
		return wrongRequestf("--dump-level %d: the last level is %d", level.Level, len(result.Levels)-1)
	}
	level.Spec, level.Params, level.Options = p.Name, p.Params, p.Options
	if err := e.publish(level, level.text(states)); err != nil {
		return err
	}
	return e.verdict(ctx, sys, result)
}

// explanation returns what --explain asks for. With --json it goes to standard error.
func (e *exploration) explanation(sys *reduced) string {
	if !e.reduce.explain {
		return ""
	}
	text := verdictText(sys.Verdicts())
	if e.json {
		fmt.Fprint(e.stderr, text)
	}
	return text
}

// publish prints a result in the form that is asked for.
func (e *exploration) publish(v any, text string) error {
	if e.json {
		return e.printJSON(v)
	}
	return e.print(text)
}

// verdict returns nil if the search came to its end, else why not.
func (e *exploration) verdict(ctx context.Context, sys *reduced, r *explore.Result) error {
	f, state, err := sys.broken(r)
	switch {
	case err != nil:
		return err
	case f != nil:
		f.rendered += sys.runTo(ctx, state, e.search.options())
		return f
	case r.Complete():
		if sys.useless(&e.reduce) && !e.quiet {
			fmt.Fprintf(e.stderr, "ringcheck: --assume %s made no difference: it keeps no two messages of a channel apart\n", e.reduce.assume)
		}
		return nil
	case r.Stop == explore.DiskFailure:
		return stopped(fmt.Errorf("stopped before the end: %w%s", r.Failure, e.kept.hint(r.Failure)))
	case r.Stop != explore.Faulted:
		return stopped(fmt.Errorf("stopped before the end: %v%s", r.Stop, e.kept.hint(nil)))
	}
	f = faultFailure(r.Fault)
	f.rendered = describe(f) + sys.runTo(ctx, r.FaultState, e.search.options())
	return f
}
