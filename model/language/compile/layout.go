package compile

import (
	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// A layout says where in the state vector things are.
type layout struct {
	slots     []model.Slot
	processes []int             // slot by process
	channels  []int             // slot by link
	ports     int               // targets and sources are less than this
	budgets   [step.Budgets]int // slot by sort of fault, -1 if they are not counted
}

func newLayout(bound *effort.Effort, p *ir.Protocol, m *step.Machine) layout {
	l := layout{channels: make([]int, len(p.Links))}
	for _, link := range p.Links {
		l.ports = max(l.ports, int(link.Out)+1, int(link.In)+1)
	}
	for process := range p.N {
		l.processes = append(l.processes, l.add(p.ProcessName(process), model.ProcessSlot, process))
		lo, hi := p.InLinks(process)
		for link := lo; link < hi; link++ {
			bound.Tick()
			l.channels[link] = l.add(p.FormatLink(link), model.ChannelSlot, process)
		}
	}
	for b := range step.Budgets {
		l.budgets[b] = -1
		if _, counted := m.Limit(b); counted {
			l.budgets[b] = l.add(b.String(), model.OtherSlot, -1)
		}
	}
	return l
}

func (l *layout) add(name string, kind model.SlotKind, process int) int {
	l.slots = append(l.slots, model.Slot{Name: name, Kind: kind, Process: process})
	return len(l.slots) - 1
}
