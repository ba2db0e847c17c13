package level

import (
	"math/rand/v2"
	"slices"
	"testing"
)

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
