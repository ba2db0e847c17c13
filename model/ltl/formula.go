package ltl

import (
	"slices"
	"strconv"
	"strings"
)

// MaxAtoms is the maximum number of atoms.
const MaxAtoms = 64

type op int

const (
	constant op = iota
	literal
	and
	or
	next
	until
	release
)

// A Formula is a formula of linear-time temporal logic. It is immutable. Negation stands before atoms only.
type Formula struct {
	op   op
	yes  bool // of a constant: its value; of a literal: not negated
	atom int
	args []*Formula // two or more, in the order of their keys, for and and or; else as the operator has
	key  string     // equal for equal formulas only
}

// True and False are the constants.
var (
	True  = &Formula{op: constant, yes: true, key: "1"}
	False = &Formula{op: constant, key: "0"}
)

// Atom returns the formula that atom i is true of the first letter.
func Atom(i int) *Formula { return newLiteral(i, true) }

func newLiteral(i int, yes bool) *Formula {
	key := strconv.Itoa(i)
	if !yes {
		key = "!" + key
	}
	return &Formula{op: literal, yes: yes, atom: i, key: "p" + key}
}

// dual is the operator of the negation of a formula, whose operands are negated too.
var dual = [...]op{constant: constant, literal: literal, and: or, or: and, next: next, until: release, release: until}

// Not returns the negation of f.
func Not(f *Formula) *Formula {
	switch f.op {
	case constant:
		return truth(!f.yes)
	case literal:
		return newLiteral(f.atom, !f.yes)
	}
	return build(dual[f.op], f.args, Not)
}

// build joins what each makes of some operands.
func build(o op, operands []*Formula, each func(*Formula) *Formula) *Formula {
	args := make([]*Formula, len(operands))
	for i, a := range operands {
		args[i] = each(a)
	}
	switch o {
	case next:
		return Next(args[0])
	case until:
		return Until(args[0], args[1])
	case release:
		return Release(args[0], args[1])
	}
	return join(o, args)
}

func truth(b bool) *Formula {
	if b {
		return True
	}
	return False
}

// And returns the conjunction of some formulas.
func And(fs ...*Formula) *Formula { return join(and, fs) }

// Or returns the disjunction of some formulas.
func Or(fs ...*Formula) *Formula { return join(or, fs) }

// join makes a conjunction or disjunction: flat, sorted, each operand once.
func join(o op, fs []*Formula) *Formula {
	neutral := o == and
	var args []*Formula
	for _, f := range fs {
		switch {
		case f.op == constant && f.yes != neutral:
			return f
		case f.op == o:
			args = append(args, f.args...)
		case f.op != constant:
			args = append(args, f)
		}
	}
	slices.SortFunc(args, func(a, b *Formula) int { return strings.Compare(a.key, b.key) })
	args = slices.CompactFunc(args, func(a, b *Formula) bool { return a.key == b.key })
	for _, a := range args {
		if a.op == literal && slices.ContainsFunc(args, func(b *Formula) bool { return b.key == Not(a).key }) {
			return truth(!neutral)
		}
	}
	switch len(args) {
	case 0:
		return truth(neutral)
	case 1:
		return args[0]
	}
	return compound(o, args...)
}

// names are the operators in keys. Constants and literals have keys of their own.
var names = [...]string{constant: "", literal: "", and: "&", or: "|", next: "X", until: "U", release: "R"}

func compound(o op, args ...*Formula) *Formula {
	keys := make([]string, len(args))
	for i, a := range args {
		keys[i] = a.key
	}
	return &Formula{op: o, args: args, key: "(" + names[o] + " " + strings.Join(keys, " ") + ")"}
}

// Implies returns the implication.
func Implies(f, g *Formula) *Formula { return Or(Not(f), g) }

// Next returns the formula that f holds from the next letter on.
func Next(f *Formula) *Formula {
	if f.op == constant {
		return f
	}
	return compound(next, f)
}

// Until returns the formula that g holds sometime, and f at all positions before.
func Until(f, g *Formula) *Formula {
	switch {
	case g.op == constant, f.key == g.key, f.op == constant && !f.yes:
		return g
	case g.op == until && (g.args[0].key == f.key || g.args[0] == True): // f U (f U h), f U F h
		return g
	case f == True && g.op == or: // F distributes over or
		return build(or, g.args, Eventually)
	case f == True && g.op == until: // F (a U b) is F b
		return Eventually(g.args[1])
	case f == True && g.infinitelyOften(): // F G F a
		return g
	case f == True && g.op == next:
		return Next(Eventually(g.args[0]))
	}
	return compound(until, f, g)
}

// Release returns the formula that g holds up to and including the first position at which f does, and for ever if f
// never does.
func Release(f, g *Formula) *Formula {
	switch {
	case g.op == constant, f.key == g.key, f.op == constant && f.yes:
		return g
	case g.op == release && (g.args[0].key == f.key || g.args[0] == False):
		return g
	case f == False && g.op == and:
		return build(and, g.args, Always)
	case f == False && g.op == release:
		return Always(g.args[1])
	case f == False && Not(g).infinitelyOften(): // G F G a
		return g
	case f == False && g.op == next:
		return Next(Always(g.args[0]))
	}
	return compound(release, f, g)
}

// infinitelyOften reports whether f is G F a.
func (f *Formula) infinitelyOften() bool {
	return f.op == release && f.args[0] == False && f.args[1].op == until && f.args[1].args[0] == True
}

// Eventually returns F f.
func Eventually(f *Formula) *Formula { return Until(True, f) }

// Always returns G f.
func Always(f *Formula) *Formula { return Release(False, f) }

// WeakUntil is Until, but g need not come if f holds for ever.
func WeakUntil(f, g *Formula) *Formula { return Release(g, Or(f, g)) }

// String returns the formula with its operators in front, the atoms as p0, p1, …; it identifies the formula.
func (f *Formula) String() string { return f.key }

// Holds reports whether f holds of the word that begins with stem and goes on with cycle for ever. It follows the
// definition: for the positions of the lasso it works out every subformula, until and release as least and greatest
// fixed points.
func (f *Formula) Holds(stem, cycle []uint64) bool {
	return f.Values(append(slices.Clone(stem), cycle...), len(stem))[0]
}

// Values returns the positions at which f holds in a lasso that leads from its last position back to the given one.
func (f *Formula) Values(word []uint64, back int) []bool {
	args := make([][]bool, len(f.args))
	for i, a := range f.args {
		args[i] = a.Values(word, back)
	}
	after := func(i int) int {
		if i+1 == len(word) {
			return back
		}
		return i + 1
	}
	v := make([]bool, len(word))
	for i := range v {
		switch f.op {
		case constant:
			v[i] = f.yes
		case literal:
			v[i] = (word[i]>>f.atom&1 == 1) == f.yes
		case and:
			v[i] = !slices.ContainsFunc(args, func(a []bool) bool { return !a[i] })
		case or:
			v[i] = slices.ContainsFunc(args, func(a []bool) bool { return a[i] })
		case next:
			v[i] = args[0][after(i)]
		case release: // the greatest fixed point, from above
			v[i] = true
		}
	}
	for changed := f.op == until || f.op == release; changed; {
		changed = false
		for i := range v {
			w := args[1][i] || args[0][i] && v[after(i)]
			if f.op == release {
				w = args[1][i] && (args[0][i] || v[after(i)])
			}
			changed = changed || w != v[i]
			v[i] = w
		}
	}
	return v
}

// Parts returns the operands of f.
func (f *Formula) Parts() []*Formula { return f.args }

// Literal returns the atom of a literal, and whether it is not negated.
func (f *Formula) Literal() (atom int, yes, ok bool) { return f.atom, f.yes, f.op == literal }

// Atoms returns the atoms that f speaks of, a bit each.
func (f *Formula) Atoms() uint64 {
	atoms := uint64(0)
	if f.op == literal {
		atoms = 1 << f.atom
	}
	for _, a := range f.args {
		atoms |= a.Atoms()
	}
	return atoms
}

// Given simplifies f where the values of some atoms are known: atoms that are always true and atoms that never are.
func (f *Formula) Given(always, never uint64) *Formula {
	switch f.op {
	case constant:
		return f
	case literal:
		if (always|never)>>f.atom&1 == 0 {
			return f
		}
		return truth((always>>f.atom&1 == 1) == f.yes)
	}
	return build(f.op, f.args, func(a *Formula) *Formula { return a.Given(always, never) })
}

// Inert reports whether f is certain not to observe inert steps: steps without an event that change nothing. For such
// an f, letters can be inserted before any others of a word and removed, finitely many before each, if they have the
// same atoms, except the atoms of events, which they lack. The answer false may be wrong.
//
// Without events that is so if f has no next operator (Lamport, What good is temporal logic?, 1983). An event is a
// letter of its own, though: it happens at the last of equal letters, and "e now" is false at inserted letters. A
// subformula must have the same value at the letters of the word as without inserted letters. In addition, its value x
// at an inserted letter and its value y at the next letter of the word are related:
//
//	rises    y implies x         falls   x implies y
//	granted  x is true           denied  x is false
//
// For f U g let g be true at a letter of the word and f before. This stays true with inserted letters: f is true at the
// earlier ones, since f rises; and f or g is true at the ones just before that letter, since f is granted or g rises.
// Conversely, if g is true at an inserted letter, it is true at the next letter of the word, since g falls. So the
// value is the same, by the same argument also at inserted letters. Release is the dual.
func (f *Formula) Inert(events uint64) bool {
	s, ok := f.shape(events)
	return ok && s.rises && s.falls
}

// A shape says how inserting an inert letter changes the value of a formula: it relates the value at the inserted
// letter to the value at the next one.
type shape struct{ rises, falls, granted, denied bool }

// shape is not ok unless f has the same value at the letters of the word.
func (f *Formula) shape(events uint64) (s shape, ok bool) {
	switch f.op {
	case constant:
		return shape{true, true, f.yes, !f.yes}, true
	case literal:
		event := events>>f.atom&1 == 1
		return shape{!event || !f.yes, !event || f.yes, event && !f.yes, event && f.yes}, true
	case next:
		return shape{}, false
	}
	all := make([]shape, len(f.args))
	for i, a := range f.args {
		if all[i], ok = a.shape(events); !ok {
			return shape{}, false
		}
	}
	switch f.op {
	case until:
		g := all[1]
		return shape{rises: true, falls: true}, g.falls && (all[0].granted || all[0].rises && g.rises)
	case release:
		g := all[1]
		return shape{rises: true, falls: true}, g.rises && (all[0].denied || all[0].falls && g.falls)
	}
	s = all[0]
	for _, a := range all[1:] {
		s.rises, s.falls = s.rises && a.rises, s.falls && a.falls
		if f.op == and {
			s.granted, s.denied = s.granted && a.granted, s.denied || a.denied
		} else {
			s.granted, s.denied = s.granted || a.granted, s.denied && a.denied
		}
	}
	// What is false of all letters put in falls, whatever else it does.
	s.rises, s.falls = s.rises || s.granted, s.falls || s.denied
	return s, true
}
