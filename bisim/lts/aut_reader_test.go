package lts_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ringcheck/bisim/lts"
)

// text lists the transitions of l, one a line, after the initial state and the number of states.
func text(l *lts.LTS) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d\n", l.Initial(), l.States())
	for s := range l.States() {
		for _, e := range l.Out(uint32(s)) {
			fmt.Fprintf(&b, "%d %s %d\n", s, l.Label(e.Label), e.To)
		}
	}
	return b.String()
}

func TestReadAut(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"plain", "des (0,2,2)\n(0,\"a\",1)\n(1,b,0)\n", "0 2\n0 a 1\n1 b 0\n"},
		{"no last line break", "des (1,1,2)\n(0,\"a\",1)", "1 2\n0 a 1\n"},
		{"one state", "des (0,0,1)", "0 1\n"},
		{"both names of τ, quoted or not", "des(0,4,1)\n(0,tau,0)\n(0,i,0)\n(0,\"tau\",0)\n(0,\"i\",0)\n",
			"0 1\n0 tau 0\n0 tau 0\n0 tau 0\n0 tau 0\n"},
		{"blanks, blank lines and carriage returns", "\r\n des\t( 0 , 1 , 2 ) \r\n\r\n ( 0 , \" a \" , 1 ) \r\n  \n",
			"0 2\n0  a  1\n"},
		{"commas, brackets and quotes in a label",
			"des (0,3,2)\n(0,\"m(1, 2),1)\",1)\n(0,\"say \"x\" \",1)\n(0,m(1, 2),1)\n",
			"0 2\n0 m(1, 2),1) 1\n0 say \"x\"  1\n0 m(1, 2) 1\n"},
		{"an empty label in quotes", "des (0,1,1)\n(0,\"\",0)\n", "0 1\n0  0\n"},
		{"no escapes", "des (0,1,1)\n(0,\"\\n\",0)\n", "0 1\n0 \\n 0\n"},
		{"not in order", "des (0,3,3)\n(2,\"a\",1)\n(0,\"b\",1)\n(2,\"c\",0)\n", "0 3\n0 b 1\n2 a 1\n2 c 0\n"},
		{"a byte order mark", "\ufeffdes (0,1,1)\r\n(0,a,0)\r\n", "0 1\n0 a 0\n"},
		{"isolated states", "des (0,0,3)\n", "0 3\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, err := lts.ReadAut(ctx, strings.NewReader(test.in), 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := text(l); got != test.want {
				t.Errorf("read\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestReadAutErrors(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"a second byte order mark", "\ufeff\ufeffdes (0,0,1)\n",
			"line 1: no header; expected: des (initial, transitions, states)"},
		{"only a byte order mark", "\ufeff", "line 1: the file is empty; expected: des (initial, transitions, states)"},
		{"empty", "", "line 1: the file is empty; expected: des (initial, transitions, states)"},
		{"blank", "\n\n", "line 2: the file is empty; expected: des (initial, transitions, states)"},
		{"no header", "(0,a,1)\n", "line 1: no header; expected: des (initial, transitions, states)"},
		{"negative", "des (0,-1,1)\n",
			`line 1: expected a number, not "-1,1)"; expected: des (initial, transitions, states)`},
		{"a number missing", "des (0,1)\n",
			`line 1: expected ',' before ")"; expected: des (initial, transitions, states)`},
		{"junk after the header", "des (0,0,1) x\n",
			`line 1: unexpected "x"; expected: des (initial, transitions, states)`},
		{"too large a number", "des (0,0,99999999999999999999)\n",
			`line 1: the number "99999999999999999999"… is too large; expected: des (initial, transitions, states)`},
		{"too many states", "des (0,0,4294967295)\n", "line 1: " + lts.ErrTooLarge.Error()},
		{"more states than can be", "des (0,5,4000000000)\n",
			"line 1: 4000000000 states cannot be reached by 5 transitions"},
		{"no state", "des (0,0,0)\n", "line 1: the initial state 0 is not below the number of states, 0"},
		{"initial state", "des (3,0,3)\n", "line 1: the initial state 3 is not below the number of states, 3"},
		{"truncated", "des (0,2,2)\n(0,a,1)\n", "line 2: the file ends after 1 transitions; the header promises 2"},
		{"truncated in a line", "des (0,2,2)\n(0,a,1)\n(1,\"b", "line 3: the label's quote is not closed"},
		{"truncated in a number", "des (0,2,2)\n(0,a,1)\n(1,b,", "line 3: expected a number, not \"\""},
		{"truncated before the bracket", "des (0,1,2)\n(0,a,1", "line 2: expected ')' before the line's end"},
		{"too many", "des (0,1,2)\n(0,a,1)\n\n(1,a,0)\n", "line 4: more transitions than the 1 of the header"},
		{"source out of range", "des (0,1,2)\n(2,a,1)\n",
			"line 2: state 2 is not below the number of states of the header, 2"},
		{"target out of range", "des (0,1,2)\n(0,a,4294967297)\n",
			"line 2: state 4294967297 is not below the number of states of the header, 2"},
		{"quote not closed", "des (0,1,2)\n(0,\"a,1)\n", "line 2: the label's quote is not closed"},
		{"text after the quote", "des (0,1,2)\n(0,\"a\"b,1)\n", "line 2: the label's quote is not closed"},
		{"quote inside", "des (0,1,2)\n(0,a\"b\",1)\n", "line 2: a quote within an unquoted label"},
		{"no label", "des (0,1,2)\n(0,,1)\n", "line 2: the label is missing"},
		{"two fields", "des (0,1,2)\n(0,1)\n", "line 2: expected (from, label, to)"},
		{"junk after a transition", "des (0,1,2)\n(0,a,1)x\n", `line 2: unexpected "x"`},
		{"binary", "des (0,1,2)\n\x7fELF\x00\x01\n", "line 2: a control character; this is not a text file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := lts.ReadAut(ctx, strings.NewReader(test.in), 0)
			var ae *lts.AutError
			if !errors.As(err, &ae) {
				t.Fatalf("got %v, want an *AutError", err)
			}
			if err.Error() != test.want {
				t.Errorf("got  %s\nwant %s", err, test.want)
			}
		})
	}
}

// repeated reads a text over and over, up to a number of bytes in all.
type repeated struct {
	head, text string
	left       int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	if r.head != "" {
		n = copy(p, r.head)
		r.head = r.head[n:]
	} else {
		for n+len(r.text) <= len(p) {
			n += copy(p[n:], r.text)
		}
		if n == 0 {
			n = copy(p, r.text)
		}
	}
	r.left -= n
	return n, nil
}

func TestReadAutLongNonsense(t *testing.T) {
	for _, test := range []struct{ name, head, text string }{
		{"one line", "", "x"},
		{"zeros", "", "\x00"},
		{"one endless label", "des (0,1,2)\n(0,\"", "a"},
		{"blank lines", "", strings.Repeat(" ", 4095) + "\n"},
		{"a header of lies", "des (0,4294967294,4294967294)\n", "(0,\"a\",x)\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := lts.ReadAut(ctx, &repeated{test.head, test.text, 1 << 28}, 0)
			runtime.ReadMemStats(&after)
			var ae *lts.AutError
			if !errors.As(err, &ae) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line that names the line", err)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
				t.Errorf("allocated %d bytes", got)
			}
		})
	}
}

func TestReadAutPassesOnReadErrors(t *testing.T) {
	broken := errors.New("cable unplugged")
	r := io.MultiReader(strings.NewReader("des (0,1,2)\n"), errReader{broken})
	if _, err := lts.ReadAut(ctx, r, 0); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

type errReader struct{ error }

func (r errReader) Read([]byte) (int, error) { return 0, r.error }

// FuzzReadAut checks that whatever is read is well formed, and the same when it is written and read again.
func FuzzReadAut(f *testing.F) {
	for _, s := range []string{
		"", "des (0,0,1)", "des (0,2,2)\n(0,\"a\",1)\n(1,b,0)\n", "des(0,1,2)\n(0,\"a \"quoted\" label\",1)\n",
		"des (0,1,2)\n(0,\"a,1)", "des (0,3,3)\n(2,i,1)\n(0,tau,1)\n(2,\"c\",0)\n", "des (0,1,1)\n(0,\"\",0)",
	} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := lts.ReadAut(ctx, bytes.NewReader(data), 0)
		if err != nil {
			var ae *lts.AutError
			if !errors.As(err, &ae) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q is not one line that names the line", err)
			}
			return
		}
		if l.States() > 1<<16 {
			return
		}
		file, err := os.Create(filepath.Join(dir, "fuzz.aut"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err := l.Write(lts.NewAutWriter(file)); err != nil {
			t.Fatal(err)
		}
		file.Seek(0, io.SeekStart)
		again, err := lts.ReadAut(ctx, file, 0)
		if err != nil {
			t.Fatal(err)
		}
		if text(again) != text(l) {
			t.Errorf("written and read again\n%s\nwas\n%s", text(again), text(l))
		}
	})
}

func BenchmarkReadAut(b *testing.B) {
	const edges = 1 << 16
	var s strings.Builder
	fmt.Fprintf(&s, "des (0,%d,%d)\n", edges, edges+1)
	for i := range edges {
		fmt.Fprintf(&s, "(%d,\"send(%d,right,M(1,1,true))\",%d)\n", i, i%50, i+1)
	}
	b.SetBytes(int64(s.Len()))
	for b.Loop() {
		if _, err := lts.ReadAut(ctx, strings.NewReader(s.String()), 0); err != nil {
			b.Fatal(err)
		}
	}
}
