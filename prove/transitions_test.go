package prove

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"ringcheck"
	"ringcheck/explore"
	"ringcheck/internal/inside"
	"ringcheck/model"
	"ringcheck/model/language/check"
	"ringcheck/model/language/compile"
	"ringcheck/prove/sat"
)

// TestTransitions compares the rules with the semantics: every transition of small rings is a step of a rule, and every
// initial state has no more than an initial state of the translation has. No pattern of the proof occurs.
func TestTransitions(t *testing.T) {
	t.Parallel()
	most := 3
	if *full {
		most = 4
	}
	tests := proved[:cases()]
	if *full {
		tests = nil
		for _, name := range families {
			spec, err := ringcheck.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, set := range choices(inside.Spec(spec).Options) {
				tests = append(tests, test{name, set})
			}
		}
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.spec, test.set), func(t *testing.T) {
			r := prove(t, test)
			spec, err := ringcheck.Open(test.spec)
			if err != nil {
				t.Fatal(err)
			}
			for _, coarse := range []bool{r.proof.coarse, !r.proof.coarse} {
				for n := 2; n <= most; n++ {
					if !transitions(t, spec, test.set, n, coarse, r.proof) {
						t.Errorf("%s cannot be translated", test.spec)
					}
				}
			}
		})
	}
}

// TestUnordered compares the rules of Le Lann's election if channels are not queues, which is not proved then.
func TestUnordered(t *testing.T) {
	t.Parallel()
	spec, err := ringcheck.Open("../examples/le-lann.ring")
	if err != nil {
		t.Fatal(err)
	}
	for n := 2; n <= 3; n++ {
		if !transitions(t, spec, ringcheck.Set{"channel": "unordered"}, n, false, nil) {
			t.Error("it cannot be translated")
		}
	}
}

// choices returns each combination of values of options; channels stay as they are.
func choices(options []check.Option) []ringcheck.Set {
	all := []ringcheck.Set{{}}
	for _, o := range options {
		var next []ringcheck.Set
		for _, set := range all {
			values := o.Values
			if o.Kind == check.BoolOption {
				values = []string{"false", "true"}
			}
			for _, v := range values {
				with := maps.Clone(set)
				with[o.Name] = v
				next = append(next, with)
			}
		}
		if o.Name != "channel" {
			all = next
		}
	}
	return all
}

func transitions(
	t *testing.T, spec *ringcheck.Spec, set ringcheck.Set, n int, coarse bool, p *proof,
) (translated bool) {
	t.Helper()
	name := spec.Name
	given, values := make(map[string]string), map[string]string{"n": fmt.Sprint(n)}
	for k, v := range set {
		given[k], values[k] = fmt.Sprint(v), fmt.Sprint(v)
	}
	task, err := newTask(inside.Spec(spec), given, Options{})
	if err != nil {
		return false
	}
	x, _, err := task.translate(coarse)
	if err != nil {
		return false
	}
	protocol, err := task.protocol(values)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := compile.New(t.Context(), protocol, compile.Options{MaxMessages: 64, MaxNat: 1000})
	if err != nil {
		t.Fatal(err)
	}
	c := &comparer{viewer: newViewer(x, sys), ring: newRing(x, n), steps: make(map[int][]*step),
		known: make(map[situation]bool)}
	for _, s := range c.ring.steps() {
		c.steps[s.From] = append(c.steps[s.From], s)
	}
	c.system().Initial(func(s []model.Value) bool {
		atoms, err := c.atoms(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range atoms {
			if !x.mayBeInitial(pattern{atoms: []atom{a}}) {
				t.Fatalf("%s, n = %d: an initial state has %s", name, n, x.part(a))
			}
		}
		return true
	})
	var occurring func([]atom) string
	var w *viewer
	if p != nil {
		w = newViewer(p.translation, sys)
		w.past = c.past
		occurring = p.occurring(n)
	}
	var wrong string
	opt := explore.Options{Workers: 1, Match: func(_ int, state []model.Value) bool {
		if wrong != "" {
			return true // the rest of the level is looked at, too
		}
		wrong = c.impossible(state)
		if p != nil && n < 4 && wrong == "" {
			atoms, err := w.atoms(state)
			if text := occurring(atoms); err != nil || text != "" {
				wrong = fmt.Sprint("a pattern occurs: ", text, err)
			}
		}
		return wrong != ""
	}}
	if p == nil || fmt.Sprint(set["rounds"]) == "true" { // there are infinitely many
		opt.MaxStates = mostStates
	}
	result, err := explore.Run(t.Context(), c.system(), opt)
	if err != nil && p != nil { // a random spec may have faults
		t.Fatal(err)
	}
	if wrong != "" {
		t.Fatalf("%s, n = %d, coarse %v: %s", name, n, coarse, wrong)
	}
	t.Logf("%s %v, n = %d, coarse %v: %d states, %d situations", name, set, n, coarse, result.States, len(c.known))
	return true
}

// mostStates bounds the states that are looked at where there may be many, or infinitely many.
const mostStates = 3000

// A comparer looks for the steps of rules that are transitions.
type comparer struct {
	*viewer
	ring  *ring
	steps map[int][]*step // by control of process 0
	known map[situation]bool
}

// A situation is what a group of transitions reads, and the identities of all processes: a rule reads no more.
type situation struct {
	group  int
	values [8]model.Value
	uid    [8]int64
}

// impossible tells of a transition from a state that is no step of a rule, "" if there is none. Transitions that change
// the same in the same way are judged once.
func (c *comparer) impossible(state []model.Value) string {
	var out model.Successors
	now := situation{}
	copy(now.uid[:], c.identities(state))
	for g, group := range c.Groups() {
		now.group, now.values = g, [8]model.Value{}
		in := now.values[:len(group.Slots)]
		for i, slot := range group.Slots {
			in[i] = state[slot]
		}
		if c.known[now] || model.Ask(c.system(), g, in, &out) != nil {
			continue
		}
		c.known[now] = true
		for i := range out.Len() {
			to := slices.Clone(state)
			for k, v := range out.Values(i) {
				to[group.Slots[k]] = v
			}
			before, err := c.atoms(state)
			after, failed := c.atoms(to)
			if err = cmp.Or(err, failed); err != nil {
				return err.Error()
			}
			if !c.possible(before, after) {
				return fmt.Sprintf("no rule leads from %v to %v", before, after)
			}
		}
	}
	return ""
}

// possible reports whether some process can take a step of a rule from one set of atoms to another.
func (c *comparer) possible(before, after []atom) bool {
	for actor := range c.ring.n {
		turn := func(atoms []atom) (turned []atom) {
			for _, a := range atoms {
				for i, n := range a.nodes {
					if n >= 0 {
						a.nodes[i] = int8((int(n) - actor + c.ring.n) % c.ring.n)
					}
				}
				turned = append(turned, a)
			}
			return turned
		}
		from, to := turn(before), turn(after)
		control := slices.IndexFunc(from, func(a atom) bool { return a.relation < c.base[holds] && a.nodes[0] == 0 })
		steps := c.steps[int(from[control].relation)]
		if slices.ContainsFunc(steps, func(s *step) bool { return c.leads(s, from, to) }) {
			return true
		}
	}
	return false
}

func (c *comparer) leads(s *step, from, to []atom) bool {
	holds := func(l sat.Lit) bool {
		return l > 0 && slices.ContainsFunc(from, func(a atom) bool { return c.ring.lit(a) == l }) ||
			l < 0 && !slices.ContainsFunc(from, func(a atom) bool { return c.ring.lit(a) == -l })
	}
	for _, l := range s.before {
		if !holds(l) && !c.defined(l, holds) {
			return false
		}
	}
	for _, a := range to {
		if after, changed := s.after[a]; !a.absent && !changed && !slices.Contains(from, a) || after == -always {
			return false
		}
	}
	for _, a := range from {
		lost := a.relation >= c.base[comes] && a.relation < c.base[received] && !c.history // a message that is received
		if _, changed := s.after[a]; !a.absent && !changed && !lost && !slices.Contains(to, a) {
			return false
		}
	}
	for a, after := range s.after {
		if is := slices.Contains(to, a); after == always && !is || after == -always && is || after != always &&
			after != -always && is != holds(after) {
			return false
		}
	}
	return true
}

// defined reports whether a relation that is defined holds: all that follows from it does.
func (c *comparer) defined(l sat.Lit, holds func(sat.Lit) bool) bool {
	ok := l >= c.ring.first[c.base[head]]
	c.ring.structure(func(lits ...sat.Lit) {
		ok = ok && (!slices.Contains(lits, -l) || slices.ContainsFunc(lits, holds))
	})
	return ok
}
