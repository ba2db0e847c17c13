package export

import (
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model/language/compile"
)

// synchronousSpecs have sends and receipts of all forms. The second one has several initial states.
var synchronousSpecs = []string{
	`protocol ring
topology undirected ring of 3
channel sync
message M(v: 0..2, b: bool), Q
var v: 0..2
var b: bool
var d: dir
event e
process p = if p = 0 then Send(0) else Take(p)
Send(v) = choose b; send right M(v, b); Take(v) | choose d; send d Q; Send((v + 1) mod 3) | e; stop
Take(v) = recv d M(_, b) where b; send (opposite(d)) M(v, not b); Take(v)
  | recv _ M(v, false); Send(v) | recv left Q; for d in dir: send d M(v, true); Take(0)
terminal none = forall p in node: size(inbox(p, left)) = 0
`,
	`protocol tree
topology binary tree of 5
channel sync
message Up(v: 0..1), Down(v: 0..1)
register v: 0..1
var q: node
process p = if p = 0 then Root else Leaf(neighbours(p))
var s: set of node
var w: 0..1
Root = recv q Up(w) where w != v; v := w; send q Down(v); Root
Leaf(s) = choose q in s; send q Up(v); Wait(s)
Wait(s) = recv q Down(w); if w = v then Leaf(s) else v := w; Leaf(s) | recv q Up(w); send q Down(1 - w); Leaf(s)
`,
}

// TestSynchronous compares the number of states and transitions with those that SPIN finds.
func TestSynchronous(t *testing.T) {
	spin, err := exec.LookPath("spin")
	if err != nil {
		t.Skip("SPIN is not installed")
	}
	if testing.Short() {
		t.Skip("compiling what SPIN generates takes seconds each time")
	}
	for _, text := range synchronousSpecs {
		compare(t, spin, text, spectest.Instantiate(t, text, nil))
	}
	if testlevel.Gate() {
		compareSynchronous(t, spin, 4)
	}
}

// compareSynchronous does the same for some random specs in which processes meet.
func compareSynchronous(t *testing.T, spin string, specs int) {
	t.Helper()
	for seed := uint64(0); specs > 0; seed++ {
		text := spectest.Synchronous(spectest.Random(seed, 44))
		p := spectest.Instantiate(t, text, nil)
		if strings.Contains(text, "draw ") || Promela(t.Context(), io.Discard, p) != nil {
			continue
		}
		r, err := explore.Run(t.Context(), spectest.Compile(t, p, compile.Options{}), explore.Options{})
		if err != nil || !r.Complete() || r.States < 30 || r.States > 100_000 {
			continue
		}
		specs--
		compare(t, spin, fmt.Sprintf("seed %d:\n%s", seed, text), p)
	}
}

// TestRefusedSynchronous: what SPIN cannot express of synchronous channels is refused, with the place.
func TestRefusedSynchronous(t *testing.T) {
	const plain = "protocol plain\ntopology line of 2\nchannel sync\nvar b: bool\nshared s: bool = false\n" +
		"message M(b: bool)\n" +
		"process p = if p = 0 then Send else Take\nSend = choose b; send right M(b); Send\n" +
		"Take = recv left M(_); Take\n"
	for _, test := range []struct{ old, new, want string }{
		{"", "", ""},
		{"choose", "draw", "promela: test.ring:8:1: a draw before a send cannot be exported with synchronous channels"},
		{"recv left M(_)", "recv left M(_) then s := true", "promela: test.ring:3:9: synchronous channels cannot be " +
			"exported with shared variables or reads of registers of others"},
	} {
		text := strings.Replace(plain, test.old, test.new, 1)
		err := Promela(t.Context(), io.Discard, spectest.Instantiate(t, text, nil))
		if err == nil && test.want != "" || err != nil && err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}
