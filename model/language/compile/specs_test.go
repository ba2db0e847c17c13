package compile_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/check"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/model/language/syntax"
	"ringcheck/specs"
)

// published is the built-in spec that the published counts are about.
const published = "franklin"

func builtin(tb testing.TB, name string) *check.Spec {
	tb.Helper()
	file, src, err := specs.Source(name)
	if err != nil {
		tb.Fatal(err)
	}
	return parse(tb, file, src)
}

func parse(tb testing.TB, file string, src []byte) *check.Spec {
	tb.Helper()
	f, err := syntax.Parse(file, src)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := check.File(f)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func instantiate(tb testing.TB, s *check.Spec, settings map[string]string) *ir.Protocol {
	tb.Helper()
	p, err := s.Instantiate(settings)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// election returns an instance of the published protocol.
func election(tb testing.TB, n, k int) *ir.Protocol {
	tb.Helper()
	return spectest.Open(tb, published, fmt.Sprintf("n=%d k=%d", n, k))
}

// TestSpecs compares the two implementations on every built-in spec with every combination of its options.
func TestSpecs(t *testing.T) {
	for _, name := range specs.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := builtin(t, name)
			for settings := range combinations(s) {
				for _, n := range []string{"2", "3"} {
					settings["n"] = n
					p := instantiate(t, s, settings)
					p.Name = fmt.Sprint(name, settings)
					compare(t, p, compile.Options{MaxMessages: 8, MaxNat: 4}, randomSpecs())
				}
			}
		})
	}
}

// combinations yields all combinations of the options of s, with the first three values of an integer.
func combinations(s *check.Spec) func(yield func(map[string]string) bool) {
	return func(yield func(map[string]string) bool) {
		combine(s.Options, map[string]string{}, yield)
	}
}

func combine(options []check.Setting, settings map[string]string, yield func(map[string]string) bool) bool {
	if len(options) == 0 {
		return yield(maps.Clone(settings))
	}
	for _, v := range values(options[0]) {
		settings[options[0].Name] = v
		if !combine(options[1:], settings, yield) {
			return false
		}
	}
	return true
}

func values(o check.Setting) []string {
	if o.Values != nil {
		return o.Values
	}
	lo, err := strconv.Atoi(o.Lo)
	if err != nil {
		return []string{o.Default}
	}
	return []string{strconv.Itoa(lo), strconv.Itoa(lo + 1), strconv.Itoa(lo + 2)}
}

// TestConcurrent checks that goroutines that explore one system with empty tables find the same states and agree on
// the meaning of values.
func TestConcurrent(t *testing.T) {
	p := election(t, 2, 2)
	sys, err := compile.New(t.Context(), p, compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := spectest.Explore(step.New(p, step.Options{}), 10_000)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			got, err := countCompiled(sys)
			if err != nil || got.States != len(want.States) || got.Transitions != want.Transitions {
				t.Errorf("%d states, %d transitions, error %v; want %d, %d", got.States, got.Transitions, err,
					len(want.States), want.Transitions)
			}
		})
		group.Go(func() {
			for _, s := range want.States {
				state := sys.Encode(nil, s)
				if got := format(sys, state); got != spectest.Format(step.New(p, step.Options{}), s) {
					t.Errorf("state %s became %s", spectest.Format(step.New(p, step.Options{}), s), got)
				}
				err := successors(sys, state, func(step model.Step, _ []model.Value) { sys.Label(step.Label) })
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// TestOrderIsOfMeaning checks that the order of transitions does not depend on the numbering, which depends on the
// order of earlier calls.
func TestOrderIsOfMeaning(t *testing.T) {
	p := election(t, 3, 2)
	graph, _ := spectest.Explore(step.New(p, step.Options{}), 2000)
	forward, backward := spectest.Compile(t, p), spectest.Compile(t, p)
	backwards := slices.Clone(graph.States)
	slices.Reverse(backwards)
	for _, s := range backwards {
		expand(t, backward, s)
	}
	differ := false
	for _, s := range graph.States {
		f, fs := expand(t, forward, s)
		b, bs := expand(t, backward, s)
		if !slices.Equal(f, b) {
			t.Fatalf("first seen:\n%s\nseen before:\n%s", strings.Join(f, "\n"), strings.Join(b, "\n"))
		}
		differ = differ || !slices.Equal(fs, bs)
	}
	if !differ {
		t.Error("both systems use the same numbers, so nothing was tested")
	}
}

// expand returns the transitions of s in order, and its vector.
func expand(t *testing.T, sys *compile.System, s *step.State) ([]string, []model.Value) {
	t.Helper()
	state := sys.Encode(nil, s)
	var lines []string
	err := successors(sys, state, func(step model.Step, target []model.Value) {
		lines = append(lines, describe(sys, state, step, target))
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, state
}
