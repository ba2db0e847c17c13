package compile_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
)

const (
	directed   = "topology directed ring of 2\nchannel unordered\n"
	undirected = "topology undirected ring of 2\nchannel unordered\n"
	queues     = "topology directed ring of 2\nchannel fifo\n"
	complete   = "topology complete graph of 3\nchannel unordered\n"
)

// TestSteps takes the first transition of a small spec a few times and checks the transitions enabled then.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		skip       int
		want       []string // choice, label, weight, and what changes
	}{{
		name: "equal summands are one transition",
		spec: directed + `process p = if p = 0 then A else stop
A = skip; B | skip; B | skip; stop | skip; A
B = stop`,
		want: []string{
			"0 skip(0) 1/1 process 0=B",
			"1 skip(0) 1/1 process 0=A:5",
			"2 skip(0) 1/1",
		},
	}, {
		name: "equal outcomes of a draw are one transition",
		spec: directed + `var x: 1..4
process p = if p = 0 then A else stop
A = draw x; if x <= 3 then skip; B else skip; A
B = stop`,
		want: []string{
			"0 skip(0) 3/4 process 0=B",
			"0 skip(0) 1/4",
		},
	}, {
		name: "a process alone in a ring sends to itself, and what it sends may be due",
		spec: "topology directed ring of 1\nchannel fifo, delay 0..0\n" + `message M
process p = A
A = send right M; B
B = skip; B | recv left M; A`,
		skip: 1,
		want: []string{"0 recv(0,left,M) 1/1 process 0=A channel 0→0 (right)=<>"},
	}, {
		name: "a process alone in a ring reads its own register as that of its neighbour",
		spec: "topology undirected ring of 1\nchannel fifo\n" + `message M
register r: 0..1 = 1
process p = A
A = send right M; B
B = recv left M where right.r = 1; A`,
		skip: 1,
		want: []string{"0 recv(0,left,M) 1/1 process 0=A(r=1) channel 0→0 (right)=<>"},
	}, {
		name: "a register that a process begins with is set by its first action",
		spec: directed + `register r: 0..1 = 0
process a = let r = 1; skip; Sink
process b = B
B = when left.r = 1: skip; B
Sink = stop`,
		want: []string{"0 skip(0) 1/1 a=Sink(r=1)"},
	}, {
		name: "a draw that makes no difference is no draw",
		spec: directed + `var x: 1..6
process p = if p = 0 then A else stop
A = draw x; skip; B | skip; B
B = stop`,
		want: []string{"0 skip(0) 1/1 process 0=B"},
	}, {
		name: "a transition of a draw and of another alternative is one, whatever else the draw leads to",
		spec: directed + `var x: 0..1
event e0
message M
process p = if p = 0 then A else Sink
A = draw x; if x = 0 then e0; stop else send right M; B | skip; A | send right M; B | draw x; send right M; if x = 0 then B else A
Sink = recv left M; Sink
B = stop`,
		want: []string{
			"0 e0 1/2 process 0=A:8:31",
			"0 send(0,right,M) 1/2 process 0=B channel 0→1 (right)={M}",
			"1 skip(0) 1/1",
			"2 send(0,right,M) 1/1 again process 0=B channel 0→1 (right)={M}",
			"3 send(0,right,M) 1/2 process 0=A:8:109(x=0) channel 0→1 (right)={M}",
			"3 send(0,right,M) 1/2 process 0=A:8:109(x=1) channel 0→1 (right)={M}",
		},
	}, {
		name: "nested draws multiply, explicit weights are reduced",
		spec: directed + `var x, y: 1..2
message M(x: 1..2, y: 1..2)
process p = if p = 0 then A else Sink
A = draw x in {1: 2/8, 2: 3/4}; draw y; send right M(x, y); stop
Sink = recv left M(_, _); Sink`,
		want: []string{
			"0 send(0,right,M(1,1)) 1/8 process 0=A:7 channel 0→1 (right)={M(1,1)}",
			"0 send(0,right,M(1,2)) 1/8 process 0=A:7 channel 0→1 (right)={M(1,2)}",
			"0 send(0,right,M(2,1)) 3/8 process 0=A:7 channel 0→1 (right)={M(2,1)}",
			"0 send(0,right,M(2,2)) 3/8 process 0=A:7 channel 0→1 (right)={M(2,2)}",
		},
	}, {
		name: "choose leaves the choice to the scheduler",
		spec: directed + `var x: 1..3
event chosen(x: 1..3)
process p = if p = 0 then A else stop
A = choose x; chosen(x); stop`,
		want: []string{
			"0 chosen(1) 1/1 process 0=A:7",
			"1 chosen(2) 1/1 process 0=A:7",
			"2 chosen(3) 1/1 process 0=A:7",
		},
	}, {
		name: "a draw can decide where to send",
		spec: undirected + `var d: dir
message M
process p = if p = 0 then A else Sink
A = draw d; send d M; stop
Sink = recv _ M; Sink`,
		want: []string{
			"0 send(0,left,M) 1/2 process 0=A:7 channel 0→1 (left)={M}",
			"0 send(0,right,M) 1/2 process 0=A:7 channel 0→1 (right)={M}",
		},
	}, {
		name: "a draw can decide between a send and an event",
		spec: directed + `var b: bool
message M
event quiet
process p = if p = 0 then A else Sink
A = draw b with 1/3; if b then send right M; stop else quiet; stop
Sink = recv left M; Sink`,
		want: []string{
			"0 quiet 2/3 process 0=A:8:63",
			"0 send(0,right,M) 1/3 process 0=A:8:46 channel 0→1 (right)={M}",
		},
	}, {
		name: "one of two identical messages is received, in the order of their meaning",
		spec: directed + `var x: 1..2
message M(x: 1..2)
process p = if p = 0 then A else B
A = send right M(2); send right M(1); send right M(2); stop
B = when false: stop | recv left M(x); B`,
		skip: 3,
		want: []string{
			"0 recv(1,left,M(1)) 1/1 channel 0→1 (right)={M(2)×2}",
			"1 recv(1,left,M(2)) 1/1 channel 0→1 (right)={M(1), M(2)}",
		},
	}, {
		name: "only the head of a queue is received",
		spec: queues + `var x: 1..2
message M(x: 1..2)
process p = if p = 0 then A else B
A = send right M(2); send right M(1); send right M(2); stop
B = when false: stop | recv left M(x); B`,
		skip: 3,
		want: []string{"0 recv(1,left,M(2)) 1/1 channel 0→1 (right)=<M(1), M(2)>"},
	}, {
		name: "a message that fits two receives gives two choices, one that fits none stays",
		spec: directed + `var x: 1..2
message M(x: 1..2)
process p = if p = 0 then A else B
A = send right M(2); send right M(1); stop
B = recv left M(2); C(1) | recv left M(x) where x > 1; C(x)
C(x) = when x > 0: skip; C(x)`,
		skip: 2,
		want: []string{
			"0 recv(1,left,M(2)) 1/1 process 1=C(x=1) channel 0→1 (right)={M(1)}",
			"1 recv(1,left,M(2)) 1/1 process 1=C(x=2) channel 0→1 (right)={M(1)}",
		},
	}, {
		name: "a complete graph addresses processes by number, the source can be bound",
		spec: complete + `var q: node
var s: set of node
message M(s: set of node)
process p = if p = 2 then A else B
A = send (0) M({0, 2}); stop
B = recv q M(s); send q M(s union {q}); stop | recv (1) M(_); stop`,
		skip: 2,
		want: []string{
			"0 send(0,2,M({0,2})) 1/1 process 0=B:9:41 channel 0→2={M({0,2})}",
		},
	}, {
		name: "a pending condition is decided with the next action, a call after an action at once",
		spec: directed + `var x: 1..9
process p = if p = 0 then A(9) else stop
A(x) = skip; if x > 5 then B(x) else stop
B(x) = skip; C(x - 1)
C(x) = D(x - 1)
D(x) = when x > 0: skip; D(x)`,
		skip: 1,
		want: []string{"0 skip(0) 1/1 process 0=D(x=7)"},
	}, {
		name: "a dead variable is not part of the state, summands do not disturb each other's variables",
		spec: directed + `var x: 1..9
event saw(x: 1..9)
process p = if p = 0 then A(5) else stop
A(x) = (let x = 1; saw(x); A(x)) | saw(x); stop`,
		want: []string{
			"0 saw(1) 1/1 process 0=A(x=1)",
			"1 saw(5) 1/1 process 0=A:7",
		},
	}, {
		name: "arrays and enumerations",
		spec: directed + `type Colour = red | green
var a: array 0..2 of Colour
event saw(a: array 0..2 of Colour, c: Colour)
process p = if p = 0 then A(all(red)) else stop
A(a) = let a = a with [1] = green; saw(a, a[2]); A(a)`,
		want: []string{"0 saw([red,green,red],red) 1/1 process 0=A(a=[red,green,red])"},
	}, {
		name: "absent fields are not shown",
		spec: directed + `var x, y: 1..2
var b: bool if 1 = 2
message M(x: 1..2, b: bool if 1 = 2, y: 1..2)
process p = if p = 0 then A(1, true) else Sink
A(x, b) = send right M(x, not b, 2); A(x, b)
Sink = recv left M(_, true, _); Sink`,
		want: []string{"0 send(0,right,M(1,2)) 1/1 channel 0→1 (right)={M(1,2)}"},
	}} {
		t.Run(c.name, func(t *testing.T) {
			p := spectest.Instantiate(t, "protocol corner \"\"\n"+c.spec, nil)
			compare(t, p, compile.Options{MaxMessages: 4}, 2000)
			if got := after(t, spectest.Compile(t, p), c.skip); !slices.Equal(got, c.want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// after takes the first transition n times and returns the transitions then.
func after(t *testing.T, sys *compile.System, n int) []string {
	t.Helper()
	var state []model.Value
	err := sys.Initial(func(s []model.Value) bool {
		state = slices.Clone(s)
		return false
	})
	for ; err == nil && n > 0; n-- {
		var next []model.Value
		err = successors(sys, state, func(_ model.Step, target []model.Value) {
			if next == nil {
				next = target
			}
		})
		state = next
	}
	var lines []string
	if err == nil {
		err = successors(sys, state, func(step model.Step, target []model.Value) {
			lines = append(lines, describe(sys, state, step, target))
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func describe(sys *compile.System, state []model.Value, step model.Step, target []model.Value) string {
	line := fmt.Sprintf("%d %s %d/%d", step.Choice, sys.Label(step.Label).Text, step.Weight.Num, step.Weight.Den)
	if step.Repeated {
		line += " again"
	}
	for i, slot := range sys.Slots() {
		if target[i] != state[i] {
			line += fmt.Sprintf(" %s=%s", slot.Name, sys.FormatSlot(i, target[i]))
		}
	}
	return line
}

// TestModelErrors checks that the message of a model error is one line that says where, who and what.
func TestModelErrors(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		opt        compile.Options
		want       string
		growth     bool
		exact      bool // the semantics has no such limit
	}{{
		name: "argument out of range",
		spec: directed + `var x: 1..3
process p = if p = 1 then A(1) else stop
A(x) = when x > 0: skip; A(x + 1)`,
		want: "test.ring:6:30: process 1: argument x of A: 4 is not in 1..3",
	}, {
		name: "received value out of range",
		spec: directed + `var x: 1..3
message M(x: 1..9)
process p = if p = 0 then A else B
A = send right M(5); stop
B = recv left M(x); C(x)
C(x) = send right M(x); stop`,
		want: "test.ring:8:5: process 1: variable x: 5 is not in 1..3",
	}, {
		name: "a channel grows",
		spec: directed + `message M
process p = if p = 0 then A else Sink
A = send right M; A
Sink = skip; recv left M; Sink`,
		opt:    compile.Options{MaxMessages: 3},
		want:   "test.ring:6:5: process 0: channel 0→1 (right) would hold more than 3 messages",
		growth: true,
	}, {
		name: "a number grows",
		spec: directed + `var x: nat
process p = if p = 0 then A(0) else stop
A(x) = when x >= 0: skip; A(x + 1)`,
		opt:    compile.Options{MaxNat: 5},
		want:   "test.ring:6:27: process 0: variable x: 6 is beyond the bound of 5 for nat",
		growth: true,
	}, {
		name: "a number in a message grows",
		spec: directed + `var x: 0..9
message M(x: nat)
process p = if p = 0 then A(0) else Sink
A(x) = send right M(5 + x); A(1)
Sink = recv left M(_); Sink`,
		opt:    compile.Options{MaxNat: 5},
		want:   "test.ring:7:8: process 0: field x: 6 is beyond the bound of 5 for nat",
		growth: true,
	}, {
		name: "nobody to send to",
		spec: complete + `var q: node
message M
process p = if p = 1 then A(1) else Sink
A(q) = skip; send q M; A(q)
Sink = recv _ M; Sink`,
		want: "test.ring:7:14: process 1: there is no channel to 1",
	}, {
		name: "a direction without any channel, of a process that reads",
		spec: `topology anonymous grid of 2 by 1
channel fifo
message M
shared x: bool = true
process p = if p = 0 then A else stop
A = when x: send up M; stop`,
		want: "test.ring:7:13: process 0: there is no channel to up",
	}, {
		name: "a direction without any channel, where channels are synchronous",
		spec: `topology anonymous grid of 2 by 1
channel sync
message M
var d: dir
process p = if p = 0 then A else stop
A = draw d in {up: 1/2, down: 1/2}; send d M; stop`,
		want: "test.ring:7:37: process 0: there is no channel to up",
	}, {
		name: "a direction without any channel, of a process that waits for room",
		spec: `topology anonymous grid of 2 by 1
channel fifo of 1
message M
process p = if p = 0 then A else stop
A = send right M; (send right M; stop | send up M; stop)`,
		want: "test.ring:6:41: process 0: there is no channel to up",
	}, {
		name: "a direction without any channel, where messages may be due",
		spec: `topology anonymous grid of 2 by 1
channel fifo, delay 0..1
message M
process p = if p = 0 then A else stop
A = send up M; stop`,
		want: "test.ring:6:5: process 0: there is no channel to up",
	}, {
		name: "nothing to draw",
		spec: directed + `var x: 1..3
var s: set of 1..3
event e(x: 1..3)
process p = if p = 0 then A({2}) else stop
A(s) = draw x in s; e(x); A(s minus {x})`,
		want: "test.ring:8:8: process 0: the draw of x has no value to draw",
	}, {
		name: "probabilities too fine",
		spec: directed + `var x, y: 1..2
event e(x: 1..2, y: 1..2)
process p = if p = 0 then A else stop
A = draw x in {1: 1/70001, 2: 70000/70001}; draw y in {1: 1/70003, 2: 70002/70003}; e(x, y); A`,
		exact: true,
		want:  "test.ring:7:1: process 0: the probability 1/4900280003 does not fit in two numbers of 32 bits",
	}} {
		t.Run(c.name, func(t *testing.T) {
			p := spectest.Instantiate(t, "protocol corner \"\"\n"+c.spec, nil)
			if !c.exact {
				compare(t, p, c.opt, 1000)
			}
			sys, err := compile.New(t.Context(), p, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			_, err = countCompiled(sys)
			var f *model.Error
			if !errors.As(err, &f) {
				t.Fatalf("got error %v, want a model error", err)
			}
			if err.Error() != c.want || f.Growth != c.growth {
				t.Errorf("got  %v, growth %t\nwant %s, growth %t", err, f.Growth, c.want, c.growth)
			}
		})
	}
}

// TestBytes: the outcomes that a system keeps count as its memory, once.
func TestBytes(t *testing.T) {
	p := spectest.Instantiate(t, "protocol draws\n"+directed+`event e(x: 1..9)
var x, y: 1..9
process p = A(1)
A(y) = draw x; e(x); if x + y > 17 then stop else A(x)
`, nil)
	sys, err := compile.New(t.Context(), p, compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := func(n model.Value) (known []compile.Outcome, held int64) {
		known, err := sys.OwnOutcomes(n)
		if err != nil || len(known) != 9 {
			t.Fatalf("%d outcomes, %v", len(known), err)
		}
		return known, sys.Bytes()
	}
	var start model.Value
	if err := sys.Initial(func(state []model.Value) bool { start = state[0]; return false }); err != nil {
		t.Fatal(err)
	}
	known, before := at(start)
	_, after := at(known[4].Next) // whose outcomes have the same labels and local states
	if after-before < 9*40 {
		t.Errorf("9 outcomes take %d bytes", after-before)
	}
	if _, again := at(known[4].Next); again != after {
		t.Errorf("%d bytes, and %d when asked again", after, again)
	}
}
