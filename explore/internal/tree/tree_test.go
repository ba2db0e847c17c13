package tree_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ringcheck/explore/internal/tree"
	"ringcheck/internal/test/systemtest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
)

// randomShape is that of a system with any number of slots, of which a few states are visited only.
func randomShape(r *rand.Rand) systemtest.Shape {
	s := systemtest.Shape{Slots: r.IntN(41), Values: 1 + r.IntN(5), Rare: r.IntN(60)}
	if r.IntN(10) == 0 {
		s.Values = 200
	}
	if r.IntN(3) == 0 {
		s.Errors = 1 + r.IntN(30)
	}
	s.Groups = r.IntN(2*s.Slots + 2)
	return s
}

// A walker goes at random through the states of a system, and compares the successors of what it meets.
type walker struct {
	t      *testing.T
	name   string
	sys    model.System
	worker *tree.Worker
	*rand.Rand
	states [][]model.Value
}

// newWalker begins at the initial states.
func newWalker(t *testing.T, name string, sys model.System, store *tree.Store, seed uint64) *walker {
	w := &walker{t: t, name: name, sys: sys, worker: store.Worker(), Rand: rand.New(rand.NewPCG(seed, 3))}
	err := sys.Initial(func(state []model.Value) bool { w.states = append(w.states, slices.Clone(state)); return true })
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// steps expands some states at a time and goes on from some of their successors.
func (w *walker) steps(n int) {
	for range n {
		var ids []tree.StateID
		for _, s := range w.states {
			ids = append(ids, w.worker.ID(s))
		}
		next := w.expand(ids)
		for range 10 {
			if len(next) > 0 {
				w.states = append(w.states, next[w.IntN(len(next))])
			}
		}
		if len(w.states) > 30 {
			w.states = w.states[len(w.states)-30:]
		}
		w.Shuffle(len(w.states), func(i, j int) { w.states[i], w.states[j] = w.states[j], w.states[i] })
	}
}

// expand compares what Expand says of w.states, and returns all their successors.
func (w *walker) expand(ids []tree.StateID) (next [][]model.Value) {
	states := w.states
	for len(ids) > 0 {
		var found tree.Expansion
		err := w.worker.Expand(ids, nil, &found)
		begin := 0
		for i, end := range found.Ends {
			next = append(next, w.compare(states[i], found.To[begin:end])...)
			begin = end
		}
		done := len(found.Ends)
		if err == nil {
			if done != len(ids) {
				w.t.Errorf("%s: of %d states %d are expanded, without an error", w.name, len(ids), done)
			}
			break
		}
		_, want := systemtest.Successors(w.sys, states[done])
		if want == nil || !strings.Contains(want.Error(), err.Error()) {
			w.t.Errorf("%s: state %v fails with %v, want %v", w.name, states[done], err, want)
		}
		states, ids = states[done+1:], ids[done+1:]
	}
	return next
}

// compare compares the successors of a state as multisets, and returns them.
func (w *walker) compare(state []model.Value, found []tree.StateID) (next [][]model.Value) {
	want, err := systemtest.Successors(w.sys, state)
	if err != nil {
		w.t.Errorf("%s: state %v is expanded, want %v", w.name, state, err)
		return nil
	}
	var wanted []tree.StateID
	for _, t := range want {
		wanted = append(wanted, w.worker.ID(t.Target))
	}
	slices.Sort(wanted)
	got := slices.Sorted(slices.Values(found))
	if !slices.Equal(got, wanted) {
		w.t.Errorf("%s: state %v has the successors %x, want %x", w.name, state, got, wanted)
	}
	for _, id := range slices.Compact(got) {
		v := make([]model.Value, len(state))
		w.worker.Vector(id, v)
		next = append(next, v)
	}
	return next
}

// seeds returns how many random systems to try of those that there are.
func seeds(n uint64) uint64 {
	if testlevel.Gate() {
		return n
	}
	return n / 4
}

// TestSuccessors: on random systems the successors are those that the system gives, and so are the errors, to
// several workers at once, which walk through the same states first and through others later.
func TestSuccessors(t *testing.T) {
	for seed := range seeds(120) {
		shape := randomShape(rand.New(rand.NewPCG(seed, 0)))
		sys := systemtest.New(seed, shape)
		name := fmt.Sprintf("seed %d, %+v", seed, shape)
		walk(t, name, sys, 4, 6)
	}
}

// guarded is a system in which one value in three of the first or last slot of a group bars it. The values of some
// slots are large.
type guarded struct {
	*systemtest.System
	raised model.Value   // what is added to the values of slots with odd numbers
	barred *atomic.Int64 // the number of answers of Bars that are true
}

func (s guarded) raise(slot int) model.Value { return s.raised * model.Value(slot%2) }

func (s guarded) Initial(yield func(state []model.Value) bool) error {
	return s.System.Initial(func(state []model.Value) bool {
		state = slices.Clone(state)
		for slot := range state {
			state[slot] += s.raise(slot)
		}
		return yield(state)
	})
}

func (s guarded) Guard(g int) int {
	slots := s.Groups()[g].Slots
	return []int{-1, min(0, len(slots)-1), len(slots) - 1}[g%3]
}

func (s guarded) Bars(g int, v model.Value) bool {
	barred := (int(v)+g)%3 == 0
	if barred {
		s.barred.Add(1)
	}
	return barred
}

func (s guarded) Next(g int, in []model.Value, out *model.Successors) error {
	if i := s.Guard(g); i >= 0 && s.Bars(g, in[i]) {
		return nil
	}
	slots := s.Groups()[g].Slots
	in = slices.Clone(in)
	for i := range in {
		in[i] -= s.raise(slots[i])
	}
	var found model.Successors
	err := model.Ask(s.System, g, in, &found)
	for k := range found.Len() {
		to := out.Add(found.Step(k))
		for i, v := range found.Values(k) {
			to[i] = v + s.raise(slots[i])
		}
	}
	return err
}

// TestGuards: guards change no successors, also where numbers of projections look like that of a barred group.
func TestGuards(t *testing.T) {
	barred := new(atomic.Int64)
	large, met := 0, 0 // systems with many groups, and those of them in which some group is barred
	for seed := range seeds(120) {
		shape := randomShape(rand.New(rand.NewPCG(seed, 1)))
		sys := guarded{systemtest.New(seed, shape), []model.Value{0, 0xfffe}[seed%2], barred}
		before := barred.Load()
		walk(t, fmt.Sprintf("seed %d, %+v", seed, shape), sys, 4, 6)
		if shape.Groups > 10 {
			large++
			if barred.Load() > before {
				met++
			}
		}
	}
	if met < large/2 || met == 0 {
		t.Errorf("groups are barred in %d of %d systems", met, large)
	}
}

// TestBound: what a store forgets for want of memory is worked out again, and is the same, also if that begins later.
func TestBound(t *testing.T) {
	for seed := range seeds(40) {
		shape := randomShape(rand.New(rand.NewPCG(seed, 0)))
		for _, bytes := range []int64{0, 1 << 12, 1 << 15, 1 << 25} {
			name := fmt.Sprintf("seed %d, %+v, %d bytes", seed, shape, bytes)
			sys := systemtest.New(seed, shape)
			store := tree.NewStore(t.Context(), sys, nil, nil)
			store.Bound(bytes, 2)
			walkIn(t, name, sys, store, 2, 3)
			for step := 0; store.Economize(); step++ {
				walkIn(t, fmt.Sprintf("%s, economized %d times", name, step+1), sys, store, 2, 6)
			}
		}
	}
}

// TestExpandOnce: a store that keeps no memos of one half finds the same successors, in less memory.
func TestExpandOnce(t *testing.T) {
	smaller := 0
	for seed := range seeds(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		shape := systemtest.Shape{Slots: 1 + r.IntN(4), Values: 2 + r.IntN(100), Groups: 1 + r.IntN(3), Rare: r.IntN(5)}
		if r.IntN(3) == 0 {
			shape.Errors = 1 + r.IntN(30)
		}
		name := fmt.Sprintf("seed %d, %+v", seed, shape)
		sys := systemtest.New(seed, shape)
		store := tree.NewStore(t.Context(), sys, nil, nil)
		store.ExpandOnce()
		if r.IntN(2) == 0 {
			store.Bound(1<<r.IntN(25), 2)
		}
		walkIn(t, name, sys, store, 2, 6)
		if store.Bytes() < walk(t, name, sys, 2, 6).Bytes() {
			smaller++
		}
		store.Economize()
		walkIn(t, name, sys, store, 2, 6)
	}
	if smaller < int(seeds(200)/10) {
		t.Errorf("only %d stores are smaller", smaller)
	}
}

// TestRare: groups whose pairs are mostly met once are not tabulated, and the successors are the same.
func TestRare(t *testing.T) {
	groups := 0
	for seed := range uint64(2) {
		sys := systemtest.New(seed, systemtest.Shape{Slots: 4, Values: 1000, Groups: 8, Errors: int(seed % 2 * 40)})
		store := tree.NewStore(t.Context(), sys, nil, nil)
		r := rand.New(rand.NewPCG(seed, 5))
		var wg sync.WaitGroup
		for range 2 {
			w := newWalker(t, fmt.Sprint("seed ", seed), sys, store, seed)
			states := make([][]model.Value, 15_000)
			for i := range states {
				states[i] = slices.Clone(sys.RandomState(r))
			}
			wg.Go(func() {
				for some := range slices.Chunk(states, 50) {
					w.states = some
					var ids []tree.StateID
					for _, s := range some {
						ids = append(ids, w.worker.ID(s))
					}
					w.expand(ids)
				}
			})
		}
		wg.Wait()
		groups += store.RareGroups()
	}
	if groups < 2 {
		t.Errorf("only %d groups are not tabulated", groups)
	}
}

// walk walks through a system with several workers.
func walk(t *testing.T, name string, sys model.System, workers, steps int) *tree.Store {
	t.Helper()
	store := tree.NewStore(t.Context(), sys, nil, nil)
	walkIn(t, name, sys, store, workers, steps)
	return store
}

func walkIn(t *testing.T, name string, sys model.System, store *tree.Store, workers, steps int) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range workers {
		w := newWalker(t, name, sys, store, uint64(i/2))
		wg.Go(func() { w.steps(steps) })
	}
	wg.Wait()
}

// TestBoundBytes: a bound saves memory, and the caches that it makes necessary are counted.
func TestBoundBytes(t *testing.T) {
	sys := fan{systemtest.New(1, systemtest.Shape{Slots: 20, Values: 5}), 2}
	bytes := func(bound int64) int64 {
		store := tree.NewStore(t.Context(), sys, nil, nil)
		if bound > 0 {
			store.Bound(bound, 1)
		}
		w := store.Worker()
		r := rand.New(rand.NewPCG(1, 0))
		ids := make([]tree.StateID, 256)
		var found tree.Expansion
		for range 50 {
			for i := range ids {
				ids[i] = w.ID(sys.RandomState(r))
			}
			if err := w.Expand(ids, nil, &found); err != nil {
				t.Fatal(err)
			}
		}
		return store.Bytes()
	}
	free, tight, wide := bytes(0), bytes(1<<16), bytes(1<<22)
	if tight >= free/2 || tight >= wide {
		t.Errorf("%d bytes, with a bound of 4 MiB %d, of 64 KiB %d", free, wide, tight)
	}
}

// TestRoundTrip: a state comes back from its ID, and two states have the same ID if they are the same.
func TestRoundTrip(t *testing.T) {
	for _, slots := range []int{0, 1, 2, 3, 4, 7, 31, 32, 300} {
		shape := systemtest.Shape{Slots: slots, Groups: slots / 2, Values: 3}
		sys := systemtest.New(1, shape)
		store := tree.NewStore(t.Context(), sys, nil, nil)
		a, b := store.Worker(), store.Worker()
		r := rand.New(rand.NewPCG(uint64(slots), 4))
		seen := map[tree.StateID]string{}
		for range 500 {
			state := sys.RandomState(r)
			id := a.ID(state)
			back := make([]model.Value, slots)
			b.Vector(id, back)
			if !slices.Equal(back, state) || b.ID(state) != id {
				t.Fatalf("%d slots: state %v came back as %v", slots, state, back)
			}
			if other, ok := seen[id]; ok && other != fmt.Sprint(state) {
				t.Fatalf("%d slots: %v and %s have the same state ID", slots, state, other)
			}
			seen[id] = fmt.Sprint(state)
		}
		if slots > 2 && store.Bytes() <= 0 {
			t.Errorf("%d slots: the store takes %d bytes", slots, store.Bytes())
		}
	}
}

// TestManySlots: hundreds of slots, and groups of two neighbours or of nearly all slots.
func TestManySlots(t *testing.T) {
	shape := systemtest.Shape{Slots: 400, Groups: 300, Values: 3, Rare: 80, Errors: 1}
	walk(t, "400 slots", systemtest.New(5, shape), 2, 2)
}

// fan is a system of pairs of neighbouring slots, each with a group that has n transitions: records overflow.
type fan struct {
	*systemtest.System
	n int
}

func (f fan) Groups() []model.Group {
	var groups []model.Group
	for i := range len(f.Slots()) - 1 {
		groups = append(groups, model.Group{Name: fmt.Sprint(i), Slots: []int{i, i + 1}},
			model.Group{Name: "one", Slots: []int{i}})
	}
	return groups
}

func (f fan) Next(g int, in []model.Value, out *model.Successors) error {
	for i := range model.Value(f.n) {
		to := out.Add(model.Step{Choice: i, Weight: model.Certain})
		copy(to, in)
		to[0] = (in[0] + i + model.Value(g)) % 5
	}
	return nil
}

// TestLongRecords: what a part leads to does not fit where most records do.
func TestLongRecords(t *testing.T) {
	for _, n := range []int{1, 5, 6, 7, 13, 40} {
		for _, slots := range []int{2, 4, 9} {
			sys := fan{systemtest.New(1, systemtest.Shape{Slots: slots, Values: 5}), n}
			walk(t, fmt.Sprintf("%d slots, %d transitions", slots, n), sys, 3, 3)
		}
	}
}

// TestErrorIsNotRemembered: a state fails again, and others with the same half still do not.
func TestErrorIsNotRemembered(t *testing.T) {
	sys := &fussy{System: systemtest.New(1, systemtest.Shape{Slots: 6, Values: 2})}
	w := tree.NewStore(t.Context(), sys, nil, nil).Worker()
	good, bad := w.ID([]model.Value{0, 0, 0, 0, 0, 0}), w.ID([]model.Value{0, 0, 0, 0, 0, 1})
	var found tree.Expansion
	for range 3 {
		err := w.Expand([]tree.StateID{good, good, bad, good}, nil, &found)
		if !errors.Is(err, errFussy) || !slices.Equal(found.Ends, []int{1, 2}) || found.To[0] != found.To[1] {
			t.Fatalf("found %+v, error %v", found, err)
		}
	}
	if err := w.Expand([]tree.StateID{good}, nil, &found); len(found.To) != 1 || err != nil {
		t.Errorf("found %+v, error %v", found, err)
	}
	sys.calm = true
	if err := w.Expand([]tree.StateID{bad}, nil, &found); len(found.To) != 1 || err != nil {
		t.Errorf("found %+v, error %v", found, err)
	}
}

var errFussy = errors.New("the last slot is not 0")

// fussy counts slot 0 up, and dislikes its last slot unless it is calm.
type fussy struct {
	*systemtest.System
	calm bool
}

func (f *fussy) Groups() []model.Group {
	return []model.Group{{Name: "count", Slots: []int{0}}, {Name: "fuss", Slots: []int{5}}}
}

func (f *fussy) Next(g int, in []model.Value, out *model.Successors) error {
	switch {
	case g == 0:
		out.Add(model.Step{Weight: model.Certain})[0] = in[0] + 1
	case in[0] != 0 && !f.calm:
		return errFussy
	}
	return nil
}

// TestAllocatesNothing: expanding states whose parts are known takes no memory, with groups that are tabulated and
// groups that are asked for every state.
func TestAllocatesNothing(t *testing.T) {
	if model.Invariants {
		t.Skip("the checks allocate")
	}
	sys := rotation{fan{systemtest.New(3, systemtest.Shape{Slots: 12, Values: 2}), 2}}
	w := tree.NewStore(t.Context(), sys, nil, nil).Worker()
	r := rand.New(rand.NewPCG(1, 0))
	var ids []tree.StateID
	var found tree.Expansion
	for range 256 {
		ids = append(ids, w.ID(sys.RandomState(r)))
	}
	expand := func() {
		if err := w.Expand(ids, nil, &found); err != nil {
			t.Fatal(err)
		}
	}
	expand()
	if n := testing.AllocsPerRun(20, expand); n != 0 {
		t.Errorf("%v allocations to expand %d states into %d", n, len(ids), len(found.To))
	}
}

// rotation is a fan with one more group, of all slots, that rotates them.
type rotation struct{ fan }

func (r rotation) Groups() []model.Group {
	all := model.Group{Name: "rotate"}
	for i := range 12 {
		all.Slots = append(all.Slots, i)
	}
	return append(r.fan.Groups(), all)
}

func (r rotation) Next(g int, in []model.Value, out *model.Successors) error {
	if len(in) < 12 {
		return r.fan.Next(g, in, out)
	}
	to := out.Add(model.Step{Weight: model.Certain})
	copy(to, in[1:])
	to[11] = in[0]
	return nil
}

// padded is a system with slots behind its own that no group has.
type padded struct {
	*systemtest.System
	more int
}

func (p padded) Slots() []model.Slot {
	return append(slices.Clone(p.System.Slots()), make([]model.Slot, p.more)...)
}

func (p padded) Initial(yield func(state []model.Value) bool) error {
	return p.System.Initial(func(state []model.Value) bool {
		return yield(append(slices.Clone(state), make([]model.Value, p.more)...))
	})
}

// TestUnusedSlots checks that the halves of a state share the slots that some group has, however many others there are.
func TestUnusedSlots(t *testing.T) {
	for seed := range uint64(10) {
		sys := padded{systemtest.New(seed, systemtest.Shape{Slots: 8, Groups: 20, Values: 3}), 300}
		used := make(map[int]bool)
		for _, g := range sys.Groups() {
			for _, slot := range g.Slots {
				used[slot] = true
			}
		}
		store := tree.NewStore(t.Context(), sys, nil, nil)
		left := 0
		for slot := range used {
			if slot < store.Split() {
				left++
			}
		}
		if 3*left < len(used) || 3*left > 2*len(used) {
			t.Errorf("seed %d: %d of %d used slots are in the left half", seed, left, len(used))
		}
		newWalker(t, fmt.Sprint("seed ", seed), sys, store, seed).steps(5)
	}
}

// idler is a system that knows where a group has no transitions.
type idler struct {
	*systemtest.System
	idle *int // the number of such answers
}

func (s idler) Idle(g int, in []model.Value) bool {
	var out model.Successors
	idle := model.Ask(s.System, g, in, &out) == nil && out.Len() == 0
	if idle {
		*s.idle++
	}
	return idle
}

// TestIdle checks the successors of states with so many values that groups without transitions are not tabulated.
func TestIdle(t *testing.T) {
	idle := 0
	for seed := range uint64(20) {
		shape := systemtest.Shape{Slots: 8, Groups: 12, Values: 20_000, Rare: 60, Errors: int(seed % 3)}
		sys := idler{systemtest.New(seed, shape), &idle}
		newWalker(t, fmt.Sprint("seed ", seed), sys, tree.NewStore(t.Context(), sys, nil, nil), seed).steps(20)
	}
	if idle == 0 {
		t.Error("no group is ever idle")
	}
}
