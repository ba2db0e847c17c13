package export

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model/language/channel"
	"ringcheck/model/language/ir"
)

// TestMCRL2 reads exported models by mCRL2's language reference and counts the states and transitions of the linear
// process. For the ring of two with two identities they are the published ones.
func TestMCRL2(t *testing.T) {
	most := uint64(1000) // evaluating a closure for each operator is slow
	if testlevel.Gate() {
		most = 5000
	}
	for _, test := range append(slices.Clip(small), setting{"peterson", map[string]string{"n": "3"}},
		setting{"franklin-unique", map[string]string{"n": "3"}}) {
		p := instantiate(t, test.spec, test.settings)
		var b strings.Builder
		if err := MCRL2(t.Context(), &b, p); err != nil {
			t.Errorf("%s %v: %v", test.spec, test.settings, err)
			continue
		}
		want := count(t, p)
		if want.States > most {
			continue
		}
		if initial := want.Levels[0]; initial > 1 {
			want.States++
			want.Transitions += initial
		}
		states, transitions := readMCRL2(t, b.String()).count()
		if states != want.States || transitions != want.Transitions {
			t.Errorf("%s %v: %d states and %d transitions in mCRL2, want %d and %d", test.spec, test.settings, states,
				transitions, want.States, want.Transitions)
		}
		if test.spec == "franklin" && len(test.settings) == 1 && test.settings["n"] == "2" &&
			(states != 657 || transitions != 1368) {
			t.Errorf("(2,2) has %d states and %d transitions; the paper has 657 and 1,368", states, transitions)
		}
	}
	var all []*ir.Protocol
	for _, word := range channel.Buffers() {
		all = append(all, varied(t, word), mailboxesOf(t, word))
	}
	all = append(all, spectest.Instantiate(t, strings.Replace(loops, " of 1", "", 1), nil))
	for c := range spectest.FaultyChannels() {
		if c.Fault == "" {
			all = append(all, spectest.Instantiate(t, c.Text, nil))
		}
	}
	for _, name := range shared {
		all = append(all, example(t, name, "n=3"))
	}
	for _, p := range all {
		var b strings.Builder
		if err := MCRL2(t.Context(), &b, p); err != nil {
			t.Fatal(err)
		}
		want := count(t, p)
		states, transitions := readMCRL2(t, b.String()).count()
		if initial := want.Levels[0]; initial > 1 {
			want.States++
			want.Transitions += initial
		}
		if states != want.States || transitions != want.Transitions {
			t.Errorf("%s: %d states and %d transitions in mCRL2, want %d and %d", p.Name, states, transitions,
				want.States, want.Transitions)
		}
	}
}

// TestMCRL2Words keeps names apart from the words that mCRL2 reserves.
func TestMCRL2Words(t *testing.T) {
	p := spectest.Instantiate(t, "protocol words\nparam n: 2..9 = 2\ntopology directed ring of n\nchannel "+
		"fifo\nevent nil\nevent Network\nevent delta\nevent won\n"+
		"var pc: 1..2\nprocess p = A\nA = draw pc; nil; B(pc)\nB(pc) = if pc = 1 then Network; stop else delta; won; "+
		"stop\n", nil)
	var b strings.Builder
	if err := MCRL2(t.Context(), &b, p); err != nil {
		t.Fatal(err)
	}
	want := count(t, p)
	if states, transitions := readMCRL2(t, b.String()).count(); states != want.States ||
		transitions != want.Transitions {
		t.Errorf("%d states and %d transitions in mCRL2, want %d and %d\n%s", states, transitions, want.States,
			want.Transitions, b.String())
	}
}

// A linear is a linear process of mCRL2.
type linear struct {
	params       map[string]int
	constructors map[string]int // their numbers of arguments
	actions      map[string]int
	summands     []summand
	initial      [][]value
	most         int64 // the greatest number in the text
}

type summand struct {
	sums    []string // the sorts of the variables that follow the parameters
	before  []term   // conditions on the parameters, and on the variables
	guard   []term
	action  string
	args    []term
	changes map[int]term
}

// A value is an int64, a bool, a data (of a structured sort), or a bag, a set or a list of values by their text.
type (
	value any
	data  string
	bag   map[string]int
	set   map[string]bool
	list  []string
)

// A term is an expression.
type term func(state []value) value

// text returns a unique text of a value.
func text(v value) string {
	switch v := v.(type) {
	case bag:
		var b strings.Builder
		for _, k := range slices.Sorted(maps.Keys(v)) {
			fmt.Fprintf(&b, "%s:%d,", k, v[k])
		}
		return "{" + b.String() + ":}"
	case set:
		return "{" + strings.Join(slices.Sorted(maps.Keys(v)), ",") + "}"
	case list:
		return "[" + strings.Join(v, ",") + "]"
	}
	return fmt.Sprint(v)
}

func stateText(state []value) string {
	var b strings.Builder
	for _, v := range state {
		b.WriteString(text(v))
		b.WriteByte(';')
	}
	return b.String()
}

// count explores the process. Several initial states are preceded by one with a transition to each.
func (l *linear) count() (states, transitions uint64) {
	for _, out := range l.explore() {
		states++
		transitions += uint64(len(out))
	}
	return states, transitions
}

// An edge is a transition of the process.
type edge struct {
	action string
	to     int
}

// explore returns the transitions by state, the first of which is initial.
func (l *linear) explore() (all [][]edge) {
	seen := make(map[string]int)
	var queue [][]value
	first := 0
	meet := func(s []value) int {
		k := stateText(s)
		if _, met := seen[k]; !met {
			seen[k] = first + len(seen)
			queue = append(queue, s)
		}
		return seen[k]
	}
	if len(l.initial) > 1 {
		first = 1
		all = append(all, nil)
	}
	for _, s := range l.initial {
		if to := meet(s); first > 0 {
			all[0] = append(all[0], edge{"tau", to})
		}
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		var out []edge
		for i := range l.summands {
			m := &l.summands[i]
			if !hold(m.before, s) {
				continue
			}
			for s := range l.instances(s, m.sums) {
				if !hold(m.guard, s) {
					continue
				}
				var args []string
				for _, a := range m.args {
					args = append(args, text(a(s)))
				}
				next := slices.Clone(s[:len(l.params)])
				for at, e := range m.changes {
					next[at] = e(s)
				}
				out = append(out, edge{strings.ReplaceAll(inParentheses(m.action, args), " ", ""), meet(next)})
			}
		}
		all = append(all, out)
	}
	return all
}

// hold reports whether all conditions hold.
func hold(conditions []term, s []value) bool {
	return !slices.ContainsFunc(conditions, func(c term) bool { return !c(s).(bool) })
}

// instances yields a state followed by values of the variables of a sum. The condition must exclude natural numbers
// greater than all in the text.
func (l *linear) instances(s []value, sorts []string) iter.Seq[[]value] {
	return func(yield func([]value) bool) {
		all := [][]value{slices.Clip(s)}
		for _, sort := range sorts {
			var longer [][]value
			for _, s := range all {
				if sort == "Bool" {
					longer = append(longer, append(slices.Clip(s), false), append(slices.Clip(s), true))
					continue
				}
				for n := range l.most + 2 {
					longer = append(longer, append(slices.Clip(s), n))
				}
			}
			all = longer
		}
		for _, s := range all {
			if !yield(s) {
				return
			}
		}
	}
}
