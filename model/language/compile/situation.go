package compile

import (
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/step"
)

// The situation of a process is all that its outcomes depend on where it reads registers of others or uses shared
// variables: its local state and theirs, the values of the variables and, for a receipt, the message.

// situations tabulate the outcomes in the situations of a group.
type situations struct {
	answers intern.Map // from the key of a situation to its number in System.answers
	// One situation in sixteen is sampled. These count the questions about sampled situations, and the situations.
	questions, distinct atomic.Int64
}

// A sample begins to count with fewSampled situations.
const (
	sampleBits = 4
	fewSampled = 1 << 8
)

// isSampled reports whether the values of the slots of a group are in the sample.
func isSampled(in []model.Value) bool {
	hash := uint64(0)
	for _, v := range in {
		hash = (hash ^ uint64(v)) * 0x9e3779b97f4a7c15
		hash ^= hash >> 32
	}
	return hash*0xbf58476d1ce4e5b9>>(64-sampleBits) == 0
}

// rare reports whether most sampled situations are met once. A table then saves little time and takes much memory. This
// is so in a search that tabulates the transitions of the group itself.
func (s *situations) rare() bool {
	distinct := s.distinct.Load()
	return distinct >= fewSampled && 4*distinct > 3*s.questions.Load()
}

// noMessage is the number that situationOutcomes has for own actions.
const noMessage = 0

// maxSituations bounds the table of situations, as Options.MaxOutcomes does, which depends on the memory budget. Other
// outcomes are computed each time.
const maxSituations = 1 << 20

// situationOutcomes returns the outcomes of a process with an arriving message, which has a number, or of its own
// actions, in the situation of a group: its local state and, if it uses them, the local states of others and the
// shared variables. The caller must not change them.
func (s *System) situationOutcomes(
	g *group, in []model.Value, reads bool, message uint32, arrival *step.Arrival,
) ([]Outcome, error) {
	sampled := isSampled(in)
	if sampled {
		g.situations.questions.Add(1)
	} else if g.situations.rare() {
		return s.situationAnswer(g, in, reads, arrival)
	}
	key, tabulated := s.situation(g, in, reads, message)
	if tabulated {
		if n, ok := g.situations.answers.Load(key); ok {
			return *s.answers.at(n), nil
		}
	}
	list, err := s.situationAnswer(g, in, reads, arrival)
	if sampled {
		g.situations.distinct.Add(1)
	}
	if err != nil || !tabulated {
		return list, err
	}
	s.answerBytes.Add(listBytes(list))
	return *s.answers.at(g.situations.answers.LoadOrStore(key, s.answers.add(list))), nil
}

// situationAnswer computes situationOutcomes.
func (s *System) situationAnswer(
	g *group, in []model.Value, reads bool, arrival *step.Arrival,
) ([]Outcome, error) {
	site := step.Site{}
	if reads {
		site = step.Site{Process: g.Process, View: &neighbourhood{s, g, in}}
	}
	return s.answer(s.Local(in[g.Self]), site, arrival)
}

// situation returns a key of the arguments of situationOutcomes that is unique within a group. It is not ok if the
// table is full.
func (s *System) situation(g *group, in []model.Value, reads bool, message uint32) (key uint64, ok bool) {
	full := s.situations.Len() >= min(maxSituations, s.options.MaxOutcomes)
	ok = true
	number := func(pair uint64) uint32 {
		if !full {
			return s.situations.Number(pair)
		}
		n, known := s.situations.Load(pair)
		ok = ok && known
		return n
	}
	situation := number(intern.Pair(in[g.Self], message))
	if !reads {
		return uint64(situation) << 1, ok
	}
	for _, i := range g.read {
		situation = number(intern.Pair(situation, in[i]))
	}
	for _, i := range g.sharedAt {
		situation = number(intern.Pair(situation, in[i]))
	}
	return uint64(situation)<<1 | 1, ok
}
