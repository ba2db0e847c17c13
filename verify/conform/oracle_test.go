package conform

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/loadtest"
	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/reduce"
)

// A space is all states of a small system with their transitions.
type space struct {
	sys     *compile.System
	network *network
	initial []int
	edges   [][]edge
	vectors [][]model.Value
}

type edge struct {
	label model.Label
	to    int
}

// explored returns the graph of a system, nil if it has more than so many states or a model error.
func explored(t *testing.T, sys *compile.System, most int) *space {
	t.Helper()
	return exploredFrom(t, sys, most, sys.Initial)
}

// exploredFrom is explored from other states than the initial ones.
func exploredFrom(t *testing.T, sys *compile.System, most int,
	initial func(yield func(state []model.Value) bool) error) *space {
	t.Helper()
	g := &space{sys: sys, network: newNetwork(sys, nil)}
	numbers := make(map[string]int)
	var states [][]model.Value
	number := func(state []model.Value) int {
		key := fmt.Sprint(state)
		n, ok := numbers[key]
		if !ok {
			n = len(states)
			numbers[key] = n
			states = append(states, slices.Clone(state))
		}
		return n
	}
	if err := initial(func(state []model.Value) bool {
		if n := number(state); !slices.Contains(g.initial, n) {
			g.initial = append(g.initial, n)
		}
		return len(states) <= most
	}); err != nil {
		return nil
	}
	for i := 0; i < len(states); i++ {
		if len(states) > most {
			return nil
		}
		var out []edge
		if err := model.Each(sys, states[i], func(_ int, s model.Step, next []model.Value) bool {
			out = append(out, edge{s.Label, number(next)})
			return true
		}); err != nil {
			return nil
		}
		g.edges = append(g.edges, out)
	}
	g.vectors = states
	return g
}

// walk returns the log of a random run: its actions of some kinds, some of them with the states around them, and the
// states of processes at some moments.
func (g *space) walk(r *rand.Rand, steps int, kinds map[string]bool) (events []*Event) {
	at := g.initial[r.IntN(len(g.initial))]
	for range steps {
		if len(g.edges[at]) == 0 {
			break
		}
		edge := g.edges[at][r.IntN(len(g.edges[at]))]
		e := masked(r, g.network.eventOf(edge.label))
		if p, ok := e.Process.(int); ok {
			if r.IntN(4) == 0 {
				e.Before = g.observed(r, at, p)
			}
			if r.IntN(4) == 0 {
				e.After = g.observed(r, edge.to, p)
			}
		}
		if kinds[e.Do] {
			events = append(events, e)
		}
		at = edge.to
		if p := r.IntN(g.sys.Protocol().N); r.IntN(6) == 0 {
			if l := g.observed(r, at, p); l.At != "" || len(l.Vars) > 0 {
				events = append(events, &Event{Process: p, At: l.At, Vars: l.Vars})
			}
		}
	}
	return events
}

// observed returns a part of the local state of a process.
func (g *space) observed(r *rand.Rand, state, process int) *LocalState {
	views := g.localStates(state, process)
	l := views[r.IntN(len(views))]
	if r.IntN(2) == 0 {
		l.At = ""
	}
	maps.DeleteFunc(l.Vars, func(string, any) bool { return r.IntN(2) == 0 })
	return &l
}

// localStates returns what a log can say about the local state of a process: before and after its pending decisions,
// by the name of the control point and of the equation.
func (g *space) localStates(state, process int) (views []LocalState) {
	raw := g.sys.Local(g.vectors[state][g.sys.SlotOfProcess(process)])
	for _, l := range []ir.Local{raw, g.sys.Protocol().Settle(raw, nil)} {
		vars := map[string]any{}
		for i, v := range l.Point.Live {
			vars[v.Name] = jsonValue(v.Type, l.Env[i])
		}
		names := []string{""}
		if l.Point.ID >= 0 {
			names = append(names, g.network.pointNames[l.Point.ID])
		}
		if l.Point.Equation != nil {
			names = append(names, l.Point.Equation.Name)
		}
		for _, name := range names {
			views = append(views, LocalState{name, maps.Clone(vars)})
		}
	}
	return views
}

// fitsState reports whether the local state of a process may be what a log says.
func (g *space) fitsState(said LocalState, state, process int) bool {
	return slices.ContainsFunc(g.localStates(state, process), func(l LocalState) bool {
		for name, value := range said.Vars {
			if is, live := l.Vars[name]; !live || value != nil && fmt.Sprint(value) != fmt.Sprint(is) {
				return false
			}
		}
		return said.At == "" || said.At == l.At
	})
}

// A logPart is an action of an event, or the state of a process that it has.
type logPart struct {
	*Event
	state *LocalState // nil: the action
}

// partsOf returns the parts of events in their order, except for states of which they say nothing.
func partsOf(events []*Event) (parts []logPart) {
	says := func(l *LocalState) bool { return l != nil && (l.At != "" || len(l.Vars) > 0) }
	for _, e := range events {
		if says(e.Before) {
			parts = append(parts, logPart{e, e.Before})
		}
		if e.Do != "" {
			parts = append(parts, logPart{e, nil})
		} else {
			parts = append(parts, logPart{e, &LocalState{e.At, e.Vars}})
		}
		if says(e.After) {
			parts = append(parts, logPart{e, e.After})
		}
	}
	return parts
}

// fits reports whether a label may be what an event says, member by member.
func (g *space) fits(e *Event, label model.Label) bool {
	is := g.network.eventOf(label)
	same := func(said, is any) bool { return said == nil || fmt.Sprint(said) == fmt.Sprint(is) }
	if e.Do != is.Do || e.Process != nil && !same(e.Process, is.Process) || !same(e.To, is.To) ||
		!same(e.From, is.From) || e.Message != "" && e.Message != is.Message || e.Name != "" && e.Name != is.Name {
		return false
	}
	for i := range e.Args {
		if !same(e.Args[i], is.Args[i]) {
			return false
		}
	}
	return true
}

// states returns in how many states the system may be behind events that happened in their order.
func (g *space) states(events []*Event, kinds map[string]bool) int {
	now := map[int]bool{}
	for _, s := range g.initial {
		now[s] = true
	}
	for _, e := range partsOf(events) {
		var queue []int
		for s := range now {
			queue = append(queue, s)
		}
		next := map[int]bool{}
		for i := 0; i < len(queue); i++ {
			if e.state != nil && g.fitsState(*e.state, queue[i], e.Process.(int)) {
				next[queue[i]] = true
			}
			for _, edge := range g.edges[queue[i]] {
				switch is := g.network.eventOf(edge.label); {
				case e.state == nil && kinds[is.Do] && g.fits(e.Event, edge.label):
					next[edge.to] = true
				case !kinds[is.Do] && !now[edge.to]:
					now[edge.to] = true
					queue = append(queue, edge.to)
				}
			}
		}
		now = next
	}
	return len(now)
}

// before reports whether clocks say that one event happened before another.
func before(e, f *Event) bool {
	p, ok := e.Process.(int) // nobody counts ticks
	return ok && e != f && e.Clock.([]int)[p] <= f.Clock.([]int)[p]
}

// stamped gives events that happened in their order clocks that say a part of it.
func stamped(r *rand.Rand, events []*Event, n int) {
	last := slices.Repeat([][]int{make([]int, n)}, n)
	for i, e := range events {
		p, ok := e.Process.(int)
		clock := make([]int, n)
		if ok {
			clock = slices.Clone(last[p])
		}
		if i > 0 && r.IntN(3) == 0 {
			for q, count := range events[r.IntN(i)].Clock.([]int) {
				clock[q] = max(clock[q], count)
			}
		}
		if ok {
			clock[p]++
			last[p] = clock
		}
		e.Clock = clock
	}
}

// explains reports whether some run of the graph explains the events, by trying all runs: the lines in their order,
// those of each process, or what clocks say.
func (g *space) explains(events []*Event, kinds map[string]bool, order Order) bool {
	chain := func(process any) int {
		if order == Total {
			return 0
		}
		if p, ok := process.(int); ok {
			return p
		}
		return g.sys.Protocol().N
	}
	chains := make([][]logPart, g.sys.Protocol().N+1)
	for _, e := range partsOf(events) {
		chains[chain(e.Process)] = append(chains[chain(e.Process)], e)
	}
	numbers := slices.Sorted(maps.Keys(maps.Collect(slices.All(chains))))
	type place struct {
		state int
		done  string
	}
	seen := make(map[place]bool)
	var visit func(state int, done []int) bool
	visit = func(state int, done []int) bool {
		at := place{state, fmt.Sprint(done)}
		if seen[at] {
			return false
		}
		seen[at] = true
		complete := true
		for l := range chains {
			complete = complete && (done[l] == len(chains[l]) || chains[l][done[l]].Do == anyhow)
		}
		if complete {
			return true
		}
		early := func(chain, l int) bool { // an event that is not done happened before
			return order == ByClock && slices.ContainsFunc(chains[chain][done[chain]:], func(f logPart) bool {
				return before(f.Event, chains[l][done[l]].Event)
			})
		}
		ready := func(l int) bool {
			return done[l] < len(chains[l]) && !slices.ContainsFunc(numbers, func(c int) bool { return early(c, l) })
		}
		after := func(l int) []int {
			next := slices.Clone(done)
			next[l]++
			return next
		}
		for l := range chains {
			if !ready(l) {
				continue
			}
			e := chains[l][done[l]]
			if e.state != nil && g.fitsState(*e.state, state, e.Process.(int)) && visit(state, after(l)) {
				return true
			}
		}
		for _, e := range g.edges[state] {
			is := g.network.eventOf(e.label)
			l := chain(is.Process)
			if !kinds[is.Do] || done[l] < len(chains[l]) && chains[l][done[l]].Do == anyhow {
				if visit(e.to, done) {
					return true
				}
				continue
			}
			if ready(l) && chains[l][done[l]].state == nil && g.fits(chains[l][done[l]].Event, e.label) &&
				visit(e.to, after(l)) {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(g.initial, func(s int) bool { return visit(s, make([]int, len(chains))) })
}

// conflictLog returns the events up to the given lines of their processes, followed by anyhow where anything may happen
// behind them, as it may in place of all events of other processes.
func conflictLog(events []*Event, lines []int) (cut []*Event) {
	last := make(map[any]int)
	for i, e := range events {
		last[e.Process] = max(last[e.Process], i+1)
	}
	until := make(map[any]int)
	for _, line := range lines {
		until[events[line-1].Process] = line
	}
	for i, e := range events {
		if i < until[e.Process] {
			cut = append(cut, e)
		} else if i+1 == last[e.Process] {
			cut = append(cut, &Event{Process: e.Process, Do: anyhow})
		}
	}
	return cut
}

// instead returns the events before a part of a line and another one in its place: all, or those of its process,
// whatever others do.
func instead(events []*Event, line int, wrong string, other *Event, order Order) (cut []*Event) {
	head := *events[line-1]
	head.After = nil
	explained := slices.Clone(events[:line-1])
	switch {
	case part(wrong) == afterPart:
		explained = append(explained, &head)
	case part(wrong) == mainPart && head.Before != nil:
		explained = append(explained, &Event{Process: head.Process, At: head.Before.At, Vars: head.Before.Vars})
	}
	for _, e := range explained {
		if order == Total || e.Process == other.Process {
			cut = append(cut, e)
		}
	}
	cut = append(cut, other)
	for _, e := range events {
		if order != Total && e.Process != other.Process {
			cut = append(cut, &Event{Process: e.Process, Do: anyhow})
		}
	}
	return cut
}

// anyhow is what an event says in place of which anything may happen, as often as it takes.
const anyhow = "anyhow"

// masked returns events with some of their members left out.
func masked(r *rand.Rand, e Event) *Event {
	if r.IntN(4) == 0 {
		e.To, e.From = nil, nil
	}
	e.Args = slices.Clone(e.Args)
	for i := range e.Args {
		if r.IntN(4) == 0 {
			e.Args[i] = nil
		}
	}
	return &e
}

// mutated returns a log with a line left out, two lines exchanged, or a line of another run in the place of one.
func mutated(r *rand.Rand, events, others []*Event) []*Event {
	events = slices.Clone(events)
	if len(events) == 0 {
		return events
	}
	i, j := r.IntN(len(events)), r.IntN(len(events))
	switch r.IntN(3) {
	case 0:
		return slices.Delete(events, i, i+1)
	case 1:
		events[i], events[j] = events[j], events[i]
	case 2:
		if len(others) > 0 {
			events[i] = others[r.IntN(len(others))]
		}
	}
	return events
}

// TestOracle compares verdicts on random logs of random specs, and of small published ones, with a search that tries
// all runs.
func TestOracle(t *testing.T) {
	verdicts := map[bool]int{}
	for seed := range uint64(specs() / 3) {
		name, settings, _ := strings.Cut(small[seed%uint64(len(small))], " ")
		set := reduce.Set{}
		for name, value := range spectest.Settings(settings) {
			set[name] = value
		}
		compareVerdicts(t, seed, spectest.Source(t, name), set, verdicts)
	}
	corpus := spectest.NewCorpus()
	for seed, text := range corpus.Specs(specs()*2/3, 28) {
		if compareVerdicts(t, seed, text, nil, verdicts) {
			corpus.Use(t, text)
		}
	}
	corpus.Check(t)
	for seed := range uint64(specs() / 6) {
		owned, _ := spectest.Owned(seed, 29)
		compareVerdicts(t, seed, owned, nil, verdicts)
	}
	t.Logf("%d explained, %d not", verdicts[true], verdicts[false])
	if verdicts[true] < specs()/2 || verdicts[false] < specs()/4 {
		t.Errorf("only %d explained, %d not", verdicts[true], verdicts[false])
	}
}

// compareVerdicts compares the verdicts on some logs of a spec, unless it is too large or has a model error.
func compareVerdicts(t *testing.T, seed uint64, text string, set reduce.Set, verdicts map[bool]int) bool {
	t.Helper()
	spec, err := loadtest.Parse("random.ring", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sys, err := spec.System(set)
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := reduce.Prepare(t.Context(), sys, reduce.Search{})
	if err != nil {
		t.Fatal(err)
	}
	g := explored(t, prepared.Full, 1500)
	if g == nil {
		return false
	}
	r := rand.New(rand.NewPCG(seed, 28))
	for range 6 {
		compareVerdict(t, r, sys, g, seed, text, verdicts)
	}
	return true
}

// compareVerdict compares the verdicts on one log.
func compareVerdict(t *testing.T, r *rand.Rand, sys *reduce.System, g *space, seed uint64, text string,
	verdicts map[bool]int) {
	t.Helper()
	kinds := map[string]bool{}
	var all, observe []string
	for _, v := range verbs() {
		all = append(all, v.String())
	}
	for _, verb := range slices.Sorted(slices.Values(all)) {
		if r.IntN(2) == 0 {
			kinds[verb] = true
			observe = append(observe, verb)
		}
	}
	if len(observe) == 0 {
		return
	}
	log := func() (events []*Event) {
		return g.walk(r, 3+r.IntN(20), kinds)
	}
	events := log()
	stamped(r, events, g.sys.Protocol().N)
	changed := r.IntN(2) == 0
	if changed {
		others := log()
		stamped(r, others, g.sys.Protocol().N)
		events = mutated(r, events, others)
	}
	var lines strings.Builder
	for _, e := range events {
		fmt.Fprintln(&lines, e)
	}
	for _, order := range []Order{Total, ByProcess, ByClock} {
		want := g.explains(events, kinds, order)
		if !want && !changed {
			t.Fatalf("seed %d: the oracle does not explain a run\n%s\n%s", seed, text, lines.String())
		}
		narrow := r.IntN(40) // the other searches follow when it is exceeded
		got, err := Explain(t.Context(), sys, []*Log{{Name: "log", Reader: strings.NewReader(lines.String())}},
			Options{Order: order, Observe: observe, Properties: []string{}, AllowEmpty: true, Live: r.IntN(2) == 0,
				allLimit: narrow, hardLimit: narrow * r.IntN(3), checkpointEvents: r.IntN(4), maxTables: r.IntN(2)})
		if wrong := (*LineError)(nil); changed && order == ByClock && errors.As(err, &wrong) {
			continue // the clocks contradict each other
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, text, lines.String())
		}
		if got.Explained == nil || *got.Explained != want {
			t.Fatalf("seed %d, order %s, observing %v: explained %v (%v), want %v\n%s\n%s", seed, order, observe,
				got.Explained, got.Err(), want, text, lines.String())
		}
		verdicts[want]++
		if !want && order == ByProcess {
			at := []int{got.Line}
			for _, place := range got.Conflict {
				at = append(at, place.Line)
			}
			if g.explains(conflictLog(events, at), kinds, order) {
				t.Fatalf("seed %d, observing %v: lines %v can be explained together\n%s\n%s", seed, observe, at, text,
					lines.String())
			}
		}
		if !want && order == Total && (!g.explains(events[:got.Line-1], kinds, order) ||
			g.explains(events[:got.Line], kinds, order)) {
			t.Fatalf("seed %d, observing %v: line %d is not the first wrong one\n%s\n%s", seed, observe, got.Line, text,
				lines.String())
		}
		loose := order // what was possible has no clock
		if order == ByClock {
			loose = ByProcess
		}
		for i := range got.Expected {
			if x := &got.Expected[i]; !g.explains(instead(events, got.Line, got.Part, x, loose), kinds, loose) {
				t.Fatalf("seed %d, order %s, observing %v: %s is not possible in line %d\n%s\n%s", seed, order, observe,
					x, got.Line, text, lines.String())
			}
		}
		p := g.sys.Protocol()
		plain := order == Total && (got.AllHypotheses || narrow == 0 && !p.Faults.Any()) && want &&
			len(p.Start.Assignments) == 0
		if states := g.states(events, kinds); plain && got.Hypotheses != states {
			t.Fatalf("seed %d, observing %v: %d hypotheses, want %d\n%s\n%s", seed, observe, got.Hypotheses, states,
				text, lines.String())
		}
	}
}

// small are published specs with settings that keep them small.
var small = []string{"franklin n=2 k=2", "chang-roberts n=3", "dkr n=2 k=2", "peterson n=3", "itai-rodeh n=2 k=2"}
