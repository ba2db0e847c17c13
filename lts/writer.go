package lts

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// TauName is how τ is written, and one of the two names (the other is "i") that are read as τ.
const TauName = "tau"

// A Writer takes the transitions of a labelled transition system one by one and writes them to a file. Close
// must be called once, after the last transition; it says what is known only then and flushes, but does not
// close what is written to. Not safe for concurrent use. After an error every further call returns it.
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

// A textWriter is what the formats have in common: it keeps the first error.
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

// printf writes text, unless something has gone wrong before.
func (w *textWriter) printf(format string, args ...any) error {
	if w.err != nil {
		return w.err
	}
	_, err := fmt.Fprintf(w.out, format, args...)
	return w.fail(err)
}

// end returns the first error. From now on there is one.
func (w *textWriter) end() error {
	if w.err != nil {
		return w.err
	}
	w.err = fmt.Errorf("%s writer is closed", w.format)
	return nil
}

// A DotWriter writes a directed graph in the DOT language of Graphviz. States are the nodes 0, 1, …; the
// initial one is the target of an arrow from nowhere; τ is shown as "τ" on a dashed arrow.
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

// Close implements Writer. A state that is neither initial nor an end of a transition is not drawn.
func (w *DotWriter) Close(initial, _ uint64) error {
	if w.printf("start [shape=none, label=\"\"];\nstart -> %d;\n}\n", initial) == nil {
		w.fail(w.out.Flush())
	}
	return w.end()
}

// headerWidth is the length of the longest header, three numbers of 20 digits. The header is written first
// with blanks and overwritten when its numbers are known; blanks before the line's end are not significant.
const headerWidth = len("des (, , )") + 3*20

// ErrLabel reports a label that a file format cannot express.
var ErrLabel = errors.New("label cannot be written")

// An AutWriter writes the Aldebaran format (extension .aut). Every label is quoted; the format has no
// escapes, so a label stands between its quotes as it is, and one with a line break or another control
// character but a tab cannot be written.
type AutWriter struct {
	textWriter
	file        io.WriteSeeker
	start       int64 // where the header is
	transitions uint64
}

// NewAutWriter returns a writer to file, from its current position on. The file is written sequentially but
// for the header, which Close fills in.
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
