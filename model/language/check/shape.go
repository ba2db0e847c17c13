package check

import (
	"slices"
	"strings"
)

// A shape is a type as far as it is known without parameter values: ranges, nodes and nat are all integers.
type shape struct {
	kind  shapeKind
	names []string // of an enumeration or a direction
	elem  *shape   // of a set or an array
	nat   bool     // an integer without an upper end
}

type shapeKind int

const (
	badShape shapeKind = iota // already reported; goes with everything
	intShape
	boolShape
	enumShape
	dirShape
	setShape
	arrayShape
	channelShape
	messageShape
)

// The shapes of integers and booleans.
var (
	anInteger = &shape{kind: intShape}
	aBoolean  = &shape{kind: boolShape}
)

func isBad(s *shape) bool { return s == nil || s.kind == badShape }

// same reports whether a value of one shape can stand for one of the other.
func same(a, b *shape) bool {
	if isBad(a) || isBad(b) {
		return true
	}
	if a.kind != b.kind || !slices.Equal(a.names, b.names) {
		return false
	}
	return a.elem == nil || same(a.elem, b.elem)
}

// scalar reports whether values of s can be elements of sets and arrays, drawn and quantified over.
func (s *shape) scalar() bool {
	switch s.kind {
	case setShape, arrayShape, channelShape, messageShape:
		return false
	}
	return true
}

// hasNames reports whether values of s are written as names.
func (s *shape) hasNames() bool { return s.kind == enumShape || s.kind == dirShape }

func (s *shape) String() string {
	switch s.kind {
	case intShape:
		return "an integer"
	case boolShape:
		return "a boolean"
	case enumShape:
		return "one of " + strings.Join(s.names, " | ")
	case dirShape:
		return "a direction"
	case setShape:
		return "a set of " + s.elem.plural()
	case arrayShape:
		return "an array of " + s.elem.plural()
	case channelShape:
		return "a channel"
	case messageShape:
		return "a message"
	}
	return "something wrong"
}

func (s *shape) plural() string {
	switch s.kind {
	case intShape:
		return "integers"
	case boolShape:
		return "booleans"
	case enumShape:
		return strings.Join(s.names, " | ")
	case dirShape:
		return "directions"
	case setShape:
		return "sets of " + s.elem.plural()
	}
	return "something wrong"
}
