package lts

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// TauName is the text of τ in files. Readers also accept "i".
const TauName = "tau"

// A Writer writes the transitions of a labelled transition system to a file one by one. Close must be called once,
// after the last transition; it does not close the underlying file. After an error every further call returns it. A
// Writer is not safe for concurrent use.
type Writer interface {
	// Transition writes one transition. τ has the label TauName.
	Transition(from uint64, label string, to uint64) error
	// Close completes the file of a system with states 0 … states−1.
	Close(initial, states uint64) error
}

// Write writes all of l to w and closes w.
func (l *LTS) Write(w Writer) error {
	for s := range l.States() {
		for _, e := range l.Out(uint32(s)) {
			if err := w.Transition(uint64(s), l.Label(e.Label), uint64(e.To)); err != nil {
				return err
			}
		}
	}
	return w.Close(uint64(l.Initial()), uint64(l.States()))
}

// A textWriter is the common part of the writers. It keeps the first error.
type textWriter struct {
	out    *bufio.Writer
	format string
	err    error
}

const bufferSize = 1 << 18

// fail keeps the first error and returns it.
func (w *textWriter) fail(err error) error {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("writing %s file: %w", w.format, err)
	}
	return w.err
}

// printf writes text unless there was an error.
func (w *textWriter) printf(format string, args ...any) error {
	if w.err != nil {
		return w.err
	}
	_, err := fmt.Fprintf(w.out, format, args...)
	return w.fail(err)
}

// end returns the first error and makes all further calls fail.
func (w *textWriter) end() error {
	if w.err != nil {
		return w.err
	}
	w.err = fmt.Errorf("%s writer is closed", w.format)
	return nil
}

// A DotWriter writes a directed graph in the DOT language of Graphviz. States are nodes 0, 1, …; an arrow without
// source marks the initial one; a τ-transition is a dashed arrow with label "τ".
type DotWriter struct{ textWriter }

// NewDotWriter returns a writer to out.
func NewDotWriter(out io.Writer) *DotWriter {
	w := &DotWriter{textWriter{out: bufio.NewWriterSize(out, bufferSize), format: "dot"}}
	w.printf("digraph lts {\nnode [shape=circle];\n")
	return w
}

var dotEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", "", "\x00", "")

// Transition implements Writer.
func (w *DotWriter) Transition(from uint64, label string, to uint64) error {
	style := ""
	if label == TauName {
		label, style = "τ", ", style=dashed"
	}
	return w.printf("%d -> %d [label=\"%s\"%s];\n", from, to, dotEscape.Replace(label), style)
}

// Close implements Writer. Isolated states other than the initial one are not drawn.
func (w *DotWriter) Close(initial, _ uint64) error {
	if w.printf("start [shape=none, label=\"\"];\nstart -> %d;\n}\n", initial) == nil {
		w.fail(w.out.Flush())
	}
	return w.end()
}

// headerWidth is the length of the longest header, with three numbers of 20 digits. The header is first written as
// blanks and overwritten when its numbers are known; trailing blanks are insignificant.
const headerWidth = len("des (, , )") + 3*20

// ErrLabel reports a label that a file format cannot express.
var ErrLabel = errors.New("label cannot be written")

// An AutWriter writes the Aldebaran format (extension .aut). Every label is quoted, verbatim since the format has no
// escapes; a label with a control character other than a tab cannot be written.
type AutWriter struct {
	textWriter
	file        io.WriteSeeker
	start       int64 // where the header is
	transitions uint64
}

// NewAutWriter returns a writer to file, from its current position on. Writes are sequential except for the header,
// which Close fills in.
func NewAutWriter(file io.WriteSeeker) *AutWriter {
	w := &AutWriter{textWriter: textWriter{out: bufio.NewWriterSize(file, bufferSize), format: "aut"}, file: file}
	w.start = w.seek(0, io.SeekCurrent)
	w.printf("%*s\n", headerWidth, "")
	return w
}

func (w *AutWriter) seek(offset int64, whence int) int64 {
	at, err := w.file.Seek(offset, whence)
	w.fail(err)
	return at
}

// Transition implements Writer. The error wraps ErrLabel if the format cannot express the label.
func (w *AutWriter) Transition(from uint64, label string, to uint64) error {
	if hasControl(label) {
		w.fail(fmt.Errorf("%w: %q has a control character", ErrLabel, label))
	}
	if w.err != nil {
		return w.err
	}
	b := append(w.out.AvailableBuffer(), '(')
	b = strconv.AppendUint(b, from, 10)
	b = append(b, ',', '"')
	b = append(b, label...)
	b = append(b, '"', ',')
	b = strconv.AppendUint(b, to, 10)
	_, err := w.out.Write(append(b, ')', '\n'))
	w.transitions++
	return w.fail(err)
}

// Close implements Writer: it writes the header's numbers.
func (w *AutWriter) Close(initial, states uint64) error {
	if w.fail(w.out.Flush()) == nil {
		w.seek(w.start, io.SeekStart)
	}
	if w.err == nil {
		header := fmt.Sprintf("des (%d, %d, %d)", initial, w.transitions, states)
		_, err := fmt.Fprintf(w.file, "%-*s", headerWidth, header)
		w.fail(err)
		w.seek(0, io.SeekEnd)
	}
	return w.end()
}
