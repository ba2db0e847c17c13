package urn_test

import (
	"testing"

	"pgregory.net/rapid"

	"ringcheck/explore/simulate/internal/urn"
)

func TestUrn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		owners := rapid.IntRange(1, 3000).Draw(t, "owners")
		u, want := urn.New(owners), make([]uint32, owners)
		for range rapid.IntRange(1, 50).Draw(t, "changes") {
			i, n := rapid.IntRange(0, owners-1).Draw(t, "owner"), rapid.Uint32Range(0, 3).Draw(t, "tickets")
			u.Set(i, n)
			want[i] = n
		}
		ticket := uint32(0)
		for i, n := range want {
			for rest := range n {
				if owner, got := u.Find(ticket); owner != i || got != rest {
					t.Fatalf("ticket %d is number %d of owner %d, want %d of %d", ticket, got, owner, rest, i)
				}
				ticket++
			}
		}
		if u.Total() != ticket {
			t.Fatalf("total %d, want %d", u.Total(), ticket)
		}
	})
}
