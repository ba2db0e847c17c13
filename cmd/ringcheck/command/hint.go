package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/verify"
)

// runCommand returns the command that shows a run to the violation of a property; "" if it is not violated by a run, or
// if the spec cannot be read again.
func (j *job) runCommand(r *ringcheck.Report, v *ringcheck.Verdict) string {
	if v.Outcome() != verify.Violated || v.TraceLength == nil || j.protocol.name == standardInput {
		return ""
	}
	words := []string{j.name, "counterexample", shellWord(j.protocol.name)}
	words = append(words, j.settingFlags(r)...)
	words = append(words, j.search.sameFlags()...)
	return strings.Join(append(words, "--property", v.Name), " ")
}

// settingFlags returns the flags of counterexample for the parameters of an instance, which it would otherwise search
// for, and for the options that are given.
func (j *job) settingFlags(r *ringcheck.Report) (words []string) {
	common := j.flagsOf("counterexample")
	for _, s := range settingsOf(j.protocol.spec) {
		value, given := j.protocol.given[s.Name]
		for _, p := range r.Params {
			if p.Name == s.Name {
				value, given = p.Value, true
			}
		}
		if given {
			words = append(words, s.argument(common, fmt.Sprint(value))...)
		}
	}
	return words
}

// argument returns the words that give a setting a value.
func (s *setting) argument(common *pflag.FlagSet, value string) []string {
	switch {
	case !s.hasFlag(common):
		return []string{"-p", s.Name + "=" + value}
	case s.oneLetter():
		return []string{"-" + s.Name, value}
	case s.boolean() && value == "false":
		return []string{"--no-" + s.Name}
	case s.boolean():
		return []string{"--" + s.Name}
	}
	return []string{"--" + s.Name, value}
}

// sameFlags returns the flags that give another search the bounds, the reductions and the fairness of this one.
func (s *search) sameFlags() (words []string) {
	add := func(differs bool, flag string, value any) {
		if differs {
			words = append(words, "--"+flag, fmt.Sprint(value))
		}
	}
	add(s.opt.Reduction != none, "reduce", s.opt.Reduction)
	add(s.opt.Symmetry != none, "symmetry", s.opt.Symmetry)
	add(s.opt.MaxChannel != defaultMaxChannel, "max-channel", s.opt.MaxChannel)
	add(s.opt.MaxNat != defaultMaxNat, "max-nat", s.opt.MaxNat)
	add(s.checks.Fairness != "", "fair", s.checks.Fairness)
	return words
}

// flagsOf returns the flags of a sub-command that do not depend on a spec.
func (a *app) flagsOf(subcommand string) *pflag.FlagSet {
	root := a.program.call(a.stdout, a.stderr).root(io.Discard)
	cmd, _, err := root.Find([]string{subcommand})
	must(err)
	return allFlags(cmd)
}
