package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/printable"
	"ringcheck/internal/textfile"
	"ringcheck/model/language/check"
	"ringcheck/model/language/syntax"
	"ringcheck/specs"
	"ringcheck/verify/prob/exchange"
)

// protocol is the SPEC argument of a sub-command, with the values given to its parameters and options.
type protocol struct {
	app   *app
	files []string // extensions of files that can take the place of a spec
	// fallback is the default SPEC; "" if one must be given.
	fallback string
	// others, if not nil, receives the operands after the SPEC.
	others *[]string
	// specOfStore, if not nil, returns the spec that the arguments identify by a store, nil if they do not.
	specOfStore func(args []string) (*ringcheck.Spec, error)
	name        string          // as the caller gave it
	named       bool            // whether the caller gave a name
	spec        *ringcheck.Spec // nil until bind
	common      *pflag.FlagSet
	given       ringcheck.Set
}

// register makes cmd take a SPEC.
func (p *protocol) register(cmd *cobra.Command) {
	giveParam(cmd, p.given, "set a parameter or option of the spec")
	cmd.Args = p.checkArgs
	cmd.ValidArgsFunction = completeSpec
	p.app.specs[cmd] = p
}

// bind opens the SPEC among args and adds to cmd the flags that it declares. A missing SPEC is an error unless args ask
// for help.
func (p *protocol) bind(cmd *cobra.Command, args []string) error {
	p.common = allFlags(cmd)
	operands := words(args, p.common)
	if p.specOfStore != nil && !slices.ContainsFunc(operands, isSpecName) {
		if spec, err := p.specOfStore(args); spec != nil || err != nil {
			if err == nil {
				p.declare(cmd, spec.Name, spec)
			}
			return err
		}
	}
	if p.fallback != "" && !slices.ContainsFunc(operands, isSpecName) {
		operands = []string{p.fallback} // the words are the values of options; checkArgs checks the rest
	}
	if len(operands) == 0 {
		also := ""
		if len(p.files) > 0 {
			also = ", or a file that ends in " + printable.Or(p.files)
		}
		if dir := flagValue(args, "store"); p.specOfStore != nil && dir != "" {
			also = "; " + noRun(dir)
		}
		if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
			return nil
		}
		return wrongRequestf("%s requires a SPEC: the name of a protocol (see ringcheck specs) or a .ring file%s",
			cmd.CommandPath(), also)
	}
	p.named = true
	name := operands[max(0, slices.IndexFunc(operands, isSpecName))]
	if slices.Contains(p.files, filepath.Ext(name)) {
		p.name = name
		return nil
	}
	spec, err := p.app.open(name)
	if at := slices.Index(args, name); err != nil && at > 0 {
		flag, is := strings.CutPrefix(args[at-1], "--")
		if is && p.common.Lookup(flag) == nil && owners(cmd, flag) != nil { // the word is its value
			return wrongRequest(unknownFlag(cmd, flag))
		}
	}
	if err != nil {
		return err
	}
	p.declare(cmd, name, spec)
	return p.checkShadowed(args)
}

// allFlags returns the flags of cmd before a SPEC adds some: its own, inherited ones and --help.
func allFlags(cmd *cobra.Command) *pflag.FlagSet {
	cmd.InitDefaultHelpFlag()
	all := pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError)
	all.AddFlagSet(cmd.Flags())
	all.AddFlagSet(cmd.InheritedFlags())
	return all
}

// declare adds to cmd the flags that a spec declares.
func (p *protocol) declare(cmd *cobra.Command, name string, spec *ringcheck.Spec) {
	p.name, p.spec = name, spec
	for _, s := range settingsOf(spec) {
		s.register(cmd, p.common, p.given)
	}
}

// systemFiles are the extensions of files with transition systems.
var systemFiles = []string{".aut"}

// checkShadowed handles settings of the spec that have the name of one of ringcheck's own flags, and are set by -p. A
// letter with a value is refused: it must mean the setting, since the value would be an operand otherwise. A long flag
// is ringcheck's, with a note.
func (p *protocol) checkShadowed(args []string) error {
	quiet := slices.Contains(args, "-q") || slices.Contains(args, "--quiet") // flags are not parsed yet
	for _, s := range settingsOf(p.spec) {
		if s.hasFlag(p.common) {
			continue
		}
		for i, arg := range args {
			flag, _, _ := strings.Cut(arg, "=")
			hint := fmt.Sprintf("%s is a flag of ringcheck's own; %s of %s is set by -p %s=%s", flag, s.Name,
				p.spec.Name, s.Name, s.Values)
			switch {
			case flag == "-"+s.Name && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") && !isSpecName(args[i+1]):
				return wrongRequestf("%s", hint)
			case flag == "--"+s.Name && !quiet:
				fmt.Fprintln(p.app.stderr, printable.Text("ringcheck: "+hint))
			}
		}
	}
	return nil
}

// isSpecName reports whether word looks like a SPEC and not like the value of an option.
func isSpecName(word string) bool {
	return word == standardInput || slices.Contains(specs.Names(), word) || filepath.Ext(word) == ".ring" ||
		slices.Contains(append(exchange.Formats(), systemFiles...), filepath.Ext(word)) ||
		strings.ContainsRune(word, filepath.Separator)
}

// checkArgs accepts one operand.
func (p *protocol) checkArgs(cmd *cobra.Command, args []string) error {
	if p.others != nil && len(args) > 1 {
		*p.others, args = args[1:], args[:1]
	}
	switch {
	case len(args) == 0 && (p.fallback != "" || !p.named):
		return nil
	case len(args) == 1 && p.fallback != "" && args[0] != p.name:
		_, err := p.app.open(args[0])
		return err
	case len(args) == 1:
		return nil
	}
	return wrongRequestf("%s takes one SPEC, but there are %d: %s", cmd.CommandPath(), len(args),
		strings.Join(args, ", "))
}

// system returns the instance of the spec with the given settings, or the system in the file.
func (p *protocol) system() (*ringcheck.System, error) {
	if p.spec == nil {
		sys, err := ringcheck.Load(p.name)
		if err != nil {
			return nil, wrongRequest(err)
		}
		return sys, nil
	}
	return p.systemWith(p.given)
}

// systemWith returns the instance of the spec with other settings.
func (p *protocol) systemWith(given ringcheck.Set) (*ringcheck.System, error) {
	sys, err := p.spec.System(given)
	if err != nil {
		return nil, specError(p.spec.Text, listHint(given, err))
	}
	return sys, nil
}

// listHint adds to the error of a setting, whose value is a list or a range, which sub-commands take these.
func listHint(given ringcheck.Set, err error) error {
	var setting *check.SettingError
	if !errors.As(err, &setting) || setting.Hint != "" {
		return err
	}
	if value := fmt.Sprint(given[setting.Name]); strings.Contains(value, ",") || strings.Contains(value, "..") {
		setting.Hint = "ringcheck sweep, with --check, takes lists and ranges"
	}
	return err
}

// specError describes the errors of a spec; those in its text are shown with their lines.
func specError(text []byte, err error) error {
	var list syntax.ErrorList
	if !errors.As(err, &list) {
		return wrongRequest(err)
	}
	return &failure{status: statusRequest, err: err, text: syntax.Render(text, list)}
}

// standardInput is the SPEC that is read from standard input.
const standardInput = "-"

// open returns the spec with the given name or path.
func (a *app) open(name string) (*ringcheck.Spec, error) {
	if spec := a.read; spec != nil && name == standardInput {
		return spec, nil
	}
	var file string
	var text []byte
	var err error
	if name == standardInput {
		file = "standard input"
		text, err = textfile.ReadFrom(os.Stdin, file)
	} else {
		file, text, err = specs.Read(name)
	}
	if err != nil {
		return nil, wrongRequest(err)
	}
	spec, err := ringcheck.Parse(file, text)
	if err != nil {
		return nil, specError(text, err)
	}
	if name == standardInput {
		a.read = spec
	}
	return spec, nil
}

func completeSpec(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return specs.Names(), cobra.ShellCompDirectiveDefault
}

// words returns the arguments that can be the operands of a sub-command with the given flags, in order. The flags of
// the spec are not known yet: the word after an unknown --flag is returned, since the flag may be a boolean; the word
// after an unknown -x is its value.
func words(args []string, flags *pflag.FlagSet) []string {
	var operands []string
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--":
			return append(operands, args[i+1:]...)
		case strings.HasPrefix(arg, "--"):
			if f := flags.Lookup(arg[2:]); f != nil && f.NoOptDefVal == "" {
				i++
			}
		case len(arg) > 1 && arg[0] == '-':
			if wantsNext(arg[1:], flags) {
				i++
			}
		default:
			operands = append(operands, arg)
		}
	}
	return operands
}

// wantsNext reports whether a group of short flags (-qn) takes the next argument as its value.
func wantsNext(cluster string, flags *pflag.FlagSet) bool {
	for i := range len(cluster) {
		f := flags.ShorthandLookup(cluster[i : i+1])
		if f == nil || f.NoOptDefVal == "" {
			return i == len(cluster)-1
		}
	}
	return false
}

// A setting is a parameter or an option of a spec as the command line offers it.
type setting struct {
	Name    string `json:"name"`
	Doc     string `json:"doc"`
	Values  string `json:"values"`            // "2..16", "any|left"
	Default string `json:"default,omitempty"` // "" if a value must be given

	option  bool
	choices []string // the values one by one, nil for a range
}

// parameters and options return the parameters and the options of spec in the order of its text.
func parameters(spec *ringcheck.Spec) []setting { return settings(spec.Declarations.Params, false) }
func options(spec *ringcheck.Spec) []setting    { return settings(spec.Declarations.Options, true) }

func settings(list []check.Setting, option bool) []setting {
	offered := []setting{}
	for _, s := range list {
		values := s.Lo + ".." + s.Hi
		if s.Values != nil {
			values = strings.Join(s.Values, "|")
		}
		offered = append(offered, setting{s.Name, printable.Text(s.Doc), values, s.Default, option, s.Values})
	}
	return offered
}

// settingsOf returns the parameters and options of a spec.
func settingsOf(spec *ringcheck.Spec) []setting { return append(parameters(spec), options(spec)...) }

// flags describes how to give the setting: by -p if one of ringcheck's own flags has its name.
func (s *setting) flags(common *pflag.FlagSet) string {
	switch {
	case !s.hasFlag(common):
		return "-p " + s.Name + "=" + s.Values
	case s.oneLetter():
		return "-" + s.Name + " " + s.Values
	case s.boolean():
		return "--" + s.Name + ", --no-" + s.Name
	}
	return "--" + s.Name + " " + s.Values
}

func (s *setting) hasFlag(common *pflag.FlagSet) bool {
	if s.oneLetter() {
		return common.ShorthandLookup(s.Name) == nil
	}
	return common.Lookup(s.Name) == nil && common.Lookup("no-"+s.Name) == nil
}

// boolean reports whether the values are true and false, which no enumeration has.
func (s *setting) boolean() bool { return s.Values == "true|false" }

// oneLetter reports whether the setting is a parameter with a name of one letter, which takes one hyphen.
func (s *setting) oneLetter() bool { return !s.option && len(s.Name) == 1 }

// register adds the flags of the setting to cmd; they set it in given.
func (s *setting) register(cmd *cobra.Command, common *pflag.FlagSet, given ringcheck.Set) {
	if !s.hasFlag(common) {
		return
	}
	flags := cmd.Flags()
	value := &settingValue{given: given, name: s.Name}
	switch {
	case s.oneLetter():
		flags.VarP(value, s.Name, s.Name, s.Doc)
	case s.boolean():
		negated := &settingValue{given: given, name: s.Name, negate: true}
		flags.VarPF(value, s.Name, "", s.Doc).NoOptDefVal = "true"
		flags.VarPF(negated, "no-"+s.Name, "", "not: "+s.Doc).NoOptDefVal = "true"
		return
	default:
		flags.Var(value, s.Name, s.Doc)
	}
	offer(cmd, s.Name, s.choices)
}

// A settingValue is the value of a flag for a setting. Like a value of -p, it is checked when the spec is instantiated.
type settingValue struct {
	given  ringcheck.Set
	name   string
	negate bool
}

func (v *settingValue) Set(text string) error {
	if v.negate {
		b, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("expected true or false")
		}
		text = strconv.FormatBool(!b)
	}
	return give(v.given, v.name, text)
}

// give sets a setting. A second, different value is an error.
func give(given ringcheck.Set, name, text string) error {
	if before, twice := given[name]; twice && before != text {
		return fmt.Errorf("%s is given twice, as %v and as %s", name, before, text)
	}
	given[name] = text
	return nil
}

func (v *settingValue) String() string { return "" }
func (v *settingValue) Type() string   { return "" }

// giveParam gives cmd the flag -p, which sets one setting and may be repeated.
func giveParam(cmd *cobra.Command, given ringcheck.Set, usage string) {
	cmd.Flags().FuncP("param", "p", usage+": `NAME=VALUE`", func(text string) error {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return errors.New("expected NAME=VALUE")
		}
		return give(given, name, value)
	})
}
