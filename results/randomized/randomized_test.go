package randomized

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/filetest"
)

// TestPictures compares the pictures with those that Pictures draws.
func TestPictures(t *testing.T) {
	files, err := Pictures(t.Context(), os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if !bytes.Equal(filetest.Read(t, name), want) {
			t.Errorf("%s is not up to date; write it with: go run ./results/make randomized", name)
		}
	}
}

// TestMessages checks that the numbers show what Fig. 9 does: the quorum alone takes more than ten times as many
// messages.
func TestMessages(t *testing.T) {
	points, _, err := Read(bytes.NewReader(filetest.Read(t, "messages.csv")))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range points["both phases"] {
		for _, b := range points["quorum alone"] {
			if a.Percent == b.Percent && b.Low < 10*a.High {
				t.Errorf("%g %%: %.0f messages, the quorum alone %.0f", a.Percent, a.Mean, b.Mean)
			}
		}
	}
}

// TestFigure1 checks that in all runs of the protocol of Fig. 1 only those go on whose balls lie alone, and that one is
// elected at most, since five and five of eight meet.
func TestFigure1(t *testing.T) {
	p, err := figure1()
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(seeds) {
		rounds, leaders, err := Rounds(t.Context(), p, eight, rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			t.Fatal(err)
		}
		if len(leaders) > 1 {
			t.Errorf("seed %d: %v are elected", seed, leaders)
		}
		for i, r := range rounds {
			balls := []int{1, 2, 5}[i]
			bins := make([]int, eight)
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
