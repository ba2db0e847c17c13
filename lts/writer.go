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

// A DotWriter writes a directed graph in the DOT language of Graphviz. States are the nodes 0, 1, …; the
// initial one is the target of an arrow from nowhere; τ is shown as "τ" on a dashed arrow.
type DotWriter struct {
	out *bufio.Writer
	err error
}

// NewDotWriter returns a writer to out.
func NewDotWriter(out io.Writer) *DotWriter {
	w := &DotWriter{out: bufio.NewWriterSize(out, bufferSize)}
	w.out.WriteString("digraph lts {\nnode [shape=circle];\n")
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
	if err := w.printf("start [shape=none, label=\"\"];\nstart -> %d;\n}\n", initial); err != nil {
		return err
	}
	if err := w.out.Flush(); err != nil {
		w.err = fmt.Errorf("writing dot file: %w", err)
		return w.err
	}
	w.err = errors.New("dot writer is closed")
	return nil
}

func (w *DotWriter) printf(format string, args ...any) error {
	if w.err != nil {
		return w.err
	}
	if _, err := fmt.Fprintf(w.out, format, args...); err != nil {
		w.err = fmt.Errorf("writing dot file: %w", err)
	}
	return w.err
}

// headerWidth is the length of the longest header, three numbers of 20 digits. The header is written first
// with blanks and overwritten when its numbers are known; blanks before the line's end are not significant.
const headerWidth = len("des (, , )") + 3*20

const bufferSize = 1 << 18

// ErrLabel reports a label that a file format cannot express.
var ErrLabel = errors.New("label cannot be written")

// An AutWriter writes the Aldebaran format (extension .aut). Every label is quoted; the format has no
// escapes, so a label stands between its quotes as it is, and one with a line break or another control
// character but a tab cannot be written.
type AutWriter struct {
	file        io.WriteSeeker
	out         *bufio.Writer
	start       int64 // where the header is
	transitions uint64
	err         error
}

// NewAutWriter returns a writer to file, from its current position on. The file is written sequentially but
// for the header, which Close fills in.
func NewAutWriter(file io.WriteSeeker) *AutWriter {
	w := &AutWriter{file: file, out: bufio.NewWriterSize(file, bufferSize)}
	var err error
	w.start, err = file.Seek(0, io.SeekCurrent)
	w.fail(err)
	fmt.Fprintf(w.out, "%*s\n", headerWidth, "")
	return w
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
	if w.err != nil {
		return w.err
	}
	if err := w.out.Flush(); err != nil {
		return w.fail(err)
	}
	if _, err := w.file.Seek(w.start, io.SeekStart); err != nil {
		return w.fail(err)
	}
	header := fmt.Sprintf("des (%d, %d, %d)", initial, w.transitions, states)
	if _, err := fmt.Fprintf(w.file, "%-*s", headerWidth, header); err != nil {
		return w.fail(err)
	}
	if _, err := w.file.Seek(0, io.SeekEnd); err != nil {
		return w.fail(err)
	}
	w.err = errors.New("aut writer is closed")
	return nil
}

// fail keeps the first error and returns it.
func (w *AutWriter) fail(err error) error {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("writing aut file: %w", err)
	}
	return w.err
}
