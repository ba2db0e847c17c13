package compile_test

import (
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
)

// TestFaultyChannels compares every discipline of channels with every fault with the semantics, also where a channel
// has no room for another message: the transitions, whether a run may end, and whether the processes are coupled.
func TestFaultyChannels(t *testing.T) {
	for c := range spectest.FaultyChannels() {
		compareChannel(t, c, spectest.Instantiate(t, c.Text, nil))
		// Then a fault of the messages that are left may be all that can happen.
		stops := strings.Replace(c.Text, "got(v); Take", "got(v); stop", 1)
		compareChannel(t, c, spectest.Instantiate(t, stops, nil))
	}
}

func compareChannel(t *testing.T, c spectest.FaultyChannel, p *ir.Protocol) {
	t.Helper()
	if got := compare(t, p, compile.Options{}, 2000); got.States == 0 {
		t.Errorf("%v: no states", c)
	}
	compare(t, p, compile.Options{MaxMessages: 4}, 2000)
	sys := spectest.Compile(t, p)
	if coupled := sys.CheckUncoupled() != nil; coupled != (c.Fault != "") {
		t.Errorf("%v: the processes are coupled: %t", c, coupled)
	}
	reference := step.New(p, step.Options{})
	graph, err := spectest.Explore(reference, 2000)
	if err != nil {
		t.Fatal(c, err)
	}
	for _, s := range graph.States {
		all, err := spectest.Successors(reference, s)
		if err != nil {
			t.Fatal(c, err)
		}
		if got, _, err := model.Quiescent(sys, sys.Encode(nil, s)); err != nil || got != spectest.Quiescent(all) {
			t.Errorf("%v: a run may end in %s: %t, %v", c, spectest.Format(reference, s), got, err)
		}
	}
}

// TestChannelTexts has the contents of the channel at the beginning for every discipline, first message first, and the
// label of every fault that befalls the message M(2) in them.
func TestChannelTexts(t *testing.T) {
	initially := map[string]string{
		"unordered": "{M(1)×2, M(2)}", "fifo": "<M(2), M(1), M(1)>", "lifo": "<M(1), M(1), M(2)>",
	}
	labels := map[string]string{
		"": "", "lossy": "lose(0→1 (right),M(2))", "duplicating": "duplicate(0→1 (right),M(2))",
		"corrupting": "corrupt(0→1 (right),M(2),M(1))",
	}
	for c := range spectest.FaultyChannels() {
		p := spectest.Instantiate(t, c.Text, nil)
		m := step.New(p, step.Options{})
		link := p.InLink(1, 0)
		if err := m.Initial(func(s *step.State) bool {
			if got, want := p.FormatContents(s.Channels[link]), initially[c.Discipline]; got != want {
				t.Errorf("%v: the channel contains %s, want %q", c, got, want)
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		label, known := labels[c.Fault]
		sys := spectest.Compile(t, p)
		if seen := labelsOf(t, sys); !known || c.Fault != "" && !slices.Contains(seen, label) {
			t.Errorf("%v: the labels are %q, want %q among them", c, seen, label)
		}
	}
	if want := int(ir.FaultKinds); len(labels) != want {
		t.Errorf("%d faults of messages have labels, want %d", len(labels)-1, want-1)
	}
}

// labelsOf returns the texts of the labels of transitions from the initial states.
func labelsOf(t *testing.T, sys *compile.System) (all []string) {
	t.Helper()
	if err := sys.Initial(func(state []model.Value) bool {
		err := model.Each(sys, state, func(_ int, s model.Step, _ []model.Value) bool {
			all = append(all, sys.Label(s.Label).Text)
			return true
		})
		return err == nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}
