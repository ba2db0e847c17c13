package compile_test

import (
	"fmt"
	"slices"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// corrupting is a spec in which process 0 sends two messages and process 1 receives them one after the other.
const corrupting = `protocol corrupting
topology line of 2
channel %s, corrupting %s
message M(v: 1..3, b: bool)
event got(v: 1..3, b: bool)
var v: 1..3
var b: bool
process p = if p = 0 then First else Take
First = choose v in 1..3; send right M(v, true); Second
Second = choose v in 1..3; send right M(v, true); stop
Take = recv left M(v, b); got(v, b); Take
`

// A letter is a message of the spec: v and b. A situation is a state of the spec, without anything of ringcheck.
type (
	letter    struct{ v, b int }
	situation struct {
		sent    int
		channel [2]letter // the first messages of it, in queue order or ascending; zero if there are none
		taken   letter    // that process 1 has not reported yet
		faults  int
	}
)

// contents returns the messages in the channel.
func (s situation) contents() (all []letter) {
	for _, m := range s.channel {
		if m.v > 0 {
			all = append(all, m)
		}
	}
	return all
}

// with returns the situation with other contents.
func (s situation) with(all []letter, fifo bool) situation {
	if !fifo {
		slices.SortFunc(all, func(a, b letter) int { return 2*(a.v-b.v) + a.b - b.b })
	}
	s.channel = [2]letter{}
	copy(s.channel[:], all)
	return s
}

// A passage is a transition: what happens, and what it leads to.
type passage struct {
	action string
	to     situation
}

// passages returns the set of transitions of a situation.
func (s situation) passages(fifo bool, most int) map[passage]bool {
	set := make(map[passage]bool)
	all := s.contents()
	for v := 1; v <= 3 && s.sent < 2; v++ {
		next := s.with(append(slices.Clone(all), letter{v, 1}), fifo)
		next.sent++
		set[passage{fmt.Sprint("send ", v), next}] = true
	}
	for i, m := range all {
		if s.taken.v == 0 && (i == 0 || !fifo) {
			next := s.with(slices.Delete(slices.Clone(all), i, i+1), fifo)
			next.taken = m
			set[passage{fmt.Sprint("take ", m), next}] = true
		}
		for v := 1; v <= 3; v++ {
			for b := range 2 {
				if other := (letter{v, b}); other != m && (most < 0 || s.faults < most) {
					changed := slices.Clone(all)
					changed[i] = other
					next := s.with(changed, fifo)
					if most >= 0 {
						next.faults++
					}
					set[passage{fmt.Sprint("corrupt ", m, other), next}] = true
				}
			}
		}
	}
	if s.taken.v > 0 {
		next := s
		next.taken = letter{}
		set[passage{"report", next}] = true
	}
	return set
}

// TestCorruption compares the numbers of states and transitions with those of an enumeration that shares nothing with
// the compiler.
func TestCorruption(t *testing.T) {
	for _, kind := range []string{"fifo", "unordered"} {
		for most, clause := range map[int]string{-1: "", 0: "at most 0", 1: "at most 1", 2: "at most 2"} {
			states, transitions := enumerate(kind == "fifo", most)
			p := spectest.Instantiate(t, fmt.Sprintf(corrupting, kind, clause), nil)
			sys, err := compile.New(t.Context(), p, compile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			gotStates, gotTransitions := visit(t, sys)
			if gotStates != states || gotTransitions != transitions {
				t.Errorf("%s, corrupting %s: %d states and %d transitions, want %d and %d", kind, clause, gotStates,
					gotTransitions, states, transitions)
			}
		}
	}
}

// enumerate counts the situations that can be reached, and their transitions.
func enumerate(fifo bool, most int) (states, transitions int) {
	seen, list := map[situation]bool{{}: true}, []situation{{}}
	for i := 0; i < len(list); i++ {
		for p := range list[i].passages(fifo, most) {
			transitions++
			if !seen[p.to] {
				seen[p.to] = true
				list = append(list, p.to)
			}
		}
	}
	return len(list), transitions
}

// visit counts the states of a system that can be reached, and their transitions.
func visit(t *testing.T, sys model.System) (states, transitions int) {
	t.Helper()
	seen := make(map[string]bool)
	var list [][]model.Value
	add := func(state []model.Value) {
		if key := fmt.Sprint(state); !seen[key] {
			seen[key] = true
			list = append(list, slices.Clone(state))
		}
	}
	if err := sys.Initial(func(state []model.Value) bool { add(state); return true }); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(list); i++ {
		if err := model.Each(sys, list[i], func(_ int, _ model.Step, to []model.Value) bool {
			transitions++
			add(to)
			return true
		}); err != nil {
			t.Fatal(err)
		}
	}
	return len(list), transitions
}
