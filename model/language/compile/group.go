package compile

import (
	"fmt"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A Role is the kind of transitions of a group.
type Role struct {
	Kind    RoleKind
	Process int
	Port    int64 // the target of Sends, the source of Receives
	Self    int   // where in the group's slots the process is
	Channel int   // of Sends and Receives: where in the group's slots the channel is
	Partner int   // of Sends over a synchronous channel: where in the group's slots the receiver is
}

// RoleKind is the kind of a group's transitions.
type RoleKind int

// The roles of groups. Unexported ones occur only in systems that are not InitialProduct.
const (
	Sends    RoleKind = iota // to one channel
	Receives                 // from one channel
	Events                   // and skips
	Mixed                    // draws that decide between actions of different groups
	// own actions that can depend on other processes or must wait for due messages
	reads
	faults // in a channel or of a process
	ticks
)

// Role returns the role of group g.
func (s *System) Role(g int) Role { return s.groups[g].Role }

// A group is a transition group as Next sees it.
type group struct {
	Role
	targets  []int     // of Mixed: the index of the channel to a target, -1 for no channel
	partners []int     // of Mixed over synchronous channels: the index of the receiver by target, -1 for no channel
	missing  []int64   // the targets that the process has no channel to
	reads    []int     // the processes whose registers may be read, ascending
	read     []int     // where in the group's slots they are
	shared   []*ir.Var // the shared variables that may be read or set, by Slot
	sharedAt []int     // where in the group's slots they are
	inbox    []inlet   // of reads, where messages whose time is up are taken first
	// situations has the outcomes of reads, and of Receives that read: see System.situation.
	situations *situations
	links      []int              // of faults: the channel
	kinds      []ir.FaultKind     // of faults in a channel
	counters   [ir.FaultKinds]int // of faults: where in the group's slots they are counted, -1 if nowhere
}

// newGroups returns the transition groups of p, in the order of the processes. There are none that can have no
// transition by the text of p.
func newGroups(
	bound *effort.Effort, p *ir.Protocol, l *layout, m *step.Machine, r *reading,
) ([]model.Group, []group) {
	b := groupBuilder{effort: bound, protocol: p, layout: l, reading: r, reaches: reaches(bound, p)}
	b.fills = fillable(p, b.reaches)
	for process := range p.N {
		out, missing := b.outLinks(process)
		b.faults(process)
		if p.Channel.Sync {
			b.meets(process, out, missing)
			continue
		}
		if m.TakesFirst() {
			b.receives(process)
			b.actsTogether(process, out)
			continue
		}
		b.sends(process, out, missing)
		b.receives(process)
		b.acts(process, out, missing)
		b.readsAndActs(process, out)
	}
	if p.Time.Ticks {
		b.ticks()
	}
	return b.modelGroups, b.groups
}

// sends adds the groups of the sends of a process to some links. missing are the targets without a link.
func (b *groupBuilder) sends(process int, out []int, missing []int64) {
	for _, link := range out {
		port := b.protocol.Links[link].Out
		b.add(fmt.Sprintf("process %d sends to %s", process, b.protocol.FormatPort(port)),
			group{Role: Role{Kind: Sends, Process: process, Port: port}, missing: missing}, link)
	}
}

// acts adds the groups of the other own actions of a process that may send to some links.
func (b *groupBuilder) acts(process int, out []int, missing []int64) {
	b.actsAlone(process, len(out) == 0, missing)
	b.actsByDraw(process, out, missing)
}

// actsAlone adds the group of the own actions of a process that concern no channel. If there is no other group, this
// one reports errors.
func (b *groupBuilder) actsAlone(process int, only bool, missing []int64) {
	if r := b.reaches[process]; r.events || only && r.own {
		b.add(fmt.Sprintf("process %d acts alone", process),
			group{Role: Role{Kind: Events, Process: process}, missing: missing})
	}
}

// actsByDraw adds the group of the draws of a process that decide between actions.
func (b *groupBuilder) actsByDraw(process int, out []int, missing []int64) {
	if b.reaches[process].draws {
		b.add(fmt.Sprintf("process %d draws an action", process),
			group{Role: Role{Kind: Mixed, Process: process}, missing: missing}, out...)
	}
}

// receives adds the groups of the receipts of a process.
func (b *groupBuilder) receives(process int) {
	g := group{}
	if b.reading != nil && b.reading.receives {
		g.reads, g.situations = b.reading.receiptsOf[process], new(situations)
		g.shared = b.reading.sharedAt(b.reaches[process].points, b.reading.receiptShares)
	}
	for _, link := range b.inLinks(process) {
		port := b.protocol.Links[link].In
		g.Role = Role{Kind: Receives, Process: process, Port: port}
		b.add(fmt.Sprintf("process %d receives from %s", process, b.protocol.FormatPort(port)), g, link)
	}
}

// inLinks returns the links from which a process may receive.
func (b *groupBuilder) inLinks(process int) (list []int) {
	lo, hi := b.protocol.InLinks(process)
	for link := lo; link < hi; link++ {
		if b.fills[link] && b.reaches[process].receives.has(b.protocol.Links[link].In) {
			list = append(list, link)
		}
	}
	return list
}

// actsTogether adds the group of all own actions of a process that takes due messages first.
func (b *groupBuilder) actsTogether(process int, out []int) {
	if !b.reaches[process].own {
		return
	}
	g := group{Role: Role{Kind: reads, Process: process}, situations: new(situations), links: b.inLinks(process)}
	if b.reading != nil {
		g.reads = slices.Concat(b.reading.ownOf[process], b.reading.receiptsOf[process])
		slices.Sort(g.reads)
		g.reads = slices.Compact(g.reads)
		points := b.reaches[process].points
		g.shared = b.reading.sharedAt(points, b.reading.ownShares, b.reading.receiptShares)
	}
	b.add(fmt.Sprintf("process %d acts", process), g, slices.Concat(out, g.links)...)
}

// readsAndActs adds the group of the own actions of a process at control points where they may read registers of
// others.
func (b *groupBuilder) readsAndActs(process int, out []int) {
	if b.reading == nil || !b.reading.acts || !b.reaches[process].own {
		return
	}
	if !b.reading.sends {
		out = nil
	}
	points := b.reaches[process].points
	for _, shared := range b.reading.sharedSets(points) {
		name := fmt.Sprintf("process %d reads and acts", process)
		for i, v := range shared {
			name += []string{" with ", ", "}[min(i, 1)] + v.Name
		}
		b.add(name,
			group{
				Role:  Role{Kind: reads, Process: process},
				reads: b.reading.ownOf[process], shared: shared, situations: new(situations),
			}, out...)
	}
}

// An inlet is a channel that a process receives from.
type inlet struct {
	port    int64
	channel int // where in the group's slots it is
}

// faults adds the groups for faults of a process and of the channels to it.
func (b *groupBuilder) faults(process int) {
	f := &b.protocol.Faults
	if kinds := f.InChannels(); len(kinds) > 0 {
		lo, hi := b.protocol.InLinks(process)
		for link := lo; link < hi; link++ {
			if !b.fills[link] {
				continue
			}
			slots := []int{b.layout.channels[link]}
			b.environment("faults of "+b.protocol.FormatLink(link),
				group{Role: Role{Kind: faults, Process: -1}, links: []int{link}, kinds: kinds}, slots, kinds...)
		}
	}
	if f.Most[ir.CrashFault] != 0 && f.Mortal[process] || f.Recover != nil && b.reaches[process].crashes {
		b.environment(fmt.Sprintf("process %d crashes or recovers", process),
			group{Role: Role{Kind: faults, Process: process}}, []int{b.layout.processes[process]}, ir.CrashFault)
	}
}

// environment appends a group over some slots and their fault counters.
func (b *groupBuilder) environment(name string, g group, slots []int, counted ...ir.FaultKind) {
	for kind := range g.counters {
		g.counters[kind] = -1
	}
	for _, kind := range counted {
		if slot := b.layout.counters[kind]; slot >= 0 {
			g.counters[kind] = len(slots) // they come after everything else
			slots = append(slots, slot)
		}
	}
	b.modelGroups = append(b.modelGroups, model.Group{Name: name, Slots: slots, Environment: true})
	b.groups = append(b.groups, g)
}

// ticks adds the group of the whole state.
func (b *groupBuilder) ticks() {
	slots := make([]int, len(b.layout.slots))
	for i := range slots {
		slots[i] = i
	}
	b.modelGroups = append(b.modelGroups, model.Group{Name: "tick", Slots: slots})
	b.groups = append(b.groups, group{Role: Role{Kind: ticks, Process: -1}})
}

type groupBuilder struct {
	effort      *effort.Effort
	protocol    *ir.Protocol
	layout      *layout
	reading     *reading // nil if no process reads registers of others
	reaches     []*reach // by process
	fills       []bool   // by link: whether a message may ever be in it
	modelGroups []model.Group
	groups      []group
}

// outLinks returns the links that the process may send to, by target, and the targets that have none.
func (b *groupBuilder) outLinks(process int) (out []int, missing []int64) {
	for port := range int64(b.layout.ports) {
		b.effort.Tick()
		switch link := b.protocol.OutLink(process, port); {
		case link < 0:
			missing = append(missing, port)
		case b.reaches[process].sends.has(port):
			out = append(out, link)
		}
	}
	return out, missing
}

// add appends a group over the process of g and some links.
func (b *groupBuilder) add(name string, g group, links ...int) {
	b.effort.Tick()
	slots := []int{b.layout.processes[g.Process]}
	for _, link := range links {
		slots = append(slots, b.layout.channels[link])
		if b.protocol.Channel.Sync {
			slots = append(slots, b.layout.processes[b.protocol.Links[link].To])
		}
	}
	for _, q := range g.reads {
		slots = append(slots, b.layout.processes[q])
	}
	for _, v := range g.shared {
		slots = append(slots, b.layout.shared[v.Slot])
	}
	slices.Sort(slots)
	slots = slices.Compact(slots) // what a process sends to itself
	position := func(slot int) int { return slices.Index(slots, slot) }

	g.Self = position(b.layout.processes[g.Process])
	switch g.Kind {
	case Sends, Receives:
		g.Channel = position(b.layout.channels[links[0]])
		g.Partner = position(b.layout.processes[b.protocol.Links[links[0]].To])
	case Mixed, reads:
		g.targets = slices.Repeat([]int{-1}, b.layout.ports)
		for _, link := range g.links {
			g.inbox = append(g.inbox, inlet{b.protocol.Links[link].In, position(b.layout.channels[link])})
		}
		for _, link := range links {
			if l := b.protocol.Links[link]; l.From == g.Process {
				g.targets[l.Out] = position(b.layout.channels[link])
			}
		}
		if b.protocol.Channel.Sync {
			g.partners = slices.Repeat([]int{-1}, b.layout.ports)
			for _, link := range links {
				l := b.protocol.Links[link]
				g.partners[l.Out] = position(b.layout.processes[l.To])
			}
		}
	}
	g.sharedAt = nil
	for _, v := range g.shared {
		g.sharedAt = append(g.sharedAt, position(b.layout.shared[v.Slot]))
	}
	g.read = nil
	for _, q := range g.reads {
		g.read = append(g.read, position(b.layout.processes[q]))
	}
	b.modelGroups = append(b.modelGroups, model.Group{Name: name, Slots: slots})
	b.groups = append(b.groups, g)
}
