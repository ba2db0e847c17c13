package view

// A side is where messages arrive at a process: from the processes left of it in the drawing, or right.
type side struct {
	process   int
	fromRight bool
}

// lanes gives every message a lane, a line beside its receiver in which it waits for its receipt. Lane 0 is
// the nearest to the receiver. A message gets one outside of all that are in use when it is sent: so what is
// received in order crosses nothing, and what overtakes crosses the lanes of those it overtakes.
type lanes struct {
	lane  []int        // by serial number - 1
	count map[side]int // how many lanes there are
}

func newLanes(t *Trace) *lanes {
	l := &lanes{make([]int, len(t.Messages)), make(map[side]int)}
	used := make(map[side][]int) // serial numbers under way
	for i := range t.Messages {
		m := &t.Messages[i]
		s := t.side(m)
		used[s] = underWay(t, used[s], m.Sent)
		for _, other := range used[s] {
			l.lane[i] = max(l.lane[i], l.lane[other-1]+1)
		}
		used[s] = append(used[s], m.Serial)
		l.count[s] = max(l.count[s], l.lane[i]+1)
	}
	return l
}

// underWay returns those of some messages that are not received before a step.
func underWay(t *Trace, serials []int, step int) []int {
	var rest []int
	for _, s := range serials {
		if gone := t.Message(s).gone(); gone == 0 || gone > step {
			rest = append(rest, s)
		}
	}
	return rest
}

// side returns where a message arrives. In a ring, what is sent to the right arrives from the left, across the
// seam as well.
func (t *Trace) side(m *Message) side {
	l := t.Links[m.Link]
	if t.Ring {
		return side{l.To, l.Direction == "left"}
	}
	return side{l.To, l.From > l.To}
}
