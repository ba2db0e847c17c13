package compile_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// counts are the results of a search.
type counts struct {
	States, Transitions, TerminalStates int
	Levels                              []int
}

// countCompiled searches a system breadth first.
func countCompiled(sys model.System) (counts, error) {
	var c counts
	var states [][]model.Value
	seen := make(map[string]bool)
	add := func(s []model.Value) bool {
		if k := fmt.Sprint(s); !seen[k] {
			seen[k] = true
			states = append(states, slices.Clone(s))
		}
		return true
	}
	if err := sys.Initial(add); err != nil {
		return c, err
	}
	for c.States < len(states) {
		level := states[c.States:]
		c.Levels = append(c.Levels, len(level))
		c.States = len(states)
		for _, s := range level {
			n := 0
			err := successors(sys, s, func(step model.Step, target []model.Value) {
				if !step.Repeated {
					n++
				}
				add(target)
			})
			if err != nil {
				return c, err
			}
			c.Transitions += n
			if n == 0 {
				c.TerminalStates++
			}
		}
	}
	return c, nil
}

// successors calls visit with every transition of a state, the choices numbered throughout.
func successors(sys model.System, state []model.Value, visit func(step model.Step, target []model.Value)) error {
	cursor := model.NewCursor(sys)
	idler, _ := model.As[model.Idler](sys)
	guarder, _ := model.As[model.Guarder](sys)
	first := uint32(0)
	for g, group := range sys.Groups() {
		err := cursor.Next(g, state)
		if err != nil || cursor.Len() > 0 {
			var in []model.Value
			for _, slot := range group.Slots {
				in = append(in, state[slot])
			}
			if idler != nil && idler.Idle(g, in) {
				return fmt.Errorf("%s is idle although it has transitions or an error", group.Name)
			}
			if guarder != nil && guarder.Guard(g) >= 0 && guarder.Bars(g, in[guarder.Guard(g)]) {
				return fmt.Errorf("%s is barred although it has transitions or an error", group.Name)
			}
		}
		if err != nil {
			return err
		}
		next := first
		for i := range cursor.Len() {
			step := cursor.Step(i)
			step.Choice += first
			next = step.Choice + 1
			visit(step, cursor.Target(i, state))
		}
		first = next
	}
	return nil
}

// compare checks that the semantics and its tables agree on the transitions and model errors of at most limit states of
// p, and on the counts if there are no more.
func compare(t *testing.T, p *ir.Protocol, opt compile.Options, limit int) counts {
	t.Helper()
	reference := step.New(p, opt)
	sys, err := compile.New(t.Context(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	graph, gerr := spectest.Explore(reference, limit)
	if len(graph.States)%2 == 1 {
		sys.Forget() // in about half of the cases
	}
	for _, s := range graph.States {
		want, werr := referenceChoices(reference, s)
		got, err := compiledChoices(sys, s)
		if !sameError(werr, err) {
			t.Fatalf("%s in state %s:\ncompiled error:  %v\nreference error: %v", p.Name, spectest.Format(reference, s),
				err, werr)
		}
		if werr == nil && !slices.Equal(got, want) {
			t.Fatalf("%s in state %s:\ncompiled:\n%s\nreference:\n%s", p.Name, spectest.Format(reference, s),
				strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	want := counts{len(graph.States), graph.Transitions, graph.TerminalStates, graph.Levels}
	if gerr != nil {
		return want
	}
	got, err := countCompiled(sys)
	if err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("%s: compiled %v, reference %v", p.Name, got, want)
	}
	return want
}

// sameError reports whether both or neither are model errors. If a state has several, the two implementations may
// report different ones.
func sameError(a, b error) bool {
	var f, g *model.Error
	return errors.As(a, &f) == errors.As(b, &g) && (a == nil) == (b == nil)
}

// referenceChoices returns the choices that s leaves, each with its transitions as text.
func referenceChoices(in *step.Machine, s *step.State) ([]string, error) {
	ts, err := spectest.Successors(in, s)
	if err != nil {
		return nil, err
	}
	lines := make(map[int][]string)
	for _, x := range ts {
		lines[x.Choice] = append(lines[x.Choice],
			fmt.Sprint(x.Process, x.Kind, x.Label, " ", x.Weight.RatString(), " ", x.Repeated, " ",
				spectest.Format(in, x.Target)))
	}
	return joinChoices(lines), nil
}

// compiledChoices does the same for the compiled system.
func compiledChoices(sys *compile.System, s *step.State) ([]string, error) {
	lines := make(map[int][]string)
	state := sys.Encode(nil, s)
	err := successors(sys, state, func(step model.Step, target []model.Value) {
		weight := fmt.Sprintf("%d/%d", step.Weight.Num, step.Weight.Den)
		l := sys.Label(step.Label)
		lines[int(step.Choice)] = append(lines[int(step.Choice)],
			fmt.Sprint(l.Process, l.Kind, l.Text, " ", strings.TrimSuffix(weight, "/1"), " ", step.Repeated, " ",
				format(sys, target)))
	})
	return joinChoices(lines), err
}

func joinChoices(lines map[int][]string) []string {
	var choices []string
	for _, c := range lines {
		slices.Sort(c)
		choices = append(choices, strings.Join(c, "\n"))
	}
	slices.Sort(choices)
	return choices
}

// format returns a state vector as package step formats a state.
func format(sys *compile.System, state []model.Value) string {
	var parts []string
	for p := range sys.Protocol().N {
		slot := sys.SlotOfProcess(p)
		parts = append(parts, sys.FormatSlot(slot, state[slot]))
	}
	for l := range sys.Protocol().Links {
		slot := sys.SlotOfLink(l)
		parts = append(parts, sys.FormatSlot(slot, state[slot]))
	}
	for slot, s := range sys.Slots() {
		if s.Kind == model.OtherSlot || s.Kind == model.SharedSlot {
			parts = append(parts, sys.FormatSlot(slot, state[slot]))
		}
	}
	return strings.Join(parts, " ")
}
