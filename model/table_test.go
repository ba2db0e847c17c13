package model_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"ringcheck/model"
)

// adder is a system with one group for each width from 0 to 8. A group has as many transitions as the sum of
// its values modulo 4, each with some step; a sum that is 7 modulo 11 is an error.
type adder struct{ asked atomic.Int64 }

const widths = 9

func (a *adder) Slots() []model.Slot                    { return make([]model.Slot, widths) }
func (a *adder) Initial(func([]model.Value) bool) error { return nil }
func (a *adder) Label(model.Label) model.LabelInfo      { return model.LabelInfo{} }
func (a *adder) FormatSlot(_ int, v model.Value) string { return fmt.Sprint(v) }

func (a *adder) Groups() []model.Group {
	var groups []model.Group
	for width := range widths {
		g := model.Group{Name: fmt.Sprint("width ", width)}
		for s := range width {
			g.Slots = append(g.Slots, s)
		}
		groups = append(groups, g)
	}
	return groups
}

func (a *adder) Next(g int, in []model.Value, out *model.Successors) error {
	a.asked.Add(1)
	sum := model.Value(g)
	for i, v := range in {
		sum += v * model.Value(2*i+1)
	}
	for i := range sum % 4 {
		step := model.Step{Label: model.Label(sum), Choice: i / 2, Weight: model.Certain}
		if i^1 < sum%4 { // two draws of equal chance, and one that is certain
			step.Weight = model.Weight{Num: 1, Den: 2}
		}
		values := out.Add(step)
		for j, v := range in {
			values[j] = v + i + model.Value(j)
		}
	}
	if sum%11 == 7 {
		return &model.Fault{Message: fmt.Sprint("sum ", sum)}
	}
	return nil
}

// answer is what a system says, for comparison.
func answer(sys model.System, g int, in []model.Value, out *model.Successors) string {
	out.Reset(len(in))
	if err := sys.Next(g, in, out); err != nil {
		return "error: " + err.Error()
	}
	var s []any
	for i := range out.Len() {
		s = append(s, out.Step(i), slices.Clone(out.Values(i)))
	}
	return fmt.Sprint(s...)
}

// TestTable: a table gives the same transitions in the same order and the same errors as the system itself, the
// first time and later, to many goroutines.
func TestTable(t *testing.T) {
	sys := &adder{}
	table := model.Tabulate(sys)
	var wg sync.WaitGroup
	for seed := range uint64(4) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, seed))
			var out model.Successors
			for range 5000 {
				g := r.IntN(widths)
				in := make([]model.Value, g)
				for i := range in {
					in[i] = r.Uint32N(4)
				}
				if r.IntN(10) == 0 && g > 0 {
					in[r.IntN(g)] = r.Uint32()
				}
				want, got := answer(sys, g, in, &out), answer(table, g, in, &out)
				if got != want {
					t.Errorf("group %d of %v:\n%s\nwant\n%s", g, in, got, want)
				}
			}
		})
	}
	wg.Wait()
	if table.Bytes() <= 0 {
		t.Error("a full table takes no memory")
	}
}

// TestTableAsksOnce: a narrow group is asked once for each combination, a wide one every time, and one that
// reports an error again.
func TestTableAsksOnce(t *testing.T) {
	for _, c := range []struct{ group, first, asked int }{{0, 0, 1}, {1, 1, 1}, {2, 1, 1}, {6, 2, 1}, {7, 1, 3}, {1, 6, 3}} {
		sys := &adder{}
		table := model.Tabulate(sys)
		in := make([]model.Value, c.group)
		if c.group > 0 {
			in[0] = model.Value(c.first)
		}
		var out model.Successors
		for range 3 {
			answer(table, c.group, in, &out)
		}
		if got := int(sys.asked.Load()); got != c.asked {
			t.Errorf("group %d was asked %d times about %v, want %d", c.group, got, in, c.asked)
		}
	}
}

// TestTableAppends: Next adds to what is there.
func TestTableAppends(t *testing.T) {
	table := model.Tabulate(&adder{})
	var out model.Successors
	out.Reset(2)
	for range 2 { // worked out, then remembered
		before := out.Len()
		if err := table.Next(2, []model.Value{1, 0}, &out); err != nil || out.Len() != before+3 {
			t.Fatalf("%d transitions after %d, error %v", out.Len(), before, err)
		}
	}
	if !slices.Equal(out.Values(0), out.Values(3)) || out.Step(2) != out.Step(5) {
		t.Error("the transitions that were remembered differ from those worked out")
	}
}

func TestTableAllocatesNothing(t *testing.T) {
	table := model.Tabulate(&adder{})
	var out model.Successors
	in := []model.Value{1, 2, 3}
	ask := func() {
		out.Reset(len(in))
		if err := table.Next(3, in, &out); err != nil {
			t.Fatal(err)
		}
	}
	ask()
	if n := testing.AllocsPerRun(100, ask); n != 0 {
		t.Errorf("%v allocations to look up what is known", n)
	}
}

func TestFaultError(t *testing.T) {
	fault := &model.Fault{Place: "a.ring:3:4", Message: "x leaves its range"}
	var found *model.Fault
	if err := fmt.Errorf("exploring: %w", fault); !errors.As(err, &found) || err.Error() != "exploring: a.ring:3:4: x leaves its range" {
		t.Errorf("got %v", err)
	}
	if s := (&model.Fault{Message: "no place"}).Error(); s != "no place" {
		t.Errorf("got %q", s)
	}
}

func ExampleTabulate() {
	sys := &adder{}
	table := model.Tabulate(sys)
	var out model.Successors
	for range 1000 {
		out.Reset(2)
		if err := table.Next(2, []model.Value{4, 1}, &out); err != nil {
			panic(err)
		}
	}
	fmt.Println(out.Len(), "transition, worked out", sys.asked.Load(), "time")
	// Output: 1 transition, worked out 1 time
}

// BenchmarkTableNext asks about known tuples, by the number of slots.
func BenchmarkTableNext(b *testing.B) {
	for _, width := range []int{1, 2, 3, 6} {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			table := model.Tabulate(&adder{})
			var out model.Successors
			var asked [][]model.Value
			for i := range model.Value(1024) {
				in := make([]model.Value, width)
				in[0], in[width-1] = i%32, i/32
				out.Reset(width)
				if table.Next(width, in, &out) == nil {
					asked = append(asked, in)
				}
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				out.Reset(width)
				if err := table.Next(width, asked[i%len(asked)], &out); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}
