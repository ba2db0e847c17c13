package lts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine is the length of the longest line that is read, in bytes.
const maxLine = 1 << 20

// freeStates is how many states a header may promise whatever the number of transitions; beyond that there
// may be no more states than transitions have ends, and an initial state. It keeps a short file from asking
// for much memory.
const freeStates = 1 << 20

// An AutError is what is wrong with an Aldebaran file.
type AutError struct {
	Line    int // from 1
	Message string
}

func (e *AutError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// ReadAut reads a system in the Aldebaran format; docs/formats.md says which variants. The labels "tau" and
// "i" are τ. What the header promises is checked, not trusted: memory grows with what has been read. The
// error is an *AutError, or that of r.
func ReadAut(r io.Reader) (*LTS, error) {
	a := &autReader{
		lines:   lineReader{in: bufio.NewReaderSize(r, maxLine)},
		builder: NewBuilder(),
		labels:  map[string]Label{TauName: Tau, "i": Tau},
	}
	if err := a.readHeader(); err != nil {
		return nil, err
	}
	if err := a.readEdges(); err != nil {
		return nil, err
	}
	return a.builder.Build(uint32(a.initial), int(a.states))
}

type autReader struct {
	lines                        lineReader
	initial, transitions, states uint64
	builder                      *Builder
	labels                       map[string]Label
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
		return a.errorf("%d transitions cannot reach %d states", a.transitions, a.states)
	}
	return nil
}

func (a *autReader) parseHeader(line []byte) error {
	rest, ok := bytes.CutPrefix(line, []byte("des"))
	if !ok {
		return errors.New("no header")
	}
	c := cursor{rest}
	for i, number := range []*uint64{&a.initial, &a.transitions, &a.states} {
		if err := c.skip("(,,"[i]); err != nil {
			return err
		}
		var err error
		if *number, err = c.number(); err != nil {
			return err
		}
	}
	if err := c.skip(')'); err != nil {
		return err
	}
	return c.end()
}

func (a *autReader) readEdges() error {
	out := a.builder.Appender()
	for read := uint64(0); ; read++ {
		line, err := a.lines.next()
		if err == io.EOF {
			return a.atEnd(read)
		}
		if err != nil {
			return err
		}
		if read == a.transitions {
			return a.errorf("more transitions than the %d of the header", a.transitions)
		}
		from, label, to, err := parseEdge(line)
		if err != nil {
			return a.errorf("%v", err)
		}
		if s := max(from, to); s >= a.states {
			return a.errorf("state %d is not below the number of states of the header, %d", s, a.states)
		}
		out.Add(uint32(from), Edge{a.intern(label), uint32(to)})
	}
}

func (a *autReader) atEnd(read uint64) error {
	if read < a.transitions {
		return a.errorf("the file ends after %d transitions; the header promises %d", read, a.transitions)
	}
	return nil
}

func (a *autReader) intern(text []byte) Label {
	label, ok := a.labels[string(text)]
	if !ok {
		label = a.builder.Label(string(text))
		a.labels[string(text)] = label
	}
	return label
}

// parseEdge takes a line (from, label, to) apart. The format has no escapes in labels, so the line is read
// from both ends, and the label is what is left.
func parseEdge(line []byte) (from uint64, label []byte, to uint64, err error) {
	c := cursor{line}
	if err = c.skip('('); err != nil {
		return
	}
	if from, err = c.number(); err != nil {
		return
	}
	if err = c.skip(','); err != nil {
		return
	}
	label = trimBlanks(c.rest)
	if len(label) > 0 && label[0] == '"' && bytes.IndexByte(label[1:], '"') < 0 {
		err = errors.New("the label's quote is not closed")
		return
	}
	comma := bytes.LastIndexByte(label, ',')
	if comma < 0 {
		err = errors.New("expected (from, label, to)")
		return
	}
	c.rest = label[comma+1:]
	if to, err = c.number(); err != nil {
		return
	}
	if err = c.skip(')'); err != nil {
		return
	}
	if err = c.end(); err != nil {
		return
	}
	label, err = unquote(trimBlanks(label[:comma]))
	return
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
