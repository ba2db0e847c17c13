package reduce

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"ringcheck/model/language/ir"
)

// A Set gives values to parameters and options of a spec by name: integers, booleans, or strings as on the command
// line, such as "4", "true" and "left".
type Set map[string]any

// Texts returns the values as on the command line.
func (s Set) Texts() map[string]string {
	texts := make(map[string]string, len(s))
	for name, value := range s {
		texts[name] = fmt.Sprint(value)
	}
	return texts
}

// MarshalJSON writes numbers and booleans as such, even if they are given as strings.
func (s Set) MarshalJSON() ([]byte, error) {
	plain := make(map[string]any, len(s))
	for name, text := range s.Texts() {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			plain[name] = n
		} else if text == "true" || text == "false" {
			plain[name] = text == "true"
		} else {
			plain[name] = text
		}
	}
	return json.Marshal(plain)
}

// UnmarshalJSON accepts numbers, booleans and strings.
func (s *Set) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var plain map[string]any
	if err := d.Decode(&plain); err != nil {
		return err
	}
	*s = make(Set, len(plain))
	for name, value := range plain {
		switch value := value.(type) {
		case json.Number, bool, string:
			(*s)[name] = fmt.Sprint(value)
		default:
			return fmt.Errorf("the value of %q is not a number, a boolean or a string", name)
		}
	}
	return nil
}

// A Setting is the value of a parameter or option: an int64, a bool or, if it is enumerated, a string.
type Setting struct {
	Name  string
	Value any
}

// Settings are the values of parameters or options, in the order of their declarations.
type Settings []Setting

func newSettings(list []ir.Setting) Settings {
	settings := make(Settings, len(list))
	for i, s := range list {
		settings[i] = Setting{s.Name, s.Value}
		switch s.Type.Kind {
		case ir.Bool:
			settings[i].Value = s.Value != 0
		case ir.Enum:
			settings[i].Value = s.Type.Names[s.Value]
		}
	}
	return settings
}

// String returns "n = 4, k = 2".
func (s Settings) String() string {
	parts := make([]string, len(s))
	for i, setting := range s {
		parts[i] = fmt.Sprint(setting.Name, " = ", setting.Value)
	}
	return strings.Join(parts, ", ")
}

// MarshalJSON writes an object in that order.
func (s Settings) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, setting := range s {
		if i > 0 {
			b = append(b, ',')
		}
		member, err := json.Marshal(map[string]any{setting.Name: setting.Value})
		if err != nil {
			return nil, err
		}
		b = append(b, member[1:len(member)-1]...)
	}
	return append(b, '}'), nil
}
