package exchange

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A survey is what an exploration meets: local states, and messages in channels.
type survey struct {
	sys     *compile.System
	ir      *ir.Protocol
	initial [][]model.Value        // states
	points  numbering              // local states of any process
	at      [][]model.Value        // by process: those that it was in
	met     []map[model.Value]bool // by slot: the values that were met
	words   numbering              // messages in any channel
	names   names                  // of constants and variables
	links   []*channel
}

// maxInitial is how many initial states a model can have.
const maxInitial = 10_000

// explore makes the survey.
func (s *survey) explore(ctx context.Context, opt explore.Options) error {
	s.names = newNames()
	s.points, s.words = newNumbering("at_", s.names), newNumbering("", s.names)
	if s.ir.Channel == ir.FIFO {
		s.words.prefix = "m_"
	}
	for range s.sys.Slots() {
		s.met = append(s.met, make(map[model.Value]bool))
	}
	s.at = make([][]model.Value, s.ir.N)
	for i := range s.ir.Links {
		s.links = append(s.links, &channel{
			survey: s, slot: s.sys.SlotOfLink(i), name: s.name(i), fifo: s.ir.Channel == ir.FIFO,
			counters: make(map[uint32]variable),
		})
	}
	opt.Spill = false
	result, err := explore.Walk(ctx, s.sys, opt, explore.Visitor{State: s.state})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case !result.Complete():
		return fmt.Errorf("the exploration ended early: %v", result.Stop)
	}
	return nil
}

// name names a channel.
func (s *survey) name(link int) string {
	l := s.ir.Links[link]
	if s.ir.Numbered() {
		return fmt.Sprintf("c_%d_%d", l.From, l.To)
	}
	return fmt.Sprintf("c_%d_%s_%d", l.From, s.ir.FormatPort(l.Out), l.To)
}

func (s *survey) state(_ uint64, level int, state []model.Value) error {
	for p := range s.at {
		slot := s.sys.SlotOfProcess(p)
		if v := state[slot]; !s.met[slot][v] {
			s.met[slot][v] = true
			s.at[p] = append(s.at[p], v)
			s.points.add(v, s.sys.FormatSlot(slot, v))
		}
	}
	for _, c := range s.links {
		if v := state[c.slot]; !s.met[c.slot][v] {
			s.met[c.slot][v] = true
			c.meet(s.sys.Contents(v))
		}
	}
	if level == 0 {
		if len(s.initial) == maxInitial {
			return fmt.Errorf("%w: there are more than %d initial states", ErrLanguage, maxInitial)
		}
		s.initial = append(s.initial, slices.Clone(state))
	}
	return nil
}

// A numbering gives values numbers in the order in which they are met, and names that are identifiers.
type numbering struct {
	prefix string
	values []uint32
	list   []string
	number map[uint32]int
	names  names
}

func newNumbering(prefix string, names names) numbering {
	return numbering{prefix: prefix, number: make(map[uint32]int), names: names}
}

// add gives a value a number and a name that is like a text, unless it has one.
func (n *numbering) add(v uint32, text string) {
	if n.has(v) {
		return
	}
	words := strings.FieldsFunc(text, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9')
	})
	n.number[v] = len(n.values)
	n.values = append(n.values, v)
	n.list = append(n.list, n.names.unique(n.prefix+strings.Join(words, "_")))
}

func (n *numbering) has(v uint32) bool { _, ok := n.number[v]; return ok }

func (n *numbering) name(v uint32) string { return n.list[n.number[v]] }

// A channel is what was met in one, and how a model holds it: by a counter for each message, or, if it is a queue, by
// its places.
type channel struct {
	*survey
	slot     int
	name     string
	fifo     bool
	messages []uint32            // in the order in which they were met
	counters map[uint32]variable // by message: how many there are of it
	longest  int
}

// meet takes down what is in the channel.
func (c *channel) meet(contents []ir.Content) {
	count := make(map[uint32]int)
	for _, content := range contents {
		m := c.sys.NumberOf(content)
		c.words.add(m, content.String())
		v, met := c.counters[m]
		if !met {
			c.messages = append(c.messages, m)
			v.name = c.names.unique(c.name + "_" + c.words.name(m))
		}
		count[m]++
		v.most = max(v.most, count[m])
		c.counters[m] = v
	}
	c.longest = max(c.longest, len(contents))
}

// A variable has values from 0 to most.
type variable struct {
	name string
	most int
}

func (c *channel) variables() []variable {
	var list []variable
	if c.fifo {
		for i := range c.longest {
			list = append(list, variable{c.place(i), max(1, len(c.words.values))})
		}
		return list
	}
	for _, m := range c.messages {
		list = append(list, c.counters[m])
	}
	return list
}

// values returns those of the variables in a state.
func (c *channel) values(state []model.Value) []int {
	values := make([]int, len(c.variables()))
	for i, content := range c.sys.Contents(state[c.slot]) {
		m := c.sys.NumberOf(content)
		if c.fifo {
			values[i] = c.words.number[m] + 1
		} else {
			values[slices.Index(c.messages, m)]++
		}
	}
	return values
}

func (c *channel) counter(m uint32) string { return c.counters[m].name }

func (c *channel) place(i int) string { return fmt.Sprintf("%s_%d", c.name, i) }

// put returns the update that puts a message into the channel, behind another one.
func (c *channel) put(m uint32) string {
	if !c.fifo {
		return fmt.Sprintf(" & (%s'=%s+1)", c.counter(m), c.counter(m))
	}
	update := ""
	for i := range c.longest {
		free := c.place(i) + "=0"
		if i > 0 {
			free += " & " + c.place(i-1) + ">0"
		}
		update += fmt.Sprintf(" & (%s'=(%s ? %s : %s))", c.place(i), free, c.words.name(m), c.place(i))
	}
	return update
}

// room returns the guard that a message can be put into the channel. Wherever that is reached it is true, but PRISM's
// symbolic engines want every update of a command to stay in range in all states that the ranges allow. A queue of
// which no place is free loses what is put behind it, and stays in range.
func (c *channel) room(m uint32) string {
	if c.fifo {
		return ""
	}
	return fmt.Sprintf(" & %s<%d", c.counter(m), c.counters[m].most)
}

// has returns the guard that a message can be taken out of the channel, and take the update that does it.
func (c *channel) has(m uint32) string {
	if !c.fifo {
		return c.counter(m) + ">0"
	}
	return c.place(0) + "=" + c.words.name(m)
}

func (c *channel) take(m uint32) string {
	if !c.fifo {
		return fmt.Sprintf("(%s'=%s-1)", c.counter(m), c.counter(m))
	}
	var parts []string
	for i := range c.longest {
		next := "0"
		if i+1 < c.longest {
			next = c.place(i + 1)
		}
		parts = append(parts, fmt.Sprintf("(%s'=%s)", c.place(i), next))
	}
	return strings.Join(parts, " & ")
}
