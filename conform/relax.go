package conform

import (
	"context"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A relaxation treats the processes separately: each may receive, at any time and any number of times, every message
// that may have been sent to it (a Cartesian abstraction). What a process cannot do in the relaxation it does in no
// run. The work is at most places times messages, whereas a search interleaves the processes.
type relaxation struct {
	*depth
	*agenda
	base      []model.Value // a state with empty channels
	processes []relaxed
	channels  []relaxedChannel // by link
	reached   []model.Value    // by lane: the most events that have happened at a place
	done      []model.Value    // these, but those at one place for its process
	queue     []visit
	waiting   []visit // for events of other processes
}

// A place is a local state of a process and how many events of its lane have happened.
type place struct{ local, done model.Value }

// A relaxed process has the places that it may reach.
type relaxed struct {
	number map[place]int
	places []place
	from   [][]int        // by place: places from which it is one step
	alive  map[place]bool // places on the way to the end of the lane
	out    []int          // the links that it sends to
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

// relax returns a relaxation of the runs that explain an agenda. It is nil if processes are coupled by more than
// messages and faults, or if the visits exceed the limit or the memory.
func (d *depth) relax(ctx context.Context, a *agenda, initial [][]model.Value, most int) *relaxation {
	most = min(most, int(d.limit/bytesOfVisit))
	_, links := d.protocol.InLinks(d.protocol.N - 1)
	coupled := len(d.common) > 0 || d.protocol.Reads() != nil
	if a.total || coupled || links == 0 || slices.Contains(a.cut, true) && !d.enumerate() {
		return nil
	}
	r := &relaxation{depth: d, agenda: a, base: slices.Clone(initial[0]), processes: make([]relaxed, d.protocol.N),
		channels: make([]relaxedChannel, links)}
	for l := range links {
		r.base[d.sys.SlotOfLink(l)] = compile.Empty
		from := &r.processes[d.protocol.Link(l).From]
		from.out = append(from.out, l)
	}
	if !r.begin(initial) {
		return nil
	}
	for ; len(r.queue) > 0; most-- {
		if most == 0 || most%256 == 0 && ctx.Err() != nil {
			return nil
		}
		v := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		if !r.try(v) {
			return nil
		}
	}
	r.trim()
	return r
}

// enumerate lists the possible messages, each as the contents of a channel. It is false if there are too many.
func (n *network) enumerate() bool {
	const most = 1 << 12
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
	var choose func(m *ir.Message, args []int64)
	choose = func(m *ir.Message, args []int64) {
		if len(args) == len(m.Fields) {
			n.messages = append(n.messages, n.sys.EncodeContents([]ir.Content{{Message: m, Args: slices.Clone(args)}}))
			return
		}
		for v := range m.Fields[len(args)].Type.Values() {
			choose(m, append(args, v))
		}
	}
	for _, m := range n.protocol.Messages {
		choose(m, nil)
	}
	return true
}

// begin adds the places and messages of the initial states.
func (r *relaxation) begin(initial [][]model.Value) bool {
	r.reached = make([]model.Value, len(r.lanes))
	for l := range r.channels {
		r.channels[l] = relaxedChannel{has: make(map[model.Value]bool)}
	}
	for p := range r.processes {
		r.processes[p].number = make(map[place]int)
	}
	for _, state := range initial {
		for l := range r.channels {
			for _, m := range r.sys.Contents(state[r.sys.SlotOfLink(l)]) {
				r.send(l, r.sys.EncodeContents([]ir.Content{m}))
			}
		}
		for p := range r.processes {
			slot := r.sys.SlotOfProcess(p)
			start := func(state []model.Value) { r.reach(p, -1, place{local: state[slot]}) }
			if state[slot] != uninitialized {
				start(state)
			} else if r.initialize(state, p, start) != nil {
				return false
			}
		}
	}
	return true
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
		if r.cut[process] && int(to.done) == len(r.lanes[process]) {
			for _, l := range x.out {
				for _, m := range r.messages {
					r.send(l, m)
				}
			}
		} else {
			r.queue = append(r.queue, visit{process: process, place: number, link: -1})
			lo, hi := r.protocol.InLinks(process)
			for l := lo; l < hi; l++ {
				if !r.receptive(to.local, l) {
					continue
				}
				for _, m := range r.channels[l].list {
					r.queue = append(r.queue, visit{process, number, l, m})
				}
			}
		}
	}
	if from >= 0 {
		x.from[number] = append(x.from[number], from)
	}
}

// send adds a message to a link.
func (r *relaxation) send(link int, message model.Value) {
	c := &r.channels[link]
	if c.has[message] {
		return
	}
	c.has[message] = true
	c.list = append(c.list, message)
	to := r.protocol.Link(link).To
	for number, at := range r.processes[to].places {
		if r.receptive(at.local, link) && (!r.cut[to] || int(at.done) < len(r.lanes[to])) {
			r.queue = append(r.queue, visit{to, number, link, message})
		}
	}
}

// try takes the steps of a visit. It is false if a step cannot be represented.
func (r *relaxation) try(v visit) bool {
	at, self := r.processes[v.process].places[v.place], r.sys.SlotOfProcess(v.process)
	r.done = append(r.done[:0], r.reached...)
	r.done[v.process] = at.done
	switch next := r.next(r.done, v.process); {
	case next < 0 && r.left(r.done, v.process):
		r.waiting = append(r.waiting, v)
	case next >= 0 && v.link < 0 && r.events[next].state && r.events[next].fitsLocal(r.sys, at.local, r.names):
		r.reach(v.process, v.place, place{at.local, at.done + 1})
	}
	for _, g := range r.own[v.process] {
		role, slots := r.sys.Role(g), r.sys.Groups()[g].Slots
		link := -1
		if role.Kind == compile.Receives {
			link = r.protocol.InLink(v.process, role.Port)
		}
		if role.Process < 0 || link != v.link { // messages are not lost, and need not be received
			continue
		}
		r.in = r.in[:0]
		for _, slot := range slots {
			r.in = append(r.in, r.base[slot])
		}
		r.in[role.Self] = at.local
		if link >= 0 {
			r.in[role.Channel] = v.message
		}
		r.out.Reset(len(slots))
		if err := r.sys.Next(g, r.in, &r.out); err != nil {
			if model.AsFault(err).Growth {
				return false
			}
			continue
		}
		for i := range r.out.Len() {
			event, ok := r.explains(r.agenda, r.done, r.out.Step(i).Label)
			if !ok {
				continue
			}
			values := r.out.Values(i)
			for _, l := range r.processes[v.process].out {
				j := slices.Index(slots, r.sys.SlotOfLink(l))
				if j >= 0 && link < 0 && values[j] != compile.Empty {
					r.send(l, values[j])
				}
			}
			to := place{values[slices.Index(slots, self)], at.done}
			if event >= 0 {
				to.done++
			}
			r.reach(v.process, v.place, to)
		}
	}
	return true
}

// stuck returns the processes that cannot reach the ends of their lanes.
func (r *relaxation) stuck() (list []int) {
	for p := range r.processes {
		if r.left(r.reached, p) {
			list = append(list, p)
		}
	}
	return list
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
			if int(at.done) == len(r.lanes[p]) {
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
func (r *relaxation) dead(c configuration) bool {
	for p := range r.processes {
		local := r.alike(c.state[r.sys.SlotOfProcess(p)])
		if local != uninitialized && !r.processes[p].alive[place{local, c.done[p]}] && !r.free(c.done, p) {
			return true
		}
	}
	return false
}
