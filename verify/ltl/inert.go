package ltl

// Inert reports whether f is certain not to see inert steps: those that nothing happens in and that change nothing. For
// such an f, letters can be put in before any others of a word and taken out, finitely many before each, if they have
// the same atoms, but for those of events, of which they have none. The answer no may be wrong.
//
// Without events that is so if f has no next operator (Lamport, What good is temporal logic?, 1983). An event is a
// letter of its own, though: it happens at the last of equal letters, and "e now" is false of those put in before. What
// is asked of each subformula is whether it has the same value as without them at the letters of the word, and how its
// value x at a letter that is put in goes with its value y at the letter of the word that follows:
//
//	rises    y implies x         falls   x implies y
//	granted  x is true           denied  x is false
//
// For f U g let g be true at a letter of the word and f before. It is still so with more letters if f is true of those
// put in further ahead, since f rises, and of those just before that letter f or g is true, since f is granted or g
// rises. Conversely, if g is true of a letter that was put in, it is true of the one of the word that follows, since g
// falls. So the value is the same, and at letters that are put in as well, by the same argument. Release is the dual.
func (f *Formula) Inert(events uint64) bool {
	s, ok := f.shape(events)
	return ok && s.rises && s.falls
}

// A shape says how the value of a formula at a letter that is put in goes with that at the letter of the word that
// follows.
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
