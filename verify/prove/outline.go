package prove

import (
	"cmp"
	"fmt"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/reduce"
)

// A Pattern is a set of atoms that never occurs in a ring of any size.
type Pattern struct {
	Text string `json:"text"`
	// About says what it is about: "the property" if the property forbids it, else such as "two processes and one
	// message".
	About string `json:"about"`
	// Without is a step that the other patterns permit without this one, nil if the property forbids it.
	Without *Need `json:"without,omitempty"`
}

// A Need is a step that shows why a proof needs a pattern: from a state in which the pattern occurs, and no other, to
// one in which another pattern occurs.
type Need struct {
	Before string `json:"before"` // the pattern, over the processes of the step
	*Counterexample
}

// A Sentence describes patterns that differ only in the place of a process.
type Sentence struct {
	Text     string `json:"text"`
	About    string `json:"about"`
	Patterns []int  `json:"patterns"` // their indices
}

// A ControlPoint is a control point within the text of an equation.
type ControlPoint struct {
	Name   string `json:"name"`   // as sentences name it: the equation with the line and the column
	Action string `json:"action"` // the text of the action that is next

	at syntax.Pos
}

// theProperty is what the patterns are about that the property forbids.
const theProperty = "the property"

// A subject counts what a pattern is about: the processes that its atoms describe, and the messages.
type subject struct{ messages, processes int }

// subject returns what a pattern is about.
func (x *translation) subject(p pattern) (s subject) {
	described := make(map[int8]bool)
	for _, a := range p.atoms {
		switch kind, _ := x.kindOf(a.relation); kind {
		case atControl, stores, isZero, sees, lowerBound:
			described[a.nodes[0]] = true
		case smallerIdentity:
			described[a.nodes[0]], described[a.nodes[1]] = true, true
		case inTransit, hasReceived, queueHead:
			s.messages++
		case twiceInTransit, sentBefore:
			s.messages += 2
		case relationKinds:
		}
	}
	s.processes = len(described)
	return s
}

// String returns a subject in words, such as "two processes and one message".
func (s subject) String() string {
	counted := func(count int, noun, plural string) string {
		words := []string{"no", "one", "two", "three"}
		switch {
		case count == 1:
			return "one " + noun
		case count < len(words):
			return words[count] + " " + plural
		}
		return fmt.Sprint(count, " ", plural)
	}
	processes, messages := counted(s.processes, "process", "processes"), counted(s.messages, "message", "messages")
	switch {
	case s.messages == 0:
		return processes
	case s.processes == 0:
		return messages
	}
	return processes + " and " + messages
}

// sortLemmas sorts lemmas by what they are about: first those that the property forbids.
func (p *proof) sortLemmas(lemmas []*lemma) {
	key := func(l *lemma) (forbidden int, about subject) {
		if p.isGoal(l.pattern) {
			forbidden = -1
		}
		return forbidden, p.subject(l.pattern)
	}
	slices.SortStableFunc(lemmas, func(l, m *lemma) int {
		first, a := key(l)
		second, b := key(m)
		return cmp.Or(cmp.Compare(first, second), cmp.Compare(a.messages, b.messages),
			cmp.Compare(a.processes, b.processes))
	})
}

// describe adds the patterns of an inductive set to a report.
func (r *Report) describe(lemmas []*lemma) {
	p := r.proof
	var list []sentence
	for i, l := range lemmas {
		about := p.subject(l.pattern).String()
		if p.isGoal(l.pattern) {
			about = theProperty
		}
		r.Patterns = append(r.Patterns, Pattern{Text: p.describe(l.pattern), About: about, Without: l.need()})
		s := p.sentence(l.pattern)
		s.about, s.patterns = about, []int{i}
		list = append(list, s)
	}
	for i := range 4 { // a pattern has up to three atoms; the first may merge once the others have
		list = merge(list, i%3)
	}
	for _, s := range list {
		slices.Sort(s.patterns)
		r.Sentences = append(r.Sentences, Sentence{s.String(), s.about, s.patterns})
	}
	r.addPlaces(lemmas)
}

// need returns the step that shows why a lemma is needed, nil if none is known.
func (l *lemma) need() *Need {
	f := l.without
	if f == nil {
		return nil
	}
	there, before := make(map[atom]bool), pattern{}
	for _, a := range f.state {
		there[a] = true
	}
	eachOrderedTuple(f.n, l.width, func(nodes []int) {
		atoms := l.withNodes(nodes)
		if before.atoms == nil && !slices.ContainsFunc(atoms, func(a atom) bool { return !there[a] }) {
			before = pattern{atoms, 2} // the order of nodes is that of their names
		}
	})
	return &Need{f.x.describe(before), f.describe()}
}

// addPlaces adds the control points of patterns, and of the steps that show why these are needed, to a report.
func (r *Report) addPlaces(lemmas []*lemma) {
	var atoms []atom
	for _, l := range lemmas {
		if atoms = append(atoms, l.atoms...); l.without != nil {
			atoms = append(atoms, l.without.state...)
			for a := range l.without.effects {
				atoms = append(atoms, a)
			}
		}
	}
	for i, c := range r.proof.controls {
		used := slices.ContainsFunc(atoms, func(a atom) bool { return a.relation == r.proof.relation(atControl, i) })
		if _, acts := c.point.Term.(*ir.Prefix); !used || !acts || c.point.Start {
			continue
		}
		place := ControlPoint{Name: placeName(c.point), at: c.point.Pos}
		if !slices.Contains(r.Places, place) {
			r.Places = append(r.Places, place)
		}
	}
	slices.SortFunc(r.Places, func(a, b ControlPoint) int {
		return cmp.Or(cmp.Compare(a.at.Line, b.at.Line), cmp.Compare(a.at.Column, b.at.Column))
	})
}

// merge merges sentences about the same that differ only in the places of phrase i.
func merge(list []sentence, i int) (merged []sentence) {
	at := make(map[string]int)
	for _, s := range list {
		if i >= len(s.phrases) || s.phrases[i].places == nil {
			merged = append(merged, s)
			continue
		}
		places := s.phrases[i].places
		s.phrases = slices.Clone(s.phrases)
		s.phrases[i].places = []string{"…"}
		key := s.about + s.String()
		k, ok := at[key]
		if ok {
			merged[k].patterns = append(merged[k].patterns, s.patterns...)
		} else {
			k = len(merged)
			at[key] = k
			s.phrases[i].places = nil
			merged = append(merged, s)
		}
		all := append(merged[k].phrases[i].places, places...)
		slices.Sort(all)
		merged[k].phrases[i].places = slices.Compact(all)
	}
	return merged
}

// quote adds texts of the spec to a report: of actions, and of ignored conditions.
func (r *Report) quote(spec *reduce.Spec) {
	file, err := syntax.Parse(spec.File, spec.Text)
	if err != nil {
		return
	}
	action := func(at syntax.Pos) string {
		if a := syntax.ActionAt(file, at); a != nil {
			return syntax.FormatAction(a)
		}
		return ""
	}
	steps := []*Counterexample{r.Counterexample}
	for _, p := range r.Patterns {
		if p.Without != nil {
			steps = append(steps, p.Without.Counterexample)
		}
	}
	for _, b := range steps {
		if b == nil {
			continue
		}
		b.Action = action(b.at)
		for i, c := range b.IgnoredConditions {
			if e := syntax.ExprAt(file, c.pos); e != nil {
				b.IgnoredConditions[i].Text = syntax.FormatExpr(e)
			}
		}
	}
	for i, p := range r.Places {
		r.Places[i].Action = action(p.at)
	}
	r.Places = slices.DeleteFunc(r.Places, func(p ControlPoint) bool { return p.Action == "" })
}
