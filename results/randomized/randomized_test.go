package randomized

import (
	"bytes"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/spectest"
)

var update = flag.Bool("update", false, "draw the picture again")

// The picture is that of the numbers, and the numbers show what Fig. 9 does: the quorum alone takes more than ten times
// as many messages.
func TestPicture(t *testing.T) {
	f, err := os.Open("messages.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	points, names, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "messages.svg", func(w io.Writer) error { return SVG(w, points, names) })
	for _, a := range points["both phases"] {
		for _, b := range points["quorum alone"] {
			if a.Percent == b.Percent && b.Low < 10*a.High {
				t.Errorf("%g %%: %.0f messages, the quorum alone %.0f", a.Percent, a.Mean, b.Mean)
			}
		}
	}
}

// Fig. 1 of the paper shows a run of eight contenders among eight mediators: two rounds of one and two balls, then five
// in the second phase. The picture is one of ours; in it as in all runs only those go on whose balls lie alone, and one
// is elected at most, since five and five of eight meet.
func TestFigure1(t *testing.T) {
	const n = 8
	p := spectest.Open(t, "randomized", "n=8 c=8 rounds=2 quorum=5 network=synchronous")
	drawn := false
	for seed := range uint64(200) {
		rounds, leaders, err := Rounds(p, n, rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			t.Fatal(err)
		}
		if len(leaders) > 1 {
			t.Errorf("seed %d: %v are elected", seed, leaders)
		}
		for i, r := range rounds {
			balls := []int{1, 2, 5}[i]
			bins := make([]int, n)
			for _, asked := range r {
				for _, m := range asked {
					bins[m]++
				}
			}
			for contender, asked := range r {
				alone := !slices.ContainsFunc(asked, func(m int) bool { return bins[m] > 1 })
				goesOn := i+1 < len(rounds) && rounds[i+1][contender] != nil
				if len(asked) != balls || i < 2 && alone != goesOn {
					t.Errorf("seed %d, round %d: contender %d asks %v, alone %t, goes on %t", seed, i+1, contender,
						asked, alone, goesOn)
				}
			}
		}
		if !drawn && len(rounds) == 3 && len(rounds[1]) == 4 && len(rounds[2]) == 2 && len(leaders) == 1 {
			drawn = true
			compare(t, "figure1.svg", func(w io.Writer) error { return DrawRounds(w, rounds, leaders, n, n) })
		}
	}
	if !drawn {
		t.Error("no run is like that of Fig. 1")
	}
}

// compare compares a picture with a file.
func compare(t *testing.T, file string, draw func(io.Writer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := draw(&b); err != nil {
		t.Fatal(err)
	}
	if *update {
		filetest.Write(t, file, b.Bytes())
	}
	if want, err := os.ReadFile(file); err != nil || !bytes.Equal(want, b.Bytes()) {
		t.Errorf("%s differs from the golden picture (%v): go test -update", file, err)
	}
}

func TestReadErrors(t *testing.T) {
	for _, text := range []string{"a,b\n1\n", "algorithm,percent,runs,mean,low,high\nx,1,2,3,4,many\n"} {
		if _, _, err := Read(bytes.NewReader([]byte(text))); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// The claims are those of the documentation.
func TestClaims(t *testing.T) {
	f, err := os.Open("claims.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	claims, err := Claims(f)
	if err != nil {
		t.Fatal(err)
	}
	if page, err := os.ReadFile("../../docs/randomized.md"); err != nil || !strings.Contains(string(page),
		Table(claims)) {
		t.Errorf("docs/randomized.md does not have this table (%v):\n%s", err, Table(claims))
	}
	for _, text := range []string{"a,b,c,d\n1,2,3,4\n", "a,b\n1\n",
		"claim,found,status,command\nx,y,refuted by this run,rm\n"} {
		if _, err := Claims(strings.NewReader(text)); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}
