package command

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck/explore"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// search is how far and with what means to explore.
type search struct {
	workers    uint
	memory     byteSize
	maxStates  uint64
	timeout    time.Duration
	maxChannel int
	maxNat     int64
}

func (s *search) register(cmd *cobra.Command) {
	s.registerMeans(cmd)
	flags := cmd.Flags()
	flags.Uint64Var(&s.maxStates, "max-states", 0, "stop when `N` states are stored (default: no limit)")
	flags.IntVar(&s.maxChannel, "max-channel", 64, "stop when a channel holds more than `N` messages")
	flags.Int64Var(&s.maxNat, "max-nat", 1000, "stop when a variable of type nat exceeds `N`")
	noFiles(cmd, "max-states", "max-channel", "max-nat")
}

// registerMeans gives cmd the flags that are about the machine and not about the system.
func (s *search) registerMeans(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.UintVar(&s.workers, "workers", 0, "expand states with `N` goroutines (default: all cores)")
	flags.Var(&s.memory, "mem", "go on on disk, or stop where that is not possible, when the search holds `SIZE` of memory, such as 4GiB (default: 3/4 of the machine's)")
	flags.DurationVar(&s.timeout, "timeout", 0, "stop after duration `D`, such as 90s or 2h (default: no limit)")
	noFiles(cmd, "workers", "mem", "timeout")
}

// validate reports a value that makes no sense.
func (s *search) validate(flags *pflag.FlagSet) error {
	if err := s.validateMeans(flags); err != nil {
		return err
	}
	switch {
	case s.maxChannel < 1:
		return wrongRequestf("--max-channel %d: want at least 1", s.maxChannel)
	case s.maxNat < 1:
		return wrongRequestf("--max-nat %d: want at least 1", s.maxNat)
	}
	return nil
}

// validateMeans does so for the flags of registerMeans.
func (s *search) validateMeans(flags *pflag.FlagSet) error {
	if s.timeout < 0 || s.timeout == 0 && flags.Changed("timeout") {
		return wrongRequestf("--timeout %v: want a duration above 0", s.timeout)
	}
	return nil
}

// thrifty is how much garbage there may be, in percent of what is in use, where memory is short: most of that is large and
// without pointers, so that it costs little to collect.
const thrifty = 25

// options returns the options of a search.
func (s *search) options() explore.Options {
	opt := explore.Options{
		Workers:   int(s.workers),
		MaxStates: s.maxStates,
		Memory:    uint64(s.memory),
		Spill:     true,
		Ceiling:   machineMemory() / 4 * 3,
	}
	if opt.Memory == 0 {
		opt.Memory = opt.Ceiling
	} else {
		debug.SetGCPercent(thrifty)
	}
	return opt
}

// limit returns ctx with the deadline that --timeout sets.
func (s *search) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, s.timeout)
}

// system returns the full transition system.
func (s *search) system(p *ir.Protocol) (*compile.System, error) {
	return compile.New(p, s.bounds())
}

// bounds returns what counts as growth without end.
func (s *search) bounds() compile.Options {
	return compile.Options{MaxMessages: s.maxChannel, MaxNat: s.maxNat}
}
