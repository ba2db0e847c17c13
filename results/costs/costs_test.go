package costs

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"ringcheck"
	"ringcheck/explore/simulate"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// values answers questions about an instance.
func values(t *testing.T, spec string, set ringcheck.Set, asked ...ringcheck.Quantity) []ringcheck.Answer {
	t.Helper()
	sys, err := ringcheck.Load(spec, set)
	if err != nil {
		t.Fatal(err)
	}
	opt := ringcheck.Search{}
	if spec == "franklin" {
		opt.Symmetry = ringcheck.Rotation
	}
	r, err := ringcheck.Quantify(t.Context(), sys, ringcheck.Questions{Quantities: asked}, opt)
	if err != nil || !r.Complete {
		t.Fatal(err, r)
	}
	return r.Results
}

// near reports whether an interval contains a value and is narrow.
func near(i ringcheck.Answer, want *big.Rat) bool {
	low, high := new(big.Rat).SetFloat64(float64(i.Low)), new(big.Rat).SetFloat64(float64(i.High))
	f, _ := want.Float64()
	return low.Cmp(want) <= 0 && high.Cmp(want) >= 0 && float64(i.High-i.Low) <= 1e-8*max(1, f)
}

// TestRoundsOfTheProtocol: a round takes 4n steps and 2n messages under every scheduler. So the extreme values of the
// explored protocol follow from the chain of rounds: 4n steps and 2n messages a round up to the end, up to 2n - 2 steps
// and n - 1 messages less up to the event; and the probability within t steps is that of a number of rounds.
func TestRoundsOfTheProtocol(t *testing.T) {
	settings := [][2]int{{2, 2}, {2, 3}, {3, 2}, {3, 3}, {4, 2}}
	if testlevel.Long() {
		settings = append(settings, [2]int{4, 3}, [2]int{5, 2})
	}
	for _, c := range settings {
		n, k := c[0], c[1]
		chain := NewRounds(n, k)
		rounds := chain.Expected()[n].Rat()
		of := func(each, less int) *big.Rat {
			v := new(big.Rat).Mul(rounds, big.NewRat(int64(each), 1))
			return v.Sub(v, big.NewRat(int64(less), 1))
		}
		type check struct {
			asked ringcheck.Quantity
			want  *big.Rat
		}
		checks := []check{
			{ringcheck.Quantity{Until: "terminal", Reward: "steps", Scheduler: "uniform"}, of(4*n, 0)},
			{ringcheck.Quantity{Until: "terminal", Reward: "messages", Scheduler: "min"}, of(2*n, 0)},
			{ringcheck.Quantity{Until: "terminal", Reward: "messages", Scheduler: "max"}, of(2*n, 0)},
			{ringcheck.Quantity{Until: "elected", Reward: "steps", Scheduler: "min"}, of(4*n, 2*n-2)},
			{ringcheck.Quantity{Until: "elected", Reward: "steps", Scheduler: "max"}, of(4*n, 0)},
			{ringcheck.Quantity{Until: "elected", Reward: "messages", Scheduler: "min"}, of(2*n, n-1)},
			{ringcheck.Quantity{Until: "elected", Reward: "messages", Scheduler: "max"}, of(2*n, 0)},
		}
		for _, steps := range []int{2*n + 2, 6*n + 1, 6*n + 2, 8*n - 1, 8 * n, 14*n + 2} {
			checks = append(checks,
				check{ringcheck.Quantity{Until: "elected", Within: &steps, Scheduler: "max"},
					chain.ProbabilityWithin(mostWithin(n, steps))[n]},
				check{ringcheck.Quantity{Until: "elected", Within: &steps, Scheduler: "min"},
					chain.ProbabilityWithin(leastWithin(n, steps))[n]})
		}
		var asked []ringcheck.Quantity
		for _, c := range checks {
			asked = append(asked, c.asked)
		}
		for i, got := range values(t, "franklin", ringcheck.Set{"n": fmt.Sprint(n), "k": fmt.Sprint(k)}, asked...) {
			if !near(got, checks[i].want) {
				t.Errorf("n = %d, k = %d, %v: got %v, want %v", n, k, asked[i], got, checks[i].want)
			}
		}
	}
}

// TestAnnouncement: the leader's announcement takes from 1 to n messages more, depending on the schedule.
func TestAnnouncement(t *testing.T) {
	extremes := []ringcheck.Quantity{
		{Until: "terminal", Reward: "messages", Scheduler: "min"},
		{Until: "terminal", Reward: "messages", Scheduler: "max"},
	}
	for _, c := range []struct {
		spec string
		set  ringcheck.Set
	}{
		{"franklin", ringcheck.Set{"n": "2"}},
		{"franklin", ringcheck.Set{"n": "3"}},
		{"franklin-unique", ringcheck.Set{"n": "3"}},
		{"franklin-unique", ringcheck.Set{"n": "4"}},
		{"franklin-unique", ringcheck.Set{"n": "4", "channel": "fifo", "ids": "descending"}},
	} {
		without := values(t, c.spec, c.set, extremes...)
		c.set["announce"] = "true"
		n, _ := strconv.ParseFloat(fmt.Sprint(c.set["n"]), 64)
		for i, got := range values(t, c.spec, c.set, extremes...) {
			if more := []float64{1, n}[i]; math.Abs(float64(got.Low-without[i].Low)-more) > 1e-8 {
				t.Errorf("%s %v: got %v messages, and %v without the announcement", c.spec, c.set, got, without[i])
			}
		}
	}
}

// TestCount compares the numbers of walks with an enumeration of all draws.
func TestCount(t *testing.T) {
	for k, n := range map[int]int{2: 16, 3: 13} {
		r := NewRounds(n, k)
		for l := 1; l <= n; l++ {
			want := survivors(l, k)
			for m, c := range r.Count[l] {
				if c.Int64() != want[m] {
					t.Errorf("k = %d: Count[%d][%d] = %v, want %v", k, l, m, c, want[m])
				}
			}
		}
	}
}

// survivors enumerates the draws in a ring of l and counts them by the number of processes that stay active.
func survivors(l, k int) []int64 {
	count := make([]int64, l+1)
	drawn := make([]int, l)
	for {
		active := 0
		for i, id := range drawn {
			if drawn[(i+l-1)%l] <= id && drawn[(i+1)%l] <= id {
				active++
			}
		}
		count[active]++
		i := 0
		for ; i < l && drawn[i] == k-1; i++ {
			drawn[i] = 0
		}
		if i == l {
			return count
		}
		drawn[i]++
	}
}

// Sect. 4 of Bakhshi et al. (2008): "On average, in each election round about 3/8 of the active processes become
// passive". With two identities and three or more processes it is exactly 3/8. With k identities it is 1 - (k + 1)(2k +
// 1) / 6k²: about half (as the note has it) for k = 3, 2/3 for large k. With two processes it is (k - 1) / 2k.
func TestSurvivors(t *testing.T) {
	for k := 2; k <= 4; k++ {
		r := NewRounds(40, k)
		for l := 2; l <= 40; l++ {
			want := new(big.Rat).Sub(big.NewRat(1, 1), big.NewRat(int64((k+1)*(2*k+1)), int64(6*k*k)))
			if l == 2 {
				want = big.NewRat(int64(k-1), int64(2*k))
			}
			all, passive := new(big.Rat), new(big.Rat)
			for m := range l + 1 {
				all.Add(all, r.Stay(l, m))
				passive.Add(passive, new(big.Rat).Mul(r.Stay(l, m), big.NewRat(int64(l-m), int64(l))))
			}
			if passive.Cmp(want) != 0 || all.Cmp(big.NewRat(1, 1)) != 0 || r.Stay(l, 0).Sign() != 0 {
				t.Errorf("%d processes, %d identities: %v of them become passive, want %v", l, k, passive, want)
			}
		}
	}
}

// TestExpected: the expected numbers satisfy the recurrence, and agree with the distribution.
func TestExpected(t *testing.T) {
	r := NewRounds(12, 3)
	expected := r.Expected()
	for l := 2; l <= r.N; l++ {
		sum := big.NewRat(1, 1)
		for m := 1; m <= l; m++ {
			sum.Add(sum, new(big.Rat).Mul(r.Stay(l, m), expected[m].Rat()))
		}
		if sum.Cmp(expected[l].Rat()) != 0 {
			t.Errorf("%d processes: expected %v rounds, but %v by the recurrence", l, expected[l].Rat(), sum)
		}
	}
	mean := 0.0 // 1 + Σ P(more than i rounds)
	for i := range 60 {
		within, _ := r.ProbabilityWithin(i)[4].Float64()
		mean += 1 - within
	}
	if want := expected[4].Float(); mean < want-1e-9 || mean > want+1e-9 {
		t.Errorf("4 processes: got %v rounds by the distribution, want %v", mean, want)
	}
	if got := expected[3].Decimal(5); got != "2.68750" {
		t.Errorf("43/16 with 5 decimal places: got %s", got)
	}
}

// Theorem 5 of the note, and Sect. 1 of the paper: O(n log n) messages on average. Divided by n log2 n they fall from n
// = 4 on.
func TestTheorem5(t *testing.T) {
	for k := 2; k <= 3; k++ {
		last := 10.0
		for l, e := range NewRounds(150, k).Expected() {
			if l < 4 {
				continue
			}
			ratio := PerLog(l, e)
			if ratio >= last || ratio < 2 {
				t.Errorf("k = %d, n = %d: got %v n log n messages, want less than %v", k, l, ratio, last)
			}
			last = ratio
		}
	}
}

// TestMessages: one run for each arrangement gives the same numbers as all schedules of all arrangements.
func TestMessages(t *testing.T) {
	for _, p := range Protocols {
		most := 4
		if p.Spec == "hirschberg-sinclair" {
			most = 3
		}
		for n := 2; n <= most; n++ {
			set := p.Settings(n)
			tallies, err := Messages(t.Context(), p.Spec, set)
			if err != nil {
				t.Fatal(err)
			}
			got := tallies["messages"]
			want := []*big.Rat{got.Mean, big.NewRat(got.Least, 1), big.NewRat(got.Greatest, 1)}
			for i, v := range values(t, p.Spec, set,
				ringcheck.Quantity{Until: "terminal", Reward: "messages", Scheduler: "uniform"},
				ringcheck.Quantity{Until: "terminal", Reward: "messages", Scheduler: "min"},
				ringcheck.Quantity{Until: "terminal", Reward: "messages", Scheduler: "max"}) {
				if !near(v, want[i]) {
					t.Errorf("%s, n = %d: %v by one run for each arrangement, %v by all schedules", p.Name, n, want[i],
						v)
				}
			}
		}
	}
	if _, err := Messages(t.Context(), "franklin", ringcheck.Set{"n": 2}); err == nil {
		t.Error("Messages accepts a protocol that draws")
	}
}

// TestPublished: the numbers of messages that the papers give, least, mean and greatest, hold for n up to 7.
func TestPublished(t *testing.T) {
	for _, p := range Protocols {
		for n := 2; n <= 7; n++ {
			tallies, err := Messages(t.Context(), p.Spec, p.Settings(n))
			if err != nil {
				t.Fatal(err)
			}
			got, m := tallies["messages"], int64(n)
			log := int64(0)
			for 2<<log <= m {
				log++
			}
			harmonic := new(big.Rat)
			for i := int64(1); i <= m; i++ {
				harmonic.Add(harmonic, big.NewRat(m, i))
			}
			bound := int64(0)
			for _, term := range Bound(m) {
				bound += term.Messages
			}
			ok := true
			switch p.Name {
			case "Chang–Roberts": // n (1 + 1/2 + … + 1/n) on average, n (n + 1) / 2 at most
				ok = got.Least == 2*m-1 && got.Mean.Cmp(harmonic) == 0 && got.Greatest == m*(m+1)/2
			// a round takes 2n messages and leaves at most half of the processes; the last process takes one more
			case "Franklin":
				ok = got.Greatest <= 2*m*(log+1) && got.Greatest%(2*m) == 0
			case "Peterson": // at most 2n ⌊log2 n⌋ + n
				ok = got.Greatest <= 2*m*log+m
			case "Dolev–Klawe–Rodeh": // a phase takes 2n messages and leaves at most half; the last takes n
				ok = got.Greatest <= 2*m*log+m
			case "Hirschberg–Sinclair":
				ok = got.Greatest <= bound
			default:
				t.Errorf("%s: add a bound for it to this test", p.Name)
			}
			if !ok {
				t.Errorf("%s, n = %d: %d, %v and %d messages are not within the published bounds", p.Name, n, got.Least,
					got.Mean, got.Greatest)
			}
		}
	}
}

// The note on Hirschberg and Sinclair, Sect. 4: stage 0 has at most n candidates, stage i > 0 at most ⌊n / (2^(i-1) +
// 1)⌋.
func TestStages(t *testing.T) {
	for n := 2; n <= 7; n++ {
		stages, err := Stages(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		terms := Bound(int64(n))
		if len(stages) != len(terms) {
			t.Fatalf("n = %d: %d stages, want %d", n, len(stages), len(terms))
		}
		for i, s := range stages {
			if s.Greatest > terms[i].Candidates || i == 0 && s.Least != int64(n) {
				t.Errorf("n = %d, stage %d: got %d to %d candidates, at most %d by the note", n, i, s.Least, s.Greatest,
					terms[i].Candidates)
			}
		}
	}
}

// TestCurves: Fig. 3 in a ring of three; the band of Algorithm A follows from the chain of rounds.
func TestCurves(t *testing.T) {
	c, err := Curves(t.Context(), 3, 2, 60)
	if err != nil {
		t.Fatal(err)
	}
	chain := NewRounds(3, 2)
	for steps, p := range c.Curves[0].Points {
		least, _ := chain.ProbabilityWithin(leastWithin(3, steps))[3].Float64()
		greatest, _ := chain.ProbabilityWithin(mostWithin(3, steps))[3].Float64()
		low, high := c.Curves[0].Least[steps], c.Curves[0].Greatest[steps]
		if low.Low > least || low.High < least || high.Low > greatest || high.High < greatest || p.High < low.Low ||
			p.Low > high.High {
			t.Errorf("%d steps: got %v between %v and %v, want the bounds %v and %v", steps, p, low, high, least,
				greatest)
		}
	}
	if c.Curves[1].Points[50] != c.Curves[0].Points[50] && c.Curves[1].Points[50].Low > c.Curves[0].Points[50].High {
		t.Error("B is ahead of A after 50 steps")
	}
}

// mostWithin and leastWithin return the greatest number of rounds of Algorithm A, including the last, with which a ring
// of n may, or must, come to the event leader within t steps: a round takes 4n steps, of which the last process needs
// at least 2n + 2 and at most all to hear its own message and declare itself.
func mostWithin(n, t int) int  { return max(0, t+2*n-2) / (4 * n) }
func leastWithin(n, t int) int { return t / (4 * n) }

// Sect. 4: random runs of a ring of 40 processes, which nobody explores, cost what the chain of rounds says: 2n
// messages a round. The seed is fixed, so the test always ends the same way.
func TestSection4AtRandom(t *testing.T) {
	const n = 40
	p := spectest.Open(t, "franklin", "n=40 k=2")
	sys, err := simulate.New(t.Context(), p, step.Options{}, simulate.Scheduler{})
	if err != nil {
		t.Fatal(err)
	}
	expected := NewRounds(n, 2).Expected()
	exact := 2 * n * expected[len(expected)-1].Float()
	messages := slices.IndexFunc(p.Rewards, func(r *ir.Reward) bool { return r.Name == "messages" })
	r, err := simulate.Estimate(t.Context(), sys,
		simulate.Options{Runs: 300, Seed: 4, Confidence: 0.999, Workers: 2, Rewards: p.Rewards[messages : messages+1]})
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Means[0]; m.Low > exact || m.High < exact || m.High-m.Low > exact/4 {
		t.Errorf("%v to %v messages, exactly %v", m.Low, m.High, exact)
	}
}
