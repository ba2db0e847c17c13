package lts

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"ringcheck/internal/printable"
	"ringcheck/internal/textfile"
)

// maxLine is the longest accepted line in bytes.
const maxLine = 1 << 20

// freeStates is the number of states that a header may declare whatever its number of transitions. Beyond that it may
// declare only as many as the transitions' ends and the initial state, so that a short file cannot take much memory.
const freeStates = 1 << 20

// An AutError is an error in an Aldebaran file.
type AutError struct {
	Line    int // from 1
	Message string
}

func (e *AutError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// ReadAut reads a system in the Aldebaran format, in the variants of docs/formats.md. The labels "tau" and "i" are τ.
// The header is checked, not trusted: memory grows with the transitions read. The error is an *AutError, comes from r
// or the context, or wraps ErrMemory if more than memory bytes, labels included, would be held; 0 means no limit.
func ReadAut(ctx context.Context, r io.Reader, memory uint64) (*LTS, error) {
	in := bufio.NewReaderSize(r, maxLine)
	textfile.SkipMark(in)
	a := &autReader{
		ctx:     ctx,
		memory:  memory,
		lines:   lineReader{in: in},
		builder: NewBuilder(),
	}
	a.builder.byText["i"] = Tau
	if err := a.readHeader(); err != nil {
		return nil, err
	}
	if err := a.readEdges(); err != nil {
		return nil, err
	}
	return a.builder.Build(ctx, uint32(a.initial), int(a.states))
}

type autReader struct {
	lines                        lineReader
	initial, transitions, states uint64
	ctx                          context.Context
	memory                       uint64
	labelBytes                   uint64
	builder                      *Builder
}

func (a *autReader) errorf(format string, args ...any) error {
	return &AutError{max(a.lines.number, 1), fmt.Sprintf(format, args...)}
}

func (a *autReader) readHeader() error {
	line, err := a.lines.next()
	if err == io.EOF {
		return a.errorf("the file is empty; expected: des (initial, transitions, states)")
	}
	if err != nil {
		return err
	}
	if err := a.parseHeader(line); err != nil {
		return a.errorf("%v; expected: des (initial, transitions, states)", err)
	}
	switch {
	case a.states > MaxStates || a.transitions > MaxTransitions:
		return a.errorf("%v", ErrTooLarge)
	case a.initial >= a.states:
		return a.errorf("the initial state %d is not below the number of states, %d", a.initial, a.states)
	case a.states > max(freeStates, 2*a.transitions+1):
		return a.errorf("%d states cannot be reached by %s", a.states, printable.Count(a.transitions, "transition"))
	}
	return nil
}

func (a *autReader) parseHeader(line []byte) error {
	rest, ok := bytes.CutPrefix(line, []byte("des"))
	if !ok {
		return errors.New("no header")
	}
	c := cursor{rest: rest}
	for i, number := range []*uint64{&a.initial, &a.transitions, &a.states} {
		c.skip("(,,"[i])
		*number = c.number()
	}
	c.skip(')')
	c.end()
	return c.err
}

func (a *autReader) readEdges() error {
	for read := uint64(0); ; read++ {
		if err := a.limits(read); err != nil {
			return err
		}
		line, err := a.lines.next()
		switch {
		case err == io.EOF && read < a.transitions:
			return a.errorf("the file ends after %d transitions; the header promises %d", read, a.transitions)
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case read == a.transitions:
			return a.errorf("more transitions than the %d of the header", a.transitions)
		}
		from, label, to, err := parseEdge(line)
		if err != nil {
			return a.errorf("%v", err)
		}
		if s := max(from, to); s >= a.states {
			return a.errorf("state %d is not below the number of states of the header, %d", s, a.states)
		}
		a.builder.Add(uint32(from), Edge{Label: a.intern(label), To: uint32(to)})
	}
}

// limits checks the context and the memory from time to time. Build takes two numbers, 8 bytes, per state.
func (a *autReader) limits(read uint64) error {
	if read%(1<<12) != 0 {
		return nil
	}
	if err := a.ctx.Err(); err != nil {
		return fmt.Errorf("reading line %d: %w", a.lines.number, err)
	}
	if held := a.builder.bytes() + a.labelBytes + 8*a.states; a.memory != 0 && held > a.memory {
		return fmt.Errorf("reading line %d: %w", a.lines.number, ErrMemory)
	}
	return nil
}

func (a *autReader) intern(text []byte) Label {
	if label, ok := a.builder.byText[string(text)]; ok { // does not copy the text
		return label
	}
	a.labelBytes += labelBytes(string(text))
	return a.builder.Label(string(text))
}

// parseEdge splits a line (from, label, to). Labels have no escapes, so it reads the line from both ends and takes the
// rest as the label.
func parseEdge(line []byte) (from uint64, label []byte, to uint64, err error) {
	c := cursor{rest: line}
	c.skip('(')
	from = c.number()
	c.skip(',')
	label = trimBlanks(c.rest)
	comma := bytes.LastIndexByte(label, ',')
	switch {
	case c.err != nil:
		return 0, nil, 0, c.err
	case len(label) > 0 && label[0] == '"' && bytes.IndexByte(label[1:], '"') < 0:
		return 0, nil, 0, errors.New("the label's quote is not closed")
	case comma < 0:
		return 0, nil, 0, errors.New("expected (from, label, to)")
	}
	c.rest = label[comma+1:]
	to = c.number()
	c.skip(')')
	if c.end(); c.err != nil {
		return 0, nil, 0, c.err
	}
	label, err = unquote(trimBlanks(label[:comma]))
	return from, label, to, err
}

func unquote(label []byte) ([]byte, error) {
	switch {
	case len(label) == 0:
		return nil, errors.New("the label is missing")
	case label[0] == '"' && (len(label) == 1 || label[len(label)-1] != '"'):
		return nil, errors.New("the label's quote is not closed")
	case label[0] == '"':
		return label[1 : len(label)-1], nil
	case bytes.IndexByte(label, '"') >= 0:
		return nil, errors.New("a quote within an unquoted label")
	}
	return label, nil
}

// A lineReader reads lines that are not blank.
type lineReader struct {
	in     *bufio.Reader
	number int // of the last line read, from 1
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

// A cursor consumes tokens and the blanks before them from a line, and keeps the first error.
type cursor struct {
	rest []byte
	err  error
}

func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

func (c *cursor) blanks() { c.rest = bytes.TrimLeft(c.rest, " \t") }

func (c *cursor) skip(token byte) {
	switch c.blanks(); {
	case len(c.rest) == 0:
		c.fail("expected %q before the line's end", token)
	case c.rest[0] != token:
		c.fail("expected %q before %s", token, excerpt(c.rest))
	default:
		c.rest = c.rest[1:]
	}
}

// number reads digits.
func (c *cursor) number() uint64 {
	c.blanks()
	var n uint64
	i := 0
	for ; i < len(c.rest) && '0' <= c.rest[i] && c.rest[i] <= '9'; i++ {
		digit := uint64(c.rest[i] - '0')
		if n > (^uint64(0)-digit)/10 {
			c.fail("the number %s is too large", excerpt(c.rest))
		}
		n = 10*n + digit
	}
	if i == 0 {
		c.fail("expected a number, not %s", excerpt(c.rest))
	}
	c.rest = c.rest[i:]
	return n
}

func (c *cursor) end() {
	if c.blanks(); len(c.rest) > 0 {
		c.fail("unexpected %s", excerpt(c.rest))
	}
}

// excerpt quotes the beginning of b for a message.
func excerpt(b []byte) string {
	const length = 20
	if len(b) > length {
		return fmt.Sprintf("%q…", b[:length])
	}
	return fmt.Sprintf("%q", b)
}
