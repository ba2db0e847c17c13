package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/document"
	"ringcheck/internal/machine"
)

// search holds the flags for the limits, resources and reductions of a search.
type search struct {
	opt     ringcheck.Search
	checks  ringcheck.Checks
	memory  byteSize
	workers uint
	timeout time.Duration
}

// limits adds the flags that bound a search.
func (s *search) limits(cmd *cobra.Command) {
	s.means(cmd)
	s.growth(cmd)
	cmd.Flags().Uint64Var(&s.opt.MaxStates, "max-states", 0, "stop when `N` states are stored (default: no limit)")
}

// The default bounds of channels and numbers.
const (
	defaultMaxChannel = 64
	defaultMaxNat     = 1000
)

// growth adds the flags that bound channels and numbers.
func (s *search) growth(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&s.opt.MaxChannel, "max-channel", defaultMaxChannel,
		"stop when a channel holds more than `N` messages")
	flags.Int64Var(&s.opt.MaxNat, "max-nat", defaultMaxNat, "stop when a variable of type nat exceeds `N`")
}

// means adds the flags for time, memory and processors.
func (s *search) means(cmd *cobra.Command) {
	cmd.Flags().UintVar(&s.workers, "workers", 0, "use `N` workers (default: all cores)")
	s.budget(cmd)
	s.deadline(cmd)
}

func (s *search) budget(cmd *cobra.Command) {
	cmd.Flags().Var(&s.memory, "mem", "use at most `SIZE` of memory, such as 4GiB, then spill to disk or, where that "+
		"is not possible, stop (default: 3/4 of the machine's)")
}

func (s *search) deadline(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&s.timeout, "timeout", 0, "stop after duration `D`, such as 90s or 2h (default: no limit)")
}

// reductions adds the flags that reduce the system.
func (s *search) reductions(cmd *cobra.Command) {
	s.reduce(cmd)
	choice(cmd, &s.opt.Assume, "assume", "WHAT", ringcheck.Choices("assume"),
		"to assume, %s: if a process finds several messages in a channel, it does not matter which one it receives "+
			"first; fail in a state where this is false")
	s.symmetry(cmd)
}

func (s *search) reduce(cmd *cobra.Command) {
	choice(cmd, (*string)(&s.opt.Reduction), "reduce", "KIND", ringcheck.Choices("reduce"),
		"of reduction, %s: compose confluent steps, or also store representatives only; the system stays branching "+
			"bisimilar")
}

func (s *search) symmetry(cmd *cobra.Command) {
	choice(cmd, (*string)(&s.opt.Symmetry), "symmetry", "KIND", ringcheck.Choices("symmetry"),
		"of symmetry, %s: store one of the states that differ by a rotation of the ring, or by a permutation of "+
			"processes; counts are for the full system")
}

// engine adds the flag that chooses the engine.
func (s *search) engine(cmd *cobra.Command) {
	choice(cmd, (*string)(&s.opt.Engine), "engine", "KIND", ringcheck.Choices("engine"),
		"of engine, %s: visit states one by one, or use decision diagrams")
}

// fairness adds the flag for the fairness of runs.
func (s *search) fairness(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(&s.checks.Fairness), "fair", "",
		"assume `KIND` "+strings.Join(ringcheck.Choices("fair"), "|")+
			" of fairness to each process, instead of what ltl properties assume")
	offer(cmd, "fair", ringcheck.Choices("fair"))
}

// properties adds the flag that chooses properties of the spec.
func (s *search) properties(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&s.checks.Properties, "property", nil, "choose the property `NAME`; may be repeated "+
		"(default: all)")
}

// none is the name of no reduction and no symmetry.
const none = "none"

// choice adds a flag whose value is one of several, the first by default.
func choice(cmd *cobra.Command, value *string, name, what string, choices []string, usage string) {
	usage = "`" + what + "` " + fmt.Sprintf(usage, strings.Join(choices, "|"))
	cmd.Flags().StringVar(value, name, choices[0], usage)
	offer(cmd, name, choices)
}

// validate checks the values of the flags.
func (s *search) validate(flags *pflag.FlagSet) error {
	for _, name := range []string{"max-states", "workers"} {
		if f := flags.Lookup(name); f != nil && f.Changed && f.Value.String() == "0" {
			return wrongRequestf("--%s 0: must be at least 1", name)
		}
	}
	switch {
	case s.timeout < 0 || s.timeout == 0 && flags.Changed("timeout"):
		return wrongRequestf("--timeout %v: must be greater than 0", s.timeout)
	case s.opt.MaxChannel < 1 && flags.Lookup("max-channel") != nil:
		return wrongRequestf("--max-channel %d: must be at least 1", s.opt.MaxChannel)
	case s.opt.MaxNat < 1 && flags.Lookup("max-nat") != nil:
		return wrongRequestf("--max-nat %d: must be at least 1", s.opt.MaxNat)
	case s.opt.Assume == "" && flags.Changed("assume"):
		return wrongRequestf("--assume: expected %s", strings.Join(ringcheck.Choices("assume"), " or "))
	}
	return nil
}

// clash returns an error if a flag is given, and one of others as well.
func clash(flags *pflag.FlagSet, flag string, others ...string) error {
	for _, other := range others {
		if flags.Changed(flag) && flags.Changed(other) {
			return wrongRequestf("--%s and --%s contradict each other", flag, other)
		}
	}
	return nil
}

// needs returns an error if a flag is given without another one.
func needs(flags *pflag.FlagSet, flag, other string) error {
	if flags.Changed(flag) && !flags.Changed(other) {
		return wrongRequestf("--%s needs --%s", flag, other)
	}
	return nil
}

// given copies the options whose flags are given, so that they take precedence.
func (s *search) given(flags *pflag.FlagSet, to *ringcheck.Search) {
	if flags.Changed("reduce") {
		to.Reduction = s.opt.Reduction
	}
	if flags.Changed("assume") {
		to.Assume = s.opt.Assume
	}
	if flags.Changed("symmetry") {
		to.Symmetry = s.opt.Symmetry
	}
	if flags.Changed("max-channel") {
		to.MaxChannel = s.opt.MaxChannel
	}
	if flags.Changed("max-nat") {
		to.MaxNat = s.opt.MaxNat
	}
}

// The number of workers is at most capPerCore for each core, or leastCap on a small machine: each one takes memory.
const (
	capPerCore = 4
	leastCap   = 32
)

// options returns the next search, which shows its progress.
func (j *job) options() ringcheck.Search {
	s := &j.search
	opt := s.opt
	if most := uint(max(leastCap, capPerCore*runtime.NumCPU())); s.workers > most {
		if !j.quiet {
			fmt.Fprintf(j.stderr, "ringcheck: --workers %d: using %d, since more workers do not help on %d cores\n",
				s.workers, most, runtime.NumCPU())
		}
		s.workers = most
	}
	opt.Workers, opt.Memory, opt.Log = int(s.workers), uint64(s.memory), j.note
	if opt.Memory != 0 {
		garbage.set(thrifty)
	}
	if p := j.progress; !j.quiet {
		p.reset()
		opt.Progress, opt.ProgressEvery = p.show, p.every
		s.checks.OnViolation = p.onViolation
	}
	j.note("memory budget: " + humanize.IBytes(cmp.Or(uint64(s.memory), machine.Budget())))
	return opt
}

// advise says after a search that reached a limit what may help.
func (j *job) advise(ctx context.Context, r *ringcheck.Report) {
	if j.quiet {
		return
	}
	for _, advice := range r.Advice(ctx) {
		fmt.Fprintf(j.stderr, "ringcheck: %s\n", advice)
	}
}

// byteSize is the value of a flag that takes a number of bytes, such as 4GiB or 500MB.
type byteSize uint64

func (s *byteSize) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	switch {
	case err != nil:
		return errors.New("expected a size such as 4GiB")
	case n == 0:
		return errors.New("must be greater than 0")
	}
	*s = byteSize(n)
	return nil
}

func (s *byteSize) String() string {
	if *s == 0 {
		return ""
	}
	return humanize.IBytes(uint64(*s))
}

func (s *byteSize) Type() string { return "SIZE" }

// A job is the common part of sub-commands: the SPEC, limits and resources, output files, and whether the output is
// JSON.
type job struct {
	*app
	json     bool
	protocol protocol
	search   search
	files    []*outFile
}

func (a *app) job() job { return job{app: a, protocol: protocol{app: a, given: make(ringcheck.Set)}} }

// command returns a sub-command with the help text of a page, and with groups of flags.
func (j *job) command(
	page string, run func(*cobra.Command, []string) error, groups ...func(*cobra.Command),
) *cobra.Command {
	cmd := j.page(page, run)
	for _, add := range groups {
		add(cmd)
	}
	return cmd
}

// asJSON adds the flag that asks for JSON.
func (j *job) asJSON(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&j.json, "json", false, "write one JSON object to standard output, and nothing else there")
}

// work returns a sub-command that calls do if the flags are valid and the files can be written.
func (j *job) work(
	do func(*cobra.Command) error, checks ...func(*pflag.FlagSet) error,
) func(*cobra.Command, []string) error {
	checks = slices.Insert(checks, 0, trimLists, j.search.validate, j.protocol.refuse)
	return runE(func(cmd *cobra.Command) error {
		for _, check := range checks {
			if err := check(cmd.Flags()); err != nil {
				return err
			}
		}
		for _, f := range j.files {
			if err := f.validate(); err != nil {
				return err
			}
		}
		return do(cmd)
	})
}

// trimLists removes the blanks around the values of lists, which pflag keeps.
func trimLists(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		if list, ok := f.Value.(pflag.SliceValue); ok && f.Value.Type() == "stringSlice" {
			values := list.GetSlice()
			for i, v := range values {
				values[i] = strings.TrimSpace(v)
			}
			err = cmp.Or(err, list.Replace(values))
		}
	})
	return err
}

// on is work with an instance of the protocol.
func (j *job) on(
	do func(context.Context, *ringcheck.System) error, checks ...func(*pflag.FlagSet) error,
) func(*cobra.Command, []string) error {
	return j.work(func(cmd *cobra.Command) error {
		sys, err := j.instance()
		if err != nil {
			return err
		}
		return do(cmd.Context(), sys)
	}, checks...)
}

// instance returns the system that the flags describe, and prints the warnings about its spec.
func (j *job) instance() (*ringcheck.System, error) {
	sys, err := j.protocol.system()
	if err == nil {
		j.warn(sys.Spec)
	}
	return sys, err
}

// publish prints a document as JSON or as text.
func (j *job) publish(d *document.Document) error {
	ending := ""
	if j.json {
		ending = ".json"
	}
	return j.printOutput(func(w io.Writer) error { return d.Write(w, ending) })
}

// output writes a result to the file that a flag names, or prints it.
func (a *app) output(f *outFile, write func(io.Writer) error) error {
	if f.path == "" {
		return a.printOutput(write)
	}
	return f.save(func(w *os.File) error { return write(w) })
}

// printOutput prints what write writes.
func (a *app) printOutput(write func(io.Writer) error) error {
	var b strings.Builder
	if err := write(&b); err != nil {
		return err
	}
	return a.print(b.String())
}

// finish prints a report, writes it to files, and returns its verdict.
func (j *job) finish(r *report, files ...*outFile) error {
	if err := j.publish(&r.Document); err != nil {
		return err
	}
	for _, f := range files {
		err := f.save(func(w *os.File) error { return r.Write(w, cmp.Or(f.format, f.ending())) })
		if err != nil {
			return err
		}
	}
	return r.verdict()
}
