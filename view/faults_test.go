package view

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// TestFaults draws each fault that can happen first, with every discipline of channels.
func TestFaults(t *testing.T) {
	for c := range spectest.FaultyChannels() {
		sys := spectest.Compile(t, spectest.Instantiate(t, c.Text, nil))
		start, drawn := initial(t, sys), 0
		for _, m := range systemtest.Moves(t, sys, start) {
			label := sys.Label(m.Step.Label)
			if label.Kind != model.FaultAction {
				continue
			}
			drawn++
			trace := newTrace(t, sys, []explore.Move{{State: start}, m})
			checkFault(t, c, trace, label)
			checkContents(t, c, trace, sys.Contents(m.State[sys.SlotOfLink(sys.Protocol().InLink(1, 0))]))
			_, _, sentence := NewDescriber(sys).Action(label)
			if text := trace.Steps[1].Text; sentence != text {
				t.Errorf("%v: the step is %q, and the action %q", c, text, sentence)
			}
		}
		if drawn == 0 != (c.Fault == "") {
			t.Errorf("%v: %d faults are drawn", c, drawn)
		}
	}
}

// checkFault checks what a trace says about the fault in its only step, and the signs in the pictures.
func checkFault(t *testing.T, c spectest.FaultyChannel, trace *Trace, label model.LabelInfo) {
	t.Helper()
	info, s := c.Kind.Info(), &trace.Steps[1]
	if s.Kind != Kind(info.Noun) || s.Kind.Sign() != info.Sign || !strings.Contains(s.Text, " is "+info.Participle) {
		t.Errorf("%v: the step has the kind %q, the sign %q and the text %q", c, s.Kind, s.Kind.Sign(), s.Text)
	}
	m, old := trace.Message(s.Message), trace.Message(cmp.Or(s.Before, s.Message))
	if old.Text != label.Message || label.Into != "" && (m.Text != label.Into || s.Before == 0) {
		t.Errorf("%v: %s is drawn as a fault of %s that makes %s", c, label.Text, old.Text, m.Text)
	}
	removes, makes := old.Lost == 1, m.Fault == s.Kind
	message := &ir.Message{Name: "M", Fields: []ir.Field{{Name: "v", Type: ir.IntType(1, 2)}}}
	for place := range info.Effect(ir.Content{Message: message, Args: []int64{1}}) {
		if want := len(place) < 2; removes != want || makes != (len(place) > 0) {
			t.Errorf("%v: the message is lost: %t, another one made: %t", c, removes, makes)
		}
	}
	svg, mermaid := string(written(t, trace, "svg")), string(written(t, trace, "mermaid"))
	want := 1
	if removes && makes {
		want = 2
	}
	if got := strings.Count(svg, info.Path); got != want {
		t.Errorf("%v: the picture has %d signs, want %d", c, got, want)
	}
	for is, text := range map[string]bool{" is " + info.Participle: removes, " is a " + info.Noun: makes} {
		if strings.Contains(mermaid, is) != text {
			t.Errorf("%v: the chart says %q: %t\n%s", c, is, !text, mermaid)
		}
	}
}

// checkContents checks the messages that a trace shows in the channel after its last step.
func checkContents(t *testing.T, c spectest.FaultyChannel, trace *Trace, want []ir.Content) {
	t.Helper()
	var got, all []string
	for _, link := range trace.Steps[len(trace.Steps)-1].Channels {
		for _, serial := range link {
			got = append(got, trace.Message(serial).Text)
		}
	}
	for _, m := range want {
		all = append(all, m.String())
	}
	slices.Sort(got)
	slices.Sort(all)
	if !slices.Equal(got, all) {
		t.Errorf("%v: the channel is drawn with %q, want %q", c, got, all)
	}
}
