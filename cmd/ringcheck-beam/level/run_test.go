package level

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// Tasks are small in tests, so that a level has several.
func init() { leastTask, leastInBlock = 40, 1 }

// TestRuns: what is written is read back, in order, in a wider layout as well, and found; whatever is cut off or
// changed is seen.
func TestRuns(t *testing.T) {
	for seed := range uint64(3) {
		testRuns[[1]uint64](t, seed, 5)
		testRuns[[2]uint64](t, seed, 11)
		testRuns[[4]uint64](t, seed, 30)
		testRuns[[16]uint64](t, seed, 90)
	}
}

func testRuns[H half](t *testing.T, seed uint64, slots int) {
	r := rand.New(rand.NewPCG(seed, 3))
	narrow := Layout{widths: make([]uint8, 2*slots), split: slots}
	for i := range narrow.widths {
		narrow.widths[i] = uint8(r.IntN(12))
	}
	wide := Layout{widths: slices.Clone(narrow.widths), split: slots}
	for range 3 {
		wide.widths[r.IntN(2*slots)]++
	}
	states := make([][]uint32, 1+r.IntN(3*chunkItems/2))
	for i := range states {
		states[i] = make([]uint32, 2*slots)
		for slot, w := range narrow.widths {
			states[i][slot] = r.Uint32() & (1<<w - 1)
		}
		if i > 0 && r.IntN(3) > 0 {
			copy(states[i], states[r.IntN(i)][:slots])
		}
	}
	in := func(l Layout) (items []item[H]) {
		for i, s := range states {
			items = append(items, item[H]{pack[H](s[:slots], l.left()), pack[H](s[slots:], l.right()), uint64(i % 7)})
		}
		return items
	}
	slices.SortFunc(states, slices.Compare)
	states = slices.CompactFunc(states, slices.Equal)
	shuffled := in(narrow)
	sorted := slices.Clone(shuffled)
	r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if !slices.Equal(sortItems(shuffled, make([]item[H], len(shuffled))), sorted) {
		t.Fatalf("seed %d, %d slots: keys are not in the order of states", seed, slots)
	}
	data := encodeRun(sorted, narrow)
	if got, err := readAll[H](data, wide); err != nil || !slices.Equal(got, in(wide)) {
		t.Fatalf("seed %d, %d slots: read back: %v", seed, slots, err)
	}
	lookUp(t, r, data, narrow, sorted)
	damage[H](t, r, data, narrow)
}

func readAll[H half](data []byte, l Layout) (items []item[H], err error) {
	run, err := newRunReader[H](bytes.NewReader(data), l)
	for err == nil {
		if err = run.next(); err == nil && len(run.items) == 0 {
			return items, nil
		}
		items = append(items, run.items...)
	}
	return nil, err
}

// lookUp looks for some of the items, of which only every second is in the run.
func lookUp[H half](t *testing.T, r *rand.Rand, data []byte, l Layout, items []item[H]) {
	var there []item[H]
	for i := range items {
		if i%2 == 0 {
			there = append(there, items[i])
		}
	}
	run, err := newRunReader[H](bytes.NewReader(encodeRun(there, l)), l)
	if err != nil {
		t.Fatal(err)
	}
	look := lookup[H]{run: run}
	few := 1 + r.IntN(50)
	for i := range items {
		if r.IntN(few) > 0 {
			continue
		}
		if found, err := look.has(&items[i]); err != nil || found != (i%2 == 0) {
			t.Fatalf("state %d of %d is found: %v, %v", i, len(items), found, err)
		}
	}
}

func damage[H half](t *testing.T, r *rand.Rand, data []byte, l Layout) {
	cut := data[:r.IntN(len(data))]
	if _, err := readAll[H](cut, l); !errors.Is(err, ErrDamaged) {
		t.Errorf("%d bytes of %d: %v", len(cut), len(data), err)
	}
	changed := slices.Clone(data)
	changed[r.IntN(len(data))] ^= 1 << r.IntN(8)
	if got, err := readAll[H](changed, l); err == nil {
		if want, _ := readAll[H](data, l); !slices.Equal(got, want) {
			t.Error("flipping a bit changed the states without an error")
		}
	} else if !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
}

// TestTasks: every shard with states belongs to one task, in order; tasks are as many as are worth it, and none has
// much more than others.
func TestTasks(t *testing.T) {
	several := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 6))
		m := &Manifest{Shards: make([]Shard, 1+r.IntN(20))}
		var want []int
		largest := uint64(0)
		for i := range m.Shards {
			if n := uint64(r.IntN(100)); n > 0 && r.IntN(4) > 0 {
				m.Shards[i].New = &Run{States: n}
				want, largest = append(want, i), max(largest, n)
			}
		}
		tasks := m.Tasks()
		if got := slices.Concat(tasks...); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, tasks, want)
		}
		if most := m.waiting()/perTask(len(m.Shards)) + 1; uint64(len(tasks)) > most {
			t.Errorf("seed %d: %d tasks for %d states", seed, len(tasks), m.waiting())
		}
		for _, task := range tasks {
			states := uint64(0)
			for _, shard := range task {
				states += m.Shards[shard].New.States
			}
			if most := max(perTask(len(m.Shards)), m.waiting()/uint64(len(m.Shards))+1) + largest; states > most {
				t.Errorf("seed %d: a task of %d states, want %d at most", seed, states, most)
			}
		}
		if len(tasks) > 1 {
			several++
		}
	}
	if several < 20 {
		t.Errorf("only %d levels have several tasks", several)
	}
}
