package compile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/compile"
)

// groupNames returns the names of a system's groups.
func groupNames(sys *compile.System) (names []string) {
	for _, g := range sys.Groups() {
		names = append(names, g.Name)
	}
	return names
}

// TestReach compares the groups of small specs with those that can have transitions, and their steps with the
// semantics.
func TestReach(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		want       []string
	}{{
		name: "a process that has stopped does nothing",
		spec: complete + "process p = if p = 1 then A else B\nA = skip; A\nB = stop",
		want: []string{"process 1 acts alone"},
	}, {
		name: "kinds of processes differ",
		spec: complete + "message M\nprocess hub = send 1 M; send 2 M; stop\nprocess leaf[i in 1..2] = recv 0 M; stop",
		want: []string{
			"process 0 sends to 1", "process 0 sends to 2", "process 1 receives from 0", "process 2 receives from 0",
		},
	}, {
		name: "a target that is not constant is any",
		spec: complete + `message M
var q: node
process p = if p = 0 then A else B
A = choose q in neighbours(self); send q M; A
B = recv 0 M; B`,
		want: []string{
			"process 0 sends to 1", "process 0 sends to 2", "process 1 receives from 0", "process 2 receives from 0",
		},
	}, {
		name: "a message may be there from the beginning",
		spec: complete + `message M
initially M in inbox(1, 2)
process p = if p = 1 then A else B
A = recv 2 M; A
B = stop`,
		want: []string{"process 1 receives from 2"},
	}, {
		name: "a channel without messages has no faults",
		spec: "topology complete graph of 3\nchannel unordered, lossy at most 1\nmessage M\n" +
			"process p = if p = 1 then A else B\nA = send 0 M; A\nB = recv 1 M; B",
		want: []string{"faults of channel 1→0", "process 0 receives from 1", "process 1 sends to 0"},
	}, {
		name: "a process may crash and recover",
		spec: complete + `message M
process p = if p = 0 then A else B
crash at most 1 of p where p = 0 recover D
A = skip; A
B = stop
D = send 1 M; B`,
		want: []string{"process 0 crashes or recovers", "process 0 sends to 1", "process 0 acts alone"},
	}, {
		name: "a process may crash by itself and recover",
		spec: complete + `message M
process p = if p = 0 then A else B
crash at most 0 recover D
A = skip; crash
B = stop
D = send 1 M; recv 1 M; stop`,
		want: []string{"process 0 crashes or recovers", "process 0 sends to 1", "process 0 acts alone"},
	}, {
		name: "rotation may be a symmetry",
		spec: directed + "process p = if p = 0 then A else B\nA = skip; A\nB = stop",
		want: []string{"process 0 acts alone", "process 1 acts alone"},
	}, {
		name: "a missing channel is an error",
		spec: complete + `message M
var q: 0..2
process p = if p = 0 then A(0) else B
A(q) = skip; send q M; B
B = stop`,
		want: []string{"process 0 sends to 1", "process 0 sends to 2", "process 0 acts alone"},
	}} {
		t.Run(c.name, func(t *testing.T) {
			p := spectest.Instantiate(t, "protocol test\n"+c.spec, nil)
			got := groupNames(spectest.Compile(t, p))
			compare(t, p, compile.Options{}, 1000)
			if !slices.Equal(got, c.want) {
				t.Errorf("groups %q, want %q", got, c.want)
			}
		})
	}
}

// TestIdle checks that processes and channels that are never used add no groups.
func TestIdle(t *testing.T) {
	const spec = `protocol idle
topology complete graph of %d
channel fifo
message T
var c: 0..15
process p = if p < 4 then A(0) else B
A(c) = when c < 15: skip; A(c + 1)
B = stop`
	few := groupNames(spectest.Compile(t, spectest.Instantiate(t, fmt.Sprintf(spec, 4), nil)))
	many := groupNames(spectest.Compile(t, spectest.Instantiate(t, fmt.Sprintf(spec, 40), nil)))
	if len(few) != 4 || !slices.Equal(few, many) {
		t.Errorf("with 4 processes the groups are\n%s\nwith 40\n%s", strings.Join(few, "\n"), strings.Join(many, "\n"))
	}
}
