package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ringcheck/model/language/channel"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A SettingError is an error in the value or the name of a parameter or option.
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
	for _, setting := range s.Settings() {
		known = append(known, setting.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if !slices.Contains(known, name) {
			err := badSetting(name, "%s has no parameter or option %q", s.Name, name)
			err.Hint = syntax.Suggest(name, known)
			return err
		}
	}
	return nil
}

// settings gives the parameters, options and constants their values, in the order of the text. It stops at the first
// error.
func (b *builder) settings(given map[string]string) error {
	for _, d := range b.file.Order {
		if err := b.setting(d, given); err != nil {
			return err
		}
		if err := b.err(); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) setting(d syntax.Decl, given map[string]string) error {
	switch d := d.(type) {
	case *syntax.SettingDecl:
		return b.settle(d, given)
	case *syntax.ChannelDecl:
		return b.channel(d, given)
	case *syntax.ConstDecl:
		b.consts[b.values[d.Name]] = b.constant(d.Value, nil)
	}
	return nil
}

// settle sets the value of a parameter or option.
func (b *builder) settle(d *syntax.SettingDecl, given map[string]string) error {
	list, what := &b.protocol.Params, "parameter"
	if d.Kind == "option" {
		list, what = &b.protocol.Options, "option"
	}
	t := b.typ(d.Type)
	value, err := b.settingValue(what, d, t, given)
	if err == nil {
		*list = append(*list, b.set(d.Name, t, value))
	}
	return err
}

// set sets the value of a setting.
func (b *builder) set(name string, t *ir.Type, value int64) ir.Setting {
	b.consts[b.values[name]] = &ir.Const{T: exactly(t, value), Value: value}
	return ir.Setting{Name: name, Type: t, Value: value}
}

// settingValue returns the given value, or the default.
func (b *builder) settingValue(
	what string, d *syntax.SettingDecl, t *ir.Type, given map[string]string,
) (int64, error) {
	text, ok := given[d.Name]
	switch {
	case len(b.errs) > 0:
		return 0, nil // the type is wrong, which has been reported
	case ok:
		return parseValue(what, d.Name, t, text)
	case d.Default == nil:
		return 0, badSetting(d.Name, "parameter %s is missing: an integer in %s", d.Name, t)
	}
	value := b.constant(d.Default, t)
	if len(b.errs) == 0 && !t.Contains(value.Value) {
		return 0, badSetting(d.Name, "%s %s: the default %s is not in %s", what, d.Name, value.T.Format(value.Value), t)
	}
	return value.Value, nil
}

// parseValue reads a value of type t as it is written.
func parseValue(what, name string, t *ir.Type, text string) (int64, error) {
	bad := func(format string, args ...any) (int64, error) {
		return 0, badSetting(name, what+" "+name+": "+format, args...)
	}
	switch t.Kind {
	case ir.Bool:
		switch text {
		case "true":
			return 1, nil
		case "false":
			return 0, nil
		}
		return bad("%q is not true or false", text)
	case ir.Enum:
		if i := slices.Index(t.Names, text); i >= 0 {
			return int64(i), nil
		}
		err := badSetting(name, "%s %s: %q is not one of %s", what, name, text, strings.Join(t.Names, ", "))
		err.Hint = syntax.DidYouMean(text, t.Names)
		return 0, err
	}
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return bad("%q is not an integer in %s", text, t)
	}
	if !t.Contains(value) {
		return bad("%d is not in %s", value, t)
	}
	return value, nil
}

// channel sets the discipline of the channels; with several kinds it is an option.
func (b *builder) channel(d *syntax.ChannelDecl, given map[string]string) error {
	t, kind := b.shapeType(b.values[channelOption].shape), cmp.Or(d.Default, d.Kinds[0])
	if text, ok := given[channelOption]; ok {
		possible := &ir.Type{Kind: ir.Enum}
		for _, id := range d.Kinds {
			possible.Names = append(possible.Names, id.Name)
		}
		i, err := parseValue("option", channelOption, possible, text)
		if err != nil {
			return err
		}
		kind = d.Kinds[i]
	}
	value := int64(slices.Index(t.Names, kind.Name))
	b.protocol.Channel, b.protocol.ChannelPos = channel.Disciplines[value], kind.Pos
	setting := b.set(channelOption, t, value)
	if d.Default != nil {
		b.protocol.Options = append(b.protocol.Options, setting)
	}
	return nil
}
