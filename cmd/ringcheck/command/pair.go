package command

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck/bisim"
	"ringcheck/model/language/check"
	"ringcheck/specs"
)

// A pair is the operands of compare, and what flags say about both of them.
type pair struct {
	*app
	search  *search
	visible *visibility
	given   map[string]string // settings of whichever declares them
	reduce  reduction
}

// register makes cmd take two operands.
func (p *pair) register(cmd *cobra.Command) {
	p.given = make(map[string]string)
	cmd.Flags().VarP(settingList(p.given), "param", "p", "set a parameter or option of A and B, where they declare it: `NAME=VALUE`")
	noFiles(cmd, "param")
	p.reduce.registerKinds(cmd)
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 2 {
			return nil
		}
		return wrongRequestf("ringcheck compare takes two operands, A and B, but there are %d; a SPEC and the flags that are only for it stand in one pair of quotes",
			len(args))
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 1 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completeSpec(cmd, nil, typed)
	}
	p.app.specs[cmd] = p
}

// bind gives cmd the flags that the SPECs among args declare.
func (p *pair) bind(cmd *cobra.Command, args []string) error {
	cmd.InitDefaultHelpFlag()
	common := pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError)
	common.AddFlagSet(cmd.Flags())
	common.AddFlagSet(cmd.InheritedFlags())
	for _, operand := range words(args, common) {
		name := operandWords(operand)[0]
		if !isSpecName(name) || isSystemFile(name) {
			continue // the value of a flag that a SPEC declares, or nothing that declares flags
		}
		spec, err := specs.Open(name)
		if err != nil {
			return specError(name, err)
		}
		for _, s := range append(parameters(spec), options(spec)...) {
			if cmd.Flags().Lookup(s.Name) == nil {
				s.register(cmd, common, p.given)
			}
		}
	}
	return nil
}

// operandWords divides an operand into a name and flags. What ends like a file name is one, blanks included.
func operandWords(operand string) []string {
	words := strings.Fields(operand)
	if len(words) == 0 || filepath.Ext(operand) == ".ring" || isSystemFile(operand) {
		return []string{operand}
	}
	return words
}

// subjects returns what A and B are. flags are those that apply to both.
func (p *pair) subjects(flags *pflag.FlagSet, e bisim.Equivalence) (a, b *subject, err error) {
	if a, err = p.subject(flags.Arg(0), flags, e); err != nil {
		return nil, nil, err
	}
	if b, err = p.subject(flags.Arg(1), flags, e); err != nil {
		return nil, nil, err
	}
	for name := range p.given {
		if !a.protocol.declares(name) && !b.protocol.declares(name) {
			return nil, nil, wrongRequestf("neither A nor B has a parameter or option %s", name)
		}
	}
	return a, b, p.refuse(flags, a, b)
}

// refuse rejects flags about SPECs where there is none.
func (p *pair) refuse(flags *pflag.FlagSet, a, b *subject) error {
	if isSystemFile(a.protocol.name) && isSystemFile(b.protocol.name) {
		return a.refuse(flags)
	}
	return nil
}

// subject returns what an operand is.
func (p *pair) subject(operand string, common *pflag.FlagSet, e bisim.Equivalence) (*subject, error) {
	s := &subject{app: p.app, search: p.search, visible: p.visible}
	s.protocol.orFile = true
	words := operandWords(operand)
	own := &cobra.Command{Use: words[0], SilenceErrors: true, SilenceUsage: true}
	s.protocol.register(p.app, own)
	s.reduce.registerKinds(own)
	if err := s.protocol.bind(own, words); err != nil {
		return nil, err
	}
	if err := own.ParseFlags(words); err != nil {
		return nil, flagError(own, err)
	}
	if rest := own.Flags().Args(); len(rest) != 1 {
		return nil, wrongRequestf("%q: want a SPEC and flags, but there is %s as well", operand, strings.Join(rest[1:], ", "))
	}
	p.fill(s, own.Flags())
	return s, s.validate(own.Flags(), e)
}

// fill gives s what is said about both, where it says nothing itself.
func (p *pair) fill(s *subject, own *pflag.FlagSet) {
	for name, value := range p.given {
		if _, ok := s.protocol.given[name]; !ok && s.protocol.declares(name) {
			s.protocol.given[name] = value
		}
	}
	for _, f := range []struct {
		name       string
		value, all *string
	}{
		{"reduce", &s.reduce.kind, &p.reduce.kind},
		{"assume", &s.reduce.assume, &p.reduce.assume},
		{"symmetry", &s.reduce.symmetry, &p.reduce.symmetry},
	} {
		if !own.Changed(f.name) {
			*f.value = *f.all
		}
	}
	if !own.Changed("assume") {
		s.reduce.assuming = p.reduce.assuming
	}
}

// declares reports whether the spec has a parameter or option.
func (p *protocol) declares(name string) bool {
	return p.spec != nil && slices.ContainsFunc(declared(p.spec), func(s setting) bool { return s.Name == name })
}

// declared returns the parameters and options of a spec.
func declared(spec *check.Spec) []setting { return append(parameters(spec), options(spec)...) }
