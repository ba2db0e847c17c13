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
	"ringcheck/specs"
)

// Parse reads a regression file and checks that every entry can be run. Paths of specs are relative to the file. An
// error names the place: path:line:column.
func Parse(path string, text []byte) (*File, error) {
	if err := refuseNull(path, text); err != nil {
		return nil, err
	}
	f := new(File)
	if err := json.Unmarshal(text, f, json.RejectUnknownMembers(true)); err != nil {
		return nil, located(path, text, err)
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
			err = fmt.Errorf("%s is there twice", e.Name())
		}
		if err != nil {
			return nil, at(path, text, e.offset, err)
		}
		known[e.Name()] = true
		e.place = place(path, text, e.offset) + ": "
	}
	return f, nil
}

// refuseNull reports a null: it says nothing, where something is to be said or left out.
func refuseNull(path string, text []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.ReadToken()
		switch {
		case err != nil:
			return nil // is reported by who reads what the text means
		case token.Kind() == 'n':
			return at(path, text, d.InputOffset()-int64(len("null")), errors.New("null says nothing: leave the member out"))
		}
	}
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom: it notes where the entry is.
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

// check makes the instance of the entry.
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
	if q := e.Expect.Quotient; q != nil {
		if _, err := bisim.ParseEquivalence(q.Equivalence); err != nil {
			return fmt.Errorf("quotient: %w", err)
		}
	}
	for name, v := range e.Expect.Properties {
		if v.Holds && v.TraceLength != nil {
			return fmt.Errorf("properties: %s is expected to hold, so that no run breaks it, and to have a trace_length", name)
		}
	}
	return instance.Validate(e.Expect.question())
}

// checkClaims reports a claim of e that f does not know.
func (f *File) checkClaims(e *Entry) error {
	for _, name := range e.Claims {
		if _, ok := f.Claims[name]; !ok {
			return fmt.Errorf("there is no claim %q", name)
		}
	}
	return nil
}

// located gives an error of the JSON decoder its place.
func located(path string, text []byte, err error) error {
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

// meaning says what is wrong with a value, in the terms of the file.
func meaning(e *json.SemanticError) error {
	name := cmp.Or(e.JSONPointer.LastToken(), "the file")
	switch {
	case errors.Is(e.Err, json.ErrUnknownName):
		return fmt.Errorf("unknown member %q", name)
	case e.Err != nil && e.JSONValue != nil:
		return fmt.Errorf("%s: %s: %w", name, e.JSONValue, e.Err)
	case e.Err != nil:
		return fmt.Errorf("%s: %w", name, e.Err)
	case e.GoType != nil && e.JSONKind != 0:
		return fmt.Errorf("%s: a %v is not what belongs here", name, e.JSONKind)
	}
	return e
}

// at gives err a place: the first thing at or after an offset.
func at(path string, text []byte, offset int64, err error) error {
	return fmt.Errorf("%s: %w", place(path, text, offset), err)
}

// place returns path:line:column of the first thing at or after an offset.
func place(path string, text []byte, offset int64) string {
	rest := text[min(offset, int64(len(text))):]
	before := text[:len(text)-len(bytes.TrimLeft(rest, " \t\r\n,:"))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("%s:%d:%d", path, line, column)
}
