package confluence

import (
	"iter"
	"slices"

	"ringcheck/model"
	"ringcheck/model/compile"
	"ringcheck/model/ir"
)

// widest is how many messages of one source are looked at for one local state. With more, nothing that could
// meet one of them is claimed to be confluent.
const widest = 1 << 20

// A universe knows which messages a process could receive, were they there: of the kinds that the text of its
// control point names, with any values that the fields can have. More than that cannot occur.
type universe struct {
	sys    *compile.System
	kinds  map[*ir.Point][]*ir.Message
	all    map[*ir.Message][]uint32 // nil if there are too many
	facing map[facing][]uint32      // the messages for which there is an offer
}

type facing struct {
	local  model.Value
	source int64
}

func newUniverse(sys *compile.System) *universe {
	return &universe{
		sys:    sys,
		kinds:  make(map[*ir.Point][]*ir.Message),
		all:    make(map[*ir.Message][]uint32),
		facing: make(map[facing][]uint32),
	}
}

// receivable yields the messages from a source for which b has an offer in l; ok is false if they are too many
// to be looked at.
func (u *universe) receivable(b behaviour, l model.Value, source int64) (messages iter.Seq[uint32], ok bool) {
	key := facing{l, source}
	if list, known := u.facing[key]; known {
		return slices.Values(list), true
	}
	kinds := u.receives(u.sys.Local(l).Point)
	for _, kind := range kinds {
		if _, ok := u.messages(kind); !ok {
			return nil, false
		}
	}
	return func(yield func(uint32) bool) {
		list := []uint32{}
		for _, kind := range kinds {
			for _, m := range u.all[kind] {
				if o := b.offer(l, stimulus{source, m}); o.empty() {
					continue
				}
				list = append(list, m)
				if !yield(m) {
					return
				}
			}
		}
		u.facing[key] = list
	}, true
}

// receives returns the kinds of message that the text at a control point receives.
func (u *universe) receives(p *ir.Point) []*ir.Message {
	if kinds, ok := u.kinds[p]; ok {
		return kinds
	}
	kinds := []*ir.Message{}
	for prefix := range prefixes(p.Term) {
		if r, ok := prefix.Action.(*ir.Receive); ok && !slices.Contains(kinds, r.Message) {
			kinds = append(kinds, r.Message)
		}
	}
	u.kinds[p] = kinds
	return kinds
}

// messages returns all messages of a kind.
func (u *universe) messages(kind *ir.Message) ([]uint32, bool) {
	if list, known := u.all[kind]; known {
		return list, list != nil
	}
	u.all[kind] = nil
	total := uint64(1)
	for _, f := range kind.Fields {
		n, finite := f.Type.Size()
		if !finite || n > widest || total*n > widest {
			return nil, false
		}
		total *= n
	}
	list := make([]uint32, 0, total)
	args := make([]int64, len(kind.Fields))
	u.fill(kind, args, 0, &list)
	u.all[kind] = list
	return list, true
}

// fill appends the messages of a kind with given values of the fields before field i.
func (u *universe) fill(kind *ir.Message, args []int64, i int, list *[]uint32) {
	if i == len(args) {
		*list = append(*list, u.sys.NumberOf(ir.Content{Message: kind, Args: args}))
		return
	}
	for v := range kind.Fields[i].Type.Values() {
		args[i] = v
		u.fill(kind, args, i+1, list)
	}
}
