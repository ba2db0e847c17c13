package regress

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ringcheck/bisim"
	"ringcheck/results/experiment"
	"ringcheck/specs"
)

// Parse reads a regression file and checks that every entry can be run. Paths of specs are relative to the file. An
// error begins with its position: path:line:column.
func Parse(path string, text []byte) (*File, error) {
	if err := refuseEmpty(path, text); err != nil {
		return nil, err
	}
	f := new(File)
	if err := json.Unmarshal(text, f, json.RejectUnknownMembers(true)); err != nil {
		return nil, withPosition(path, text, err)
	}
	if f.Entries == nil {
		return nil, at(path, text, 0, errors.New(`no "entries"`))
	}
	known := make(map[string]bool)
	for _, e := range f.Entries {
		if e == nil {
			return nil, at(path, text, 0, errors.New("an entry is null"))
		}
		err := cmp.Or(e.check(filepath.Dir(path)), f.checkClaims(e))
		if err == nil && known[e.Name()] {
			err = fmt.Errorf("%s occurs twice", e.Name())
		}
		if err != nil {
			return nil, at(path, text, e.offset, err)
		}
		known[e.Name()] = true
		e.place = position(path, text, e.offset) + ": "
	}
	return f, nil
}

// refuseEmpty rejects members that expect nothing: a null and, within an expectation, an empty list or an object
// without its required member.
func refuseEmpty(path string, text []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	var open []container
	for {
		token, err := d.ReadToken()
		if err != nil {
			return nil // the decoder reports syntax errors
		}
		switch token.Kind() {
		case 'n':
			err = errors.New("null is not allowed: omit the member")
			return at(path, text, d.InputOffset()-int64(len("null")), err)
		case '{', '[':
			open = append(open, container{offset: d.InputOffset() - 1})
			continue
		case '}', ']':
			if err := open[len(open)-1].checkEmpty(d.StackPointer()); err != nil {
				return at(path, text, open[len(open)-1].offset, err)
			}
			open = open[:len(open)-1]
		}
		if n := len(open); n > 0 {
			open[n-1].tokens = append(open[n-1].tokens, token.String())
		}
	}
}

// A container is an object or an array that is being read, with its elements so far: alternating names and values, or
// values.
type container struct {
	offset int64
	tokens []string
}

// checkEmpty returns an error if a container expects nothing.
func (c *container) checkEmpty(pointer jsontext.Pointer) error {
	parts := slices.Collect(pointer.Tokens()) // entries, 0, expect, values, 0
	if len(parts) < 4 || parts[0] != "entries" || parts[2] != "expect" {
		return nil
	}
	within, needed := parts[3], []string(nil)
	switch {
	case len(parts) == 4 && within == "quotient":
		needed = []string{"equivalence", "states", "transitions"}
	case len(parts) == 4 && len(c.tokens) == 0:
		return fmt.Errorf("%s: it is empty and expects nothing: omit it or fill it in", within)
	case len(parts) == 5 && within == "properties":
		needed = []string{"holds"}
	case len(parts) == 5 && within == "values":
		needed = []string{"until", "scheduler", "low", "high"}
	}
	for i := 0; i < len(c.tokens); i += 2 {
		needed = slices.DeleteFunc(needed, func(name string) bool { return name == c.tokens[i] })
	}
	if len(needed) > 0 {
		return fmt.Errorf("%s: it has no %q", strings.Join(parts[3:], "."), needed[0])
	}
	return nil
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom. It records the position of the entry.
func (e *Entry) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	d.PeekKind()
	offset := d.InputOffset()
	type plain Entry
	if err := json.UnmarshalDecode(d, (*plain)(e)); err != nil {
		return err
	}
	e.offset = offset
	return nil
}

// check instantiates the entry.
func (e *Entry) check(dir string) error {
	if e.Spec == "" {
		return errors.New(`the entry has no "spec"`)
	}
	found := e.Experiment
	if !slices.Contains(specs.Names(), e.Spec) && strings.HasSuffix(e.Spec, ".ring") && !filepath.IsAbs(e.Spec) {
		found.Spec = filepath.Join(dir, e.Spec)
	}
	instance, err := found.Instantiate()
	if err != nil {
		return err
	}
	instance.Spec = e.Spec
	e.instance = instance
	if x := &e.Expect; e.Engine != "" && (x.Levels != nil || x.StoredStates != nil || x.InternalStates != nil) {
		return fmt.Errorf("engine %s: it counts neither levels nor stored or internal states", e.Engine)
	}
	if q := e.Expect.Quotient; q != nil {
		if _, err := bisim.ParseEquivalence(q.Equivalence); err != nil {
			return fmt.Errorf("quotient: %w", err)
		}
	}
	for name, v := range e.Expect.Properties {
		if v.Holds && v.TraceLength != nil {
			return fmt.Errorf("properties: %s is expected to hold, so it cannot have a "+
				"trace_length", name)
		}
	}
	for i, v := range e.Expect.Values {
		if err := checkBounds(v); err != nil {
			return fmt.Errorf("values[%d]: %v: %w", i, v.Quantity, err)
		}
	}
	return instance.Validate(e.Expect.question())
}

// widest is the maximum ratio of the upper bound of an expected reward to the lower one, or to 1.
const widest = 1000

// checkBounds returns an error if all possible values, or none, lie between the bounds.
func checkBounds(v experiment.Value) error {
	switch {
	case v.Low > v.High:
		return fmt.Errorf("no value is at least %v and at most %v", v.Low, v.High)
	case v.Reward == "" && v.Low <= 0 && v.High >= 1:
		return errors.New("every probability is from 0 to 1, so these bounds expect nothing")
	case v.Reward != "" && v.High/widest > max(v.Low, 1):
		return fmt.Errorf("%v and %v are too far apart to expect anything", v.Low, v.High)
	}
	return nil
}

// checkClaims returns an error if f does not have a claim of e.
func (f *File) checkClaims(e *Entry) error {
	for _, name := range e.Claims {
		if _, ok := f.Claims[name]; !ok {
			return fmt.Errorf("there is no claim %q", name)
		}
	}
	return nil
}

// withPosition adds the position to an error of the JSON decoder.
func withPosition(path string, text []byte, err error) error {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic):
		return at(path, text, semantic.ByteOffset, meaning(semantic))
	case errors.As(err, &syntactic):
		return at(path, text, syntactic.ByteOffset, fmt.Errorf("not JSON: %w", syntactic.Err))
	}
	return at(path, text, int64(len(text)), fmt.Errorf("not JSON: %w", err))
}

// meaning describes an error about a value in the terms of the file.
func meaning(e *json.SemanticError) error {
	name := cmp.Or(e.JSONPointer.LastToken(), "the file")
	switch {
	case errors.Is(e.Err, json.ErrUnknownName) && name == "deadlocks":
		return fmt.Errorf("unknown member %q: its name is %q", name, "terminal_states")
	case errors.Is(e.Err, json.ErrUnknownName):
		return fmt.Errorf("unknown member %q", name)
	case e.Err != nil && e.JSONValue != nil:
		return fmt.Errorf("%s: %s: %w", name, e.JSONValue, e.Err)
	case e.Err != nil:
		return fmt.Errorf("%s: %w", name, e.Err)
	case e.GoType != nil && e.JSONKind != 0:
		return fmt.Errorf("%s: a %v is not allowed here", name, e.JSONKind)
	}
	return e
}

// maxShown is the maximum number of bytes of an error that are shown.
const maxShown = 300

// at adds to err the position of the first token at or after an offset. It shortens long messages, since names and
// numbers in a file can have any length.
func at(path string, text []byte, offset int64, err error) error {
	if all := err.Error(); len(all) > maxShown {
		head, tail := all[:maxShown/2], all[len(all)-maxShown/2:]
		err = errors.New(strings.ToValidUTF8(head, "") + " … " + strings.ToValidUTF8(tail, ""))
	}
	return fmt.Errorf("%s: %w", position(path, text, offset), err)
}

// position returns path:line:column of the first token at or after an offset.
func position(path string, text []byte, offset int64) string {
	rest := text[min(offset, int64(len(text))):]
	before := text[:len(text)-len(bytes.TrimLeft(rest, " \t\r\n,:"))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("%s:%d:%d", path, line, column)
}
