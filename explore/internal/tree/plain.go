package tree

import (
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// plain has the data of the plain case that all workers share. The groups of the system itself are in the nodes.
type plain struct {
	source      *source
	tagger      Tagger // nil if tags are classes
	classes     sleepClasses
	environment *environment
}

// usePlain makes s a store of the plain case.
func (s *Store) usePlain(tagger Tagger) {
	p := &plain{
		source: &s.source, tagger: tagger, classes: newSleepClasses(s.root, s.source.groups),
		environment: newEnvironment(s.source.groups),
	}
	s.source.tag, s.source.tagBits, s.source.omitRepeated = p.tag, narrow, tagger == nil
	s.newExpander = func(w *Worker) expander { return &plainExpander{plain: p, w: w} }
	s.plain, s.sleeps = true, p.classes.sleeps()
}

// tag is the Tagger of the nodes.
func (p *plain) tag(group int, step model.Step) uint32 {
	tag := p.classes.of[group]
	if p.tagger != nil {
		if tag = p.source.mark(p.tagger(group, step), step); tag&repeated != 0 {
			return tag
		}
		p.classes.assign(tag, p.classes.of[group])
	}
	if p.source.groups[group].Environment {
		p.environment.mark(tag)
	}
	return tag
}

// classOf returns the class of the groups whose steps have a tag.
func (p *plain) classOf(tag uint32) uint32 {
	if p.tagger == nil {
		return tag
	}
	return p.classes.ofTag(tag)
}

// A plainExpander is the expander of the plain case.
type plainExpander struct {
	*plain
	w *Worker
}

func (p *plainExpander) halvesMove() bool { return true }

func (p *plainExpander) orbitSize(StateID) (n uint64, known bool) { return 0, false }

func (p *plainExpander) expand(states []StateID, asleep []Sleep, x *successors, out *Expansion) error {
	root := p.w.root
	err := p.w.expandEach(states, x, out, func(i int, h halves) (err error) {
		first := len(x.to)
		if len(asleep) > 0 && asleep[i] != 0 {
			err = p.expandAwake(h, asleep[i], x)
		} else {
			err = p.w.expand(root, h, x)
		}
		if err == nil && p.environment.acts {
			out.Environment = append(out.Environment, p.environment.count(x.tags[first:]))
		}
		return err
	})
	p.w.numberMissing(root, x)
	if len(asleep) > 0 {
		for _, tag := range x.tags {
			out.Asleep = append(out.Asleep, p.classes.puts[p.classOf(tag)])
		}
	}
	return err
}

// expandAwake adds the successors of a state, except by transitions that are asleep, which it only counts.
func (p *plainExpander) expandAwake(h halves, asleep Sleep, x *successors) error {
	root, tagBits := p.w.root, p.source.tagBits
	m, err := p.w.movesOf(root, h)
	if err != nil {
		return err
	}
	x.count += m.count(p.source)
	if p.classes.left&^asleep != 0 {
		for i, to := range m.left.moves {
			if tag := m.left.tag(i, tagBits); !has(asleep, p.classOf(tag)) {
				x.add(intern.Pair(to, h.right), tag)
			}
		}
	}
	if p.classes.right&^asleep != 0 {
		for i, to := range m.right.moves {
			if tag := m.right.tag(i, tagBits); !has(asleep, p.classOf(tag)) {
				x.add(intern.Pair(h.left, to), tag)
			}
		}
	}
	for i := range m.spanning {
		s := &m.spanning[i]
		if has(asleep, p.classes.of[s.group.group]) {
			continue
		}
		for list := s.list; len(list) > 0; list = list[3:] {
			x.cross(m, s, list)
		}
	}
	for _, g := range root.directGroups {
		if err := p.w.expandDirect(root, g, h, has(asleep, p.classes.of[g.group]), x); err != nil {
			return err
		}
	}
	return nil
}
