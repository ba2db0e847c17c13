package check_test

import (
	"strings"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
)

const kinds = `protocol kinds
param n: 1..100 = 4
topology star of n
channel unordered
var q: node
var s: set of node
register r: 0..9 = p
message M
A(s) = for q in s: send q M; B
B = stop
`

// An index is the number of the process, and the name of a kind stands for its processes.
func TestKinds(t *testing.T) {
	for _, tt := range []struct{ declarations, want string }{
		{"process hub = A(leaf)\nprocess leaf[p in 1..n - 1] = A({p})", "A[14,0] A[2,1] A[4,2] A[8,3]"},
		{"process leaf[p in 1..n - 1] = A({hub})\nprocess hub = A({})", "A[0,0] A[1,1] A[1,2] A[1,3]"},
		{"process a = B\nprocess b[p in 1..2] = A(b)\nprocess c = A({a, c})", "B[0] A[6,1] A[6,2] A[9,3]"},
		{"process a[p in 0..n - 1] = A(a)\nprocess b[p in n..n - 1] = A(b union a)", "A[15,0] A[15,1] A[15,2] A[15,3]"},
	} {
		p := spectest.Instantiate(t, kinds+tt.declarations, nil)
		if err := checkSanity(p); err != nil {
			t.Errorf("%s: %v", tt.declarations, err)
		}
		if got := strings.Join(configurations(t, p, 2), "\n"); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.declarations, got, tt.want)
		}
	}
}

// TestKindsInProperties checks that properties can range over a kind, and name the only process of a kind.
func TestKindsInProperties(t *testing.T) {
	p := spectest.Instantiate(t, kinds+`process hub = A(leaf)
process leaf[p in 1..n - 1] = A({})
invariant whole = (forall p in leaf: p at A) and hub at A and hub.r = 0 and (sum p in leaf: p.r) = 1 + 2 + 3
invariant sets = (count p in node: p in leaf) = size(leaf) and {q in leaf where q.r > 1} = leaf minus {hub + 1}
`, nil)
	err := p.Initial(func(locals []ir.Local, _ [][]ir.Content, _ []int64) bool {
		for _, prop := range p.Properties {
			v, err := prop.Body.Eval(p.NewEnv(state(locals)))
			if err != nil || v == 0 {
				t.Errorf("%s: %d, %v", prop.Name, v, err)
			}
		}
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for q := range p.N {
		names = append(names, p.ProcessName(q))
	}
	if got := strings.Join(names, ", "); got != "hub, leaf 1, leaf 2, leaf 3" {
		t.Error(got)
	}
}

// A state is a view of processes with empty channels.
type state []ir.Local

func (s state) Seen(p int) ir.Local      { return s[p] }
func (state) SharedValue(int) int64      { return 0 }
func (s state) Channel(int) []ir.Content { return nil }

func TestKindErrors(t *testing.T) {
	for _, c := range []complaint{
		{"process a[p in ^1..n] = B\nprocess b = B", `a[1..4]: the processes are 0 to 3`},
		{"process a[p in ^0 - 1..n - 1] = B", `a[-1..3]: the processes are 0 to 3`},
		{"process a[p in 0..2] = B\nprocess b[p in ^2..3] = B", `process 2 is of two kinds, a and b`},
		{"process a[p in 0..n - 1] = B\n^process b = B", `no process is left to be b: there are 4`},
		{"^process a[p in 0..1] = B\nprocess b = B", `process 3 is of no kind: there are 4 processes`},
		{"process a[p in 0..1 ^div 0] = B\nprocess b = B", `division by zero`},
	} {
		c.check(t, kinds, instantiateDefault)
	}
	complaint{"topology grid of ^131072 by 131072\nprocess a = stop\nprocess b[p in 1..9] = stop",
		`a topology of 17179869184 processes: it must be 1 to 131072`}.check(t, "protocol test\n", instantiateDefault)
	const many = "protocol many\ntopology star of 100\nchannel unordered\nvar q: node\nmessage M\nB = stop\n"
	p := spectest.Instantiate(t, many+"process a[p in 0..99] = for q in a: send q M; if 1 in a then B else B", nil)
	if len(p.Large) == 0 || !strings.Contains(p.Large[0].Text, "set of 0..99 has more than 63 possible elements") {
		t.Errorf("set type over 100 processes: %v", p.Large)
	}
	for _, domain := range []string{"node", "-2^62 - 1..2^62"} {
		p = spectest.Instantiate(t, many+"process p = B\nltl l = forall p in "+domain+": eventually p at B", nil)
		if len(p.Large) == 0 || !strings.Contains(p.Large[0].Text, "ranges over more than 64 values") {
			t.Errorf("a temporal formula for each of %s: %v", domain, p.Large)
		}
	}
	p = spectest.Instantiate(t, many+"process a[p in 0..99] = for q in a where q = p: send q M; B\ninvariant i = "+
		"forall p in a: p at B", nil)
	if p.N != 100 {
		t.Error(p.N)
	}
	p = spectest.Instantiate(t, many+"process a[p in 0..98] = B\nprocess b = B\ninvariant i = 42 in a and not 99 in "+
		"a and size(a) = 99 and b = 99", nil)
	q := spectest.Instantiate(t, "protocol q\nconst c = count x in {1..100}: x mod 2 = 0 and x in "+
		"{1..size({1..70})}\nparam n: 1..99 = c\ntopology star of n\nprocess p = stop", nil)
	if q.N != 35 || len(q.Large) > 0 {
		t.Errorf("%d processes, not 35; %v", q.N, q.Large)
	}
	env := p.NewEnv(nil)
	env.Sets = new(ir.Sets)
	if v, err := p.Properties[0].Body.Eval(env); err != nil || v == 0 {
		t.Errorf("99 processes of one kind: %d, %v", v, err)
	}
}
