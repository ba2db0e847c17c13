package lts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// A lineReader reads lines that are not blank.
type lineReader struct {
	in     *bufio.Reader
	number int // of the line read last, from 1
}

// next returns the next line without the blanks around it, valid until the next call, or io.EOF.
func (r *lineReader) next() ([]byte, error) {
	for {
		line, err := r.in.ReadSlice('\n')
		if len(line) == 0 && err == io.EOF {
			return nil, io.EOF
		}
		r.number++
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, &AutError{r.number, fmt.Sprintf("longer than %d bytes", maxLine)}
		}
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("reading line %d: %w", r.number, err)
		}
		line = trimBlanks(line)
		if hasControl(line) {
			return nil, &AutError{r.number, "a control character; this is not a text file"}
		}
		if len(line) > 0 {
			return line, nil
		}
	}
}

// hasControl reports whether s has a control character other than a tab.
func hasControl[T string | []byte](s T) bool {
	for i := range len(s) {
		if s[i] < ' ' && s[i] != '\t' {
			return true
		}
	}
	return false
}

func trimBlanks(b []byte) []byte { return bytes.Trim(b, " \t\r\n") }

// A cursor takes tokens, and the blanks before them, off the front of a line.
type cursor struct{ rest []byte }

func (c *cursor) blanks() { c.rest = bytes.TrimLeft(c.rest, " \t") }

func (c *cursor) skip(token byte) error {
	c.blanks()
	if len(c.rest) == 0 {
		return fmt.Errorf("expected %q before the line's end", token)
	}
	if c.rest[0] != token {
		return fmt.Errorf("expected %q before %s", token, excerpt(c.rest))
	}
	c.rest = c.rest[1:]
	return nil
}

// number reads digits.
func (c *cursor) number() (uint64, error) {
	c.blanks()
	var n uint64
	i := 0
	for ; i < len(c.rest) && '0' <= c.rest[i] && c.rest[i] <= '9'; i++ {
		digit := uint64(c.rest[i] - '0')
		if n > (^uint64(0)-digit)/10 {
			return 0, fmt.Errorf("the number %s is too large", excerpt(c.rest))
		}
		n = 10*n + digit
	}
	if i == 0 {
		return 0, fmt.Errorf("expected a number, not %s", excerpt(c.rest))
	}
	c.rest = c.rest[i:]
	return n, nil
}

func (c *cursor) end() error {
	c.blanks()
	if len(c.rest) > 0 {
		return fmt.Errorf("unexpected %s", excerpt(c.rest))
	}
	return nil
}

// excerpt quotes the beginning of b for a message.
func excerpt(b []byte) string {
	const length = 20
	if len(b) > length {
		return fmt.Sprintf("%q…", b[:length])
	}
	return fmt.Sprintf("%q", b)
}
