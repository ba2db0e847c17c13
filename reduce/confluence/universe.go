package confluence

import (
	"iter"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/step"
)

// maxMessages is the maximum number of messages from one source that are examined per local state. With more, no
// transition that could meet one of them counts as confluent.
const maxMessages = 1 << 16

// A universe overapproximates the messages that a process can receive: all messages that its open receives accept, with
// any values of the fields that these do not fix.
type universe struct {
	sys      *compile.System
	messages map[receptionKey][]uint32 // the messages for which there is an offer
}

type receptionKey struct {
	local  model.Value
	source int64
}

func newUniverse(sys *compile.System) *universe {
	return &universe{sys, make(map[receptionKey][]uint32)}
}

// receivable yields the messages from a source for which b has an offer in l; ok is false if they are too many or
// cannot be determined.
func (u *universe) receivable(b behaviour, l model.Value, source int64) (messages iter.Seq[uint32], ok bool) {
	key := receptionKey{l, source}
	if list, known := u.messages[key]; known {
		return slices.Values(list), true
	}
	open, err := u.sys.Receptions(l)
	if err != nil || size(open, source) > maxMessages {
		return nil, false
	}
	return func(yield func(uint32) bool) {
		list := []uint32{}
		seen := make(map[uint32]bool)
		for m := range u.acceptedMessages(open, source) {
			o := b.offer(l, trigger{source, m})
			if seen[m] || o.empty() {
				continue
			}
			seen[m] = true
			list = append(list, m)
			if !yield(m) {
				return
			}
		}
		u.messages[key] = list
	}, true
}

// takes reports whether a receive accepts messages from a source.
func takes(r *step.Reception, source int64) bool { return r.Source == nil || *r.Source == source }

// size returns the number of messages from a source that some receives accept, maxMessages+1 if there are more.
func size(open []step.Reception, source int64) uint64 {
	total := uint64(0)
	for i := range open {
		if !takes(&open[i], source) {
			continue
		}
		n := uint64(1)
		for j, f := range open[i].Message.Fields {
			if open[i].Fields[j] != nil {
				continue
			}
			values, finite := f.Type.Size()
			if !finite || values > maxMessages || n*values > maxMessages {
				return maxMessages + 1
			}
			n *= values
		}
		total = min(total+n, maxMessages+1)
	}
	return total
}

// acceptedMessages yields the messages from a source that some receives accept, possibly with repetitions.
func (u *universe) acceptedMessages(open []step.Reception, source int64) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i := range open {
			if !takes(&open[i], source) {
				continue
			}
			for c := range open[i].Message.Contents(open[i].Fields) {
				if !yield(u.sys.NumberOf(c)) {
					return
				}
			}
		}
	}
}
