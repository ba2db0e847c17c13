package syntax

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Render writes err for people: for each Error in it the place and message, the line of src it speaks of, a
// caret below the place, and the hint. Other errors are written as they are.
//
//	my.ring:12:19: error: expected "then", found "the"
//	    A = if h = n the Leader else A
//	                 ^
//	    did you mean "then"?
func Render(w io.Writer, src []byte, err error) error {
	list := asList(err)
	if list == nil {
		_, werr := fmt.Fprintf(w, "error: %v\n", err)
		return werr
	}
	lines := bytes.Split(src, []byte("\n"))
	var out strings.Builder
	for _, e := range list {
		renderError(&out, lines, e)
	}
	_, werr := io.WriteString(w, out.String())
	return werr
}

// margin stands before what is quoted.
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

// tabWidth is how many columns a tab is shown as.
const tabWidth = 4

// maxExcerpt is how many runes of a line are shown.
const maxExcerpt = 160

// excerpt returns a line as it is shown (tabs as spaces, what cannot be printed as ?, a long line cut around
// the column) and the spaces that bring a caret below the column.
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

// showRune returns how a rune is shown, and how many columns of a terminal that takes.
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
