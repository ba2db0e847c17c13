package bisim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"ringcheck/bisim/lts"
)

// grid is two processes that take turns in any order: state (i, j) does τ to (i+1, j) and (i, j+1), and at
// the far corner "done", back to the start.
func grid(side uint32) *lts.LTS {
	b := lts.NewBuilder()
	done := b.Label("done")
	for i := range side {
		for j := range side {
			s := i*side + j
			if i+1 < side {
				b.Add(s, lts.Edge{To: s + side})
			}
			if j+1 < side {
				b.Add(s, lts.Edge{To: s + 1})
			}
		}
	}
	b.Add(side*side-1, lts.Edge{Label: done, To: 0})
	return mustBuild(b, int(side*side))
}

// tauRings is a chain of cycles of τ's, each with a visible way to the next.
func tauRings(rings, length uint32) *lts.LTS {
	b := lts.NewBuilder()
	a := b.Label("a")
	for i := range rings {
		for j := range length {
			b.Add(i*length+j, lts.Edge{To: i*length + (j+1)%length})
		}
		b.Add(i*length+length-1, lts.Edge{Label: a, To: (i + 1) % rings * length})
	}
	return mustBuild(b, int(rings*length))
}

// chain does n−1 times "a": all its states are different.
func chain(n uint32) *lts.LTS {
	b := lts.NewBuilder()
	a := b.Label("a")
	for s := range n - 1 {
		b.Add(s, lts.Edge{Label: a, To: s + 1})
	}
	return mustBuild(b, int(n))
}

// tangle has random transitions, a share of them τ's.
func tangle(n, degree, labels int, tau float64) *lts.LTS {
	rng := rand.New(rand.NewPCG(uint64(n), 3))
	b := lts.NewBuilder()
	names := make([]lts.Label, labels)
	for a := range labels {
		names[a] = b.Label(fmt.Sprint("a", a))
	}
	for s := range n {
		for range degree {
			e := lts.Edge{To: uint32(rng.IntN(n))}
			if rng.Float64() >= tau {
				e.Label = names[rng.IntN(labels)]
			}
			b.Add(uint32(s), e)
		}
	}
	return mustBuild(b, n)
}

// stairs has τ's to higher states only, so that no τ-cycles collapse, and visible transitions to anywhere.
func stairs(n, degree, labels int, tau float64) *lts.LTS {
	rng := rand.New(rand.NewPCG(uint64(n), 3))
	b := lts.NewBuilder()
	names := make([]lts.Label, labels)
	for a := range labels {
		names[a] = b.Label(fmt.Sprint("a", a))
	}
	for s := range n {
		for range degree {
			if rng.Float64() < tau && s+1 < n {
				b.Add(uint32(s), lts.Edge{To: uint32(s + 1 + rng.IntN(min(100, n-s-1)))})
			} else {
				b.Add(uint32(s), lts.Edge{Label: names[rng.IntN(labels)], To: uint32(rng.IntN(n))})
			}
		}
	}
	return mustBuild(b, n)
}

func mustBuild(b *lts.Builder, states int) *lts.LTS {
	l, err := b.Build(context.Background(), 0, states)
	if err != nil {
		panic(err)
	}
	return l
}

// BenchmarkMinimize shows how time grows with the number of transitions: ns/transition should grow no faster
// than its logarithm.
func BenchmarkMinimize(b *testing.B) {
	systems := []struct {
		name string
		make func(size int) *lts.LTS
	}{
		{"grid", func(n int) *lts.LTS { return grid(uint32(1) << (n / 2)) }},
		{"rings", func(n int) *lts.LTS { return tauRings(uint32(1)<<(n/2), uint32(1)<<(n-n/2)) }},
		{"chain", func(n int) *lts.LTS { return chain(uint32(1) << n) }},
		{"tangle", func(n int) *lts.LTS { return tangle(1<<n, 4, 3, 0.2) }},
		{"stairs", func(n int) *lts.LTS { return stairs(1<<n, 4, 2, 0.7) }},
	}
	for _, system := range systems {
		for _, size := range []int{14, 16, 18, 20} {
			l := system.make(size)
			for _, e := range equivalences {
				for _, o := range []Options{{KeepAll: true}, {}} {
					name := fmt.Sprintf("%s/%v/all=%v/m=%d", system.name, e, o.KeepAll, l.Transitions())
					b.Run(name, func(b *testing.B) {
						var p *Partition
						for b.Loop() {
							var err error
							if _, p, err = Minimize(context.Background(), l, e, o); err != nil {
								b.Fatal(err)
							}
						}
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(l.Transitions()),
							"ns/transition")
						b.ReportMetric(float64(p.Blocks), "blocks")
					})
				}
			}
		}
	}
}
