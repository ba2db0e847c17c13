package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A SettingError says what is wrong with the value of a parameter or option, or with its name.
type SettingError struct {
	Name    string
	Message string // a whole clause: "parameter n: 40 is not in 2..16"
	Hint    string // as in syntax.Error
}

func (e *SettingError) Error() string {
	if e.Hint != "" {
		return e.Message + " (" + e.Hint + ")"
	}
	return e.Message
}

func badSetting(name, format string, args ...any) *SettingError {
	return &SettingError{Name: name, Message: fmt.Sprintf(format, args...)}
}

// checkNames reports a setting that the spec does not have.
func (s *Spec) checkNames(settings map[string]string) error {
	var known []string
	for _, p := range s.Params {
		known = append(known, p.Name)
	}
	for _, o := range s.Options {
		known = append(known, o.Name)
	}
	var unknown []string
	for name := range settings {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	name := slices.Min(unknown)
	err := badSetting(name, "%s has no parameter or option %q", s.Name, name)
	err.Hint = syntax.Suggest(name, known)
	return err
}

// settings gives the parameters, options and constants their values, in the order of the text. It stops at
// the first thing wrong.
func (b *builder) settings(given map[string]string) error {
	for _, d := range b.file.Order {
		if err := b.setting(d, given); err != nil {
			return err
		}
		if err := b.errs.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) setting(d syntax.Decl, given map[string]string) error {
	switch d := d.(type) {
	case *syntax.ParamDecl:
		return b.settle(&b.protocol.Params, "parameter", d.Name, d.Range, d.Default, given)
	case *syntax.OptionDecl:
		return b.settle(&b.protocol.Options, "option", d.Name, d.Type, d.Default, given)
	case *syntax.ChannelDecl:
		return b.channel(d, given)
	case *syntax.ConstDecl:
		b.consts[b.values[d.Name]] = b.constant(d.Value, nil)
	}
	return nil
}

// settle gives a parameter or an option its value and adds it to a list.
func (b *builder) settle(
	list *[]ir.Setting, what, name string, of syntax.Type, deflt syntax.Expr, given map[string]string,
) error {
	t := b.typ(of)
	value, err := b.settingValue(what, name, t, given, deflt)
	if err == nil {
		*list = append(*list, b.set(name, t, value))
	}
	return err
}

// set makes the value of a setting known.
func (b *builder) set(name string, t *ir.Type, value int64) ir.Setting {
	b.consts[b.values[name]] = &ir.Const{T: exactly(t, value), Value: value}
	return ir.Setting{Name: name, Type: t, Value: value}
}

// settingValue returns the given value, or the default.
func (b *builder) settingValue(
	what, name string, t *ir.Type, given map[string]string, deflt syntax.Expr,
) (int64, error) {
	if len(b.errs) > 0 {
		return 0, nil // the type is not to be relied on
	}
	if text, ok := given[name]; ok {
		value, err := parseValue(t, text)
		if err != nil {
			err.Name, err.Message = name, what+" "+name+": "+err.Message
			return 0, err
		}
		return value, nil
	}
	if deflt == nil {
		return 0, badSetting(name, "parameter %s is missing: an integer in %s", name, t)
	}
	value := b.constant(deflt, t)
	if len(b.errs) == 0 && !t.Contains(value.Value) {
		return 0, badSetting(name, "%s %s: the default %s is not in %s", what, name, value.T.Format(value.Value), t)
	}
	return value.Value, nil
}

// parseValue reads a value of type t as a person writes it.
func parseValue(t *ir.Type, text string) (int64, *SettingError) {
	switch t.Kind {
	case ir.Bool:
		switch text {
		case "true":
			return 1, nil
		case "false":
			return 0, nil
		}
		return 0, &SettingError{Message: fmt.Sprintf("%q is not true or false", text)}
	case ir.Enum:
		if i := slices.Index(t.Names, text); i >= 0 {
			return int64(i), nil
		}
		return 0, &SettingError{
			Message: fmt.Sprintf("%q is not one of %s", text, strings.Join(t.Names, ", ")),
			Hint:    syntax.DidYouMean(text, t.Names),
		}
	}
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, &SettingError{Message: fmt.Sprintf("%q is not an integer in %s", text, t)}
	}
	if !t.Contains(value) {
		return 0, &SettingError{Message: fmt.Sprintf("%d is not in %s", value, t)}
	}
	return value, nil
}

// channel sets the discipline of the channels; with two kinds it is an option.
func (b *builder) channel(d *syntax.ChannelDecl, given map[string]string) error {
	choices := ir.EnumType()
	for _, k := range d.Kinds {
		choices.Names = append(choices.Names, k.Name)
	}
	kind := d.Kinds[0].Name
	if d.Default != nil {
		kind = d.Default.Name
		if text, ok := given[channelOption]; ok {
			i, err := parseValue(choices, text)
			if err != nil {
				err.Name, err.Message = channelOption, "option "+channelOption+": "+err.Message
				return err
			}
			kind = choices.Names[i]
		}
	}
	t := b.shapeType(b.values[channelOption].shape)
	b.protocol.Channel = ir.ChannelKind(slices.Index(t.Names, kind))
	setting := b.set(channelOption, t, int64(b.protocol.Channel))
	if d.Default != nil {
		b.protocol.Options = append(b.protocol.Options, setting)
	}
	return nil
}
