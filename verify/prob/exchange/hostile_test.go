package exchange

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"ringcheck/verify/prob"
)

// coin is a process of two states: the first is left with a half, or for certain, and the second goes to itself where
// it is written.
func coin(t testing.TB) []byte {
	b := prob.NewBuilder()
	half := prob.Weight{Num: 1, Den: 2}
	b.Choice(prob.Branch{To: 0, Weight: half}, prob.Branch{To: 1, Weight: half})
	b.Choice(prob.Branch{To: 1, Weight: prob.Certain})
	b.End()
	b.End()
	m, err := b.MDP(0)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := WriteUMB(t.Context(), &out, m, false); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// changed returns an archive with one file changed, or left out if change returns nil.
func changed(t testing.TB, data []byte, name string, change func([]byte) []byte) []byte {
	t.Helper()
	list := unpack(t, data)
	i := slices.IndexFunc(list, func(e entry) bool { return e.name == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	if list[i].data = change(list[i].data); list[i].data == nil {
		list = slices.Delete(list, i, i+1)
	}
	return pack(list)
}

func words(list ...uint64) []byte {
	var b []byte
	for _, w := range list {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// probabilities are those of coin, with other ones for the first choice.
func probabilities(a, b float64) []byte {
	return words(math.Float64bits(a), math.Float64bits(b), math.Float64bits(1), math.Float64bits(1))
}

// TestHostileUMB: a damaged file is refused, with what is wrong.
func TestHostileUMB(t *testing.T) {
	always := func(b []byte) func([]byte) []byte { return func([]byte) []byte { return b } }
	replace := func(old, new string) func([]byte) []byte {
		return func(b []byte) []byte {
			if !bytes.Contains(b, []byte(old)) {
				t.Fatalf("there is no %s", old)
			}
			return bytes.Replace(b, []byte(old), []byte(new), 1)
		}
	}
	for _, c := range []struct {
		name   string
		change func([]byte) []byte
		want   string
	}{
		{"index.json", always(nil), `the first file is "state-is-initial.bin", not index.json`},
		{"index.json", always([]byte("{")), "index.json: jsontext: unexpected EOF"},
		{"index.json", replace(`"format-version": 1`, `"format-version": 2`), "version 2 of the format is not"},
		{"index.json", replace(`"time": "discrete"`, `"time": "stochastic"`),
			"expected a Markov chain or decision process in discrete time"},
		{"index.json", replace(`"#states": 2`, `"#states": 0`), "0 states"},
		{"index.json", replace(`"#states": 2`, `"#states": 4000000000`),
			"state-is-initial.bin has 8 bytes; by the index it should have 500000000"},
		{"index.json", replace(`"#branches": 4`, `"#branches": 18446744073709551615`), "are not possible"},
		{"index.json", replace(`"#choices": 3`, `"#choices": 5`), "are not possible"},
		{"index.json", replace(`"double"`, `"int"`), `numbers of type "int"`},
		{"state-to-choices.bin", always(words(0, 4, 3)),
			"state-to-choices.bin: number 1: 4 after 0: the numbers must ascend from 0 to 3"},
		{"state-to-choices.bin", always(words(1, 1, 1)), "number 0: 1 after 0"},
		{"state-to-choices.bin", always(words(0, 0, 0)), "the last number is 0 and not 3"},
		{"state-to-choices.bin", always(words(0, 1)), "has 16 bytes; by the index it should have 24"},
		{"state-to-choices.bin", always(nil), "there is no state-to-choices.bin"},
		{"choice-to-branches.bin", always(words(0, 2, 1<<63, 4)), "must ascend from 0 to 4"},
		{"branch-to-target.bin", always(words(0, 2, 1, 1)),
			"branch-to-target.bin: number 1: target 2 is out of range: there are 2 states"},
		{"branch-to-target.bin", always(nil), "there is no branch-to-target.bin"},
		{"branch-to-target.bin", always(words(0, 1, 1, 1, 1)), "has 40 bytes; by the index it should have 32"},
		{"branch-to-probability.bin", always(probabilities(0.5, 0.4)),
			"the probabilities do not add up to 1, but to 0.9"},
		{"branch-to-probability.bin", always(probabilities(1.5, -0.5)), "3/2 is not a probability of a branch"},
		{"branch-to-probability.bin", always(probabilities(math.NaN(), 0)), "NaN is not a number"},
		{"branch-to-probability.bin", always(probabilities(math.Inf(1), 0)), "+Inf is not a number"},
		{"state-is-initial.bin", always(words(0)), "0 states are initial; by the index 1 should be"},
	} {
		_, _, err := readUMB(free(), bytes.NewReader(changed(t, coin(t), c.name, c.change)))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, _, err := readUMB(free(), strings.NewReader("no tar")); err == nil {
		t.Error("plain text was accepted as a tar archive")
	}
}

// TestIncompleteUMB: what an index declares and the archive lacks is told, and a later revision of the format may have
// other files.
func TestIncompleteUMB(t *testing.T) {
	const label = "annotations/aps/deadlock-0/states/values.bin"
	_, assumed, err := readUMB(free(), bytes.NewReader(changed(t, coin(t), label, func([]byte) []byte { return nil })))
	want := "index.json declares " + label + ", which is not in the archive: no state has the label deadlock"
	if err != nil || len(assumed) != 1 || assumed[0] != want {
		t.Errorf("%q, %v", assumed, err)
	}
	later := changed(t, coin(t), "index.json", func(b []byte) []byte {
		return bytes.Replace(b, []byte(`"format-revision": 0`), []byte(`"format-revision": 1`), 1)
	})
	later = pack(append(unpack(t, later), entry{"new.bin", []byte{1}}))
	if _, assumed, err := readUMB(free(), bytes.NewReader(later)); err != nil || len(assumed) > 0 {
		t.Errorf("%q, %v", assumed, err)
	}
}

func FuzzReadUMB(f *testing.F) {
	f.Add(coin(f))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _, _ = readUMB(free(), bytes.NewReader(data)) })
}

func FuzzReadPRISM(f *testing.F) {
	f.Add("2 1 2\n0 0 0 0.5\n0 0 1 0.5\n", "0=\"init\" 2=\"goal\"\n0: 0\n1: 2\n",
		"# Reward structure \"a\"\n2 1 1\n0 0 1 3\n")
	f.Fuzz(func(_ *testing.T, tra, lab, trew string) {
		_, _, _ = folder{".tra": tra, ".lab": lab, ".trew": trew}.read()
	})
}
