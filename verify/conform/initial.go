package conform

import (
	"errors"
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// An initialPart is what an event gives of the contents of channels.
type initialPart struct {
	links    []int // of the channels that have these contents
	contents []ir.Content
}

// resolveInitial resolves an event about the beginning of a log from the middle of a run.
func (q *pattern) resolveInitial(p *ir.Protocol, e *Event) (*pattern, error) {
	for _, m := range []struct {
		name string
		has  bool
	}{
		{"do", e.Do != ""}, {"to", e.To != nil}, {"message", e.Message != ""}, {"name", e.Name != ""},
		{"args", e.Args != nil}, {"assign", e.Assign != nil}, {"from", e.From != nil && e.Messages == nil},
	} {
		if m.has {
			return nil, fmt.Errorf("%q does not belong with %q", m.name, "initial")
		}
	}
	if p.Time.Delay {
		return nil, errors.New(`"initial" is not possible where messages take time: their ages are not known`)
	}
	if p.Capacity.Most > 0 {
		return nil, errors.New(`"initial" is not possible where channels have a capacity: their room is not known`)
	}
	if len(p.Shared) > 0 {
		return nil, errors.New(`"initial" is not possible with shared variables: their values are not known`)
	}
	q.initial = &initialPart{}
	if e.At != "" || e.Vars != nil {
		if err := q.resolveState(p, e.Vars); err != nil {
			return nil, err
		}
		q.isState = false
	}
	return q, q.resolveContents(p, e)
}

// resolveContents resolves the contents of channels in an event.
func (q *pattern) resolveContents(p *ir.Protocol, e *Event) error {
	switch {
	case e.Messages == nil:
		return nil
	case len(e.Messages) > 0 && (e.Process == nil || e.From == nil):
		return errors.New(`"messages" without the process "p" and its neighbour "from"`)
	case e.From != nil && e.Process == nil:
		return errors.New(`"from" without the process "p"`)
	}
	first, end := 0, p.NumberOfLinks()
	if e.Process != nil {
		first, end = p.InLinks(q.process)
	}
	if e.From != nil {
		port, err := portOf(p, q.process, e.From)
		if err != nil {
			return err
		}
		if first = p.InLink(q.process, port); first < 0 {
			return fmt.Errorf("process %d receives nothing from %s", q.process, excerpt(e.From))
		}
		end = first + 1
	}
	for link := first; link < end; link++ {
		q.initial.links = append(q.initial.links, link)
	}
	for _, m := range e.Messages {
		c, err := contentOf(p, &m)
		if err != nil {
			return err
		}
		list := q.initial.contents
		at := p.Channel.Insert(len(list), func(i int) bool { return list[i].Compare(c) >= 0 })
		q.initial.contents = slices.Insert(list, at, c)
	}
	return nil
}

// contentOf resolves a message.
func contentOf(p *ir.Protocol, m *Message) (c ir.Content, err error) {
	q := &pattern{verb: verb{kind: model.ReceiveAction}, port: wildcard}
	if err := q.resolveAction(p, &Event{Message: m.Message, Args: m.Args}); err != nil {
		return c, err
	}
	if !q.isExact() {
		return c, fmt.Errorf("the message %s requires its name and all of its args", jsonText(m))
	}
	return q.content(), nil
}

// content returns the message that matches an exact event.
func (q *pattern) content() ir.Content {
	c := ir.Content{Message: q.message}
	for i, f := range q.message.Fields {
		value := f.Type.Zero()
		if f.Type.Kind != ir.Absent {
			value = q.args[i]
		}
		c.Args = append(c.Args, value)
	}
	return c
}
