package model

import (
	"fmt"
	"strings"
)

// A RequestError says that a request is invalid: the value of an option is wrong, or does not fit the system.
type RequestError struct {
	Option string // as the command line calls it, such as "symmetry"; "" if it is not about one option
	Value  string // may be empty
	Err    error
}

func (e *RequestError) Error() string {
	if e.Option == "" {
		return e.Err.Error()
	}
	return strings.TrimSpace(e.Option+" "+e.Value) + ": " + e.Err.Error()
}

func (e *RequestError) Unwrap() error { return e.Err }

// Refuse returns a *RequestError with the text that the format gives.
func Refuse(option, value, format string, args ...any) error {
	return &RequestError{option, value, fmt.Errorf(format, args...)}
}

// A Warning points to something that is probably not intended.
type Warning struct {
	Place string `json:"place"` // file:line:column, or the file
	Text  string `json:"text"`
}
