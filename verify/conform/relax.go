package conform

import (
	"context"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A relaxation treats the processes separately: each may receive, at any time and any number of times, every message
// that may have been sent to it (a Cartesian abstraction); where the log shows the traffic, only as often as it says.
// It may also read, at any time, what others may have in their registers at some time. What a process cannot do in the
// relaxation it does in no run. The work is at most places times messages, whereas a search interleaves the processes.
type relaxation struct {
	*depth
	*agenda
	base      []model.Value // a state with empty channels, where one process is at the place of a visit
	reads     [][]int       // by process: those whose registers it reads; nil if none does
	moves     []move        // of a visit
	processes []relaxed
	channels  []relaxedChannel // by link
	links     []*traffic       // by link; nil: the log does not show it
	reached   []model.Value    // by lane: the most events that have happened at a place
	done      []model.Value    // these, but those at one place for its process
	queue     []visit
	most      int             // how many more visits are made and messages sent; none if more visits are in the queue
	waiting   []visit         // for events of other processes
	counts    [][]model.Value // the different counts of the traffic at places
	known     map[string]int  // the index of each of these
	unlisted  bool            // there are too many messages to list
}

// A place is a local state of a process, how many events of its lane have happened, and the index of the counts of
// its traffic.
type place struct {
	local, done model.Value
	counts      int
}

// A relaxed process has the places that it may reach.
type relaxed struct {
	number map[place]int
	places []place
	locals []model.Value  // at these
	from   [][]int        // by place: places from which it is one step
	alive  map[place]bool // places on the way to the end of the lane
	out    []int          // the links that it sends to
	ends   []*traffic     // of its links, where it is at the other end
	width  int            // how many counts these have
}

// A relaxedChannel has the contents, of one message each, that may be in it.
type relaxedChannel struct {
	has  map[model.Value]bool
	list []model.Value
}

// A visit tries what a process may do at a place with a message from a link, or, if that is -1, without one.
type visit struct {
	process, place, link int
	message              model.Value
}

// bytesOfVisit is about how much memory the place takes that a visit may find.
const bytesOfVisit = 256

// relax returns a relaxation of the runs that explain an agenda. It is nil if time passes in ticks, or if the visits
// exceed the limit or the memory, even if no traffic is counted.
func (d *depth) relax(ctx context.Context, a *agenda, initial [][]model.Value, most int) *relaxation {
	if a.total || len(d.common) > 0 {
		return nil
	}
	for _, counted := range []bool{true, false} {
		if r := d.relaxation(a, initial, counted); r.complete(ctx, initial, most) {
			return r
		}
	}
	return nil
}

// relaxation returns a relaxation without places.
func (d *depth) relaxation(a *agenda, initial [][]model.Value, counted bool) *relaxation {
	r := &relaxation{
		depth: d, agenda: a, base: slices.Clone(initial[0]), processes: make([]relaxed, d.protocol.N),
		channels: make([]relaxedChannel, len(d.receives)), links: make([]*traffic, len(d.receives)),
		reached: make([]model.Value, len(a.lanes)), known: make(map[string]int), reads: d.protocol.Reads(),
	}
	for l := range r.channels {
		slot := d.sys.SlotOfLink(l)
		holds := func(s []model.Value) bool { return s[slot] != compile.Empty }
		counted = counted && !slices.ContainsFunc(initial, holds)
		r.base[slot] = compile.Empty
		r.channels[l] = relaxedChannel{has: make(map[model.Value]bool)}
		from := &r.processes[d.protocol.Link(l).From]
		from.out = append(from.out, l)
	}
	for l := 0; l < len(r.channels) && counted; l++ {
		if t := r.traffic(l); t != nil {
			x := &r.processes[t.end]
			r.links[l], t.first = t, x.width
			x.ends, x.width = append(x.ends, t), x.width+t.width
		}
	}
	return r
}

// complete makes all visits. It is false if they exceed the limit or a step cannot be represented.
func (r *relaxation) complete(ctx context.Context, initial [][]model.Value, most int) bool {
	r.most, r.grown = most, nil
	r.begin(initial)
	bytes := uint64(bytesOfVisit)
	for _, counts := range r.counts {
		bytes = max(bytes, uint64(bytesOfVisit+4*len(counts)))
	}
	for r.most = min(r.most, int(r.limit/bytes)); len(r.queue) > 0; {
		if len(r.queue) > r.most || r.unlisted || r.most%256 == 0 && ctx.Err() != nil {
			return false
		}
		v := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		if !r.try(v) {
			return false
		}
	}
	r.trim()
	return !r.unlisted && r.most >= 0
}

// enumerate lists the possible messages, each as the contents of a channel. It is false if there are too many.
func (n *network) enumerate() bool {
	const most = 1 << 16
	if n.messages != nil {
		return true
	}
	for _, m := range n.protocol.Messages {
		size := uint64(1)
		for _, f := range m.Fields {
			if s, ok := f.Type.Size(); !ok || s > most {
				return false
			} else if size *= s; size > most {
				return false
			}
		}
	}
	for _, m := range n.protocol.Messages {
		for c := range m.Contents(nil) {
			n.messages = append(n.messages, n.sys.EncodeContents([]ir.Content{c}))
		}
	}
	return true
}

// begin adds the places and messages of the initial states.
func (r *relaxation) begin(initial [][]model.Value) {
	start := make([]int, len(r.processes)) // the counts
	for p := range r.processes {
		x := &r.processes[p]
		x.number = make(map[place]int)
		start[p] = r.index(make([]model.Value, x.width))
	}
	for _, state := range initial {
		for l := range r.channels {
			for _, m := range r.sys.Contents(state[r.sys.SlotOfLink(l)]) {
				r.send(l, r.sys.EncodeContents([]ir.Content{m}))
			}
		}
		for p := range r.processes {
			r.reach(p, -1, place{local: state[r.sys.SlotOfProcess(p)], counts: start[p]})
		}
	}
}

// reach adds a place of a process, which is one step from another one; it begins there if that is -1. After the end of
// a cut lane, the process sends all possible messages.
func (r *relaxation) reach(process, from int, to place) {
	x := &r.processes[process]
	to.local = r.alike(to.local)
	number, ok := x.number[to]
	if !ok {
		number = len(x.places)
		x.number[to] = number
		x.places, x.from = append(x.places, to), append(x.from, nil)
		if to.done > r.reached[process] {
			r.reached[process] = to.done
			r.queue, r.waiting = append(r.queue, r.waiting...), nil
		}
		if r.open(process, to) {
			r.unlisted = r.unlisted || !r.enumerate()
			for _, l := range x.out {
				r.send(l, r.messages...)
			}
		} else {
			r.visit(process, number)
		}
		r.reveal(process, to.local)
	}
	if from >= 0 {
		x.from[number] = append(x.from[number], from)
	}
}

// open reports whether a place is not visited, because anything may happen there.
func (r *relaxation) open(process int, at place) bool {
	return r.cut[process] && int(at.done) == len(r.lanes[process]) && r.reads == nil
}

// visit adds the visits of a place.
func (r *relaxation) visit(process, number int) {
	r.queue = append(r.queue, visit{process: process, place: number, link: -1})
	lo, hi := r.protocol.InLinks(process)
	for l := lo; l < hi; l++ {
		if !r.receptive(r.processes[process].places[number].local, l) {
			continue
		}
		for _, m := range r.channels[l].list {
			r.queue = append(r.queue, visit{process, number, l, m})
		}
	}
}

// reveal adds a local state of a process to those in which others read its registers.
func (r *relaxation) reveal(process int, local model.Value) {
	x := &r.processes[process]
	if r.reads == nil || slices.Contains(x.locals, local) {
		return
	}
	x.locals = append(x.locals, local)
	for p, reads := range r.reads {
		if slices.Contains(reads, process) {
			for number := range r.processes[p].places {
				r.visit(p, number)
			}
		}
	}
}

// views calls try with each combination of local states in which processes may be.
func (r *relaxation) views(processes []int, try func()) {
	if len(processes) == 0 {
		r.most--
		try()
		return
	}
	for _, local := range r.processes[processes[0]].locals {
		if r.most >= 0 {
			r.base[r.sys.SlotOfProcess(processes[0])] = local
			r.views(processes[1:], try)
		}
	}
}

// send adds messages to a link.
func (r *relaxation) send(link int, messages ...model.Value) {
	c, to := &r.channels[link], r.protocol.Link(link).To
	if r.open(to, place{}) {
		return
	}
	old := len(c.list)
	for _, m := range messages {
		if !c.has[m] {
			c.has[m] = true
			c.list = append(c.list, m)
		}
	}
	r.most -= len(c.list) - old
	for number, at := range r.processes[to].places {
		if len(c.list) == old || len(r.queue) > r.most {
			return
		}
		if r.receptive(at.local, link) && !r.open(to, at) {
			for _, m := range c.list[old:] {
				r.queue = append(r.queue, visit{to, number, link, m})
			}
		}
	}
}

// index returns the index of counts.
func (r *relaxation) index(counts []model.Value) int {
	r.key = r.key[:0]
	for _, v := range counts {
		r.key = step.AppendKey(r.key, int64(v))
	}
	i, ok := r.known[string(r.key)]
	if !ok {
		i = len(r.counts)
		r.known[string(r.key)] = i
		r.counts = append(r.counts, slices.Clone(counts))
	}
	return i
}

// pass counts a message that is sent to a link, or else received from it, by the process of a place. It is false if the
// traffic on the link is another one.
func (r *relaxation) pass(at *place, link int, message model.Value, sends bool) (ok bool) {
	t := r.links[link]
	if t == nil || t.sent == sends {
		return true
	}
	counts := slices.Clone(r.counts[at.counts])
	ok = t.pass(counts[t.first:t.first+t.width], r.sys.Contents(message)[0])
	at.counts = r.index(counts)
	return ok
}

// try takes the steps of a visit. It is false if one cannot be represented.
func (r *relaxation) try(v visit) bool {
	at := r.processes[v.process].places[v.place]
	passed := at
	if v.link >= 0 && !r.pass(&passed, v.link, v.message, false) {
		return true
	}
	r.done = append(r.done[:0], r.reached...)
	r.done[v.process] = at.done
	if r.left(r.done, v.process) && r.next(r.done, v.process) < 0 {
		r.waiting = append(r.waiting, v)
	}
	explains := func(label model.Label) (event int, ok bool) {
		if _, actor := r.sys.Action(label); actor < 0 {
			return -1, false // messages are not lost: they need not be received
		}
		return r.explains(r.agenda, r.done, label)
	}
	var reads []int
	if r.reads != nil {
		reads = r.reads[v.process]
	}
	failed := false
	r.views(reads, func() {
		if r.base[r.sys.SlotOfProcess(v.process)] = at.local; v.link < 0 {
			var err error
			r.moves, err = r.act(r.moves[:0], r.agenda, configuration{r.base, r.done}, v.process, explains)
			failed = failed || err != nil
		} else {
			slot := r.sys.SlotOfLink(v.link)
			r.base[slot] = v.message
			r.moves = r.steps(r.moves[:0], r.base, v.process, r.receives[v.link], explains)
			r.base[slot] = compile.Empty
		}
		for i := range r.moves {
			r.take(v, &r.moves[i], passed)
		}
	})
	return !failed && r.grown == nil
}

// take takes a move from a place at which the message of a visit has been received.
func (r *relaxation) take(v visit, m *move, to place) {
	for _, l := range r.processes[v.process].out {
		if sent := m.after[r.sys.SlotOfLink(l)]; sent != compile.Empty {
			if !r.pass(&to, l, sent, true) {
				return
			}
			r.send(l, sent)
		}
	}
	to.local = m.after[r.sys.SlotOfProcess(v.process)]
	if m.event >= 0 {
		to.done++
	}
	r.reach(v.process, v.place, to)
}

// stuck returns the processes that cannot reach the ends of their lanes.
func (r *relaxation) stuck() (list []int) {
	for p := range r.processes {
		if len(r.processes[p].alive) == 0 && !r.free(r.reached, p) {
			list = append(list, p)
		}
	}
	return list
}

// ended reports whether a process may be at a place when all its events have happened: it has sent all messages of
// which the log shows receipts, unless it may go on.
func (r *relaxation) ended(process int, at place) bool {
	if int(at.done) < len(r.lanes[process]) || r.cut[process] {
		return int(at.done) == len(r.lanes[process])
	}
	counts := r.counts[at.counts]
	return !slices.ContainsFunc(r.processes[process].ends, func(t *traffic) bool {
		return !t.sent && !slices.Equal(counts[t.first:t.first+t.width], t.total())
	})
}

// trim records which places are on paths to the ends of lanes.
func (r *relaxation) trim() {
	for p := range r.processes {
		x := &r.processes[p]
		x.alive = make(map[place]bool)
		var queue []int
		add := func(number int) {
			if at := x.places[number]; !x.alive[at] {
				x.alive[at] = true
				queue = append(queue, number)
			}
		}
		for number, at := range x.places {
			if r.ended(p, at) {
				add(number)
			}
		}
		for len(queue) > 0 {
			last := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			for _, number := range x.from[last] {
				add(number)
			}
		}
	}
}

// dead reports whether a process cannot reach the end of its lane from its place in a configuration.
func (r *relaxation) dead(c configuration, process int) bool {
	x, local := &r.processes[process], c.state[r.sys.SlotOfProcess(process)]
	if r.free(c.done, process) {
		return false
	}
	var counts []model.Value
	for _, t := range x.ends {
		if t.sent && r.free(c.done, t.lane) {
			return false // how many messages it has sent is not known
		}
		counts = append(counts, r.passed(c, t)...)
	}
	return !x.alive[place{r.alike(local), c.done[process], r.index(counts)}]
}

// passed returns the counts of the messages on a link that have passed the other end in a configuration.
func (r *relaxation) passed(c configuration, t *traffic) []model.Value {
	return t.passed(c.done[t.lane], r.sys.Contents(c.state[r.sys.SlotOfLink(t.link)]))
}

// order sorts moves so that messages are sent in the order in which the log shows receipts, as far as there is a
// choice.
func (r *relaxation) order(c configuration, moves []move) {
	turn := func(m *move) int {
		a, process := r.sys.Action(m.step.Label)
		if m.group < 0 || a.Kind != model.SendAction {
			return 0
		}
		t := r.links[r.protocol.OutLink(process, a.Port)]
		if t == nil || t.sent {
			return 0
		}
		return t.turn(r.passed(c, t), a.Message)
	}
	slices.SortStableFunc(moves, func(a, b move) int { return turn(&a) - turn(&b) })
}
