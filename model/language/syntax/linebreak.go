package syntax

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// lineBreaks has the places in the text of a file where its author began a new line, and the comments inside
// declarations, which end lines. A nil *lineBreaks has none.
type lineBreaks struct {
	file   *File
	inside []*Comment // which are not written yet, in the order of the text
}

// token returns the index of the token at a position, or of the first of the parentheses that open before it; -1 if the
// position is not known.
func (b *lineBreaks) token(at Pos) int {
	if b == nil || at.Line == 0 {
		return -1
	}
	i := b.file.TokenAt(at)
	for i > 0 && b.file.tokens[i-1].is("(") {
		i--
	}
	return i
}

// begins reports whether the author began a line before the token at a position.
func (b *lineBreaks) begins(at Pos) bool {
	i := b.token(at)
	return i >= 0 && b.file.tokens[i].First
}

// wordBefore returns the position of the word or the bar before the token at a position.
func (b *lineBreaks) wordBefore(at Pos) Pos {
	if i := b.token(at); i > 0 {
		return b.file.tokens[i-1].Pos
	}
	return Pos{}
}

// comments appends to text the comments directly before the token at a position: behind the last line, or each line of
// a comment on a line of its own from the column on, which is also where one behind a bar goes.
func (b *lineBreaks) comments(text []byte, column int, at Pos) []byte {
	i := b.token(at)
	if i <= 0 {
		return text
	}
	last, next := b.file.tokens[i-1].Pos, b.file.tokens[i].Pos
	for k := 0; k < len(b.inside); {
		c := b.inside[k]
		if ComparePos(c.Pos, last) < 0 || ComparePos(next, c.Pos) < 0 {
			k++
			continue
		}
		b.inside = slices.Delete(b.inside, k, k+1)
		if c.Behind && !b.file.tokens[i-1].is("|") {
			text = append(text, trailing(c)...)
			continue
		}
		for _, line := range c.Lines {
			text = append(text, "\n"+strings.Repeat(" ", column)+commentLine(line)...)
		}
	}
	return text
}

// takeComments removes and returns the comments inside a declaration that are not written yet.
func (b *lineBreaks) takeComments(d Decl) (list []*Comment) {
	b.inside = slices.DeleteFunc(b.inside, func(c *Comment) bool {
		if c.Before == d {
			list = append(list, c)
		}
		return c.Before == d
	})
	return list
}

// A mark stands before and after the column of a comment behind other text until alignComments replaces it. No spec
// contains it.
const mark = "\x00"

// trailing returns a comment behind other text, for alignComments.
func trailing(c *Comment) string {
	return fmt.Sprint(mark, c.Pos.Column, mark, commentLine(c.Lines[0]))
}

// alignComments puts the comments behind adjacent lines into one column: the author's if all have the same one and the
// lines end before it, else the first column behind all lines. A comment alone is behind one space.
func alignComments(text []byte) []byte {
	if !bytes.Contains(text, []byte(mark)) {
		return text
	}
	var out bytes.Buffer
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for len(lines) > 0 {
		n := 0
		for n < len(lines) && strings.Contains(lines[n], mark) {
			n++
		}
		column := commentColumn(lines[:n])
		for _, line := range lines[:max(n, 1)] {
			if parts := strings.Split(line, mark); len(parts) == 3 {
				line = parts[0] + strings.Repeat(" ", column-utf8.RuneCountInString(parts[0])) + parts[2]
			}
			out.WriteString(line + "\n")
		}
		lines = lines[max(n, 1):]
	}
	return out.Bytes()
}

// commentColumn returns the column, from 0, of the comments of some lines, all of which have one.
func commentColumn(lines []string) int {
	end, author := 0, -1
	for i, line := range lines {
		parts := strings.Split(line, mark)
		end = max(end, utf8.RuneCountInString(parts[0])+1)
		if column, err := strconv.Atoi(parts[1]); err == nil && (i == 0 || column-1 == author) {
			author = column - 1
		} else {
			author = -1
		}
	}
	if len(lines) == 1 {
		return end
	}
	return max(end, author)
}
