package compile

import (
	"math/bits"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model/language/ir"
)

// locals numbers local states: each is packed into words, and the vectors of words are numbered.
type locals struct {
	protocol  *ir.Protocol
	pointBits int
	packings  []packing // by point: of the live variables, after the bits of the point
	words     int
	vectors   *intern.Vectors
	cache     cache[local]
}

// A local is a local state, with what is known of it so far.
type local struct {
	ir.Local
	own  atomic.Pointer[ownOutcomes]
	view atomic.Pointer[localView]
	few  [4]int64 // of Local.Env, if it is short
}

// A localView is a local state as properties see it, see ir.Protocol.Ended.
type localView struct {
	ir.Local
	ended bool
}

func (t *locals) init(p *ir.Protocol) {
	t.protocol, t.pointBits = p, bits.Len(uint(len(p.Points)))
	for _, point := range p.Points {
		var live packing
		for _, v := range point.Live {
			live = live.add(v.Type)
		}
		t.packings = append(t.packings, live)
		t.words = max(t.words, live.words(t.pointBits))
	}
	t.vectors = intern.NewVectors(t.words)
	t.cache.init(t.fill)
}

// number returns the number of a local state.
func (t *locals) number(l ir.Local) uint32 {
	var few [8]uint32
	p := packer{words: few[:]}
	if t.words > len(few) {
		p.words = make([]uint32, t.words)
	}
	p.words = p.words[:t.words]
	p.put(uint64(l.Point.ID), t.pointBits)
	p.putAll(t.packings[l.Point.ID], l.Env)
	return t.vectors.Number(p.words)
}

// fill sets l to a local state.
func (t *locals) fill(number uint32, l *local) {
	var few [8]uint32
	p := packer{words: few[:]}
	if t.words > len(few) {
		p.words = make([]uint32, t.words)
	}
	p.words = p.words[:t.words]
	t.vectors.Read(number, p.words)
	l.Point = t.protocol.Points[p.get(t.pointBits)]
	l.Env = p.appendAll(t.packings[l.Point.ID], l.few[:0])
}

// at returns a local state by its number.
func (t *locals) at(number uint32) *local { return t.cache.at(number) }

// view returns a local state as properties see it.
func (t *locals) view(number uint32) *localView {
	l := t.at(number)
	if s := l.view.Load(); s != nil {
		return s
	}
	s := new(localView)
	s.Local, s.ended = t.protocol.Ended(l.Local, nil)
	l.view.Store(s)
	return s
}

// len returns the number of local states.
func (t *locals) len() uint32 { return uint32(t.vectors.Len()) }

// bytes returns about how much memory t holds, without the outcomes that are kept.
func (t *locals) bytes() int64 {
	return t.vectors.Bytes() + t.cache.bytes(func(l *local) int64 { return l.own.Load().bytes() })
}
