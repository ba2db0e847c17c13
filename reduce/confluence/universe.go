package confluence

import (
	"iter"
	"slices"

	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// widest is how many messages of one source are looked at for one local state. With more, nothing that could
// meet one of them is claimed to be confluent.
const widest = 1 << 16

// A universe knows which messages a process could receive, were they there: those that its open receives take,
// with any values of the fields that these leave open. More than that cannot occur.
type universe struct {
	sys    *compile.System
	facing map[facing][]uint32 // the messages for which there is an offer
}

type facing struct {
	local  model.Value
	source int64
}

func newUniverse(sys *compile.System) *universe {
	return &universe{sys, make(map[facing][]uint32)}
}

// receivable yields the messages from a source for which b has an offer in l; ok is false if they are too many
// to be looked at, or cannot be known.
func (u *universe) receivable(b behaviour, l model.Value, source int64) (messages iter.Seq[uint32], ok bool) {
	key := facing{l, source}
	if list, known := u.facing[key]; known {
		return slices.Values(list), true
	}
	open, err := u.sys.Receptions(l)
	if err != nil || size(open, source) > widest {
		return nil, false
	}
	return func(yield func(uint32) bool) {
		list := []uint32{}
		seen := make(map[uint32]bool)
		for m := range u.taken(open, source) {
			o := b.offer(l, stimulus{source, m})
			if seen[m] || o.empty() {
				continue
			}
			seen[m] = true
			list = append(list, m)
			if !yield(m) {
				return
			}
		}
		u.facing[key] = list
	}, true
}

// takes reports whether a receive is open to a source.
func takes(r *step.Reception, source int64) bool { return r.Source == nil || *r.Source == source }

// size returns how many messages from a source some receives take, one more than widest if too many.
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
			if !finite || values > widest || n*values > widest {
				return widest + 1
			}
			n *= values
		}
		total = min(total+n, widest+1)
	}
	return total
}

// taken yields the messages from a source that some receives take; one may come several times.
func (u *universe) taken(open []step.Reception, source int64) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i := range open {
			args := make([]int64, len(open[i].Fields))
			if takes(&open[i], source) && !u.fill(&open[i], args, 0, yield) {
				return
			}
		}
	}
}

// fill yields the messages that a receive takes with given values of the fields before field i.
func (u *universe) fill(r *step.Reception, args []int64, i int, yield func(uint32) bool) bool {
	if i == len(args) {
		return yield(u.sys.NumberOf(ir.Content{Message: r.Message, Args: args}))
	}
	if want := r.Fields[i]; want != nil {
		args[i] = *want
		return u.fill(r, args, i+1, yield)
	}
	for v := range r.Message.Fields[i].Type.Values() {
		args[i] = v
		if !u.fill(r, args, i+1, yield) {
			return false
		}
	}
	return true
}
