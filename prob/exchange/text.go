package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"ringcheck/internal/effort"
)

// A lines reads a text line by line, without comments and empty lines, and the words of a line.
type lines struct {
	*effort.Effort
	name      string
	in        *bufio.Scanner
	number    int
	rest      []byte // of the line
	onComment func(comment string)
}

// longestLine is how many bytes a line may have.
const longestLine = 1 << 20

func newLines(f *effort.Effort, name string, r io.Reader) *lines {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 1<<16), longestLine)
	return &lines{Effort: f, name: name, in: in}
}

// next goes to the next line, and reports whether there is one.
func (l *lines) next() bool {
	for l.in.Scan() {
		l.Tick()
		l.number++
		l.rest = bytes.TrimSpace(l.in.Bytes())
		switch {
		case bytes.HasPrefix(l.rest, []byte("#")):
			if l.onComment != nil {
				l.onComment(string(l.rest))
			}
		case len(l.rest) > 0:
			return true
		}
	}
	return false
}

// fail stops the reading with an error about the current line.
func (l *lines) fail(format string, args ...any) {
	refuse("%s:%d: %w", l.name, l.number, fmt.Errorf(format, args...))
}

// end stops the reading unless there are no more lines since the file has ended.
func (l *lines) end() {
	l.number++
	switch err := l.in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		l.fail("the line is longer than %d bytes", longestLine)
	case err != nil:
		l.fail("%w", err)
	}
}

// word returns the next word of the line, nothing at its end.
func (l *lines) word() []byte {
	i := 0
	for i < len(l.rest) && l.rest[i] > ' ' {
		i++
	}
	word := l.rest[:i]
	l.rest = bytes.TrimLeft(l.rest[i:], " \t")
	return word
}

// whole returns the next word as a number below 2^32.
func (l *lines) whole() uint32 {
	word, n := l.word(), uint64(0)
	for _, c := range word {
		if n = 10*n + uint64(c-'0'); c < '0' || c > '9' || n > math.MaxUint32 {
			l.fail("%w", notNumber(string(word)))
		}
	}
	if len(word) == 0 {
		l.fail("there are too few numbers")
	}
	return uint32(n)
}

// head returns the numbers of the first line.
func (l *lines) head() (list []uint32) {
	if !l.next() {
		l.end()
		refuse("%s: the file is empty", l.name)
	}
	for len(l.rest) > 0 {
		list = append(list, l.whole())
	}
	return list
}

// refuse stops the reading of a file with an error.
func refuse(format string, args ...any) { panic(effort.Because(fmt.Errorf(format, args...))) }

// notNumber says that a word is no number.
func notNumber(word string) error {
	const length = 20
	if len(word) > length {
		return fmt.Errorf("%q… is not a number", word[:length])
	}
	return fmt.Errorf("%q is not a number", word)
}
