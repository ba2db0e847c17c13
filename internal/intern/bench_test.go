package intern_test

import (
	"fmt"
	"testing"

	"ringcheck/internal/intern"
)

// BenchmarkMapLoad looks up known keys one after the other, in no order.
func BenchmarkMapLoad(b *testing.B) {
	for _, size := range []uint32{1 << 10, 1 << 16, 1 << 22} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			var m intern.Map
			for i := range size {
				m.LoadOrStore(intern.Pair(i>>8, i&255), i)
			}
			b.ReportAllocs()
			i := uint32(0)
			for b.Loop() {
				i = i*1664525 + 1013904223
				k := i >> 8 % size
				if v, _ := m.Load(intern.Pair(k>>8, k&255)); v != k {
					b.Fatal(v)
				}
			}
		})
	}
}

func BenchmarkGridLoad(b *testing.B) {
	var g intern.Grid
	const size = 256
	for i := range uint32(size * size) {
		g.LoadOrStore(i/size, i%size, i)
	}
	i := uint32(0)
	for b.Loop() {
		i = i*1664525 + 1013904223
		k := i >> 16
		if v, _ := g.Load(k/size, k%size); v != k {
			b.Fatal(v)
		}
	}
}

func BenchmarkPairsNumber(b *testing.B) {
	b.ReportAllocs()
	var p intern.Pairs
	n := uint32(0)
	for b.Loop() {
		p.Number(intern.Pair(n>>10, n&1023))
		n++
	}
}
