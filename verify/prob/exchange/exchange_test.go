package exchange

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"ringcheck/internal/effort"
	"ringcheck/internal/test/filetest"
	"ringcheck/verify/prob"
)

// random returns a process with a label, two rewards, and thirds.
func random(r *rand.Rand) *prob.MDP {
	b := prob.NewBuilder()
	n := 2 + r.IntN(6)
	for range n {
		for range r.IntN(3) {
			parts := []uint64{3}
			if r.IntN(2) == 0 {
				parts = []uint64{1, 2}
			}
			var choice []prob.Branch
			for _, p := range parts {
				choice = append(choice, prob.Branch{To: r.Uint32N(uint32(n)), Weight: prob.NewWeight(p, 3),
					Mark: r.Uint32N(3)})
			}
			b.Choice(choice...)
		}
		b.End()
	}
	m, err := b.MDP(r.Uint32N(uint32(n)))
	if err != nil {
		panic(err)
	}
	goal := prob.NewSet(n)
	goal.Add(r.Uint32N(uint32(n)))
	m.Labels = []prob.Label{{Name: "goal", States: goal}}
	m.Rewards = []prob.Reward{
		{Name: "steps", Of: []*big.Rat{big.NewRat(1, 1), big.NewRat(1, 1), big.NewRat(1, 1)}},
		{Name: "cost", Of: []*big.Rat{nil, big.NewRat(1, 3), big.NewRat(5, 2)}},
	}
	return m
}

// values returns what can be asked about a process, exactly.
func values(t *testing.T, m *prob.MDP) string {
	t.Helper()
	p, err := prob.Prepare(context.Background(), m, prob.Goal{States: m.Label("goal").States})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, k := range []prob.Scheduler{prob.Uniform, prob.Min, prob.Max} {
		queries := []prob.Query{{Within: -1, Scheduler: k}, {Within: 3, Scheduler: k}}
		for _, name := range []string{"steps", "cost"} {
			queries = append(queries, prob.Query{Within: -1, Scheduler: k, Reward: m.Reward(name)})
		}
		for _, a := range p.Ask(context.Background(), queries, prob.Options{Exact: true}) {
			if a.Err != nil {
				t.Fatal(a.Err)
			}
			fmt.Fprintln(&text, k, a.Within, a.Interval.Low, a.Interval.High, a.Interval.Exact)
		}
	}
	return text.String()
}

// free is what may be spent on small files.
func free() *effort.Effort { return &effort.Effort{Context: context.Background()} }

// A folder holds files by suffix.
type folder map[string]string

func (f folder) open(suffix string) (io.ReadCloser, error) {
	if text, ok := f[suffix]; ok {
		return io.NopCloser(strings.NewReader(text)), nil
	}
	return nil, fs.ErrNotExist
}

func (f folder) read() (*prob.MDP, []string, error) {
	return readPRISM(free(), "x", f.open)
}

// TestRoundTrip: a process that is written and read back has the same values, to the last digit, although a double
// cannot say 1/3.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for n := range 150 {
		m := random(r)
		want := values(t, m)
		for _, exact := range []bool{false, true} {
			var umb bytes.Buffer
			files := folder{}
			written, err := PRISM(t.Context(), m, exact)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range written {
				var b bytes.Buffer
				if err := f.Write(&b); err != nil {
					t.Fatal(err)
				}
				files[f.Suffix] = b.String()
			}
			if err := WriteUMB(t.Context(), &umb, m, exact); err != nil {
				t.Fatal(err)
			}
			read := map[string]func() (*prob.MDP, []string, error){
				"umb": func() (*prob.MDP, []string, error) { return readUMB(free(), &umb) },
				"tra": files.read,
			}
			for format, f := range read {
				back, assumed, err := f()
				if err != nil || len(assumed) > 0 {
					t.Fatalf("process %d, %s: %v, %q", n, format, err, assumed)
				}
				if !exact { // rewards are decimals, and a third is not
					continue
				}
				if got := values(t, back); got != want {
					t.Fatalf("process %d, %s:\n%s\nwant\n%s", n, format, got, want)
				}
			}
		}
	}
}

// dice is a process with what other tools are particular about: a terminal state, branches to the same state,
// branches of a choice with different rewards, and names that mean something to them.
func dice(t *testing.T) *prob.MDP {
	b := prob.NewBuilder()
	third := prob.Weight{Num: 1, Den: 3}
	b.Choice(prob.Branch{To: 2, Weight: third}, prob.Branch{To: 1, Weight: third, Mark: 1},
		prob.Branch{To: 2, Weight: third, Mark: 1})
	b.Choice(prob.Branch{To: 0, Weight: prob.Certain})
	b.End()
	b.End()
	b.Choice(prob.Branch{To: 1, Weight: prob.Certain, Mark: 1})
	b.End()
	m, err := b.MDP(0)
	if err != nil {
		t.Fatal(err)
	}
	last := prob.NewSet(3)
	last.Add(2)
	m.Labels = []prob.Label{{Name: "init", States: last}, {Name: "a-b", States: last}, {Name: "a.b", States: last}}
	m.Rewards = []prob.Reward{{Name: "max", Of: []*big.Rat{nil, big.NewRat(3, 4)}}}
	return m
}

// TestOtherTools: files are as PRISM and Storm read them (PrismExplicitImporter, UMBImporter). A state in which
// nothing can happen goes to itself; a choice has one reward, which PRISM wants with each of its branches; branches
// to one state are one; names are identifiers.
func TestOtherTools(t *testing.T) {
	m := dice(t)
	want := map[string]string{
		".tra":  "3 4 5\n0 0 1 0.3333333333333333\n0 0 2 0.6666666666666666\n0 1 0 1\n1 0 1 1\n2 0 1 1\n",
		".lab":  "0=\"init\" 1=\"deadlock\" 2=\"init_\" 3=\"a_b\" 4=\"a_b_\"\n0: 0\n1: 1\n2: 2 3 4\n",
		".trew": "# Reward structure \"max_\"\n# Transition rewards\n3 4 3\n0 0 1 0.5\n0 0 2 0.5\n2 0 1 0.75\n",
	}
	files, err := PRISM(t.Context(), m, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		if b.String() != want[f.Suffix] {
			t.Errorf("%s:\n%s\nwant\n%s", f.Suffix, &b, want[f.Suffix])
		}
	}
	var umb bytes.Buffer
	if err := WriteUMB(t.Context(), &umb, m, true); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"state-is-initial.bin":                         words(1),
		"state-to-choices.bin":                         words(0, 2, 3, 4),
		"choice-to-branches.bin":                       words(0, 2, 3, 4, 5),
		"branch-to-target.bin":                         words(1, 2, 0, 1, 1),
		"branch-to-probability.bin":                    words(1, 3, 2, 3, 1, 1, 1, 1, 1, 1),
		"annotations/aps/deadlock-0/states/values.bin": words(2),
		"annotations/aps/init-1/states/values.bin":     words(4),
		"annotations/rewards/max-0/choices/values.bin": words(1, 2, 0, 1, 0, 1, 3, 4),
	} {
		changed(t, umb.Bytes(), name, func(got []byte) []byte {
			if !bytes.Equal(got, content) {
				t.Errorf("%s: got % x, want % x", name, got, content)
			}
			return got
		})
	}
	back, _, err := readUMB(free(), &umb)
	if err != nil {
		t.Fatal(err)
	}
	if !back.Terminal(1) || back.Label("deadlock") != nil || back.Choices() != m.Choices() {
		t.Error("reading did not undo the loops and the label that writing adds")
	}
}

func TestSimplest(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"0.3333333333333333", "1/3"}, {"0.33333333333333331", "1/3"}, {"0.1", "1/10"}, {"1", "1"},
		{"0.6666666666666666", "2/3"},
		{"0.14285714285714285", "1/7"}, {"1e-17", "1/100000000000000000"},
	} {
		r, err := parseNumber(c.text)
		if err != nil {
			t.Fatal(err)
		}
		got := simplest(r.text)
		f, _ := r.text.Float64()
		if g, _ := got.Float64(); g != f {
			t.Errorf("%s: %v is another double", c.text, got)
		}
		if c.text != "1e-17" && got.RatString() != c.want {
			t.Errorf("%s: got %s, want %s", c.text, got.RatString(), c.want)
		}
	}
}

// TestHostileText: what is wrong with a file is said in one line, with its place.
func TestHostileText(t *testing.T) {
	for _, c := range []struct {
		files folder
		want  string
	}{
		{folder{".tra": ""}, "x.tra: the file is empty"},
		{folder{".tra": "2 1 1\n0 0 5 1\n"}, "x.tra:2: there are only 2 states"},
		{folder{".tra": "2 1 1\n0 0 1 0.9\n"},
			"x.tra: state 0, choice 0: the probabilities do not add up to 1, but to 0.9"},
		{folder{".tra": "2 1 2\n0 0 1 0.5\n0 0 0 0.51\n"}, "do not add up to 1, but to 1.01"},
		{folder{".tra": "2 1 2\n0 0 1 1.5\n0 0 0 -0.5\n"}, "3/2 is not a probability of a branch"},
		{folder{".tra": "2 2 2\n1 0 0 1\n0 0 1 1\n"}, "x.tra:3: state 0, choice 0 is out of order"},
		{folder{".tra": "2 2 3\n0 0 1 1\n"}, "x.tra: the file has 1 row; by the first line it should have 3"},
		{folder{".tra": "4000000000 1 1\n0 0 1 1\n"}, "most states cannot be reached"},
		{folder{".tra": "2 1 1\n0 0 1 1e999999999\n"}, "is not a number"},
		{folder{".tra": "2 1 1\n0 0 1 1 " + strings.Repeat("x", 50<<20)},
			"x.tra:2: the line is longer than 1048576 bytes"},
		{folder{".tra": "2 1 1\n0 0 " + strings.Repeat("9", 1000000) + " 1\n"},
			"x.tra:2: \"99999999999999999999\"… is not a number"},
		{folder{".tra": "2 1 1\n0 0 1 " + strings.Repeat("9", 1000000) + "\n"},
			"x.tra:2: a number of 1000000 characters is too long"},
		{folder{".tra": "2 1 2\n0 0 0 0.5\n0 0 1 0.500000002\n"}, "do not add up to 1, but to 1.000000002"},
		{folder{".tra": "2 1 2\n0 0 1 0.5\n0 0 1 0.5\n"}, "x.tra:3: state 0, choice 0 goes to state 1 twice"},
		{folder{".tra": "2 2 1\n0 0 1 1\n"}, "x.tra: there are 1 choices; by the first line there should be 2"},
		{folder{".tra": "2 1 1\n0 0 1 1\n", ".trew": "2 1 1\n0 0 0 1\n"},
			"x.trew:2: state 0, choice 0 does not go to state 0"},
		{folder{".tra": "2 1 1\n0 0 1 1\n", ".trew": "2 1 1\n0 1 1 1\n"}, "x.trew:2: state 0 has no choice 1"},
		{folder{".tra": "2 1 1\n0 0 1 1\n", ".srew": "2 2\n0 1\n0 1\n"},
			"x.srew:3: there is text after the reward, or a second row for it"},
		{folder{".tra": "2 1 1\n0 0 1 1\n", ".srew": "3 1\n0 1\n"},
			"x.srew:1: expected 2, as in the .tra file, and the number of rows"},
		{folder{".tra": "2 1 1\n0 0 1 1\n", ".lab": "0=\"init\"\n0: 0\n0: 0\n"}, "x.lab:3: state 0 has a row already"},
		{folder{".tra": "2 1 1\n0 0 1 1\n", ".lab": "0=init\n"}, "x.lab:1: expected labels such as"},
		{folder{".tra": "2 1 1\n0 0 1 1\n", ".lab": "0=\"init\"\n0: 3\n"}, "x.lab:2: there is no label 3"},
		{folder{".tra": "2 1 1\n0 0 1 1\n", ".lab": "0=\"a\"\n0: 0\n"}, "there is no initial state"},
		{folder{".tra": "2 1 1\n0 0 1 1\n", ".trew": "2 1 1\n0 0 1 -1\n"}, "the reward -1 is negative"},
		{folder{".tra": "2 1 1\n0 0 1 1\n", ".trew": "2 1 1\n0 0 one 1\n"}, `x.trew:2: "one" is not a number`},
	} {
		_, _, err := c.files.read()
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", c.files, err, c.want)
		}
	}
}

// TestNearlyOne: products of doubles do not add up to exactly 1. They are divided by their sum, as the fractions that
// they are, and one line tells how far off the worst choice is.
func TestNearlyOne(t *testing.T) {
	p, q := 0.9, 1-0.9 // the second is not the double 0.1
	row := []float64{p * p, p * q, q * p, q * q * q, q * q * p}
	text, data := "5 2 10\n", []byte(nil)
	sum := new(big.Rat)
	for _, f := range row {
		sum.Add(sum, new(big.Rat).SetFloat64(f))
	}
	if sum.Cmp(one) == 0 {
		t.Fatal("the numbers of the test add up to exactly 1, so nothing was tested")
	}
	b := prob.NewBuilder()
	for c, noise := range []float64{0, 3e-10} {
		var choice []prob.Branch
		for i, f := range row {
			if i == 0 {
				f += noise
			}
			choice = append(choice, prob.Branch{To: uint32(i), Weight: prob.NewWeight(1, 5)})
			text += fmt.Sprintln(0, c, i, f)
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(f))
		}
		b.Choice(choice...)
	}
	b.End()
	for range 4 {
		b.End()
	}
	m, err := b.MDP(0)
	if err != nil {
		t.Fatal(err)
	}
	var umb bytes.Buffer
	if err := WriteUMB(t.Context(), &umb, m, false); err != nil {
		t.Fatal(err)
	}
	archive := changed(t, umb.Bytes(), "branch-to-probability.bin",
		func(old []byte) []byte { return append(data, old[len(data):]...) })
	for name, read := range map[string]func() (*prob.MDP, []string, error){
		"tra": folder{".tra": text}.read,
		"umb": func() (*prob.MDP, []string, error) { return readUMB(free(), bytes.NewReader(archive)) },
	} {
		m, assumed, err := read()
		want := "the probabilities of 2 choices do not add up to exactly 1, but to within 3e-10 of it (state 0, " +
			"choice 1): each is divided by the sum of its choice"
		if err != nil || len(assumed) != 1 || assumed[0] != want {
			t.Fatalf("%s: %v, %q", name, err, assumed)
		}
		first := true
		m.Each(0, func(choice []prob.Branch) {
			for i, x := range choice {
				want := new(big.Rat).Quo(new(big.Rat).SetFloat64(row[i]), sum)
				if name == "umb" && first && x.Weight.Rat().Cmp(want) != 0 {
					t.Errorf("%s: branch %d has %v, want %v", name, i, x.Weight, want)
				}
			}
			first = false
		})
		if err := m.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		problem, err := prob.Prepare(t.Context(), m, prob.Goal{Terminal: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range problem.Ask(t.Context(), []prob.Query{{Within: -1, Scheduler: prob.Max},
			{Within: -1, Scheduler: prob.Uniform}}, prob.Options{Precision: 1e-12}) {
			if a.Err != nil || a.Interval.Low < 1-1e-12 || a.Interval.High > 1 {
				t.Errorf("%s: %v, %v", name, a.Interval, a.Err)
			}
		}
	}
}

// TestReadStops: reading takes the memory it may, and ends with the context, in every format.
func TestReadStops(t *testing.T) {
	b := prob.NewBuilder()
	const states = 200_000
	for s := range uint32(states) {
		b.Choice(prob.Branch{To: (s + 1) % states, Weight: prob.Certain})
		b.End()
	}
	m, err := b.MDP(0)
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, format := range Formats() {
		base, files, err := Write(t.Context(), filepath.Join(t.TempDir(), "x"+format), m, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			var data bytes.Buffer
			if err := f.Write(&data); err != nil {
				t.Fatal(err)
			}
			filetest.Write(t, base+f.Suffix, data.Bytes())
		}
		if m, _, err := Read(t.Context(), base+format, 64<<20); err != nil || m.States() != states {
			t.Errorf("%s: %v", format, err)
		}
		if _, _, err := Read(t.Context(), base+format, 4<<20); !errors.Is(err, effort.ErrMemory) {
			t.Errorf("%s in 4 MiB: %v", format, err)
		}
		if _, _, err := Read(ended, base+format, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", format, err)
		}
		_, files, err = Write(ended, base+format, m, false)
		if err == nil {
			err = files[0].Write(io.Discard)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("writing %s: %v", format, err)
		}
	}
}
