package sat

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSolve compares verdicts on random clauses with those of trying all assignments, and checks the proofs.
func TestSolve(t *testing.T) {
	verdicts := map[bool]int{}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 0))
		n := 3 + r.IntN(9)
		var clauses [][]Lit
		for range int(float64(n) * (2 + 4*r.Float64())) {
			var c []Lit
			for range 1 + r.IntN(4) {
				l := Lit(1 + r.IntN(n))
				if r.IntN(2) == 0 {
					l = -l
				}
				c = append(c, l)
			}
			clauses = append(clauses, c)
		}
		s := &Solver{}
		for _, c := range clauses {
			s.Add(c...)
		}
		for range 4 {
			var assumed []Lit
			for range r.IntN(3) {
				l := Lit(1 + r.IntN(n))
				if r.IntN(2) == 0 {
					l = -l
				}
				assumed = append(assumed, l)
			}
			all := clauses
			for _, l := range assumed {
				all = append(all[:len(all):len(all)], []Lit{l})
			}
			want := satisfiable(n, all)
			got := s.Solve(nil, assumed...)
			if got != want {
				t.Fatalf("seed %d: satisfiable %v, want %v: %v", seed, got, want, all)
			}
			verdicts[got]++
			if !got {
				core := clauses
				for _, l := range s.Core {
					core = append(core[:len(core):len(core)], []Lit{l})
					if !slices.Contains(assumed, l) {
						t.Fatalf("seed %d: %d is not assumed", seed, l)
					}
				}
				if satisfiable(n, core) {
					t.Fatalf("seed %d: the core %v of %v can be satisfied", seed, s.Core, assumed)
				}
			}
			if got {
				for _, c := range all {
					if !holds(c, s.Value) {
						t.Fatalf("seed %d: the assignment does not satisfy %v", seed, c)
					}
				}
			}
		}
	}
	if verdicts[true] < 500 || verdicts[false] < 500 {
		t.Error(verdicts)
	}
}

func holds(c []Lit, value func(Lit) bool) bool {
	for _, l := range c {
		if l > 0 && value(l) || l < 0 && !value(-l) {
			return true
		}
	}
	return false
}

func satisfiable(n int, clauses [][]Lit) bool {
	for bits := range 1 << n {
		all := true
		for _, c := range clauses {
			all = all && holds(c, func(l Lit) bool { return bits>>(l-1)&1 == 1 })
		}
		if all {
			return true
		}
	}
	return false
}

// TestFollows compares Follows with propagation that looks at every clause again and again.
func TestFollows(t *testing.T) {
	verdicts := map[bool]int{}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 3 + r.IntN(9)
		random := func(most int) (c []Lit) {
			for range r.IntN(most + 1) {
				c = append(c, Lit(1+r.IntN(n))*Lit(1-2*r.IntN(2)))
			}
			return c
		}
		s, clauses := &Solver{}, [][]Lit{}
		for v := range n {
			clauses = append(clauses, []Lit{Lit(v + 1), -Lit(v + 1)})
		}
		for range 2 * n {
			clauses = append(clauses, append(random(2), Lit(1+r.IntN(n))))
		}
		for _, c := range clauses {
			s.Add(c...)
		}
		for range 5 {
			c := random(3)
			want := follows(clauses, c)
			if got := s.Follows(c...); got != want {
				t.Fatalf("seed %d: %v follows from %v: %v, want %v", seed, c, clauses, got, want)
			}
			if verdicts[want]++; want {
				s.Add(c...)
				clauses = append(clauses, c)
			}
		}
		if s.Follows(Lit(n+1)) != follows(clauses, nil) {
			t.Fatalf("seed %d: another variable", seed)
		}
	}
	if verdicts[true] < 500 || verdicts[false] < 500 {
		t.Error(verdicts)
	}
}

// follows reports whether unit propagation refutes clauses together with the negation of c.
func follows(clauses [][]Lit, c []Lit) bool {
	value := make(map[Lit]bool)
	for _, l := range c {
		if value[l] {
			return true
		}
		value[-l] = true
	}
	for again := true; again; {
		again = false
		for _, c := range clauses {
			open := slices.DeleteFunc(slices.Clone(c), func(l Lit) bool { return value[-l] })
			slices.Sort(open)
			open = slices.Compact(open)
			switch {
			case slices.ContainsFunc(open, func(l Lit) bool { return value[l] }):
			case len(open) == 0:
				return true
			case len(open) == 1:
				value[open[0]], again = true, true
			}
		}
	}
	return false
}
