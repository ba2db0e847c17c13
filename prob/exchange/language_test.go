package exchange

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
	"ringcheck/prob"
	"ringcheck/specs"
)

// TestLanguage: what a reader makes of a model in PRISM's language is what was generated from the spec: as many states,
// choices and branches before the goal, and the same values.
func TestLanguage(t *testing.T) {
	for _, c := range []struct {
		spec, settings, goal string
		steps                int
	}{
		{"franklin", "n=2 k=2", "leader happens", 20},
		{"franklin", "n=2 k=3", "leader happens or terminal", 30},
		{"franklin", "n=2 k=2 announce=true channel=fifo", "terminal", 30},
		{"franklin", "n=2 k=2 fresh=clash bits=false channel=fifo", "leader happens", 30},
		{"dkr", "n=2 k=2", "leader happens", 12},
		{"dkr", "n=3 k=2 channel=fifo", "leader happens", 20},
		{"itai-rodeh", "n=3 k=2", "leader happens", 20},
		{"itai-rodeh", "n=3 k=2 channel=unordered", "leader happens or terminal", 12},
		{"chang-roberts", "n=3", "leader happens", 8},
		{"chang-roberts", "n=3 channel=fifo", "terminal", 8},
		{"hirschberg-sinclair", "n=2", "leader happens", 20},
	} {
		t.Run(c.spec+" "+c.settings, func(t *testing.T) {
			asked := protocolOf(t, c.spec, c.settings, c.goal)
			compareLanguage(t, asked, c.goal, c.steps)
		})
	}
}

// compareLanguage compares what is written of a protocol with the process that is generated from it.
func compareLanguage(t *testing.T, asked *prob.Protocol, goalText string, steps int) {
	t.Helper()
	var b bytes.Buffer
	if err := WriteLanguage(t.Context(), &b, asked, "elected", explore.Options{}); err != nil {
		t.Fatal(err)
	}
	m, goals, _, err := asked.Process(t.Context(), explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	read := readLanguage(t, b.String()).process()
	goal := prob.Goal{Terminal: strings.Contains(goalText, "terminal")}
	if l := read.Label("elected"); l != nil {
		goal.States = l.States
	}
	if got, want := summary(t, read, goal, steps), summary(t, m, goals[0], steps); got != want {
		t.Errorf("the model means\n%s\nand the spec\n%s\n%s", got, want, &b)
	}
}

// TestLanguageContents: messages that are in channels to begin with are there in the model, too, in their order.
func TestLanguageContents(t *testing.T) {
	for _, channel := range []string{"unordered", "fifo"} {
		for _, bit := range []string{"0", "uid[0]"} {
			text := `protocol passing
topology directed ring of 3
channel ` + channel + `
assign uid: 0..1 if ` + fmt.Sprint(bit != "0") + `
var a: 0..1
var x: 0..2
message M(a: 0..1)
event last
initially M(1), M(` + bit + `) in inbox(0, left)
process p = Run(0)
Run(x) = recv left M(a); (if a = 0 then last; Run(x) else if x < 2 then send right M(a); Run(x + 1) else Run(x))
`
			compareLanguage(t, instanceOf(t, "passing.ring", []byte(text), "", "last happens"), "last happens", 6)
		}
	}
}

// TestLanguageInitial: every initial state is one of the model, also those in which the goal is true.
func TestLanguageInitial(t *testing.T) {
	text := `protocol begun
topology directed ring of 2
channel fifo
register r: bool
assign id: 1..3
event leader
process p = if id[p] = 1 then A else B
A = when r: leader; stop
B = skip; stop
`
	for _, goal := range []string{"leader happens", "terminal", "leader happens or terminal"} {
		compareLanguage(t, instanceOf(t, "begun.ring", []byte(text), "", goal), goal, 2)
	}
}

// TestLanguageNames: names of a spec that PRISM has a meaning for, or that come to be the same as others, make no
// difference.
func TestLanguageNames(t *testing.T) {
	text := `protocol names
topology directed ring of 3
channel fifo
var a: 0..1
message M(a: 0..1)
event send_1
reward max = 1 + a per send M
reward init = 1 per event send_1
process p = send right M(0); Wait | send right M(1); Wait
Wait = recv left M(a); send_1; stop
`
	asked := instanceOf(t, "names.ring", []byte(text), "", "send_1 happens")
	compareLanguage(t, asked, "send_1 happens", 6)
	var b bytes.Buffer
	if err := WriteLanguage(t.Context(), &b, asked, "deadlock", explore.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"[send_1_2]", "[send_1_2_2]", `rewards "max_"`, `rewards "init_"`, `label "deadlock_" =`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("there is no %s:\n%s", want, &b)
		}
	}
}

func protocolOf(t *testing.T, name, settings, goal string) *prob.Protocol {
	t.Helper()
	file, text, err := specs.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return instanceOf(t, file, text, settings, goal)
}

func instanceOf(t *testing.T, file string, text []byte, settings, goal string) *prob.Protocol {
	t.Helper()
	spec, err := specs.Parse(file, fmt.Appendf(text, "\nprobability asked = P(%s) >= 0\nreward load = 3 per send", goal))
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Instantiate(spectest.Settings(settings))
	if err != nil {
		t.Fatal(err)
	}
	sys := spectest.Compile(t, p)
	i := slices.IndexFunc(p.Bounds, func(b *ir.Bound) bool { return b.Name == "asked" })
	return &prob.Protocol{System: sys, Goals: []*ir.Formula{p.Bounds[i].Goal}, Rewards: p.Rewards}
}

// summary says how large a process is up to its goal, and what its values are.
func summary(t *testing.T, m *prob.MDP, goal prob.Goal, steps int) string {
	t.Helper()
	p, err := prob.Prepare(t.Context(), m, goal)
	if err != nil {
		t.Fatal(err)
	}
	small := p.Process(m, "goal")
	text := fmt.Sprintln(small.States(), small.Choices(), small.Branches(), len(small.Initial()))
	for _, k := range []prob.Scheduler{prob.Uniform, prob.Min, prob.Max} {
		queries := []prob.Query{{Within: -1, Scheduler: k}, {Within: steps, Scheduler: k}}
		for i := range m.Rewards {
			queries = append(queries, prob.Query{Within: -1, Scheduler: k, Reward: &m.Rewards[i]})
		}
		for _, a := range p.Ask(t.Context(), queries, prob.Options{}) {
			name := ""
			if a.Reward != nil {
				name = strings.TrimRight(a.Reward.Name, "_")
			}
			if a.Err != nil {
				t.Fatal(a.Err)
			}
			text += fmt.Sprintf("%v %d %s %.9f\n", k, a.Within, name, (a.Interval.Low+a.Interval.High)/2)
		}
	}
	return text
}

// TestLanguageRefuses: what has no place in a module is refused, and says why.
func TestLanguageRefuses(t *testing.T) {
	asked := protocolOf(t, "franklin", "n=2 k=2", "exists p in node: p at P")
	var b bytes.Buffer
	if err := WriteLanguage(t.Context(), &b, asked, "goal", explore.Options{}); err == nil || b.Len() > 0 || !strings.Contains(err.Error(), "the goal has to be an event") {
		t.Errorf("%v, %d bytes", err, b.Len())
	}
}
