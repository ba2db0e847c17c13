package confluence_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/reduce/confluence"
	"ringcheck/reduce/representative"
)

// head is the common part of the protocols below: process 0 is Source, process 1 is Sink.
const head = `protocol test ""
topology directed ring of 2
channel %s
var x, y: 1..3
var b: bool
message M(x: 1..3)
message Q
event e(x: 1..3)
process p = if p = 0 then Source else Sink
`

// TestVerdicts has one protocol for each reason why an action is confluent, or is not.
func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name, channel, text string
		want                string // a verdict: point, action, whether it is confluent
	}{
		{"nothing else to do", "unordered", "Source = send right Q; stop\nSink = stop",
			"Source: send right Q: true"},
		{"skip", "unordered", "Source = skip; stop\nSink = stop",
			"Source: skip: true"},
		{"visible", "unordered", "Source = e(1); stop\nSink = stop",
			"Source: e: false"},
		{"drawn", "unordered", "Source = draw x; send right M(x); stop\nSink = stop",
			"Source: send right M: false"},
		{"drawn for nothing", "unordered", "Source = draw x; send right Q; stop\nSink = stop",
			"Source: send right Q: true"},
		{"chosen", "unordered", "Source = send right Q; stop | skip; stop\nSink = stop",
			"Source: send right Q or skip: false"},
		{"a send or a receive", "unordered", "Source = send right Q; stop | recv left Q; stop\nSink = stop",
			"Source: send right Q: false"},
		{"a send that a receive does not hinder", "unordered",
			"Source = send right Q; After | recv left Q; Source\nAfter = recv left Q; After\nSink = send right Q; stop",
			"Source: send right Q: true"},
		{"two messages, two events", "unordered",
			"Source = send right M(1); send right M(2); stop\nSink = recv left M(x); Show(x)\nShow(x) = e(x); Sink",
			"Sink: recv left M: false"},
		{"two messages in a queue", "fifo",
			"Source = send right M(1); send right M(2); stop\nSink = recv left M(x); Show(x)\nShow(x) = e(x); Sink",
			"Sink: recv left M: true"},
		{"a send that covers a message", "lifo",
			"Source = send right M(1); send right Q; stop\nSink = recv left M(_); stop | recv left Q; stop",
			"Source: send right M: false"},
		{"a message that another may cover", "lifo",
			"Source = send right M(1); send right M(2); stop\nSink = recv left M(_); Sink",
			"Sink: recv left M: false"},
		{"no access to a stack", "lifo", "Source = skip; send right Q; stop\nSink = recv left Q; stop",
			"Source: skip: true"},
		{"two messages, one effect", "unordered",
			"Source = send right M(1); send right M(2); stop\nSink = recv left M(_); Sink",
			"Sink: recv left M: true"},
		{"a pattern", "unordered", "Source = send right M(1); stop\nSink = recv left M(1); stop",
			"Sink: recv left M: true"},
		{"nothing that can come later", "unordered",
			"Source = send right M(1); stop\nSink = recv left M(x) where x > 2; stop | recv left M(1); Sink",
			"Sink: recv left M: false"},
		{"commuting by hand", "unordered",
			"Source = send right M(1); send right Q; stop\nSink = recv left M(1); WantQ | recv left Q; WantM\nWantQ " +
				"= recv left Q; stop\nWantM = recv left M(1); Done\nDone = stop",
			"Sink: recv left M: false"},
		{"meeting again", "unordered", "Source = send right M(1); send right Q; stop\nSink = recv left M(1); WantQ | " +
			"recv left Q; WantM\nWantQ = recv left Q; Done\nWantM = recv left M(1); Done\nDone = stop",
			"Sink: recv left M: true"},
		{"needs another that is not confluent", "unordered",
			"Source = send right M(1); send right Q; stop\nSink = recv left M(1); WantQ | recv left Q; WantM\nWantQ " +
				"= recv left Q; Done\nWantM = recv left M(1); Done | recv left M(2); e(2); Done\nDone = stop",
			"Sink: recv left M: false"},
		{"a model error in both orders", "unordered",
			"Source = send right M(1); stop\nSink = recv left M(y); Count(y)\nCount(y) = recv left M(x); Count(y + x " +
				"- 1)",
			"Sink: recv left M: true"},
		{"a model error in one order", "unordered",
			"Source = send right M(1); stop\nSink = recv left M(y); Count(y)\nCount(y) = recv left M(x); Count(x - y " +
				"+ 1)",
			"Sink: recv left M: false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := spectest.Instantiate(t, fmt.Sprintf(head, tt.channel)+tt.text, nil)
			sys := spectest.Compile(t, p)
			prioritized := confluence.Prioritize(sys, confluence.Options{})
			count(t, representative.Reduce(prioritized, representative.Options{}), 1)
			if all := prioritized.Verdicts(); !slices.Contains(all, tt.want) {
				t.Errorf("want %q among %q", tt.want, all)
			}
		})
	}
}

// TestCyclesOfSends checks that a process that can act for ever does so step by step.
func TestCyclesOfSends(t *testing.T) {
	for _, tt := range []struct {
		text                string
		states, transitions uint64
	}{
		{"Source = skip; Source\nSink = stop", 1, 1},
		{"Source = skip; Other\nOther = skip; Source\nSink = stop", 2, 2},
		{"Source = e(1); Before\nBefore = skip; Round\nRound = skip; Round\nSink = stop", 2, 2},
		{"Source = e(1); send right Q; Round\nRound = skip; skip; Round\nSink = stop", 3, 3},
	} {
		p := spectest.Instantiate(t, fmt.Sprintf(head, "unordered")+tt.text, nil)
		sys := spectest.Compile(t, p)
		r := count(t, confluence.Prioritize(sys, confluence.Options{}), 1)
		if r.States != tt.states || r.Transitions != tt.transitions {
			t.Errorf("%s: %d states, %d transitions; want %d, %d", tt.text, r.States, r.Transitions, tt.states,
				tt.transitions)
		}
	}
}

// TestSendingForEver checks that a channel that grows without end is a model error, and no endless loop.
func TestSendingForEver(t *testing.T) {
	p := spectest.Instantiate(t, fmt.Sprintf(head, "unordered")+"Source = send right Q; Source\nSink = stop", nil)
	sys := spectest.Compile(t, p, compile.Options{MaxMessages: 5})
	for _, s := range []model.System{
		confluence.Prioritize(sys, confluence.Options{}),
		representative.Reduce(confluence.Prioritize(sys, confluence.Options{}), representative.Options{}),
	} {
		r, err := explore.Run(context.Background(), s, explore.Options{})
		var modelError *model.Error
		if err == nil {
			modelError = r.ModelError
		} else if !errors.As(err, &modelError) {
			t.Fatal(err)
		}
		if modelError == nil || !modelError.Growth {
			t.Errorf("%v, %v", modelError, err)
		}
	}
}

// TestComposedLabels checks that the label of a composed step names all its parts, and that a visible step keeps its
// label.
func TestComposedLabels(t *testing.T) {
	p := spectest.Instantiate(t, fmt.Sprintf(head, "unordered")+
		"Source = send right M(1); recv left Q; send right M(2); e(1); skip; send right M(3); stop\nSink = send "+
		"right Q; stop", nil)
	sys := spectest.Compile(t, p)
	prioritized := confluence.Prioritize(sys, confluence.Options{})
	var labels []string
	_, err := explore.Walk(context.Background(), prioritized, explore.Options{}, explore.Visitor{
		Transitions: func(_ uint64, all []explore.Transition) error {
			for _, t := range all {
				labels = append(labels, prioritized.Label(t.Label).Text)
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(labels, ", "), "recv(0,left,Q); send(0,right,M(2)), e(1)"; got != want {
		t.Errorf("labels %s; want %s", got, want)
	}
}

// TestWeights checks that outcomes of a draw that become equal by composition are merged, and their weights added up.
func TestWeights(t *testing.T) {
	p := spectest.Instantiate(t, fmt.Sprintf(head, "unordered")+
		"Source = draw x; send right Q; send right M(min(x, 2)); stop\nSink = stop", nil)
	sys := spectest.Compile(t, p)
	prioritized := confluence.Prioritize(sys, confluence.Options{})
	var weights []string
	_, err := explore.Walk(context.Background(), prioritized, explore.Options{}, explore.Visitor{
		Transitions: func(_ uint64, all []explore.Transition) error {
			for _, t := range all {
				weights = append(weights, fmt.Sprintf("%d/%d", t.Weight.Num, t.Weight.Den))
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(weights, " "); got != "1/3 2/3" {
		t.Errorf("weights %s; want 1/3 2/3", got)
	}
}

// TestEqual checks that a verdict that was cut off is reported if the verdicts of symmetric transitions must be equal.
func TestEqual(t *testing.T) {
	defer confluence.LimitDependencies(0)()
	text := fmt.Sprintf(head, "unordered") + "Source = send right Q; stop\nSink = recv left Q; stop"
	p := spectest.Instantiate(t, text, nil)
	for _, equal := range []bool{false, true} {
		sys, opt := spectest.Compile(t, p), confluence.Options{Equal: equal}
		for _, s := range []model.System{confluence.Prioritize(sys, opt), confluence.Check(sys, opt)} {
			r, err := explore.Run(t.Context(), s, explore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.ModelError != nil && errors.Is(r.ModelError, confluence.ErrUnequal); got != equal {
				t.Errorf("equal %t: %T: %v", equal, s, r.ModelError)
			}
		}
	}
}
