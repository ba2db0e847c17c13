package randomized

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "draw the picture again")

// The picture is that of the numbers, and the numbers show what Fig. 9 does: the quorum alone takes more than ten times as many
// messages.
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
	var b bytes.Buffer
	if err := SVG(&b, points, names); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("messages.svg", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile("messages.svg"); err != nil || !bytes.Equal(want, b.Bytes()) {
		t.Errorf("messages.svg is not the picture of messages.csv (%v): go test -update", err)
	}
	for _, a := range points["both phases"] {
		for _, b := range points["quorum alone"] {
			if a.Percent == b.Percent && b.Low < 10*a.High {
				t.Errorf("%g %%: %.0f messages, the quorum alone %.0f", a.Percent, a.Mean, b.Mean)
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
