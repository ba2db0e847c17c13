// Package specs is the catalogue of protocols: each is a file NAME.ring in the language of docs/language.md,
// close to the pseudo-code of the paper that it names, and embedded here.
//
//	Names    the built-in ones
//	Source   the text of a built-in one
//	Read     the text of a built-in one or of a user's file
//	Open     the same, parsed and checked
package specs

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"ringcheck/internal/textfile"
	"ringcheck/model/language/check"
	"ringcheck/model/language/syntax"
)

//go:embed *.ring
var files embed.FS

// ext is how the names of spec files end.
const ext = ".ring"

// Names returns the names of the built-in specs in alphabetical order.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("specs: the embedded directory cannot be read: " + err.Error())
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ext)
	}
	slices.Sort(names)
	return names
}

// Source returns the text of a built-in spec and its file name. An unknown name is an *UnknownError.
func Source(name string) (file string, src []byte, err error) {
	src, err = files.ReadFile(name + ext)
	if err != nil {
		return "", nil, &UnknownError{Name: name, Near: syntax.Nearest(name, Names())}
	}
	return name + ext, src, nil
}

// Read returns the text of a spec: of the built-in one of that name, else of the file at that path.
func Read(nameOrPath string) (file string, src []byte, err error) {
	file, src, err = Source(nameOrPath)
	if err == nil {
		return file, src, nil
	}
	src, ferr := textfile.Read(nameOrPath)
	switch {
	case ferr == nil:
		return nameOrPath, src, nil
	case errors.Is(ferr, fs.ErrNotExist) && !strings.HasSuffix(nameOrPath, ext):
		if _, there := os.Stat(nameOrPath + ext); there == nil {
			err = &UnknownError{Name: nameOrPath, Near: nameOrPath + ext}
		}
		return "", nil, err
	default:
		return "", nil, fmt.Errorf("reading the spec: %w", ferr)
	}
}

// Open reads, parses and checks a spec. What is wrong with its text is a syntax.ErrorList.
func Open(nameOrPath string) (*check.Spec, error) {
	file, src, err := Read(nameOrPath)
	if err != nil {
		return nil, err
	}
	return Parse(file, src)
}

// Parse parses and checks the text of a spec. Messages call it file. Errors in it are a syntax.ErrorList.
func Parse(file string, src []byte) (*check.Spec, error) {
	r := check.Text(file, src)
	if r.Errors != nil {
		return nil, r.Errors
	}
	return r.Spec, nil
}

// An UnknownError says that there is no spec of a name.
type UnknownError struct {
	Name string
	Near string // a built-in spec with a similar name, or the file of this name and .ring; "" if there is none
}

func (e *UnknownError) Error() string {
	s := fmt.Sprintf("no spec %q: it is neither built in (%s) nor a file", e.Name, strings.Join(Names(), ", "))
	if e.Near != "" {
		s += fmt.Sprintf("; did you mean %q?", e.Near)
	}
	return s
}
