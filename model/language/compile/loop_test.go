package compile_test

import (
	"errors"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
)

// TestLoops checks counts worked out by hand: a loop runs its body for the values in order, each action is a
// transition, and there is a state only after an action.
func TestLoops(t *testing.T) {
	for _, tt := range []struct {
		name, spec string
		want       counts
	}{{
		name: "a broadcast", // by the messages that were sent and received
		spec: complete + `var me, q: node
message M
process p = if p = 0 then Tell(p) else Hear
Tell(me) = for q in node where q != me: send q M; Done
Hear = recv _ _; Done
Done = stop`,
		want: counts{1 + 2 + 4, 1 + 3 + 4, 1, nil},
	}, {
		name: "nothing to do", // the loop over the empty set is no step
		spec: directed + `var s: set of 1..3
var x: 1..3
process p = if p = 0 then A({}) else Done
A(s) = for x in s: skip; skip; Done
Done = stop`,
		want: counts{2, 1, 1, nil},
	}, {
		name: "a body of two actions, and a set that depends on the state",
		spec: directed + `var s: set of 1..3
var x: 1..3
event e(x: 1..3)
process p = if p = 0 then A({1, 3}) else Done
A(s) = skip; for x in s where x in {y in 1..3 where y >= 2}: (e(x); skip); Done
Done = stop`,
		want: counts{4, 3, 1, nil},
	}, {
		name: "loops in a loop", // 2 × 2 events
		spec: directed + `var x, y: 1..2
event e(x: 1..2, y: 1..2)
process p = if p = 0 then A else Done
A = for x in 1..2: (for y in 1..2: e(x, y)); Done
Done = stop`,
		want: counts{5, 4, 1, nil},
	}, {
		name: "a loop in a loop that has no value at first", // each process is before skip, before e or stopped
		spec: `topology line of 2
channel fifo
var i, j: 0..2
event e
process p = A
A = for i in 0..1: (for j in 1..i: skip); e; stop`,
		want: counts{3 * 3, 3*2 + 3*2, 1, nil},
	}, {
		name: "one that has no value at last, in a branch",
		spec: `topology line of 1
channel fifo
var i, j: 0..2
event e
process p = A
A = for i in 0..2: (if i < 1 then skip else for j in 2..i where j < 2: skip); e; stop`,
		want: counts{3, 2, 1, nil},
	}, {
		name: "loops three deep, and an alternative without a value",
		spec: `topology line of 1
channel fifo
var i, j, k: 0..2
event e(i: 0..2)
process p = A
A = for i in 0..2: (skip | for j in 0..i where i = 2: (for k in 2..j: skip)); e(2); stop`,
		// Where i is 0, 1 or 2, the first skip with this or a greater i is possible; that with i = 2 leads to e(2), and
		// so does the skip of the third loop, where i, j and k are 2.
		want: counts{3 + 1 + 1, 3 + 2 + 1 + 1, 1, nil},
	}, {
		name: "what a process reads of a neighbour behind a loop",
		spec: directed + `var i: 0..2
register r: 0..2 = 2
event e
process p = if p = 0 then A else Done
A = skip; for i in 0..1: skip; B(right.r)
B(i) = e; if i = 1 then stop else skip; stop
Done = stop`,
		want: counts{6, 5, 1, nil},
	}, {
		name: "and behind the inner one of two loops, with time", // a tick, the receipt, two skips and e
		spec: `topology line of 2
channel fifo, delay 1..1
var i, j: 0..2
register r: 0..2 = 2
event e
message M
process p = if p = 1 then A else Done
A = recv left M; for i in 0..1: (skip; for j in 1..0: skip); B(left.r)
B(i) = for i in i..2: e; stop
Done = stop
initially M in inbox(1, left)`,
		want: counts{6, 5, 1, nil},
	}, {
		name: "what a state ignores", // by the messages sent, and which of A and B are left; after Stop both stay
		spec: directed + `message A, B, Stop
process p = if p = 0 then Send else Deaf
Send = send right A; send right B; send right Stop; Done
Deaf = recv left Stop; Done | ignore A, B
Done = stop`,
		want: counts{1 + 2 + 4 + 4 + 4, 1 + 3 + 8 + 8, 4, nil},
	}, {
		name: "what an equation ignores that is one of several alternatives",
		spec: directed + `message A, B, Stop
process p = if p = 0 then Send else Deaf
Send = send right A; send right B; send right Stop; Done
Deaf = recv left Stop; Done | Junk
Junk = when false: Done | Waste
Waste = ignore A, B
Done = stop`,
		want: counts{1 + 2 + 4 + 4 + 4, 1 + 3 + 8 + 8, 4, nil},
	}, {
		name: "what is ignored changes what lasts", // x stays 0; c counts the ignored messages, up to 2
		spec: directed + `message A, B, Stop
var x, y: 0..1
register c: 0..2 = 0
process p = if p = 0 then Send else Deaf(0)
Send = send right A; send right B; send right Stop; Done
Deaf(x) = when x = 0: recv left Stop; Done | let x = x + 1; let c = min(c + 1, 2); Junk(x)
Junk(y) = if y = 1 then ignore A, B else stop
Done = stop`,
		want: counts{1 + 2 + 4 + 4 + 4, 1 + 3 + 8 + 8, 4, nil},
	}, {
		name: "what is ignored where a decision is pending, and in a loop", // the process stays where it waits
		spec: directed + `message A, B, Stop
var x: 0..1
process p = if p = 0 then Send else Begin
Send = send right A; send right B; send right Stop; Done
Begin = draw x in {0: 1/2, 1: 1/2}; skip; if x = 0 then Deaf else for x in 0..0: (recv left Stop; skip | ignore A, B); Done
Deaf = recv left Stop; skip; Done | ignore A, B
Done = stop`,
		// As above: at Begin what was sent, 1 + 1 + 1 + 1; then twice what is sent and ignored, and the place behind
		// Stop.
		want: counts{4 + 2*(1+2+4+4) + 4 + 4 + 4, 3 + 4*2 + 2*(1+3+8+8) + 4 + 4, 4, nil},
	}, {
		name: "registers", // by how far 0 is, how far 1 is, and what was received; 1 does not wait for 0, but 0 for 1
		spec: complete + `register x: 0..1 = if p = 0 then 1 else 0
var q: node
message Go
process p = if p = 2 then Watch else Wait
Wait = when (forall r in node: r.x = 1 => r = 0): x := 1; Tell
Tell = for q in {2}: send q Go; Done
Watch = recv q _ where q.x = 1; Watch
Done = stop`,
		want: counts{4 + 4 + 8, 4 + 7 + 10, 2, nil},
	}, {
		name: "a message along a line", // the last process has no channel to the first
		spec: `topology line of 3
channel fifo
message M
process p = if p = 0 then First else if p = 1 then Middle else Last
First = send right M; Done
Middle = recv left M; send right M; Done
Last = recv left M; Done
Done = stop`,
		want: counts{5, 4, 1, nil},
	}, {
		// the hub tells two, in order; the last one takes it before or after
		name: "a star, a rule, and the neighbours in both",
		spec: `topology graph of 3 with p -> q if p = 0
channel fifo
var q: node
message M
process p = if p = 0 then Hub else if p in neighbours(0) and neighbours(p) = {0} then Leaf else Done
Hub = for q in {1, 2}: send q M; Done
Leaf = recv 0 M; Done
Done = stop`,
		want: counts{1 + 2 + 4, 1 + 3 + 4, 1, nil},
	}, {
		name: "a random subset", // 3 of 3 × 2 / 2, then one event each
		spec: directed + `var s: set of 1..3
event e(a: 1..3, b: 1..3)
process p = if p = 0 then A else Done
A = draw s in subsets({1, 2, 3}, 2); skip; B(s)
B(s) = e(min(s), max(s)); Done
Done = stop`,
		want: counts{1 + 3 + 1, 3 + 3, 1, nil},
	}, {
		// 0 sends 1 or 2, which 1 remembers at the end
		name: "a receive sets a ghost and a register from what it binds",
		spec: directed + `var x: 1..2
message M(x: 1..2)
register r: 0..3 = 0
ghost g: 0..3 = 0
process p = if p = 0 then Tell else Hear
Tell = draw x; send right M(x); Done
Hear = recv left M(x) then g := x, r := x + 1; if r = 3 then skip; Done else Done
Done = stop
invariant same = 1.r > 0 => 1.r = 1.g + 1`,
		want: counts{1 + 2 + 2 + 1, 2 + 2 + 1, 2, nil},
	}, {
		name: "an array by a rule", // one event for each element
		spec: directed + `type Side = even | odd
var a: array node of Side
var q: node
event e(side: Side)
process p = if p = 0 then A({q in node: if q = p then even else odd}) else Done
A(a) = for q in node: e(a[q]); Done
Done = stop`,
		want: counts{3, 2, 1, nil},
	}, {
		// Each sends to the other, which does not listen: 4 states and 4 transitions. A crash leads from each to one of
		// 3 states of the process that crashed, with or without its message, beside 2 of the other, for either: 24
		// states, 8 + 2 × 14 transitions.
		name: "a process knows its number, also after a crash",
		spec: `topology complete graph of 2
channel fifo
crash at most 1 recover Again
event back(p: node)
message M
process p = Begin
Begin = send (1 - self) M; stop
Again = back(self); stop`,
		want: counts{4 + 24, 4 + 8 + 2*14, 4, nil},
	}, {
		// the four states for each of two permutations
		name: "what is assigned is part of the state where a property reads it",
		spec: directed + `assign uid: permutation of 1..2
process p = skip; stop
define best(p) = uid[p] = 2
invariant i = exists p in node: best(p)`,
		want: counts{2 * 4, 2 * 4, 2, nil},
	}, {
		name: "it is not where no property does",
		spec: directed + `assign uid: permutation of 1..2
option ask: bool = false
process p = skip; stop
invariant i = exists p in node: uid[p] = 2 if ask`,
		want: counts{4, 4, 1, nil},
	}, {
		name: "a token that is there from the beginning", // it is in one of 3 channels or at one of 3 processes
		spec: `topology directed ring of 3
channel fifo
message Token
process p = Idle
Idle = recv left Token; send right Token; Idle
initially Token in inbox(0, left)`,
		want: counts{6, 6, 0, nil},
	}, {
		// 0 goes through 5 states; 1 through 2 for each of two values and 1 more
		name: "messages that are there from the beginning, in their order",
		spec: `topology complete graph of 2
channel fifo
var x: 1..3
event e(x: 1..3)
message M(x: 1..3), N
assign id: 1..2
process p = Take
Take = recv _ M(x); e(x); Take
initially M(3), M(1) in inbox(0, 1)
initially N in inbox(0, 1) if 1 = 2
initially M(id[q]) in inbox(q, p) for q in {0..1}, p in node where q = 1 and p < q`,
		want: counts{5 * 5, 4*5 + 4*5, 1, nil},
	}, {
		name: "directions in a torus", // the token goes right, down, left and up again: in a channel or at a process
		spec: `topology anonymous torus of 3 by 2
channel fifo
var d: dir
message Token(d: dir)
process p = if p = 0 then Begin else if p in {1, 4, 3} then Pass else Done
Begin = send right Token(down); End
Pass = recv _ Token(d); send d Token(if d = down then left else up); Done
End = recv down Token(_); Done
Done = stop`,
		want: counts{9, 8, 1, nil},
	}, {
		// one message from each end to the middle, which knows both by what they hold
		name: "ports and directions at the edge of a grid",
		spec: `topology anonymous grid of 3 by 1
channel fifo
var s: set of dir
var d: dir
register x: 0..2 = p
message M
process p = Tell(ports(p))
Tell(s) = if size(s) = 1 then (for d in s: send d M; Done) else Hear(s)
Hear(s) = if s = {} then Done else recv d M where d in s and (d = left => left.x = 0) and (d = right => d.x = 2); Hear(s minus {d})
Done = stop`,
		want: counts{3 * 3, 2*3 + 2*3, 1, nil},
	}, {
		name: "ports of a complete graph", // what 0 sends to port i, process i receives from port 3 - i
		spec: `topology anonymous complete graph of 3
channel fifo
var i, j: 1..2
var s: set of 1..2
message M(i: 1..2)
process p = if p = 0 then Tell(ports(p)) else Hear(3 - p)
Tell(s) = for i in s: send i M(i); Done
Hear(j) = recv j M(i) where i = 3 - j; Done
Done = stop
invariant known = neighbour(2, 1) = 0 and neighbour(2, 2) = 1 and size(inbox(1, 1)) = 0`,
		want: counts{1 + 2 + 4, 1 + 3 + 4, 1, nil},
	}, {
		name: "sets in a process", // one e for each of 1, 2, the last of which is 1 + 1, and so on
		spec: directed + `var s: set of 0..4
var x: 0..4
event e(x: 0..4)
define twice(s: set of 0..4) = {x in {0..4} where x mod 2 = 0 and x div 2 in s}
process p = if p = 0 then A({1..2}) else Done
A(s) = for x in twice(s): e(x); B(twice(s))
B(s) = if s = {2, 4} and min(s) = 2 and max(s) = size(s) + 2 and (forall x in s: exists y in {min(s)..max(s)}: x = y) then e(0); Done else Done
Done = stop`,
		want: counts{4, 3, 1, nil},
	}, {
		name: "a definition and quantifiers in a process",
		spec: directed + `var s: set of 1..3
define large(s: set of 1..3) = forall x in s: x > 1
event big(x: 1..3), small
process p = if p = 0 then A({2, 3}) else A({1, 2})
A(s) = if large(s) and (count x in s: x > 1) = 2 then big(max(s)); Done else small; Done
Done = stop`,
		want: counts{4, 4, 1, nil},
	}} {
		t.Run(tt.name, func(t *testing.T) {
			p := spectest.Instantiate(t, "protocol loop \"\"\n"+tt.spec, nil)
			got := compare(t, p, compile.Options{}, 1000)
			if got.States != tt.want.States || got.Transitions != tt.want.Transitions ||
				got.TerminalStates != tt.want.TerminalStates {
				t.Errorf("%d states, %d transitions, %d terminal ones; want %d, %d, %d", got.States, got.Transitions,
					got.TerminalStates,
					tt.want.States, tt.want.Transitions, tt.want.TerminalStates)
			}
		})
	}
}

// TestEndlessLoop checks that a loop that binds its variable anew, and so never ends, is a model error, whatever
// alternatives and choices are in it.
func TestEndlessLoop(t *testing.T) {
	for _, body := range []string{
		"for j in 1..0: skip",
		"for j in 1..0: skip | e",
		"choose x; for j in 1..0: skip",
		"for j in 1..0: skip | for j in 1..0: (choose x; skip)",
	} {
		p := spectest.Instantiate(t, `protocol endless
topology line of 1
channel fifo
var i, j, x: 0..2
event e
process p = A
A = skip; for i in 0..1: (let i = 0; (`+body+`)); stop`, nil)
		sys, err := compile.New(t.Context(), p, compile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = countCompiled(sys)
		var f *model.Error
		if !errors.As(err, &f) || !strings.Contains(f.Message, "this loop goes on for more than") {
			t.Errorf("%s: got %v", body, err)
		}
	}
}
