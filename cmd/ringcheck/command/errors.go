package command

import (
	"cmp"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ringcheck/internal/document"
	"ringcheck/model/language/syntax"
)

// A mistake is one error of a request. docs/formats.md specifies its JSON form.
type mistake struct {
	File    string     `json:"file,omitempty"`
	Range   *textRange `json:"range,omitempty"`
	Message string     `json:"message"`
	Hint    string     `json:"hint,omitempty"`
	Code    string     `json:"code,omitempty"`
}

// A textRange is a part of a file. Lines and columns count from 1, columns in characters; End is the position after it.
type textRange struct {
	Start textPosition `json:"start"`
	End   textPosition `json:"end"`
}

type textPosition struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// reportErrors prints as JSON what is wrong with a request, or why the work ended early, if the arguments ask for JSON
// and nothing has been printed.
func (a *app) reportErrors(args []string, err error) error {
	if !asked.MatchString(strings.Join(args, " ")) || a.watch.prints.Load() {
		return nil
	}
	var data any
	switch statusOf(err) {
	case statusRequest:
		data = mistakes(err)
	case statusStopped:
		data = endedBy(classify(err))
	default:
		return nil
	}
	return (&job{app: a, json: true}).publish(&document.Document{Data: data})
}

// A refusal is the JSON form of a wrong request.
type refusal struct {
	Errors []mistake `json:"errors"`
}

func mistakes(err error) (found refusal) {
	var list syntax.ErrorList
	if errors.As(err, &list) {
		for _, e := range list {
			end := textPosition{cmp.Or(e.End.Line, e.Pos.Line), cmp.Or(e.End.Column, e.Pos.Column+1)}
			where := &textRange{textPosition{e.Pos.Line, e.Pos.Column}, end}
			found.Errors = append(found.Errors, mistake{e.Pos.File, where, e.Message, e.Hint, e.Code})
		}
	} else {
		found.Errors = []mistake{newMistake(classify(err).Error())}
	}
	return found
}

var (
	asked  = regexp.MustCompile(`(^| )--(json(=true)?|format[ =]json)( |$)`) // for JSON, even in wrong arguments
	placed = regexp.MustCompile(`^([^\s:]+):(\d+)(?::(\d+))?: (?s)(.*)$`)
	hinted = regexp.MustCompile(`^(?s)(.*)(?: \(|; )(did you mean [^()]*\?)\)?$`)
)

// newMistake parses a message, which has a fixed form if it has a position or a hint.
func newMistake(text string) mistake {
	m := mistake{Message: text}
	if parts := placed.FindStringSubmatch(text); parts != nil {
		line, _ := strconv.Atoi(parts[2])
		column, _ := strconv.Atoi(parts[3])
		m.File, m.Message = parts[1], parts[4]
		m.Range = &textRange{textPosition{line, max(1, column)}, textPosition{line, column + 1}}
		if column == 0 { // the whole line
			m.Range.End = textPosition{line + 1, 1}
		}
	}
	if parts := hinted.FindStringSubmatch(m.Message); parts != nil {
		m.Message, m.Hint = parts[1], parts[2]
	}
	return m
}

// offerJSON adds --json to commands without a JSON result: it makes errors of the request JSON.
func offerJSON(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		offerJSON(sub)
		if sub.Runnable() && sub.Flags().Lookup("json") == nil {
			sub.Flags().Bool("json", false,
				"write errors in the request, or why the command ended early, as JSON to standard output")
		}
	}
}
