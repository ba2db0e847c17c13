package simulate

import (
	"fmt"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/compile"
)

// compiled returns a protocol of the catalogue.
func compiled(t testing.TB, name string, settings map[string]string) *compile.System {
	t.Helper()
	return spectest.Compile(t, spectest.Instantiate(t, spectest.Source(t, name), settings))
}

func BenchmarkFranklin(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			sys := compiled(b, "franklin", map[string]string{"n": fmt.Sprint(n), "k": "2"})
			initial, err := listInitial(b.Context(), sys)
			if err != nil {
				b.Fatal(err)
			}
			w := newWalk(sys, initial, nil)
			run := uint64(0)
			steps := 0
			for b.Loop() {
				if _, ok, err := w.Step(); err != nil {
					b.Fatal(err)
				} else if !ok || steps == 0 {
					run++
					if err := w.Reset(newStream().of(1, run)); err != nil {
						b.Fatal(err)
					}
				}
				steps++
			}
			b.ReportMetric(float64(run), "runs")
		})
	}
}
