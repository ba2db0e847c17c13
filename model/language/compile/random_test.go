package compile_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
	"ringcheck/model/language/check"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/model/language/syntax"
)

// randomSpecs is the number of random specs are compiled, and how many states compared of those built in.
var randomSpecs = testlevel.Cases(60, 250)

// TestRandom compares the two implementations on random specs. It checks that enough of them fail, enough do not, and
// that draws occur.
func TestRandom(t *testing.T) {
	specs := randomSpecs()
	failures, draws := 0, 0
	for seed := range uint64(specs) {
		src := randomSpec(seed)
		p := spectest.Instantiate(t, src, nil)
		p.Name = fmt.Sprintf("seed %d:\n%s", seed, src)
		opt := compile.Options{MaxMessages: 2}
		compare(t, p, opt, 60)
		graph, err := spectest.Explore(step.New(p, opt), 60)
		if f := (*model.Error)(nil); errors.As(err, &f) {
			failures++
		}
		if len(graph.States) > 10 && strings.Contains(src, "draw") {
			draws++
		}
	}
	if failures < specs/20 || failures > specs*3/4 || draws < specs/10 {
		t.Errorf("of %d specs %d fail and %d are of some size and draw: the generator does not test what it should",
			specs, failures, draws)
	}
}

// TestVaried does the same for specs with faults, time, registers, loops and whatever else the language has.
func TestVaried(t *testing.T) {
	specs := randomSpecs()
	failures, sizable := 0, 0
	corpus := spectest.NewCorpus()
	for seed, src := range corpus.Specs(specs, 3) {
		p := spectest.Instantiate(t, src, nil)
		p.Name = fmt.Sprintf("seed %d:\n%s", seed, src)
		opt := compile.Options{MaxMessages: 2}
		compare(t, p, opt, 100)
		corpus.Use(t, src)
		graph, err := spectest.Explore(step.New(p, opt), 100)
		if f := (*model.Error)(nil); errors.As(err, &f) {
			failures++
		}
		if len(graph.States) > 20 {
			sizable++
		}
	}
	if failures < specs/50 || failures > specs/2 || sizable < specs/3 {
		t.Errorf("of %d specs %d fail and %d are of some size: the generator does not test what it should", specs,
			failures, sizable)
	}
	corpus.Check(t)
}

// readers is the number of random specs with reads of registers of neighbours that are compared.
var readers = testlevel.Cases(150, 1_200)

// TestReaders compares the two implementations on specs that read registers of neighbours in all positions, with two or
// three processes.
func TestReaders(t *testing.T) {
	specs := readers()
	corpus := spectest.NewReaders()
	met := make(map[string]int) // specs of some size, by what else they have
	for seed, src := range corpus.Specs(specs, 6) {
		p := spectest.Instantiate(t, src, map[string]string{"n": fmt.Sprint(2 + seed%2)})
		p.Name = fmt.Sprintf("seed %d:\n%s", seed, src)
		found := compare(t, p, compile.Options{MaxMessages: 2}, 80)
		corpus.Use(t, src)
		if found.States <= 20 {
			continue
		}
		for what, has := range map[string]bool{
			"reads": p.Reads() != nil, "time": p.Time.Ticks, "crashes": p.Faults.Most[ir.CrashFault] > 0,
			"faults of messages":      len(p.Faults.InChannels()) > 0,
			"several initial states":  len(found.Levels) > 0 && found.Levels[0] > 1,
			"a channel with an order": p.Channel.Ordered(), "names without numbers": !p.Numbered(),
		} {
			if has {
				met[what]++
			}
		}
	}
	corpus.Check(t)
	for _, what := range []string{"reads", "time", "crashes", "faults of messages", "several initial states",
		"a channel with an order", "names without numbers"} {
		if met[what] < specs/100 {
			t.Errorf("of %d specs, %d are of some size with %s", specs, met[what], what)
		}
	}
	if met["reads"] < specs/2 {
		t.Errorf("of %d specs, %d are of some size and read registers of neighbours", specs, met["reads"])
	}
}

// TestLister compares the lists of outcomes of a lister with the definition.
func TestLister(t *testing.T) {
	corpus := spectest.NewCorpus()
	listed, failed := 0, 0
	for seed, src := range corpus.Specs(randomSpecs(), 4) {
		p, opt := spectest.Instantiate(t, src, nil), compile.Options{MaxMessages: 2}
		sys, err := compile.New(t.Context(), p, opt)
		if err != nil {
			t.Fatal(err)
		}
		graph, _ := spectest.Explore(step.New(p, opt), 100) // up to a model error
		for _, s := range graph.States {
			sys.Encode(nil, s)
		}
		n, f, err := sys.CompareLists()
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		listed, failed = listed+n, failed+f
		corpus.Use(t, src)
	}
	if listed < 3*failed || failed == 0 {
		t.Errorf("%d outcomes are listed, %d lists fail: the specs do not test what they should", listed, failed)
	}
	corpus.Check(t)
}

// TestRandomSpecsAreChecked checks that the generator writes valid specs.
func TestRandomSpecsAreChecked(t *testing.T) {
	for seed := range uint64(50) {
		f, err := syntax.Parse("random.ring", []byte(randomSpec(seed)))
		if err == nil {
			_, err = check.File(f)
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, randomSpec(seed))
		}
	}
}

// A writer writes a random spec. All equations have the parameters x and b; y, d and s are bound on the way.
type writer struct {
	*rand.Rand
	ring, directed bool
}

// A place is the context in which a writer is in a body.
type place struct {
	depth   int
	bound   string // the variables that can be read
	guarded bool   // there was an action: a call may follow
	drawn   bool   // there was a draw: an action of the process' own must follow
}

func (p place) with(v string) place {
	if !strings.Contains(p.bound, v) {
		p.bound += v
	}
	return p
}

const equations = 3

func randomSpec(seed uint64) string {
	w := writer{Rand: rand.New(rand.NewPCG(seed, 1))}
	topology := w.pick("directed ring of 2", "undirected ring of 2", "undirected ring of 3", "complete graph of 3")
	w.ring, w.directed = topology != "complete graph of 3", topology == "directed ring of 2"
	var b strings.Builder
	fmt.Fprintf(&b, "protocol random \"\"\ntopology %s\nchannel %s\n", topology, w.pick("unordered", "unordered",
		"fifo"))
	port := "node"
	if w.ring {
		port = "dir"
	}
	fmt.Fprintf(&b, "var x, y: 1..3\nvar b: bool\nvar d: %s\nvar s: set of 1..3\n", port)
	b.WriteString("message M(x: 1..3, b: bool)\nmessage Q\nevent e(x: 1..3)\nevent quiet\n")
	b.WriteString("process p = if p = 0 then E0(1, true) else E1(2, false)\n")
	for i := range equations {
		fmt.Fprintf(&b, "E%d(x, b) = %s\n", i, w.choice(place{bound: "xb"}))
	}
	return b.String()
}

func (w writer) pick(s ...string) string { return s[w.IntN(len(s))] }

// choice writes one to three sequences.
func (w writer) choice(p place) string {
	parts := []string{w.sequence(p)}
	for !p.drawn && w.IntN(2) == 0 && len(parts) < 3 {
		parts = append(parts, w.sequence(p))
	}
	return strings.Join(parts, " | ")
}

func (w writer) sequence(p place) string {
	p.depth++
	if p.depth > 6 {
		return w.action(p)
	}
	switch w.IntN(10) {
	case 0:
		return w.draw("draw", p)
	case 1:
		if !p.drawn {
			return w.draw("choose", p)
		}
	case 2:
		return fmt.Sprintf("let y = %s; %s", w.number(p), w.sequence(p.with("y")))
	case 3:
		return fmt.Sprintf("if %s then %s else %s", w.condition(p), w.sequence(p), w.sequence(p))
	case 4:
		if !p.drawn {
			return fmt.Sprintf("when %s: %s", w.condition(p), w.sequence(p))
		}
	case 5:
		if !p.drawn {
			return "(" + w.choice(p) + ")"
		}
	}
	return w.action(p)
}

func (w writer) draw(word string, p place) string {
	p.drawn = p.drawn || word == "draw"
	switch w.IntN(5) {
	case 0:
		if word == "draw" {
			return "draw b with 1/3; " + w.sequence(p)
		}
	case 1:
		if word == "draw" {
			return "draw y in {1: 1/2, 2: 1/6, 3: 1/3}; " + w.sequence(p.with("y"))
		}
	case 2:
		return fmt.Sprintf("let s = %s; %s y in s; %s",
			w.pick("{1, 3}", "{x}", "{2} union {x}", "{1, 2, 3} minus {x}"), word, w.sequence(p.with("y").with("s")))
	case 3:
		return word + " d; " + w.sequence(p.with("d"))
	}
	return word + " y; " + w.sequence(p.with("y"))
}

// action writes an action and what follows.
func (w writer) action(p place) string {
	after := p
	after.guarded, after.drawn = true, false
	kind := w.IntN(6)
	if p.drawn {
		kind %= 4
	}
	switch kind {
	case 0:
		return w.pick("skip", "quiet", "e("+w.number(p)+")") + "; " + w.rest(after)
	case 1, 2:
		return fmt.Sprintf("send %s M(%s, %s); %s", w.target(p), w.number(p), w.condition(p), w.rest(after))
	case 3:
		return fmt.Sprintf("send %s Q; %s", w.target(p), w.rest(after))
	case 4:
		return fmt.Sprintf("recv _ Q; %s", w.rest(after))
	}
	field, source := w.pick("_", "y", w.number(p)), w.pick("_", "d", w.source())
	if field == "y" {
		after = after.with("y")
	}
	if source == "d" {
		after = after.with("d")
	}
	where := w.pick("", "", " where "+w.condition(after))
	return fmt.Sprintf("recv %s M(%s, %s)%s; %s", source, field, w.pick("_", "b", "not b"), where, w.rest(after))
}

// rest writes what follows an action: mostly a call.
func (w writer) rest(p place) string {
	switch w.IntN(8) {
	case 0:
		return "stop"
	case 1, 2:
		return w.sequence(p)
	}
	return fmt.Sprintf("E%d(%s, %s)", w.IntN(equations), w.number(p), w.condition(p))
}

func (w writer) target(p place) string {
	switch {
	case strings.Contains(p.bound, "d") && w.IntN(2) == 0:
		return "d"
	case w.directed:
		return "right"
	case w.ring:
		return w.pick("left", "right")
	}
	return w.pick("(0)", "(1)", "(2)", "(x - 1)")
}

func (w writer) source() string {
	switch {
	case w.directed:
		return "left"
	case w.ring:
		return w.pick("left", "right")
	}
	return w.pick("(0)", "(1)", "(2)")
}

// number writes a number that is nearly always one of 1..3.
func (w writer) number(p place) string {
	if w.IntN(40) == 0 {
		return "x + 1"
	}
	if strings.Contains(p.bound, "y") && w.IntN(2) == 0 {
		return w.pick("y", "4 - y", "max(x, y)")
	}
	return w.pick("1", "2", "3", "x", "x mod 3 + 1")
}

func (w writer) condition(p place) string {
	if strings.Contains(p.bound, "y") && w.IntN(2) == 0 {
		return w.pick("y > x", "y = 2", "x != y")
	}
	return w.pick("b", "not b", "x = 1", "x < 3", "b or x = 2")
}
