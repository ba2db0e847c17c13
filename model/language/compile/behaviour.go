package compile

import (
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// ownMoves are what a process can do on its own from a local state, group by group.
type ownMoves struct {
	sends  [][]move // by target
	events []move   // and skips
	mixed  []move
}

// own returns what a process in local state v can do on its own. The error is a fault, of no process yet.
func (s *System) own(v model.Value) (*ownMoves, error) {
	l := s.locals.at(v)
	if own := l.own.Load(); own != nil {
		return own, nil
	}
	w := walker{System: s}
	alternatives, err := w.walk(l.Local)
	if err != nil {
		return nil, err
	}
	own := &ownMoves{sends: make([][]move, s.layout.ports)}
	for _, d := range alternatives {
		list := own.list(d)
		if *list, err = d.moves(*list); err != nil {
			return nil, fault(l.Point.Pos, "%v", err)
		}
	}
	l.own.Store(own)
	return own, nil
}

// list returns the list to which all moves of d belong.
func (own *ownMoves) list(d distribution) *[]move {
	port := d[0].port
	for _, o := range d {
		if o.port != port {
			return &own.mixed
		}
	}
	if port == nowhere {
		return &own.events
	}
	return &own.sends[port]
}

// onReceive returns what a process in local state v does with a message from a source. The error is a fault,
// of no process yet.
func (s *System) onReceive(v model.Value, source int64, message uint32) ([]move, error) {
	key := intern.Pair(v, message)
	known := &s.receives[source]
	if n, ok := known.Load(key); ok {
		return *s.received.at(n), nil
	}
	w := walker{System: s, arrival: &arrival{source, message}}
	l := s.locals.at(v)
	alternatives, err := w.walk(l.Local)
	if err != nil {
		return nil, err
	}
	var list []move
	for _, d := range alternatives {
		if list, err = d.moves(list); err != nil {
			return nil, fault(l.Point.Pos, "%v", err)
		}
	}
	n := known.LoadOrStore(key, s.received.add(list))
	return *s.received.at(n), nil
}
