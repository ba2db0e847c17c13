package prove

import (
	"fmt"
	"slices"
	"strings"

	"ringcheck/model/language/ir"
)

// describe returns what a pattern forbids, as a sentence.
func (x *translation) describe(p pattern) string {
	atoms := slices.Clone(p.atoms)
	slices.SortStableFunc(atoms, func(a, b atom) int { return int(a.nodes[0]) - int(b.nodes[0]) })
	var parts []string
	for _, a := range atoms {
		parts = append(parts, x.say(a))
	}
	text := "never: " + strings.Join(parts, ", and ")
	if p.width == 3 {
		text += "; a, b and c are in this order around the ring"
	}
	return text
}

// say returns what an atom says.
func (x *translation) say(a atom) string {
	name := func(i int) string { return string(rune('a' + a.nodes[i])) }
	switch r := a.relation; {
	case r < len(x.controls):
		return fmt.Sprintf("%s is at %s", name(0), x.place(&x.controls[r]))
	case r < x.transitRelation(0):
		h := x.holders[r-len(x.controls)]
		what := "the identity of"
		if x.countsHops(h.Var) {
			what = "the hops from"
		}
		at := x.place(&x.controls[h.control])
		return fmt.Sprintf("%s is at %s with %s = %s %s", name(0), at, h.Name, what, name(1))
	case r < x.orderRelation():
		return x.sayMessage(&x.transits[r-x.transitRelation(0)], a, name)
	}
	return fmt.Sprintf("%s has a smaller identity than %s", name(0), name(1))
}

// sayMessage returns what an atom says about a message in transit.
func (x *translation) sayMessage(t *transit, a atom, name func(int) string) string {
	var fields []string
	next := 1
	for i, f := range t.message.Fields {
		switch kind := x.kindOf(field{t.message, i}); {
		case f.Type.Kind == ir.Absent:
		case kind == nodes && x.countsHops(field{t.message, i}):
			fields = append(fields, f.Name+" from "+name(next))
			next++
		case kind == nodes:
			fields = append(fields, f.Name+" of "+name(next))
			next++
		case kind == finite:
			fields = append(fields, f.Name+" = "+f.Type.Format(t.values[i]))
		}
	}
	what := t.message.Name
	if len(fields) > 0 {
		what += "(" + strings.Join(fields, ", ") + ")"
	}
	side := "left"
	if !t.right {
		side = "right"
	}
	return fmt.Sprintf("%s comes to %s from the %s", what, name(0), side)
}

// place returns where a process at a control is.
func (x *translation) place(c *control) string {
	text := "the start"
	if c.point.Equation != nil {
		text = c.point.Equation.Name
	}
	if !c.point.Start {
		text += fmt.Sprintf(" (%d:%d)", c.point.Pos.Line, c.point.Pos.Column)
	}
	for i, v := range c.point.Live {
		if x.kindOf(v) == finite && v.Type.Kind != ir.Absent {
			text += fmt.Sprintf(" with %s = %s", v.Name, v.Type.Format(c.values[i]))
		}
	}
	return text
}

// describe tells of a step that cannot be excluded.
func (f *failure) describe() *Broken {
	if f.ring == nil {
		return &Broken{Pattern: f.x.describe(f.lemma.pattern)}
	}
	atoms := slices.DeleteFunc(slices.Clone(f.state), func(a atom) bool {
		return a.relation == f.orderRelation() && !slices.Contains(f.required, f.lit(a))
	})
	slices.SortFunc(atoms, func(a, b atom) int { return int(a.nodes[0]) - int(b.nodes[0]) })
	b := &Broken{Ring: f.n, Pattern: f.x.describe(f.lemma.pattern),
		Step: fmt.Sprintf("%s:%d:%d", f.pos.File, f.pos.Line, f.pos.Column)}
	for _, a := range atoms {
		b.Before = append(b.Before, f.say(a))
	}
	return b
}
