package syntax

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"ringcheck/internal/printable"
)

// String returns file:line:column, without the file if it has no name.
func (p Pos) String() string {
	if p.File == "" {
		return fmt.Sprintf("%d:%d", p.Line, p.Column)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// An Error is one thing that is wrong with the text of a spec.
type Error struct {
	Pos     Pos    `json:"pos"`
	End     Pos    `json:"end"`     // the end of the wrong text, on the same line; the zero Pos if unknown
	Message string `json:"message"` // what was expected, or what is wrong
	Hint    string `json:"hint"`    // how to mend it, such as the result of DidYouMean; may be empty
	Code    string `json:"code"`    // the kind of mistake: "syntax", "unknown-name", …
}

// Error returns file:line:column: message, with the hint in parentheses.
func (e *Error) Error() string { return e.Pos.String() + ": " + e.Plain().Error() }

// Plain returns the error without its position.
func (e *Error) Plain() error {
	if e.Hint == "" {
		return errors.New(e.Message)
	}
	return fmt.Errorf("%s (%s)", e.Message, e.Hint)
}

// An ErrorList has one or more errors of the parser or the checker, in the order of the text. The zero value is an
// empty list, ready for Add.
type ErrorList []*Error

// Add appends an error; Err sorts.
func (l *ErrorList) Add(pos Pos, format string, args ...any) *Error {
	e := &Error{Pos: pos, Message: fmt.Sprintf(format, args...)}
	*l = append(*l, e)
	return e
}

// Err returns nil for an empty list, otherwise its errors, sorted by position, with the first one at each position.
func (l ErrorList) Err() error {
	if len(l) == 0 {
		return nil
	}
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, func(a, b *Error) int { return ComparePos(a.Pos, b.Pos) })
	sorted = slices.CompactFunc(sorted, func(a, b *Error) bool { return a.Pos == b.Pos })
	return sorted
}

// Error returns one line for each error.
func (l ErrorList) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// ComparePos orders positions by file, line and column.
func ComparePos(a, b Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// fewCandidates is the maximum number of candidates that a hint lists.
const fewCandidates = 8

// Suggest returns a hint about an unknown name: the hint of DidYouMean or, if no candidate is near and there are few,
// all of them; otherwise "".
func Suggest(name string, candidates []string) string {
	hint := DidYouMean(name, candidates)
	if n := len(candidates); hint == "" && 0 < n && n <= fewCandidates {
		return "known: " + strings.Join(candidates, ", ")
	}
	return hint
}

// DidYouMean returns `did you mean "x"?` for the candidate nearest to name, or "" if none is near.
func DidYouMean(name string, candidates []string) string {
	if near := Nearest(name, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// replacements matches the replacement that a hint offers.
var replacements = regexp.MustCompile(`(?:did you mean|write|written) "([^"…]+)"`)

// Replacements returns the replacements that the hint offers.
func (e *Error) Replacements() []string {
	if known, ok := strings.CutPrefix(e.Hint, "known: "); ok {
		return strings.Split(known, ", ")
	}
	var list []string
	for _, m := range replacements.FindAllStringSubmatch(e.Hint, 1) {
		list = append(list, m[1])
	}
	return list
}

// Nearest returns the candidate of which name is probably a misspelling: the first with the least edit distance,
// ignoring case, that is at most max(1, len(name)/3). If no candidate is near, it returns the first that abbreviates
// name or that name abbreviates, or "".
func Nearest(name string, candidates []string) string {
	best, least := "", max(1, len(name)/3)+1
	for _, c := range candidates {
		if c == name {
			continue
		}
		if d := editDistance(strings.ToLower(name), strings.ToLower(c)); d < least && d < len(name) {
			best, least = c, d
		}
	}
	if best != "" {
		return best
	}
	for _, c := range candidates {
		if c != name && (abbreviates(c, name) || abbreviates(name, c)) {
			return c
		}
	}
	return ""
}

// abbreviates reports whether short has the first letter of long, and half of its letters or more in their order, in
// either case.
func abbreviates(short, long string) bool {
	s, l := []rune(strings.ToLower(short)), []rune(strings.ToLower(long))
	if len(s) < 3 || len(s) > len(l) || 2*len(s) < len(l) || s[0] != l[0] {
		return false
	}
	for _, r := range l {
		if len(s) > 0 && s[0] == r {
			s = s[1:]
		}
	}
	return len(s) == 0
}

// editDistance counts the insertions, deletions, substitutions and swaps of neighbours that turn a into b
// (optimal string alignment).
func editDistance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			differ := 0
			if s[i] != t[j] {
				differ = 1
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+differ)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}

// maxRendered is the maximum number of errors that Render shows.
const maxRendered = 10

// Render returns errors as people read them: for each the position and message, its line of src, a caret below the
// position, and the hint. If there are more than ten, the last line has the number of errors that are not shown.
//
//	my.ring:12:19: error: expected "then", found "the"
//	    A = if h = n the Leader else A
//	                 ^
//	    did you mean "then"?
func Render(src []byte, list ErrorList) string {
	lines := bytes.Split(src, []byte("\n"))
	var out strings.Builder
	shown := list[:min(len(list), maxRendered)]
	for _, e := range shown {
		renderError(&out, lines, e)
	}
	if more := len(list) - len(shown); more > 0 {
		fmt.Fprintf(&out, "and %s\n", printable.Count(more, "more error"))
	}
	return out.String()
}

// margin indents source lines and hints.
const margin = "    "

func renderError(out *strings.Builder, lines [][]byte, e *Error) {
	fmt.Fprintf(out, "%s: error: %s\n", e.Pos, e.Message)
	if 1 <= e.Pos.Line && e.Pos.Line <= len(lines) {
		line := strings.TrimPrefix(strings.TrimRight(string(lines[e.Pos.Line-1]), "\r"), "\ufeff")
		shown, caret := excerpt(line, e.Pos.Column)
		fmt.Fprintf(out, "%s%s\n%s%s^\n", margin, shown, margin, caret)
	}
	if e.Hint != "" {
		fmt.Fprintf(out, "%s%s\n", margin, e.Hint)
	}
}

// tabWidth is the number of columns of a tab.
const tabWidth = 4

// maxExcerpt is the maximum number of runes of a line that are shown.
const maxExcerpt = 160

// excerpt returns a line as it is shown (tabs as spaces, unprintable runes as ?, a long line cut around the column) and
// the spaces before the caret.
func excerpt(line string, column int) (shown, caret string) {
	runes := []rune(line)
	from := 0
	if column > maxExcerpt-20 {
		from = min(column-maxExcerpt/2, len(runes))
	}
	runes = runes[from:min(len(runes), from+maxExcerpt)]
	var text, below strings.Builder
	for i, r := range runes {
		s, columns := showRune(r)
		text.WriteString(s)
		if from+i+1 < column {
			below.WriteString(strings.Repeat(" ", columns))
		}
	}
	return strings.TrimRight(text.String(), " "), below.String()
}

// showRune returns the displayed form of a rune and its width in columns of a terminal.
func showRune(r rune) (string, int) {
	switch {
	case r == '\t':
		return strings.Repeat(" ", tabWidth), tabWidth
	case unicode.Is(unicode.Mn, r):
		return string(r), 0
	case !unicode.IsPrint(r):
		return "?", 1
	case isWide(r):
		return string(r), 2
	default:
		return string(r), 1
	}
}

// isWide reports whether terminals show r in two columns: the East Asian wide scripts and forms, and emoji.
func isWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) ||
		0x3000 <= r && r <= 0x303e || 0xff01 <= r && r <= 0xff60 || 0x1f300 <= r && r <= 0x1faff
}
