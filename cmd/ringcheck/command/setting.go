package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/printable"
	"ringcheck/model/language/check"
)

// A setting is a parameter or an option of a spec as the command line offers it.
type setting struct {
	Name    string `json:"name"`
	Doc     string `json:"doc"`
	Values  string `json:"values"`            // what there are: "2..16", "any|left"
	Default string `json:"default,omitempty"` // "" if a value must be given

	option  bool
	boolean bool
	choices []string // the values one by one, but for a range
}

// parameters returns the parameters of spec in the order of its text.
func parameters(spec *ringcheck.Spec) []setting {
	settings := []setting{}
	for _, p := range spec.Params {
		settings = append(settings, setting{Name: p.Name, Doc: printable.Text(p.Doc), Values: p.Lo + ".." + p.Hi,
			Default: p.Default})
	}
	return settings
}

// options returns the options of spec in the order of its text.
func options(spec *ringcheck.Spec) []setting {
	settings := []setting{}
	for _, o := range spec.Options {
		s := setting{Name: o.Name, Doc: printable.Text(o.Doc), Default: o.Default, option: true}
		switch o.Kind {
		case check.BoolOption:
			s.boolean, s.choices = true, []string{"true", "false"}
		case check.EnumOption:
			s.choices = o.Values
		case check.IntOption:
			s.Values = o.Lo + ".." + o.Hi
		}
		if s.choices != nil {
			s.Values = strings.Join(s.choices, "|")
		}
		settings = append(settings, s)
	}
	return settings
}

// declared returns the parameters and options of a spec.
func declared(spec *ringcheck.Spec) []setting { return append(parameters(spec), options(spec)...) }

// flags returns how the setting is given, for people. A name that is taken by a flag of ringcheck's own is left to -p.
func (s *setting) flags(common *pflag.FlagSet) string {
	switch {
	case !s.hasFlag(common):
		return "-p " + s.Name + "=" + s.Values
	case s.letter():
		return "-" + s.Name + " " + s.Values
	case s.boolean:
		return "--" + s.Name + ", --no-" + s.Name
	}
	return "--" + s.Name + " " + s.Values
}

func (s *setting) hasFlag(common *pflag.FlagSet) bool {
	if s.letter() {
		return common.ShorthandLookup(s.Name) == nil
	}
	return common.Lookup(s.Name) == nil && common.Lookup("no-"+s.Name) == nil
}

// letter reports whether the setting is a parameter that is given behind one hyphen.
func (s *setting) letter() bool { return !s.option && len(s.Name) == 1 }

// register adds the flags of the setting to cmd; they write to given.
func (s *setting) register(cmd *cobra.Command, common *pflag.FlagSet, given ringcheck.Set) {
	if !s.hasFlag(common) {
		return
	}
	flags := cmd.Flags()
	value := &settingValue{given: given, name: s.Name}
	switch {
	case s.letter():
		flags.VarP(value, s.Name, s.Name, s.Doc)
	case s.boolean:
		flags.Var(value, s.Name, s.Doc)
		flags.Lookup(s.Name).NoOptDefVal = "true"
		flags.Var(&settingValue{given: given, name: s.Name, negate: true}, "no-"+s.Name, "not: "+s.Doc)
		flags.Lookup("no-" + s.Name).NoOptDefVal = "true"
		return
	default:
		flags.Var(value, s.Name, s.Doc)
	}
	offer(cmd, s.Name, s.choices)
}

// A settingValue is the value of a flag that gives one setting. What the spec allows is checked when the
// spec is instantiated, the same way for a flag and for -p.
type settingValue struct {
	given  ringcheck.Set
	name   string
	negate bool
}

func (v *settingValue) Set(text string) error {
	if v.negate {
		b, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("want true or false")
		}
		text = strconv.FormatBool(!b)
	}
	return give(v.given, v.name, text)
}

// give gives a setting its value. A value that contradicts another one is an error.
func give(given ringcheck.Set, name, text string) error {
	if before, twice := given[name]; twice && before != text {
		return fmt.Errorf("%s is given twice, as %v and as %s", name, before, text)
	}
	given[name] = text
	return nil
}

func (v *settingValue) String() string { return "" }
func (v *settingValue) Type() string   { return "" }

// giveParam gives cmd the flag -p, each use of which gives one setting.
func giveParam(cmd *cobra.Command, given ringcheck.Set, usage string) {
	cmd.Flags().FuncP("param", "p", usage+": `NAME=VALUE`", func(text string) error {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return errors.New("want NAME=VALUE")
		}
		return give(given, name, value)
	})
}
