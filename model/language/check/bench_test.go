package check_test

import (
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/check"
)

func BenchmarkFile(b *testing.B) {
	f := parse(b, spectest.Source(b, "franklin"))
	for b.Loop() {
		if _, err := check.File(f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInstantiate(b *testing.B) {
	for _, n := range []string{"4", "1000"} {
		b.Run("n="+n, func(b *testing.B) {
			s, err := check.File(parse(b, spectest.Source(b, "hirschberg-sinclair")))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := s.Instantiate(map[string]string{"n": n}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
