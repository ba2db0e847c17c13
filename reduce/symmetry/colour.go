package symmetry

import (
	"slices"

	"ringcheck/explore/reduction"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A hash is a number that permutations do not change. Equal hashes mean nothing: they only cost time.
type hash uint64

// append returns the hash of a sequence that begins with what h is the hash of.
func (h hash) append(values ...uint64) hash {
	for _, v := range values {
		h = (h ^ hash(v)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
		h *= 0xbf58476d1ce4e5b9
		h ^= h >> 32
	}
	return h
}

// A description describes a value of a slot without the numbers of processes.
type description struct {
	colour hash
	about  []hash // by process: how the value names it; nil if it names none
	// colours are what the value says of the processes that permutations move.
	colours []reduction.Colours
}

// A describer describes the values of slots. It is safe for concurrent use.
type describer struct {
	*action
	locals   grid[description] // by process and value
	contents grid[description] // by link and value
	shares   grid[description] // by slot and value
	owners   []owner           // by slot
	movable  []int             // the processes that permutations move
	// By control point, and by variable: the least one to which permutations map it.
	pointOrbits, varOrbits []int
	placesOf               []int // by process: its place in movable, -1 if it has none
}

// An owner is the process or the link that a slot belongs to; the other one is -1.
type owner struct{ process, link int }

func newDescriber(a *action) *describer {
	d := &describer{action: a, owners: slices.Repeat([]owner{{-1, -1}}, len(a.kinds))}
	for p := range a.group.n {
		d.owners[a.sys.SlotOfProcess(p)].process = p
	}
	for i := range a.protocol.Links {
		d.owners[a.sys.SlotOfLink(i)].link = i
	}
	for p := range a.group.n {
		d.placesOf = append(d.placesOf, -1)
		if a.group.moves(int64(p)) {
			d.placesOf[p] = len(d.movable)
			d.movable = append(d.movable, p)
		}
	}
	d.pointOrbits, d.varOrbits = a.group.renamings.orbits(a.protocol)
	return d
}

// local describes the local state v of a process.
func (d *describer) local(process int, v model.Value) *description {
	x, ok := d.locals.find(uint32(process), v)
	if !ok {
		made := d.describeLocal(process, d.sys.Local(v))
		x = d.locals.add(uint32(process), v, made, made.bytes())
	}
	return x
}

func (d *describer) describeLocal(process int, l ir.Local) (x description) {
	x.colour = hash(1).append(uint64(d.pointOrbits[l.Point.ID]))
	sum := hash(0)
	for i, v := range l.Point.Live {
		place := hash(2).append(uint64(d.varOrbits[v.ID]))
		if !namesProcess(v.Type) {
			sum += place.append(d.undirected(v.Type, l.Env[i]))
			continue
		}
		if x.about == nil {
			x.about = make([]hash, d.group.n)
		}
		d.mention(x.about, place, v.Type, l.Env[i])
	}
	x.colour = x.colour.append(uint64(sum))
	d.close(&x, process)
	d.addColour(&x, process, uint32(x.colour>>32))
	d.addColours(&x)
	return x
}

// undirected returns a hash of a value that names no process. It is the same for all directions of an orbit.
func (d *describer) undirected(t *ir.Type, v int64) uint64 {
	switch {
	case d.group.sortOf(t) == plain:
		return uint64(v)
	case t.Kind == ir.Dir:
		return uint64(d.group.directionOrbit(v))
	}
	sum := hash(0)
	for e := range t.Each(v) {
		sum += hash(7).append(d.undirected(t.Elem, e))
	}
	return uint64(sum)
}

// mention adds how a value of a type names processes to about.
func (d *describer) mention(about []hash, place hash, t *ir.Type, v int64) {
	switch {
	case t.Kind == ir.Node:
		about[v] += place.append(1)
	case t.Kind == ir.Set:
		for e := range t.Elements(v) {
			d.mention(about, place.append(2), t.Elem, e)
		}
	case t.Kind == ir.Array:
		i := t.Index.Lo
		for e := range t.Each(v) {
			at := place.append(3)
			switch {
			case !namesProcess(t.Index):
				at = at.append(d.undirected(t.Index, i))
			case !namesProcess(t.Elem):
				about[i] += at.append(4, d.undirected(t.Elem, e))
			default:
				own := make([]hash, len(about))
				d.mention(own, at, t.Elem, e)
				about[i] += own[i].append(5)
			}
			if namesProcess(t.Elem) {
				d.mention(about, at, t.Elem, e)
			}
			i++
		}
	}
}

// close completes the colour by what is said about all processes; own are the processes to which the slot belongs.
func (d *describer) close(x *description, own ...int) {
	if x.about == nil {
		return
	}
	sum := hash(0)
	for p, h := range x.about {
		sum += h.append(uint64(d.group.orbits[p]))
	}
	x.colour = x.colour.append(uint64(sum))
	for _, p := range own {
		x.colour = x.colour.append(uint64(x.about[p]))
	}
}

// channel describes the contents v of a link.
func (d *describer) channel(link int, v model.Value) *description {
	x, ok := d.contents.find(uint32(link), v)
	if !ok {
		made := d.describeContents(link, d.sys.Contents(v))
		x = d.contents.add(uint32(link), v, made, made.bytes())
	}
	return x
}

func (d *describer) describeContents(link int, list []ir.Content) (x description) {
	x.colour = hash(3)
	l := d.protocol.Links[link]
	if !d.protocol.Numbered() {
		x.colour = x.colour.append(uint64(d.group.directionOrbit(l.Out)), uint64(d.group.directionOrbit(l.In)))
	}
	sum := hash(0)
	for i, c := range list {
		h := hash(4).append(uint64(c.Message.ID), uint64(c.Age))
		if d.protocol.Channel.Ordered() {
			h = h.append(uint64(i))
		}
		for k, f := range c.Message.Fields {
			if !namesProcess(f.Type) {
				h = h.append(d.undirected(f.Type, c.Args[k]))
			}
		}
		sum += h.append(0)
		for k, f := range c.Message.Fields {
			if !namesProcess(f.Type) {
				continue
			}
			if x.about == nil {
				x.about = make([]hash, d.group.n)
			}
			d.mention(x.about, h.append(uint64(k)), f.Type, c.Args[k])
		}
	}
	x.colour = x.colour.append(uint64(sum))
	d.close(&x, l.From, l.To)
	d.addColour(&x, l.From, lowColour(x.colour.append(1)))
	d.addColour(&x, l.To, lowColour(x.colour.append(2)))
	d.addColours(&x)
	return x
}

// sharedValue describes the value v of a slot of a shared variable.
func (d *describer) sharedValue(slot int, v model.Value) *description {
	x, ok := d.shares.find(uint32(slot), v)
	if !ok {
		t, value := d.shared[slot].Type, d.sys.SharedValue(v)
		made := description{colour: hash(5).append(uint64(slot))}
		if !namesProcess(t) {
			made.colour = made.colour.append(d.undirected(t, value))
		} else {
			made.about = make([]hash, d.group.n)
			d.mention(made.about, made.colour, t, value)
			d.close(&made)
		}
		d.addColours(&made)
		x = d.shares.add(uint32(slot), v, made, made.bytes())
	}
	return x
}

// lowColour returns a small colour. All that is not the local state of a process adds small numbers to its colour. So
// processes are sorted mostly by their local states, and fewer halves of states occur in representatives.
func lowColour(h hash) uint32 { return uint32(h>>32) & 0xff }

// addColour adds to the colour of a process in a description.
func (d *describer) addColour(x *description, process int, colour uint32) {
	if i := d.placesOf[process]; i >= 0 {
		if x.colours == nil {
			x.colours = make([]reduction.Colours, reduction.ColourWords(len(d.movable)))
		}
		reduction.AddColour(x.colours, i, colour)
	}
}

// addColours adds how the value names processes to their colours.
func (d *describer) addColours(x *description) {
	for p, h := range x.about {
		if h != 0 {
			d.addColour(x, p, lowColour(h.append(3)))
		}
	}
}

// bytes returns the memory that x refers to.
func (x *description) bytes() int { return 8 * (len(x.about) + len(x.colours)) }

// ColoursOf implements reduction.Permuter.
func (d *describer) ColoursOf(slot int, v model.Value) []reduction.Colours {
	switch o := d.owners[slot]; {
	case o.process >= 0:
		return d.local(o.process, v).colours
	case o.link >= 0 && v != compile.Empty:
		return d.channel(o.link, v).colours
	case d.shared[slot] != nil:
		return d.sharedValue(slot, v).colours
	}
	return nil
}

// A colouring computes colours of the processes of states, which permutations move with the processes.
type colouring struct {
	*describer
	now, next []hash   // by process
	colours   []uint32 // of the processes that permutations move
	ascending []uint32
	ranks     []uint32 // by process; 0 if no permutation moves it
	// The state, described by process and by link; nil for an empty channel.
	locals   []*description
	contents []*description
}

func newColouring(d *describer) *colouring {
	n, moved := d.group.n, len(d.movable)
	return &colouring{
		describer: d, now: make([]hash, n), next: make([]hash, n), colours: make([]uint32, moved),
		ascending: make([]uint32, moved), ranks: make([]uint32, n), locals: make([]*description, n),
		contents: make([]*description, len(d.protocol.Links)),
	}
}

// setState sets the state.
func (c *colouring) setState(state []model.Value) {
	for slot, v := range state {
		switch o := c.owners[slot]; {
		case o.process >= 0:
			c.locals[o.process] = c.local(o.process, v)
		case o.link >= 0 && v == compile.Empty:
			c.contents[o.link] = nil
		case o.link >= 0:
			c.contents[o.link] = c.channel(o.link, v)
		}
	}
}

// refineAll refines the colours of the processes of the state as long as that tells some of them apart, and returns
// their ranks.
func (c *colouring) refineAll(colours []reduction.Colours) []uint32 {
	for p, i := range c.placesOf {
		colour := uint32(0)
		if i >= 0 {
			colour = reduction.Colour(colours, i)
		}
		c.now[p] = hash(colour).append(uint64(c.group.orbits[p]), uint64(c.locals[p].colour))
	}
	c.rank(colours)
	for known := c.distinct(); ; {
		c.refine()
		for i, p := range c.movable {
			c.colours[i] = uint32(c.now[p] >> 32)
		}
		c.rankColours()
		more := c.distinct()
		if more <= known || more == len(c.movable) {
			return c.ranks
		}
		known = more
	}
}

// refine makes the colour of each process depend on the colours of the processes that name it, that it names, and with
// which it is connected by messages.
func (c *colouring) refine() {
	for p, h := range c.now {
		c.next[p] = h.append(0)
	}
	for p, x := range c.locals {
		for q, h := range x.about {
			if h != 0 {
				c.next[q] += c.now[p].append(1, uint64(h))
				c.next[p] += c.now[q].append(2, uint64(h))
			}
		}
	}
	for i, x := range c.contents {
		if x == nil {
			continue
		}
		l := &c.protocol.Links[i]
		from, to := c.now[l.From], c.now[l.To]
		c.next[l.From] += to.append(3, uint64(x.colour))
		c.next[l.To] += from.append(4, uint64(x.colour))
		for q, h := range x.about {
			if h != 0 {
				c.next[q] += from.append(5, uint64(to), uint64(h))
				c.next[l.From] += c.now[q].append(6, uint64(h))
				c.next[l.To] += c.now[q].append(7, uint64(h))
			}
		}
	}
	c.now, c.next = c.next, c.now
}

// rank returns the ranks of processes with the given colours: how many have lower colours, of those that permutations
// move.
func (c *colouring) rank(colours []reduction.Colours) []uint32 {
	for i := range c.colours {
		c.colours[i] = reduction.Colour(colours, i)
	}
	return c.rankColours()
}

// rankColours is rank for c.colours.
func (c *colouring) rankColours() []uint32 {
	if len(c.colours) > fewColours {
		copy(c.ascending, c.colours)
		slices.Sort(c.ascending)
		for i, colour := range c.colours {
			lower, _ := slices.BinarySearch(c.ascending, colour)
			c.ranks[c.movable[i]] = uint32(lower)
		}
		return c.ranks
	}
	for i, colour := range c.colours {
		p, rank := c.movable[i], uint32(0)
		for k, other := range c.colours[:i] {
			if other < colour {
				rank++
			} else if other > colour {
				c.ranks[c.movable[k]]++
			}
		}
		c.ranks[p] = rank
	}
	return c.ranks
}

// fewColours are ranked faster by comparing all pairs.
const fewColours = 16

// distinct returns the number of different ranks.
func (c *colouring) distinct() (n int) {
	for i, p := range c.movable {
		if !slices.ContainsFunc(c.movable[:i], func(q int) bool { return c.ranks[q] == c.ranks[p] }) {
			n++
		}
	}
	return n
}
