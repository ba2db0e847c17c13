package sparse

import (
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/simulate"
)

// A Source makes runs for package simulate.
type Source struct {
	*System
	Schedule Schedule
}

// Walk implements simulate.Source.
func (s Source) Walk() (simulate.Walk, error) { return s.NewRun(s.Schedule) }

// Bytes implements simulate.Source: all that takes memory belongs to a run.
func (s Source) Bytes() int64 { return 0 }

// Labels tell apart what kind of message is sent or received and what event happens, not who does it and with which values:
// first the messages sent, then those received, then the events, then everything else.

func (r *Run) label() model.Label {
	messages := len(r.protocol.Messages)
	switch a := &r.Last; a.Kind {
	case model.SendAction:
		return model.Label(a.Message.Message.ID)
	case model.ReceiveAction:
		return model.Label(messages + a.Message.Message.ID)
	case model.EventAction:
		return model.Label(2*messages + a.Event.ID)
	}
	return model.Label(2*messages + len(r.protocol.Events))
}

// Text is how package step calls the last step.
func (r *Run) Text() string { return r.machine.Label(r.Last, r.Process).Text }

// Sent returns the kind of message that a step with this label sends, nil if it sends none.
func (s *System) Sent(l model.Label) *ir.Message {
	if int(l) < len(s.protocol.Messages) {
		return s.protocol.Messages[l]
	}
	return nil
}

// Happened returns the event of a label, nil if it is none.
func (s *System) Happened(l model.Label) *ir.Event {
	i := int(l) - 2*len(s.protocol.Messages)
	if i >= 0 && i < len(s.protocol.Events) {
		return s.protocol.Events[i]
	}
	return nil
}

// Bytes implements simulate.Walk.
func (r *Run) Bytes() int64 {
	perProcess := 8*r.width + 80
	perMessage := 52 + 8*r.fields
	return int64(r.protocol.N*perProcess) + int64(len(r.mail.chunks)*chunkSize*perMessage) + r.env.Sets.Bytes()
}
