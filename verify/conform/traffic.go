package conform

import (
	"slices"
	"sort"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// A traffic is what a log shows of the messages on a link: those that are sent, if every send is an event of the log,
// or else those that are received, if every receipt is. The process at the other end receives only what is sent, as
// often as it is sent, or sends at least what is received. A relaxation counts the messages that have passed that end.
type traffic struct {
	link  int
	lane  int  // of the lines
	end   int  // the process at the other end
	first int  // where its counts begin among those of that process
	sent  bool // the lines are those of the sender
	open  bool // other messages may pass the other end, too
	queue bool
	// In a queue, lines has a pattern for each message, and one count; else a pattern and a count for each different
	// message.
	lines  []*pattern
	width  int           // how many counts there are
	events int           // in the lane of the lines
	after  []model.Value // by number of events of the lane that have happened: how many of each have passed
}

// mostCounts limits the counts of a traffic, which takes as many for each place at the other end in the worst case.
const mostCounts = 1 << 16

// traffic returns the traffic on a link, nil if the log does not show it, or there are losses or duplicates.
func (r *relaxation) traffic(link int) *traffic {
	f, l := &r.protocol.Faults, r.protocol.Link(link)
	t := &traffic{link: link, sent: r.every(model.SendAction), queue: r.protocol.Channel == ir.FIFO}
	kind := model.SendAction
	if t.lane, t.end = l.From, l.To; !t.sent {
		t.lane, t.end, kind = l.To, l.From, model.ReceiveAction
	}
	t.open = !t.sent || r.cut[t.lane]
	switch {
	case f.Losses != 0, f.Duplicates != 0, !t.sent && !r.every(kind), !t.queue && t.sent && t.open:
		return nil
	}
	shown := []int{} // by event of the lane: its line of t, -1 if it has none
	for _, event := range r.lanes[t.lane] {
		e, line := r.events[event], -1
		if !e.state && e.kind == kind {
			switch number := r.linkOf(e); {
			case number < 0, !t.queue && !e.exact():
				return nil
			case number == link:
				line = t.add(e.pattern)
			}
		}
		shown = append(shown, line)
	}
	t.events, t.width = len(shown), len(t.lines)
	if t.queue {
		t.width = 1
	}
	if t.width*(t.events+1) > mostCounts {
		return nil
	}
	t.after = make([]model.Value, t.width)
	for _, line := range shown {
		t.after = append(t.after, t.total()...)
		if line >= 0 {
			t.total()[min(line, t.width-1)]++
		}
	}
	return t
}

// linkOf returns the link of a send or a receipt, -1 if its line does not tell.
func (n *network) linkOf(e *logged) int {
	switch {
	case e.port == anything:
		return -1
	case e.kind == model.SendAction:
		return n.protocol.OutLink(e.process, e.port)
	}
	return n.protocol.InLink(e.process, e.port)
}

// add adds a message, and returns its line.
func (t *traffic) add(q *pattern) int {
	same := func(x *pattern) bool { return x.message == q.message && slices.Equal(x.args, q.args) }
	if i := slices.IndexFunc(t.lines, same); i >= 0 && !t.queue {
		return i
	}
	t.lines = append(t.lines, q)
	return len(t.lines) - 1
}

// total returns the counts after all lines.
func (t *traffic) total() []model.Value { return t.after[len(t.after)-t.width:] }

// index returns the index of the number that counts a message, -1 if there is none.
func (t *traffic) index(m ir.Content) int {
	if t.queue {
		return 0
	}
	return slices.IndexFunc(t.lines, func(q *pattern) bool { return q.about(m) })
}

// pass counts a message that passes the other end. It is false if the log excludes it.
func (t *traffic) pass(counts []model.Value, m ir.Content) bool {
	i := t.index(m)
	if i < 0 || counts[i] == t.total()[i] {
		return t.open
	}
	counts[i]++
	return !t.queue || t.lines[counts[i]-1].about(m)
}

// passed returns the counts when events have happened at the end of the lines, and messages are in the channel.
func (t *traffic) passed(done model.Value, channel []ir.Content) []model.Value {
	at := int(done) * t.width
	counts := slices.Clone(t.after[at : at+t.width])
	for _, m := range channel {
		switch i := t.index(m); {
		case i < 0:
		case t.sent:
			counts[i]--
		default:
			counts[i] = min(counts[i]+1, t.total()[i])
		}
	}
	return counts
}

// turn returns how many events happen before the one that shows a message that passes next; all if none does.
func (t *traffic) turn(counts []model.Value, m ir.Content) int {
	i := t.index(m)
	return sort.Search(t.events, func(n int) bool { return i >= 0 && t.after[(n+1)*t.width+i] > counts[i] })
}
