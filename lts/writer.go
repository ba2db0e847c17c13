package lts

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
