package reduce

import (
	"errors"
	"maps"

	"ringcheck/model"
	"ringcheck/model/language/check"
)

// A Spec is a protocol in ringcheck's language, whose parameters and options have no values yet.
type Spec struct {
	Name, Doc string
	File      string // where the text is from, as in messages
	Text      []byte

	Declarations *check.Spec // what the text declares
}

// NewSpec returns the Spec of a text that was read and checked.
func NewSpec(checked *check.Spec, text []byte) *Spec {
	return &Spec{Name: checked.Name, Doc: checked.Doc, File: checked.File, Text: text, Declarations: checked}
}

// System returns an instance of the spec; values of later sets replace values of earlier ones. The error is a
// *model.RequestError for an invalid setting, or a syntax.ErrorList if the spec is invalid for these settings.
func (s *Spec) System(set ...Set) (*System, error) {
	given := make(map[string]string)
	for _, values := range set {
		maps.Copy(given, values.Texts())
	}
	p, err := s.Declarations.Instantiate(given)
	if setting := (*check.SettingError)(nil); errors.As(err, &setting) {
		return nil, &model.RequestError{Err: err}
	} else if err != nil {
		return nil, err
	}
	return &System{Name: p.Name, Spec: s, Given: given, Protocol: p}, nil
}
