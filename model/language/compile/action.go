package compile

import (
	"fmt"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// An action is what a label says but for the process.
type action struct {
	kind    model.ActionKind
	port    int64  // of a send or receive: the target or source
	message uint32 // of a send or receive
	event   *ir.Event
	args    []int64 // of an event
}

func (s *System) internAction(a action) uint32 {
	key := appendKey(nil, int64(a.kind), a.port, int64(a.message))
	if a.event != nil {
		key = appendKey(appendKey(key, int64(a.event.ID)), a.args...)
	}
	return s.actions.number(key, func(e *action) { *e = a })
}

// label returns the label of an action done by a process: actions are shared, labels are not.
func (s *System) label(action uint32, process int) model.Label {
	return model.Label(action*uint32(s.protocol.N) + uint32(process))
}

// Label implements model.System.
func (s *System) Label(l model.Label) model.LabelInfo {
	n := model.Label(s.protocol.N)
	return s.labelInfo(s.actions.at(uint32(l/n)), int(l%n))
}

func (s *System) labelInfo(a *action, process int) model.LabelInfo {
	info := model.LabelInfo{Kind: a.kind, Visible: a.kind == model.EventAction, Process: process, Slot: -1}
	switch a.kind {
	case model.EventAction:
		info.Text = ir.FormatFields(a.event.Name, a.event.Fields, a.args)
	case model.Internal:
		info.Text = fmt.Sprintf("skip(%d)", process)
	case model.SendAction:
		info.Slot = s.layout.channels[s.protocol.OutLink(process, a.port)]
		info.Message = s.messages.at(a.message).String()
		info.Text = fmt.Sprintf("send(%d,%s,%s)", process, s.protocol.FormatPort(a.port), info.Message)
	case model.ReceiveAction:
		info.Slot = s.layout.channels[s.protocol.InLink(process, a.port)]
		info.Message = s.messages.at(a.message).String()
		info.Text = fmt.Sprintf("recv(%d,%s,%s)", process, s.protocol.FormatPort(a.port), info.Message)
	}
	return info
}
