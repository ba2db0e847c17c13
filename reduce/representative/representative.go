package representative

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/reduce/internal/distinct"
)

// A System knows which of its transitions are confluent.
type System interface {
	model.System
	model.Confluent
}

// ErrCycle is the cause of a fault of a reduced quotient: several states can represent an orbit, and how many of them the
// other system has cannot be told from their orbits.
var ErrCycle = errors.New("confluent actions run in a circle, so that a state has no unique representative, and orbits of representatives cannot be counted: leave the symmetry or the representatives out")

// ErrMerged is the cause of a fault of a reduced quotient: steps with one label lead to one orbit, and whether the other system
// has one state there, and so one step, or several cannot be told from the orbit.
var ErrMerged = errors.New("steps with the same label lead to states that are the same or differ by a symmetry, so that transitions cannot be counted: leave the symmetry or the representatives out")

// Options say in which order things are looked at. The states and transitions of the reduced system do not depend on
// it; the number of internal states does.
type Options struct {
	// Order is the order of the groups; nil is ascending.
	Order []int
	// LastFirst takes the outcomes of a draw in reverse order.
	LastFirst bool
}

// A Reduced is a system of which only representatives are left. It implements model.System, with one group
// for everything.
type Reduced struct {
	model.System // not a System: its transitions are others, and it does not know which are confluent
	order        []int
	lastFirst    bool
	groups       []model.Group // of System
	all, taus    local
	beside       [][]int // by group: places in order of the groups that share a slot with it

	vectors  *intern.Vectors
	known    intern.Array[atomic.Uint32] // by number: one more than the number of the representative
	quotient bool                        // the system is one
	check    atomic.Pointer[func() error]
	internal atomic.Uint64
	cyclic   sync.Map // the representatives that have confluent τ's themselves
	walkers  sync.Pool
}

var (
	_ model.Holder        = (*Reduced)(nil)
	_ model.Interruptible = (*Reduced)(nil)
)

// Reduce returns sys with every state replaced by its representative.
func Reduce(sys System, opt Options) *Reduced {
	idle := func(int, []model.Value) bool { return false }
	if i, ok := model.As[model.Idler](sys); ok {
		idle = i.Idle
	}
	r := &Reduced{
		System:    sys,
		order:     opt.Order,
		lastFirst: opt.LastFirst,
		groups:    sys.Groups(),
		all:       newLocal(sys, idle),
		taus:      newLocal(confluent{sys}, idle),
		vectors:   intern.NewVectors(len(sys.Slots())),
	}
	_, r.quotient = model.As[model.Quotient](sys)
	if r.order == nil {
		for g := range r.groups {
			r.order = append(r.order, g)
		}
	}
	r.beside = neighbours(r.groups, r.order)
	r.walkers.New = func() any { return newWalker(r) }
	return r
}

// neighbours returns for each group the places in order of the groups that share a slot with it.
func neighbours(groups []model.Group, order []int) [][]int {
	users := make(map[int][]int) // of a slot: places
	for place, g := range order {
		for _, s := range groups[g].Slots {
			users[s] = append(users[s], place)
		}
	}
	beside := make([][]int, len(groups))
	for g := range groups {
		for _, s := range groups[g].Slots {
			beside[g] = append(beside[g], users[s]...)
		}
		slices.Sort(beside[g])
		beside[g] = slices.Compact(beside[g])
	}
	return beside
}

// confluent is the confluent transitions of a system.
type confluent struct{ System }

func (c confluent) Next(g int, in []model.Value, out *model.Successors) error {
	return c.Confluent(g, in, out)
}

// local remembers what a system does, but for groups with all slots, whose values are hardly ever met twice.
type local struct {
	*model.Table
	sys   model.System
	slots int
	idle  func(g int, in []model.Value) bool
}

func newLocal(sys model.System, idle func(g int, in []model.Value) bool) local {
	return local{model.Tabulate(sys), sys, len(sys.Slots()), idle}
}

func (l *local) Next(g int, in []model.Value, out *model.Successors) error {
	switch {
	case l.idle(g, in):
		return nil
	case len(in) == l.slots:
		return model.Ask(l.sys, g, in, out)
	}
	return l.Table.Next(g, in, out)
}

// Groups implements model.System: the representative of a successor depends on the whole state.
func (r *Reduced) Groups() []model.Group {
	all := make([]int, len(r.Slots()))
	for i := range all {
		all[i] = i
	}
	return []model.Group{{Name: "all processes", Slots: all}}
}

// As says what a reduction has in common with the system: its states, so that an orbit or a cell is what it is there. Its
// transitions are others, and which state represents others is not kept with the values.
func (r *Reduced) As(target any) bool {
	return model.Pass[model.Quotient](r.System, target) || model.Pass[model.Cells](r.System, target)
}

// Interrupt implements model.Interruptible: a representative can be thousands of steps away, each of which meets as many
// states.
func (r *Reduced) Interrupt(check func() error) {
	if check == nil {
		r.check.Store(nil)
		return
	}
	r.check.Store(&check)
}

// InternalStates returns for how many states a representative was looked for, those that are found to be
// representatives included. It grows while the system is explored.
func (r *Reduced) InternalStates() uint64 { return r.internal.Load() }

// Bytes implements model.Holder; all holds that of the system.
func (r *Reduced) Bytes() int64 {
	return r.vectors.Bytes() + r.known.Bytes() + r.all.Bytes() + r.taus.Bytes()
}

// Initial implements model.System.
func (r *Reduced) Initial(yield func(state []model.Value) bool) error {
	w := r.walkers.Get().(*walker)
	defer r.walkers.Put(w)
	state := make([]model.Value, len(r.Slots()))
	var failed error
	err := r.System.Initial(func(initial []model.Value) bool {
		var id uint32
		if id, failed = w.representative(r.vectors.Number(initial), initial, anywhere); failed != nil {
			return false
		}
		r.vectors.Read(id, state)
		return yield(state)
	})
	if failed != nil {
		return failed
	}
	return err
}

// Next implements model.System. The state is a representative.
func (r *Reduced) Next(_ int, in []model.Value, out *model.Successors) error {
	w := r.walkers.Get().(*walker)
	defer r.walkers.Put(w)
	id := r.vectors.Number(in)
	first := uint32(0)
	_, cyclic := r.cyclic.Load(id)
	for _, g := range r.order {
		if err := w.expand(g, id, in, cyclic); err != nil {
			return err
		}
		next := first
		w.found.Each(func(step model.Step, target []model.Value) {
			step.Choice += first
			next = step.Choice + 1
			r.vectors.Read(target[0], out.Add(step))
		})
		first = next
	}
	return nil
}

// A walker looks for representatives, for one goroutine at a time.
type walker struct {
	*Reduced
	in    []model.Value    // of a group
	moves model.Successors // of the state being expanded
	found distinct.Set     // the same, to numbers of representatives

	state       []model.Value // the state that a walk has come to
	out         model.Successors
	taus        [][]model.Value // its confluent τ's, by place: the values of one after the other
	next        []uint32        // where they lead
	firstGroup  int             // leads to the first of them
	firstValues []model.Value
	path        []uint32
	steps       int
	places      map[uint32]bool // what is on the path, if that is long
	visited     []uint32
}

func newWalker(r *Reduced) *walker {
	n := len(r.Slots())
	return &walker{
		Reduced: r,
		in:      make([]model.Value, n),
		state:   make([]model.Value, n),
		taus:    make([][]model.Value, len(r.order)),
		places:  make(map[uint32]bool),
	}
}

// load returns what the slots of group g hold in a state.
func (w *walker) load(g int, state []model.Value) []model.Value {
	slots := w.groups[g].Slots
	for i, s := range slots {
		w.in[i] = state[s]
	}
	return w.in[:len(slots)]
}

// expand makes w.found the transitions of group g from a representative, to the representatives of their
// targets. Unless that is cyclic, it has no confluent τ's, and its successors only those near g.
func (w *walker) expand(g int, id uint32, state []model.Value, cyclic bool) error {
	w.found.Reset(1)
	near := g
	if cyclic {
		near = anywhere
	}
	in := w.load(g, state)
	w.moves.Reset(len(in))
	if err := w.all.Next(g, in, &w.moves); err != nil {
		return err
	}
	for i := range w.moves.Len() {
		step, values := w.transition(i)
		target := [1]model.Value{}
		target[0] = w.vectors.Replace(id, w.groups[g].Slots, values)
		if known := w.known.At(target[0]).Load(); known != 0 {
			target[0] = known - 1
		} else {
			copy(w.state, state)
			w.set(w.state, g, values)
			var err error
			if target[0], err = w.representative(target[0], w.state, near); err != nil {
				return err
			}
		}
		w.found.Add(step, target[:])
	}
	if w.quotient && w.found.Len() < w.moves.Len() {
		return &model.Fault{Process: -1, Cause: ErrMerged, Message: ErrMerged.Error()}
	}
	return nil
}

// transition returns transition i of w.moves, in the order asked for.
func (w *walker) transition(i int) (model.Step, []model.Value) {
	if w.lastFirst {
		first, last := i, i
		for choice := w.moves.Step(i).Choice; first > 0 && w.moves.Step(first-1).Choice == choice; {
			first--
		}
		for choice := w.moves.Step(i).Choice; last+1 < w.moves.Len() && w.moves.Step(last+1).Choice == choice; {
			last++
		}
		i = first + last - i
	}
	return w.moves.Step(i), w.moves.Values(i)
}

func (w *walker) set(state []model.Value, g int, values []model.Value) {
	for i, s := range w.groups[g].Slots {
		state[s] = values[i]
	}
}
