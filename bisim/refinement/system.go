package refinement

import (
	"ringcheck/bisim/lts"
)

// A System is a labelled transition system whose states are numbered from 0 on, in the order in which they are met. It
// belongs to one goroutine.
type System interface {
	// Initial returns the initial state.
	Initial() (uint32, error)
	// Edges appends the transitions from a state that Initial or Edges has returned before. The labels are numbers of
	// an Alphabet.
	Edges(state uint32, edges []lts.Edge) ([]lts.Edge, error)
	// Bytes returns the memory that the system holds.
	Bytes() uint64
}

// An Alphabet numbers labels for several systems. τ has the number lts.Tau.
type Alphabet struct {
	texts   []string
	numbers map[string]lts.Label
}

// NewAlphabet returns an alphabet that has only τ.
func NewAlphabet() *Alphabet {
	return &Alphabet{[]string{lts.TauName}, map[string]lts.Label{lts.TauName: lts.Tau}}
}

// Label returns the number of a label, a new one for a new label.
func (a *Alphabet) Label(text string) lts.Label {
	n, known := a.numbers[text]
	if !known {
		n = lts.Label(len(a.texts))
		a.texts = append(a.texts, text)
		a.numbers[text] = n
	}
	return n
}

// Text returns the text of a label.
func (a *Alphabet) Text(l lts.Label) string { return a.texts[l] }

// Texts returns the texts of some labels.
func (a *Alphabet) Texts(labels []lts.Label) []string {
	texts := make([]string, len(labels))
	for i, l := range labels {
		texts[i] = a.texts[l]
	}
	return texts
}

// ofLTS is a system in memory.
type ofLTS struct {
	*lts.LTS
	labels []lts.Label // of the alphabet, by label
}

// Of returns a system in memory, with the labels of an alphabet.
func Of(l *lts.LTS, a *Alphabet) System {
	s := &ofLTS{LTS: l}
	for n := range l.Labels() {
		s.labels = append(s.labels, a.Label(l.Label(lts.Label(n))))
	}
	return s
}

func (s *ofLTS) Initial() (uint32, error) { return s.LTS.Initial(), nil }

func (s *ofLTS) Edges(state uint32, edges []lts.Edge) ([]lts.Edge, error) {
	for _, e := range s.LTS.Out(state) {
		edges = append(edges, lts.Edge{Label: s.labels[e.Label], To: e.To})
	}
	return edges, nil
}
