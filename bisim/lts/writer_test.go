package lts_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ringcheck/bisim/lts"
)

// writeAut writes with an AutWriter to a file and returns what is in it then.
func writeAut(t *testing.T, write func(w lts.Writer) error) (string, error) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "x.aut"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	werr := write(lts.NewAutWriter(f))
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), werr
}

func TestAutWriter(t *testing.T) {
	got, err := writeAut(t, func(w lts.Writer) error {
		w.Transition(0, lts.TauName, 18446744073709551615)
		w.Transition(1, `say("a", b)`, 0)
		return w.Close(1, 2)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"des (1, 2, 2)", `(0,"tau",18446744073709551615)`, `(1,"say("a", b)",0)`, ""}
	lines := strings.Split(got, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("wrote\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestAutWriterEmpty(t *testing.T) {
	got, err := writeAut(t, func(w lts.Writer) error { return w.Close(0, 1) })
	if err != nil || strings.TrimSpace(got) != "des (0, 0, 1)" {
		t.Errorf("wrote %q, %v", got, err)
	}
}

func TestAutWriterRefusesLineBreaks(t *testing.T) {
	_, err := writeAut(t, func(w lts.Writer) error {
		if err := w.Transition(0, "a\nb", 0); !errors.Is(err, lts.ErrLabel) {
			t.Errorf("Transition: %v", err)
		}
		return w.Close(0, 1)
	})
	if !errors.Is(err, lts.ErrLabel) {
		t.Errorf("Close: %v, want the first error again", err)
	}
}

type fullDisk struct{ room int }

var errFull = errors.New("no space left")

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.room {
		return 0, errFull
	}
	d.room -= len(p)
	return len(p), nil
}

func (d *fullDisk) Seek(int64, int) (int64, error) { return 0, nil }

func TestWritersReportAFullDisk(t *testing.T) {
	for name, w := range map[string]lts.Writer{
		"aut": lts.NewAutWriter(&fullDisk{1 << 20}),
		"dot": lts.NewDotWriter(&fullDisk{1 << 20}),
	} {
		var err error
		for i := uint64(0); err == nil && i < 1<<20; i++ {
			err = w.Transition(i, "a", i+1)
		}
		if !errors.Is(err, errFull) {
			t.Errorf("%s: Transition: %v", name, err)
		}
		if err := w.Close(0, 1); !errors.Is(err, errFull) {
			t.Errorf("%s: Close: %v", name, err)
		}
	}
}

func TestDotWriter(t *testing.T) {
	var b strings.Builder
	w := lts.NewDotWriter(&b)
	w.Transition(0, `a "quoted" \ label`, 1)
	w.Transition(1, lts.TauName, 0)
	if err := w.Close(1, 2); err != nil {
		t.Fatal(err)
	}
	want := `digraph lts {
node [shape=circle];
0 -> 1 [label="a \"quoted\" \\ label"];
1 -> 0 [label="τ", style=dashed];
start [shape=none, label=""];
start -> 1;
}
`
	if b.String() != want {
		t.Errorf("wrote\n%s\nwant\n%s", b.String(), want)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error)    { return len(p), nil }
func (discard) Seek(int64, int) (int64, error) { return 0, nil }

func BenchmarkAutWriter(b *testing.B) {
	w := lts.NewAutWriter(discard{})
	for i := uint64(0); b.Loop(); i++ {
		if err := w.Transition(i, "send(0,right,M(1,1,true))", i+1); err != nil {
			b.Fatal(err)
		}
	}
}
