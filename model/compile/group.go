package compile

import (
	"fmt"
	"slices"

	"ringcheck/model"
	"ringcheck/model/ir"
)

// A group is a transition group as Next sees it.
type group struct {
	kind    groupKind
	process int
	self    int     // where in the group's slots the process is
	port    int64   // of sends and receives: the target or source
	channel int     // of receives: where in the group's slots the channel is
	targets []int   // where the channel to a target is, by target; -1 if the group does not have it
	missing []int64 // the targets that the process has no channel to
}

type groupKind int

const (
	sends    groupKind = iota // to one channel
	receives                  // from one channel
	events                    // and skips
	mixed                     // draws that decide between actions of different groups
)

// newGroups returns the transition groups of p, in the order of the processes.
func newGroups(p *ir.Protocol, l *layout) ([]model.Group, []group) {
	b := groupBuilder{protocol: p, layout: l}
	hasEvents, hasMixed := actsAlone(p), drawsMix(p)
	for process := range p.N {
		out := b.outLinks(process)
		for _, link := range out {
			b.add(fmt.Sprintf("process %d sends to %s", process, p.FormatPort(p.Links[link].Out)),
				group{kind: sends, process: process, port: p.Links[link].Out}, link)
		}
		lo, hi := p.InLinks(process)
		for link := lo; link < hi; link++ {
			b.add(fmt.Sprintf("process %d receives from %s", process, p.FormatPort(p.Links[link].In)),
				group{kind: receives, process: process, port: p.Links[link].In}, link)
		}
		// Where there is nobody to send to, it takes this group to notice that the process wants to.
		if hasEvents || len(out) == 0 {
			b.add(fmt.Sprintf("process %d acts alone", process), group{kind: events, process: process})
		}
		if hasMixed {
			b.add(fmt.Sprintf("process %d draws an action", process), group{kind: mixed, process: process}, out...)
		}
	}
	return b.named, b.groups
}

type groupBuilder struct {
	protocol *ir.Protocol
	layout   *layout
	named    []model.Group
	groups   []group
}

// outLinks returns the links that the process can send to, by target.
func (b *groupBuilder) outLinks(process int) []int {
	var out []int
	for port := range b.layout.ports {
		if link := b.protocol.OutLink(process, int64(port)); link >= 0 {
			out = append(out, link)
		}
	}
	return out
}

// add appends a group over the process of g and some links.
func (b *groupBuilder) add(name string, g group, links ...int) {
	slots := []int{b.layout.processes[g.process]}
	for _, link := range links {
		slots = append(slots, b.layout.channels[link])
	}
	slices.Sort(slots)
	position := func(slot int) int { return slices.Index(slots, slot) }

	g.self = position(b.layout.processes[g.process])
	if g.kind == receives {
		g.channel = position(b.layout.channels[links[0]])
	}
	for port := range b.layout.ports {
		link := b.protocol.OutLink(g.process, int64(port))
		if link < 0 {
			g.missing = append(g.missing, int64(port))
			g.targets = append(g.targets, -1)
			continue
		}
		g.targets = append(g.targets, position(b.layout.channels[link]))
	}
	b.named = append(b.named, model.Group{Name: name, Slots: slots})
	b.groups = append(b.groups, g)
}

// actsAlone reports whether p has events or skips.
func actsAlone(p *ir.Protocol) bool {
	return slices.ContainsFunc(p.Points, func(point *ir.Point) bool {
		for t := range ir.Terms(point.Term) {
			if prefix, ok := t.(*ir.Prefix); ok && alone(prefix.Action) {
				return true
			}
		}
		return false
	})
}

func alone(a ir.Action) bool {
	switch a.(type) {
	case *ir.Emit, *ir.Skip:
		return true
	}
	return false
}
