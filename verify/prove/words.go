package prove

import (
	"fmt"
	"slices"
	"strings"

	"ringcheck/model/language/ir"
)

// A sentence describes what patterns forbid, atom by atom. The patterns differ only in the places of one process.
type sentence struct {
	phrases  []phrase
	width    int
	about    string // see translation.about
	patterns []int  // indices in the report
}

// A phrase describes atoms about a process.
type phrase struct {
	before, after string
	places        []string // between these
}

func (p phrase) String() string {
	list := p.places
	if len(list) > 1 {
		list = []string{strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]}
	}
	return p.before + strings.Join(list, "") + p.after
}

func (s sentence) String() string {
	text := "never: "
	for i, p := range s.phrases {
		if i > 0 {
			text += ", and "
		}
		text += p.String()
	}
	if s.width == 3 {
		text += "; a, b and c are in this order around the ring"
	}
	return text
}

// sentence returns a pattern as a sentence.
func (x *translation) sentence(p pattern) sentence {
	atoms := slices.Clone(p.atoms)
	slices.SortStableFunc(atoms, func(a, b atom) int { return int(a.nodes[0]) - int(b.nodes[0]) })
	s := sentence{width: p.width}
	for _, a := range atoms {
		s.phrases = append(s.phrases, x.phraseOf(a))
	}
	return s
}

// describe returns the text of the sentence of a pattern.
func (x *translation) describe(p pattern) string { return x.sentence(p).String() }

// nodeName returns the name of a node.
func nodeName(n int8) string { return string(rune('a' + n)) }

// phraseOf returns an atom as a phrase.
func (x *translation) phraseOf(a atom) phrase {
	subject := nodeName(a.nodes[0])
	switch s, i := x.kindOf(a.relation); s {
	case atControl:
		return phrase{subject + " is at ", "", []string{x.describeControl(&x.controls[i])}}
	case stores:
		if a.absent {
			break
		}
		at := x.describeControl(&x.controls[x.nodeVars[i].Control])
		return phrase{subject + " is at ", " with " + x.predicate(a), []string{at}}
	case inTransit:
		if !x.hasHistory {
			return phrase{before: x.messageText(i, a.nodes[1:]) + " comes to " + subject + x.side(i)}
		}
	case twiceInTransit:
		return phrase{before: x.messageText(i, a.nodes[1:]) + " comes to " + subject + x.side(i) + " twice"}
	case isZero, sees:
		return phrase{before: subject + " is " + x.predicate(a)}
	case smallerIdentity:
		return phrase{before: subject + " has a " + x.predicate(a)}
	}
	return phrase{before: subject + " " + x.predicate(a)}
}

// predicate describes an atom without its first node.
func (x *translation) predicate(a atom) string {
	has := "has "
	if a.absent {
		has = "has not "
	}
	switch s, i := x.kindOf(a.relation); s {
	case atControl:
		return "at " + x.describeControl(&x.controls[i])
	case stores:
		h := x.nodeVars[i]
		what := "the identity of"
		if x.sorts[h.Var] == hopSort {
			what = "the hops from"
		}
		if h.Set {
			what = "the identity of " + nodeName(a.nodes[1]) + " in " + h.Name
			if a.absent {
				what = "does not have " + what
			}
			return what
		}
		return fmt.Sprintf("%s = %s %s", h.Name, what, nodeName(a.nodes[1]))
	case inTransit:
		if !x.hasHistory {
			return x.messageText(i, a.nodes[1:]) + " comes" + x.side(i)
		}
		return has + "sent " + x.messageText(i, a.nodes[1:])
	case twiceInTransit:
		return x.messageText(i, a.nodes[1:]) + " comes" + x.side(i) + " twice"
	case sees:
		return "beside " + x.sights[i].String()
	case isZero:
		if a.absent {
			return "not process 0"
		}
		return "process 0"
	case hasReceived:
		return has + "received " + x.messageText(i, a.nodes[1:])
	case sentBefore:
		other := x.messageText(i, a.nodes[2:])
		return has + "sent " + x.messageText(i, a.nodes[1:]) + " without " + other + " before it"
	default:
		return "smaller identity than " + nodeName(a.nodes[1])
	}
}

// side describes the side from which a message comes.
func (x *translation) side(t int) string {
	if x.messageKinds[t].Right {
		return " from the left"
	}
	return " from the right"
}

// messageText describes a message whose fields name nodes.
func (x *translation) messageText(number int, list []int8) string {
	t := &x.messageKinds[number]
	var fields []string
	for i, f := range t.message.Fields {
		switch kind := x.sorts[field{t.message, i}]; {
		case f.Type.Kind == ir.Absent:
		case kind == hopSort:
			fields = append(fields, f.Name+" from "+nodeName(list[0]))
			list = list[1:]
		case kind == nodeSort:
			fields = append(fields, f.Name+" of "+nodeName(list[0]))
			list = list[1:]
		case kind == numberSort:
			fields = append(fields, f.Name+" = "+f.Type.Format(t.values[i]))
		}
	}
	what := t.message.Name
	if len(fields) > 0 {
		what += "(" + strings.Join(fields, ", ") + ")"
	}
	return what
}

// placeName names a control point: by its equation and, within the text of this, by its line and column.
func placeName(p *ir.Point) string {
	text := "the start"
	if p.Equation != nil {
		text = p.Equation.Name
	}
	if !p.Start {
		text += fmt.Sprintf(" (%d:%d)", p.Pos.Line, p.Pos.Column)
	}
	return text
}

// describeControl describes a control.
func (x *translation) describeControl(c *control) string {
	text := placeName(c.point)
	for i, v := range c.point.Live {
		if x.sorts[v] == numberSort && v.Type.Kind != ir.Absent {
			text += fmt.Sprintf(" with %s = %s", v.Name, v.Type.Format(c.values[i]))
		}
	}
	return text
}

// describe describes a step that cannot be excluded.
func (f *counterexample) describe() *Counterexample {
	if f.ring == nil {
		return &Counterexample{Pattern: f.x.describe(f.lemma.pattern), Processes: []Process{},
			IgnoredConditions: conditions(f.x.ignoredInitial)}
	}
	occurs := pattern{f.lemma.pattern.withNodes(f.nodes), 2} // the order of nodes is visible in the ring
	b := &Counterexample{Ring: f.n, Pattern: f.x.describe(occurs), Step: f.At.String(), at: f.At,
		IgnoredConditions: conditions(f.unknownConds)}
	before := slices.DeleteFunc(slices.Clone(f.state), func(a atom) bool {
		return (a.relation == f.firstRelation[smallerIdentity] || a.absent) && !slices.Contains(f.literals, f.lit(a))
	})
	after := slices.DeleteFunc(slices.Clone(before), func(a atom) bool {
		return f.effects[a] == -alwaysTrue
	})
	for a, l := range f.effects {
		if l != -alwaysTrue && (l == alwaysTrue || slices.Contains(f.literals, l)) && !slices.Contains(after, a) {
			after = append(after, a)
		}
	}
	for n := range f.n {
		b.Processes = append(b.Processes, Process{nodeName(int8(n)), f.factsOf(n, before), f.factsOf(n, after)})
	}
	return b
}

// conditions returns conditions with their positions in the text.
func conditions(list []ir.Expr) (all []Condition) {
	for _, e := range list {
		if pos := ir.PosOf(e); pos.Line > 0 {
			all = append(all, Condition{Place: pos.String(), pos: pos})
		}
	}
	return all
}

// factsOf describes the atoms about a node.
func (f *counterexample) factsOf(n int, atoms []atom) (facts []string) {
	slices.SortFunc(atoms, atom.compare)
	for _, a := range atoms {
		if int(a.nodes[0]) == n {
			facts = append(facts, f.predicate(a))
		}
	}
	return facts
}
