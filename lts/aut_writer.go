package lts

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
)

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
