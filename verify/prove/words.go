package prove

import (
	"fmt"
	"slices"
	"strings"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/reduce"
)

// A sentence describes what patterns forbid, atom by atom. The patterns differ only in the places of one process.
type sentence struct {
	parts []part
	width int
}

// A part describes atoms about a process.
type part struct {
	before, after string
	places        []string // in between
}

func (p part) String() string {
	list := p.places
	if len(list) > 1 {
		list = []string{strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]}
	}
	return p.before + strings.Join(list, "") + p.after
}

func (s sentence) String() string {
	text := "never: "
	for i, p := range s.parts {
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

// sentence returns what a pattern forbids.
func (x *translation) sentence(p pattern) sentence {
	atoms := slices.Clone(p.atoms)
	slices.SortStableFunc(atoms, func(a, b atom) int { return int(a.nodes[0]) - int(b.nodes[0]) })
	s := sentence{width: p.width}
	for _, a := range atoms {
		s.parts = append(s.parts, x.part(a))
	}
	return s
}

// describe returns what a pattern forbids, as a sentence.
func (x *translation) describe(p pattern) string { return x.sentence(p).String() }

// sentences returns what patterns forbid. Patterns that differ only in the place of a process share a sentence.
func (x *translation) sentences(patterns []pattern) (all []string) {
	var list []sentence
	for _, p := range patterns {
		list = append(list, x.sentence(p))
	}
	for i := range 4 { // a pattern has up to three atoms; the first may merge once the others have
		list = merge(list, i%3)
	}
	for _, s := range list {
		all = append(all, s.String())
	}
	return all
}

// merge merges sentences that differ only in the places of a part.
func merge(list []sentence, i int) (merged []sentence) {
	at := make(map[string]int)
	for _, s := range list {
		if i >= len(s.parts) || s.parts[i].places == nil {
			merged = append(merged, s)
			continue
		}
		places := s.parts[i].places
		s.parts = slices.Clone(s.parts)
		s.parts[i].places = []string{"…"}
		k, ok := at[s.String()]
		if !ok {
			k = len(merged)
			at[s.String()] = k
			s.parts[i].places = nil
			merged = append(merged, s)
		}
		all := append(merged[k].parts[i].places, places...)
		slices.Sort(all)
		merged[k].parts[i].places = slices.Compact(all)
	}
	return merged
}

// nodeName returns the name of a node.
func nodeName(n int8) string { return string(rune('a' + n)) }

// part describes an atom.
func (x *translation) part(a atom) part {
	subject := nodeName(a.nodes[0])
	switch s, i := x.sort(a.relation); s {
	case stands:
		return part{subject + " is at ", "", []string{x.place(&x.controls[i])}}
	case holds:
		if a.absent {
			break
		}
		at := x.place(&x.controls[x.holders[i].Control])
		return part{subject + " is at ", " with " + x.fact(a), []string{at}}
	case comes:
		if !x.history {
			return part{before: x.messageText(i, a.nodes[1:]) + " comes to " + subject + x.side(i)}
		}
	case smaller:
		return part{before: subject + " has a " + x.fact(a)}
	}
	return part{before: subject + " " + x.fact(a)}
}

// fact describes an atom about its first node.
func (x *translation) fact(a atom) string {
	has := "has "
	if a.absent {
		has = "has not "
	}
	switch s, i := x.sort(a.relation); s {
	case stands:
		return "at " + x.place(&x.controls[i])
	case holds:
		h := x.holders[i]
		what := "the identity of"
		if x.kinds[h.Var] == hops {
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
	case comes:
		if !x.history {
			return x.messageText(i, a.nodes[1:]) + " comes" + x.side(i)
		}
		return has + "sent " + x.messageText(i, a.nodes[1:])
	case received:
		return has + "received " + x.messageText(i, a.nodes[1:])
	case ahead:
		other := x.messageText(i, a.nodes[2:])
		return has + "sent " + x.messageText(i, a.nodes[1:]) + " without " + other + " before it"
	default:
		return "smaller identity than " + nodeName(a.nodes[1])
	}
}

// side describes where a message comes from.
func (x *translation) side(t int) string {
	if x.transits[t].Right {
		return " from the left"
	}
	return " from the right"
}

// messageText returns a message whose fields hold nodes.
func (x *translation) messageText(number int, list []int8) string {
	t := &x.transits[number]
	var fields []string
	for i, f := range t.message.Fields {
		switch kind := x.kinds[field{t.message, i}]; {
		case f.Type.Kind == ir.Absent:
		case kind == hops:
			fields = append(fields, f.Name+" from "+nodeName(list[0]))
			list = list[1:]
		case kind == nodes:
			fields = append(fields, f.Name+" of "+nodeName(list[0]))
			list = list[1:]
		case kind == finite:
			fields = append(fields, f.Name+" = "+f.Type.Format(t.values[i]))
		}
	}
	what := t.message.Name
	if len(fields) > 0 {
		what += "(" + strings.Join(fields, ", ") + ")"
	}
	return what
}

// place describes a control.
func (x *translation) place(c *control) string {
	text := "the start"
	if c.point.Equation != nil {
		text = c.point.Equation.Name
	}
	if !c.point.Start {
		text += fmt.Sprintf(" (%d:%d)", c.point.Pos.Line, c.point.Pos.Column)
	}
	for i, v := range c.point.Live {
		if x.kinds[v] == finite && v.Type.Kind != ir.Absent {
			text += fmt.Sprintf(" with %s = %s", v.Name, v.Type.Format(c.values[i]))
		}
	}
	return text
}

// describe describes a step that cannot be excluded.
func (f *failure) describe() *Broken {
	if f.ring == nil {
		return &Broken{Pattern: f.x.describe(f.lemma.pattern), Processes: []Process{},
			Forgotten: conditions(f.x.ignored)}
	}
	occurs := pattern{f.lemma.pattern.at(f.at), 2} // in a ring that is shown, no words are needed for the order
	b := &Broken{Ring: f.n, Pattern: f.x.describe(occurs), Step: f.At.String(),
		Forgotten: conditions(f.forgotten)}
	before := slices.DeleteFunc(slices.Clone(f.state), func(a atom) bool {
		return (a.relation == f.base[smaller] || a.absent) && !slices.Contains(f.required, f.lit(a))
	})
	after := slices.DeleteFunc(slices.Clone(before), func(a atom) bool {
		return f.after[a] == -always
	})
	for a, l := range f.after {
		if l != -always && (l == always || slices.Contains(f.required, l)) && !slices.Contains(after, a) {
			after = append(after, a)
		}
	}
	for n := range f.n {
		b.Processes = append(b.Processes, Process{nodeName(int8(n)), f.factsOf(n, before), f.factsOf(n, after)})
	}
	return b
}

// conditions returns the places of conditions.
func conditions(list []ir.Expr) (all []Condition) {
	for _, e := range list {
		if pos := ir.PosOf(e); pos.Line > 0 {
			all = append(all, Condition{Place: pos.String(), pos: pos})
		}
	}
	return all
}

// quote adds the texts of the conditions that were forgotten.
func (b *Broken) quote(spec *reduce.Spec) {
	if b == nil || len(b.Forgotten) == 0 {
		return
	}
	file, err := syntax.Parse(spec.File, spec.Text)
	if err != nil {
		return
	}
	for i := range b.Forgotten {
		if e := syntax.ExprAt(file, b.Forgotten[i].pos); e != nil {
			b.Forgotten[i].Text = syntax.FormatExpr(e)
		}
	}
}

// factsOf describes the atoms about a node.
func (f *failure) factsOf(n int, atoms []atom) (facts []string) {
	slices.SortFunc(atoms, atom.compare)
	for _, a := range atoms {
		if int(a.nodes[0]) == n {
			facts = append(facts, f.fact(a))
		}
	}
	return facts
}
