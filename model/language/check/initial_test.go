package check_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/check"
	"ringcheck/model/language/ir"
)

// configurations returns the first initial configurations as "A(1) B", at most limit.
func configurations(t *testing.T, p *ir.Protocol, limit int) []string {
	t.Helper()
	var all []string
	err := p.Initial(func(locals []ir.Local, _ [][]ir.Content, _ []int64) bool {
		var parts []string
		for _, l := range locals {
			name := "point" + strconv.Itoa(l.Point.ID)
			if l.Point.Start {
				name = l.Point.Equation.Name
			}
			parts = append(parts, name+strings.ReplaceAll(fmt.Sprint(l.Env), " ", ","))
		}
		all = append(all, strings.Join(parts, " "))
		return len(all) < limit
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestInitial(t *testing.T) {
	const src = `protocol test
param n: 1..1000 = 3
option fixed: bool = false
topology undirected ring of n
var x: 0..n
var f: bool
event out(v: 0..n)
assign uid: permutation of 1..n
assign bit: bool
A(x) = out(x); A(x)
B = C(2)
C(x) = out(x); B
`
	for _, tt := range []struct {
		name, process string
		settings      map[string]string
		want          []string
	}{
		{"one", "A(1)", nil, []string{"A[1] A[1] A[1]"}},
		{"calls are resolved", "B", nil, []string{"C[2] C[2] C[2]"}},
		{"the process number", "if p = 0 then A(p) else A(n - p)", nil, []string{"A[0] A[2] A[1]"}},
		{"permutations in order", "A(uid[p])", nil, []string{
			"A[1] A[2] A[3]", "A[1] A[3] A[2]", "A[2] A[1] A[3]", "A[2] A[3] A[1]", "A[3] A[1] A[2]", "A[3] A[2] A[1]",
		}},
		{"values of others", "A(uid[(p + 1) mod n])", map[string]string{"n": "2"}, []string{"A[2] A[1]", "A[1] A[2]"}},
		{"any value", "if bit[p] then A(1) else A(0)", map[string]string{"n": "2"}, []string{
			"A[0] A[0]", "A[0] A[1]", "A[1] A[0]", "A[1] A[1]",
		}},
		{"the last assignment is the fastest", "if bit[p] then A(uid[p]) else A(0)", map[string]string{"n": "1"},
			[]string{"A[0]", "A[1]"}},
		{"an assignment that is not used", "if fixed then A(0) else A(uid[p])", map[string]string{"fixed": "true"},
			[]string{"A[0] A[0] A[0]"}},
		{"let", "let x = uid[p] - 1; A(x)", map[string]string{"n": "1"}, []string{"A[0]"}},
		{"own control points", "if p = 0 then out(0); stop else out(p); A(p)", nil,
			[]string{"point1[] point2[1] point2[2]"}},
		{"a pending choice", "when p = 0: out(0); stop | when p > 0: out(1); stop", map[string]string{"n": "2"},
			[]string{"point2[0] point2[1]"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := spectest.Instantiate(t, src+"process p = "+tt.process+"\n", tt.settings)
			if err := checkSanity(p); err != nil {
				t.Error(err)
			}
			if got := configurations(t, p, 100); !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// Large instances are cheap, since permutations are enumerated lazily.
func TestInitialOfManyProcesses(t *testing.T) {
	p := spectest.Instantiate(t, spectest.Source(t, "chang-roberts"), map[string]string{"n": "500"})
	if got := configurations(t, p, 3); len(got) != 3 || !strings.HasSuffix(got[1], "[500] Start[499]") {
		t.Errorf("the second permutation ends with %s", got[1][len(got[1])-30:])
	}
}

// Sets with more than 63 possible elements, which lists stand for, are known before the run, too.
func TestInitialByWideSet(t *testing.T) {
	const src = "protocol test\nparam n: 1..99\nconst every = {0..n - 1}\ntopology directed ring of n\nchannel fifo\n" +
		"var x: 0..99\nmessage M\ninitially M in inbox(p, left) for p in {0..n - 1}\n" +
		"process p = let x = size(every); A(x)\nA(x) = when x > 0: recv left M; A(x)\n"
	for _, n := range []int{63, 64, 99} {
		p := spectest.Instantiate(t, src, map[string]string{"n": strconv.Itoa(n)})
		locals, channels, _, _, err := p.Begin(new(ir.Sets), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if got := locals[i].Env; !slices.Equal(got, []int64{int64(n)}) || len(channels[i]) != 1 {
				t.Errorf("n = %d: process %d has size(every) = %v and %d messages", n, i, got, len(channels[i]))
			}
		}
	}
}

// A value outside its range for only one process is an error of the enumeration.
func TestInitialError(t *testing.T) {
	const src = "protocol test\ntopology directed ring of 3\nvar x: 0..1\nevent e(v: 0..1)\nprocess p = A(p)\nA(x) = " +
		"e(x); A(x)\n"
	p := spectest.Instantiate(t, src, nil)
	err := p.Initial(func([]ir.Local, [][]ir.Content, []int64) bool { return true })
	if err == nil || err.Error() != "argument x of A: 2 is not in 0..1" {
		t.Errorf("got %v", err)
	}
}

func TestWarnings(t *testing.T) {
	src := `protocol test
param n: 1..3 = 2
param k: 1..3 = 2
const c = 1
type T = bool
topology directed ring of n
channel fifo | unordered = fifo
var x, y: 0..1
message M
message N
message O
event done
assign u: bool
process p = A
A = recv left N; send right O; stop
B = stop
define d(p) = true
define goal = true
Round = skip; Round
First = skip; Second
Second = done; First
Third = skip; Second
Used = skip; Used
invariant fine = forall p in node: not p at Used
`
	s, err := check.File(parse(t, src))
	if err != nil {
		t.Fatal(err)
	}
	want := `test.ring:3:1: parameter k is never used
test.ring:4:1: constant c is never used
test.ring:5:1: type T is never used
test.ring:8:5: variable x is never used
test.ring:8:8: variable y is never used
test.ring:9:1: message M is never used
test.ring:10:1: message N is never sent
test.ring:11:1: message O is never received
test.ring:13:1: assignment u is never used
test.ring:16:1: equation B is never used
test.ring:17:1: definition d is never used
test.ring:19:1: equation Round is used only by itself, or by equations that are never used
test.ring:20:1: equation First is used only by itself, or by equations that are never used
test.ring:21:1: equation Second is used only by itself, or by equations that are never used
test.ring:22:1: equation Third is never used
test.ring:23:1: equation Used is unreachable; only properties mention it`
	if got := s.Warnings.Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The initial value of a register may use a definition that follows it.
func TestInitialByDefinition(t *testing.T) {
	p := spectest.Instantiate(t, "protocol a\ntopology directed ring of 2\nregister r: 0..3 = next(q)\n"+
		"define next(x) = x + 1\nprocess q = A\nA = skip; A\n", nil)
	if got := configurations(t, p, 10); !slices.Equal(got, []string{"A[1] A[2]"}) {
		t.Errorf("got %q", got)
	}
}
