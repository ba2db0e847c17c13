package specs_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/check"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
)

// A graph is the reachable part of a spec's transition system.
type graph struct {
	system      *compile.System
	states      [][]model.Value
	next        [][]int // targets by state
	transitions int
}

// open compiles a built-in spec with settings such as "n=3 order=left".
func open(t *testing.T, name, settings string, options compile.Options) *compile.System {
	t.Helper()
	return spectest.Compile(t, spectest.Open(t, name, settings), options)
}

func instantiate(t *testing.T, spec *check.Spec, settings string, options compile.Options) *compile.System {
	t.Helper()
	p, err := spec.Instantiate(spectest.Settings(settings))
	if err != nil {
		t.Fatal(err)
	}
	return spectest.Compile(t, p, options)
}

// reachable generates everything, in the simplest way there is.
func reachable(t *testing.T, sys *compile.System) *graph {
	t.Helper()
	g := &graph{system: sys}
	if err := g.generate(); err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *graph) generate() error {
	index := map[string]int{}
	var key []byte
	find := func(s []model.Value) int {
		key = key[:0]
		for _, v := range s {
			key = binary.LittleEndian.AppendUint32(key, v)
		}
		i, seen := index[string(key)]
		if !seen {
			i = len(g.states)
			index[string(key)] = i
			g.states = append(g.states, append([]model.Value(nil), s...))
		}
		return i
	}
	err := g.system.Initial(func(s []model.Value) bool { find(s); return true })
	if err != nil {
		return err
	}
	for i := 0; i < len(g.states); i++ {
		g.next = append(g.next, nil)
		err := successors(g.system, g.states[i], func(s []model.Value) {
			g.next[i] = append(g.next[i], find(s))
			g.transitions++
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// successors calls visit with the target of every transition.
func successors(sys model.System, state []model.Value, visit func([]model.Value)) error {
	return model.Each(sys, state, func(_ int, _ model.Step, target []model.Value) bool {
		visit(slices.Clone(target))
		return true
	})
}

// violated returns the names of the properties that do not hold.
func (g *graph) violated(t *testing.T) string {
	t.Helper()
	var names []string
	for _, p := range g.system.Protocol().Properties {
		if !g.holds(t, p) {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, " ")
}

func (g *graph) holds(t *testing.T, p *ir.Property) bool {
	t.Helper()
	view := g.system.NewView()
	env := g.system.Protocol().NewEnv(view)
	value := make([]bool, len(g.states))
	for i, s := range g.states {
		view.Show(s)
		v, err := p.Body.Eval(env)
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		value[i] = v != 0
	}
	switch p.Kind {
	case property.Invariant:
		return g.every(func(i int) bool { return value[i] })
	case property.Terminal:
		return g.every(func(i int) bool { return value[i] || len(g.next[i]) > 0 })
	case property.Reachable:
		return !g.every(func(i int) bool { return !value[i] })
	case property.Recoverable:
		return g.recoverable(value)
	case property.LTL:
	}
	t.Fatalf("%s is not about states", p.Name)
	return false
}

func (g *graph) every(ok func(int) bool) bool {
	for i := range g.states {
		if !ok(i) {
			return false
		}
	}
	return true
}

// recoverable reports whether every state leads to one of the goals.
func (g *graph) recoverable(goal []bool) bool {
	reaches := append([]bool(nil), goal...)
	for changed := true; changed; {
		changed = false
		for i := len(g.states) - 1; i >= 0; i-- {
			for _, j := range g.next[i] {
				if reaches[j] && !reaches[i] {
					reaches[i], changed = true, true
				}
			}
		}
	}
	return g.every(func(i int) bool { return reaches[i] })
}
