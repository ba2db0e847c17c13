package lts

import (
	"bufio"
	"errors"
	"fmt"
	"io"
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
