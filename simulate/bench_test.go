package simulate

import (
	"fmt"
	"testing"

	"ringcheck/model/language/compile"
	"ringcheck/specs"
)

// compiled returns a protocol of the catalogue.
func compiled(t testing.TB, name string, settings map[string]string) *compile.System {
	t.Helper()
	spec, err := specs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Instantiate(settings)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := compile.New(t.Context(), p, compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return sys
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
