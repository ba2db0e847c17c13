package equivalence

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ringcheck/bisim/lts"
	"ringcheck/bisim/refinement"
	"ringcheck/explore"
	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
	"ringcheck/reduce"
	"ringcheck/specs"
	"ringcheck/view"
)

// load opens an instance of a built-in spec or of an example.
func load(t *testing.T, name string, set reduce.Set) *reduce.System {
	t.Helper()
	file, text, err := specs.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := specs.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := reduce.NewSpec(s, text).System(set)
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

const examples = "../../examples/"

// instances returns pairs of systems by name.
func instances(t *testing.T) map[string][2]*reduce.System {
	n := 2
	if testlevel.Gate() {
		n = 3
	}
	franklin := func(set reduce.Set) *reduce.System {
		set["n"], set["k"] = n, 2
		return load(t, "franklin", set)
	}
	sender := func(set reduce.Set) *reduce.System { return load(t, examples+"go-back-n.ring", set) }
	buffer := func(size int) *reduce.System { return load(t, examples+"buffer.ring", reduce.Set{"size": size}) }
	return map[string][2]*reduce.System{
		"bits":     {franklin(reduce.Set{}), franklin(reduce.Set{"bits": false})},
		"no bits":  {franklin(reduce.Set{"bits": false}), franklin(reduce.Set{})},
		"fifo":     {franklin(reduce.Set{"channel": "fifo"}), franklin(reduce.Set{})},
		"dkr":      {franklin(reduce.Set{}), load(t, "dkr", reduce.Set{"n": n})},
		"one":      {sender(reduce.Set{}), buffer(1)},
		"two":      {sender(reduce.Set{"w": 2, "numbers": 3}), buffer(2)},
		"small":    {sender(reduce.Set{"w": 2, "numbers": 3}), buffer(1)},
		"lossy":    {sender(reduce.Set{"resend": false}), buffer(1)},
		"repeated": {sender(reduce.Set{"numbers": 1}), buffer(1)},
		"buffers":  {buffer(1), buffer(2)},
		"initial":  {load(t, "chang-roberts", reduce.Set{"n": n}), franklin(reduce.Set{})},
	}
}

// all makes every label visible.
func all(string, bool) bool { return true }

// TestRefines compares the verdict on systems that are explored on the way with the verdict on the same systems after
// they were generated, and on files with them.
func TestRefines(t *testing.T) {
	met := map[string]int{}
	for name, systems := range instances(t) {
		for _, m := range Models() {
			for _, visible := range []func(string, bool) bool{nil, all} {
				about := fmt.Sprint(name, " ", m, " ", visible != nil)
				o := GraphOptions{Visible: visible}
				r, err := Refines(t.Context(), systems[0], systems[1], Model(m), Comparison{A: o, B: o})
				if err != nil || r.Refines == nil {
					t.Fatalf("%s: %v, %+v", about, err, r)
				}
				want := generated(t, systems, Model(m), o)
				if *r.Refines != want.Refines || !want.Refines && len(r.Trace) != len(want.Difference.Trace) {
					t.Fatalf("%s: %+v, want %+v", about, r, want)
				}
				met[fmt.Sprint(*r.Refines)]++
				if r.Violation != nil {
					met[string(r.Kind)]++
					shows(t, about, r.Violation, visible)
				}
				c, err := Compare(t.Context(), systems[0], systems[1], Equivalence(m), Comparison{A: o, B: o})
				if err != nil || c.Equivalent == nil || *c.Equivalent && !*r.Refines ||
					(c.TraceOf == "a") != !*r.Refines {
					t.Fatalf("%s: %v, %+v", about, err, c)
				}
				if *c.Equivalent {
					met["equal"]++
				}
			}
		}
	}
	for what, least := range map[string]int{"true": 20, "false": 20, "trace": 10, "failure": 5, "equal": 5} {
		if met[what] < least {
			t.Errorf("%s: %d times, want at least %d", what, met[what], least)
		}
	}
}

// generated returns the result for two systems that were generated before and written to files.
func generated(t *testing.T, systems [2]*reduce.System, m Model, o GraphOptions) *refinement.Result {
	t.Helper()
	var files [2]*reduce.System
	var sides [2]refinement.System
	labels := refinement.NewAlphabet()
	for i, sys := range systems {
		o := o
		g, err := generate(t.Context(), sys, &o)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "x.aut")
		file, err := os.Create(path)
		if err == nil {
			err = cmp.Or(g.LTS.Write(lts.NewAutWriter(file)), file.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		files[i], sides[i] = &reduce.System{Name: path, File: path}, refinement.Of(g.LTS, labels)
	}
	relation, err := refinement.Parse(string(m))
	if err != nil {
		t.Fatal(err)
	}
	r, err := refinement.Check(t.Context(), sides[0], sides[1], relation, refinement.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Refines(t.Context(), files[0], files[1], m, Comparison{})
	if err != nil || f.Refines == nil || *f.Refines != r.Refines {
		t.Fatalf("%v: of files: %v, %+v, want %v", m, err, f, r.Refines)
	}
	if f.Violation != nil {
		drawn(t, f.Run)
	}
	return r
}

// shows checks that the run of a violation has its trace, and draws it.
func shows(t *testing.T, about string, v *Violation, visible func(string, bool) bool) {
	t.Helper()
	if v.Run == nil {
		t.Fatalf("%s: no run: %s", about, v.RunCut)
	}
	labels, trace := labeller{visible: visible}, []string{}
	for _, m := range v.Run.Moves[1:] {
		if l := labels.name(v.Run.System.Label(m.Step.Label)); l != lts.TauName {
			trace = append(trace, l)
		}
	}
	want := slices.DeleteFunc(slices.Clone(v.Trace), func(l string) bool { return l == lts.TauName })
	if !slices.Equal(trace, want) {
		t.Fatalf("%s: the run has the trace %q, want %q", about, trace, want)
	}
	drawn(t, v.Run)
}

// drawn draws a run in every format.
func drawn(t *testing.T, run *view.Run) {
	t.Helper()
	for _, f := range view.FormatNames() {
		var b bytes.Buffer
		if err := run.Write(&b, f); err != nil || b.Len() == 0 {
			t.Fatalf("%s: %v", f, err)
		}
	}
}

// TestRefinesReduced checks that reductions and symmetry preserve the verdict and the trace, and that runs are lifted.
func TestRefinesReduced(t *testing.T) {
	lifted := 0
	path := filepath.Join(t.TempDir(), "stop.aut")
	filetest.Write(t, path, []byte("des (0, 0, 1)\n"))
	pairs := instances(t)
	for name, systems := range instances(t) {
		pairs[name+", stop"] = [2]*reduce.System{systems[0], {Name: path, File: path}}
	}
	for name, systems := range pairs {
		plain, err := Refines(t.Context(), systems[0], systems[1], WeakTrace, Comparison{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []reduce.Search{{Reduction: reduce.Confelm}, {Reduction: reduce.OnTheFly},
			{Symmetry: reduce.Rotation}} {
			r, err := Refines(t.Context(), systems[0], systems[1], WeakTrace,
				Comparison{A: GraphOptions{Search: s}})
			if errors.As(err, new(*model.RequestError)) {
				continue // not every system has the symmetry
			}
			if err != nil || r.Refines == nil {
				t.Fatalf("%s, %+v: %v, %+v", name, s, err, r)
			}
			if *r.Refines != *plain.Refines || r.Violation != nil && len(r.Trace) != len(plain.Trace) {
				t.Fatalf("%s, %+v: %+v, want %+v", name, s, r, plain)
			}
			if r.Violation != nil && r.Run != nil {
				lifted++
				shows(t, name, r.Violation, nil)
			}
		}
	}
	if lifted < 5 {
		t.Errorf("only %d runs were lifted", lifted)
	}
}

// TestRefinesEnds checks that a search that ends early has no verdict, and says why.
func TestRefinesEnds(t *testing.T) {
	over, stop := context.WithCancel(t.Context())
	stop()
	a := load(t, "franklin", reduce.Set{"n": 3, "k": 2})
	wrong := load(t, "franklin", reduce.Set{"n": 3, "k": 2, "channel": "unordered"})
	for want, c := range map[string]struct {
		ctx  context.Context
		a, b reduce.Search
	}{
		"states":    {t.Context(), reduce.Search{MaxStates: 100}, reduce.Search{}},
		"states, B": {t.Context(), reduce.Search{}, reduce.Search{MaxStates: 100}},
		"memory":    {t.Context(), reduce.Search{Memory: 2 << 20}, reduce.Search{}},
		"interrupt": {over, reduce.Search{}, reduce.Search{}},
		"growth":    {t.Context(), reduce.Search{MaxChannel: 1}, reduce.Search{}},
	} {
		opt := Comparison{A: GraphOptions{Search: c.a}, B: GraphOptions{Search: c.b}}
		r, err := Refines(c.ctx, a, wrong, WeakTrace, opt)
		switch {
		case err != nil:
			t.Errorf("%s: %v", want, err)
		case r.Complete || r.Refines != nil || want[:3] != r.Stopped[:3] || r.Err() == nil:
			t.Errorf("%s: %+v", want, r)
		case want != "growth" && !errors.Is(r.Err(), explore.ErrIncomplete):
			t.Errorf("%s: %v", want, r.Err())
		}
	}
}

// TestVacuous checks that what says nothing is reported as such.
func TestVacuous(t *testing.T) {
	write := func(text string) *reduce.System {
		path := filepath.Join(t.TempDir(), "x.aut")
		filetest.Write(t, path, []byte(text))
		return &reduce.System{Name: path, File: path}
	}
	silent, spin := write("des (0, 1, 2)\n(0, tau, 1)\n"), write("des (0, 1, 1)\n(0, tau, 0)\n")
	other, some := write("des (0, 1, 2)\n(0, other, 1)\n"), write("des (0, 1, 2)\n(0, some, 1)\n")
	for _, c := range []struct {
		a, b          *reduce.System
		m             Model
		vacuous, note bool
	}{
		{silent, some, WeakTrace, true, false},
		{some, some, WeakTrace, false, false},
		{some, spin, FailuresDivergences, true, false},
		{some, other, WeakTrace, false, true},
		{spin, some, FailuresDivergences, false, false},
	} {
		r, err := Refines(t.Context(), c.a, c.b, c.m, Comparison{})
		if err != nil || r.Refines == nil || (r.Vacuous != "") != c.vacuous || (r.Note != "") != c.note {
			t.Errorf("%+v: %v, %+v", c, err, r)
		}
		if c.a == spin && (r.Kind != ExcessDivergence || r.Run.Lasso == nil || *r.Run.Lasso != model.Lasso{Cycle: 1}) {
			t.Errorf("a divergence: %+v", r.Violation)
		}
	}
}
