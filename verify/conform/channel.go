package conform

import (
	"slices"
	"sort"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// A channelLog is the sequence of messages on a link that a log shows: the sent messages, if every send is an event of
// the log, or else the received messages, if every receipt is. The process at the other end receives each sent message
// at most as often as it is sent, or sends each received message at least as often. An abstraction counts the messages
// that have passed the other end.
//
// If messages are received in the order in which they are sent, there is one count, the position in the sequence of
// messages. Otherwise there is one count for each different message.
type channelLog struct {
	link     int
	chain    int        // of the events that show the messages
	end      int        // the process at the other end
	offset   int        // of the counts among all counts of that process
	width    int        // the number of counts
	sends    bool       // the events are sends
	openEnd  bool       // other messages may pass the other end, too
	inOrder  bool       // messages are received in the order in which they are sent
	messages []*pattern // inOrder: the sequence of messages; else the different messages
	events   int        // of the chain

	// history has the counts of the messages that have been shown, by number of events of the chain.
	history []model.Value
}

// maxCounts limits the counts of a channelLog. In the worst case there are as many for each abstract state.
const maxCounts = 1 << 16

// newChannelLog returns the log of a link, nil if a trace does not show it, or messages can be lost or
// changed.
func newChannelLog(n *network, t *trace, link int) *channelLog {
	ends := n.protocol.Link(link)
	l := &channelLog{link: link, sends: n.observesAll(model.SendAction), inOrder: n.protocol.Channel.InOrder()}
	kind := model.SendAction
	if l.chain, l.end = ends.From, ends.To; !l.sends {
		l.chain, l.end, kind = ends.To, ends.From, model.ReceiveAction
	}
	l.openEnd = !l.sends || t.openEnd[l.chain]
	switch {
	case len(n.protocol.Faults.InChannels()) > 0, n.protocol.Capacity.Drops, !l.sends && !n.observesAll(kind),
		!l.inOrder && l.sends && l.openEnd:
		return nil
	}
	messages := []int{} // by event of the chain: the index of its message, -1 if it shows none of this link
	for _, event := range t.chains[l.chain] {
		q, message := t.events[event].pattern, -1
		if !q.isState && q.kind == kind {
			switch number := n.linkOf(q); {
			case number < 0, !l.inOrder && !q.isExact():
				return nil
			case number == link:
				message = l.addMessage(q)
			}
		}
		messages = append(messages, message)
	}
	return l.countMessages(messages)
}

// countMessages sets the history of a log whose events show messages. It returns nil if there are too many counts.
func (l *channelLog) countMessages(messages []int) *channelLog {
	l.events, l.width = len(messages), len(l.messages)
	if l.inOrder {
		l.width = 1
	}
	if l.width*(l.events+1) > maxCounts {
		return nil
	}
	l.history = make([]model.Value, l.width)
	for _, message := range messages {
		l.history = append(l.history, l.total()...)
		if message >= 0 {
			l.total()[min(message, l.width-1)]++
		}
	}
	return l
}

// linkOf returns the link of a send or a receipt, -1 if the pattern does not determine it.
func (n *network) linkOf(q *pattern) int {
	switch {
	case q.port == wildcard:
		return -1
	case q.kind == model.SendAction:
		return n.protocol.OutLink(q.process, q.port)
	}
	return n.protocol.InLink(q.process, q.port)
}

// addMessage adds a message, and returns its index.
func (l *channelLog) addMessage(q *pattern) int {
	same := func(x *pattern) bool { return x.message == q.message && slices.Equal(x.args, q.args) }
	if i := slices.IndexFunc(l.messages, same); i >= 0 && !l.inOrder {
		return i
	}
	l.messages = append(l.messages, q)
	return len(l.messages) - 1
}

// countsOf returns the counts of the link among the counts of the process at the other end.
func (l *channelLog) countsOf(counts []model.Value) []model.Value {
	return counts[l.offset : l.offset+l.width]
}

// total returns the counts after all events.
func (l *channelLog) total() []model.Value { return l.history[len(l.history)-l.width:] }

// index returns the index of the count of a message, -1 if it is not counted.
func (l *channelLog) index(m ir.Content) int {
	if l.inOrder {
		return 0
	}
	return slices.IndexFunc(l.messages, func(q *pattern) bool { return q.matchesMessage(m) })
}

// count counts a message that passes the other end. It is false if the log excludes it.
func (l *channelLog) count(counts []model.Value, m ir.Content) bool {
	i := l.index(m)
	if i < 0 || counts[i] == l.total()[i] {
		return l.openEnd
	}
	counts[i]++
	return !l.inOrder || l.messages[counts[i]-1].matchesMessage(m)
}

// countsIn returns the counts when a number of events of the chain have happened and the channel holds messages.
func (l *channelLog) countsIn(events model.Value, channel []ir.Content) []model.Value {
	at := int(events) * l.width
	counts := slices.Clone(l.history[at : at+l.width])
	for _, m := range channel {
		switch i := l.index(m); {
		case i < 0:
		case l.sends:
			counts[i]--
		default:
			counts[i] = min(counts[i]+1, l.total()[i])
		}
	}
	return counts
}

// position returns the number of events before the event that shows a message, if the message passes the other end
// next. It is the number of all events if no event shows the message.
func (l *channelLog) position(counts []model.Value, m ir.Content) int {
	i := l.index(m)
	return sort.Search(l.events, func(n int) bool { return i >= 0 && l.history[(n+1)*l.width+i] > counts[i] })
}
