package exchange

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/testlevel"
	"ringcheck/verify/prob"
)

// shown is a process in words: what a reader has to get right.
func shown(m *prob.MDP) string {
	var b strings.Builder
	fmt.Fprintln(&b, m.States(), m.InitialWeights())
	for s := range uint32(m.States()) {
		for _, l := range m.Labels {
			fmt.Fprint(&b, l.Name, l.States.Has(s), " ")
		}
		m.Each(s, func(choice []prob.Branch) {
			slices.SortFunc(choice, func(a, b prob.Branch) int { return int(a.To) - int(b.To) })
			for _, x := range choice {
				fmt.Fprint(&b, " ", x.To, ":", x.Weight)
				for i := range m.Rewards {
					fmt.Fprint(&b, " ", m.Rewards[i].Name, "=", m.Rewards[i].At(x.Mark).RatString())
				}
			}
			b.WriteByte(';')
		})
		b.WriteByte('\n')
	}
	return b.String()
}

// damages demands of damaged files that reading them fails in one line that names a place, that it tells what was
// assumed, or that nothing was lost.
type damages struct {
	*testing.T
	want  string // the process that the files hold
	cases int
}

func (d *damages) try(what string, read func() (*prob.MDP, []string, error)) {
	d.Helper()
	d.cases++
	m, assumed, err := read()
	switch {
	case err != nil && (len(err.Error()) < 10 || len(err.Error()) > 300 || strings.Contains(err.Error(), "\n")):
		d.Errorf("%s: %v", what, err)
	case err == nil && len(assumed) == 0 && shown(m) != d.want:
		d.Errorf("%s: read in silence as\n%s\nwant\n%s", what, shown(m), d.want)
	}
}

// sample returns files of a process, with a third of which doubles say nothing, terminal states, and rewards of
// states, too.
func sample(t *testing.T, r *rand.Rand, exact bool) (folder, []entry, *prob.MDP) {
	m := random(r)
	for m.Choices() < 3 || m.Branches() == m.Choices() || m.States() < 3 {
		m = random(r)
	}
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
	files["3.srew"] = fmt.Sprintf("# Reward structure \"of states\"\n%d 2\n0 7\n2 1/2\n", m.States())
	var umb bytes.Buffer
	if err := WriteUMB(t.Context(), &umb, m, exact); err != nil {
		t.Fatal(err)
	}
	return files, unpack(t, umb.Bytes()), m
}

// samples is how many processes are written and damaged, of which every other one with exact numbers.
var samples = testlevel.Cases(2, 4) // how many processes to write and damage

// TestDamagedText damages PRISM's files line by line and number by number.
func TestDamagedText(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 26))
	cases := 0
	for n := range samples() {
		files, _, _ := sample(t, r, n%2 == 0)
		m, _, err := files.read()
		if err != nil {
			t.Fatal(err)
		}
		d := &damages{T: t, want: shown(m)}
		for suffix, text := range files {
			d.text(files, suffix, strings.Split(strings.TrimSuffix(text, "\n"), "\n"))
		}
		d.try("no .tra", func() (*prob.MDP, []string, error) { return files.with(".tra", nil).read() })
		cases += d.cases
	}
	if cases < 1000 {
		t.Errorf("only %d cases", cases)
	}
}

// with returns the files with one that has other lines, or without it.
func (f folder) with(suffix string, lines []string) folder {
	out := maps.Clone(f)
	delete(out, suffix)
	if lines != nil {
		out[suffix] = strings.Join(lines, "\n") + "\n"
	}
	return out
}

var numeral = regexp.MustCompile(`[0-9][0-9./e-]*`)

func (d *damages) text(files folder, suffix string, lines []string) {
	try := func(what string, lines []string) {
		d.try(fmt.Sprintf("%s: %s\n%s", suffix, what, strings.Join(lines, "\n")), files.with(suffix, lines).read)
	}
	for i, line := range lines {
		if strings.HasPrefix(line, "#") {
			continue
		}
		head := i == slices.IndexFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "#") })
		if suffix != ".lab" { // which does not say how many lines it has
			try(fmt.Sprint("without line ", i+1), slices.Delete(slices.Clone(lines), i, i+1))
			try(fmt.Sprint("up to line ", i), lines[:i])
		}
		try(fmt.Sprintf("line %d twice", i+1), slices.Insert(slices.Clone(lines), i, line))
		if i > 0 {
			swapped := slices.Clone(lines)
			swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
			try(fmt.Sprintf("lines %d and %d swapped", i, i+1), swapped)
		}
		if suffix == ".lab" && !head {
			changed := slices.Clone(lines)
			changed[i] = strings.Replace(line, ":", "", 1) + ":"
			try(fmt.Sprintf("line %d ends in its colon", i+1), changed)
		}
		for k, at := range numeral.FindAllStringIndex(line, -1) {
			last := at[1] == len(line)
			others := []string{"x", "-1", "1.5", "4294967296", "99999999999999999999", "1e999", "NaN"}
			switch { // less can stand where another process has something else
			case suffix == ".lab" && head:
			case suffix == ".lab":
				others = append(others, "4294967295")
			case strings.HasSuffix(suffix, "rew") && !head && last:
				others = []string{"", "x", "-1", "1e999", "NaN", "1 1"}
			default:
				if others = append(others, "", "4294967295", "1 1"); head || last {
					others = append(others, "0", "1")
				}
			}
			for _, other := range others {
				changed := slices.Clone(lines)
				changed[i] = line[:at[0]] + other + line[at[1]:]
				try(fmt.Sprintf("number %d of line %d is %q", k+1, i+1, other), changed)
			}
		}
	}
}

// An entry is a file of an archive.
type entry struct {
	name string
	data []byte
}

func unpack(t testing.TB, data []byte) (list []entry) {
	for in := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := in.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		content, _ := io.ReadAll(in)
		list = append(list, entry{h.Name, content})
	}
}

func pack(list []entry) []byte {
	var b bytes.Buffer
	out := tar.NewWriter(&b)
	for _, e := range list {
		out.WriteHeader(&tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.data)), Format: tar.FormatUSTAR})
		out.Write(e.data)
	}
	out.Close()
	return b.Bytes()
}

func zipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

// TestDamagedUMB damages archives: their ends, their files, the numbers in these, and all that the index says.
func TestDamagedUMB(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 15))
	cases := 0
	for n := range samples() {
		_, list, _ := sample(t, r, n%2 == 0)
		m, _, err := readUMB(free(), bytes.NewReader(pack(list)))
		if err != nil {
			t.Fatal(err)
		}
		d := &damages{T: t, want: shown(m)}
		d.archive(r, pack(list))
		for i, e := range list {
			d.umb(e.name+" is missing", slices.Delete(slices.Clone(list), i, i+1))
			d.umb(e.name+" is there twice", slices.Insert(slices.Clone(list), i, e))
			for _, size := range []int{0, 1, len(e.data) - 1, len(e.data) - 8, len(e.data) + 1, len(e.data) + 8} {
				if e.name != "index.json" || size < len(e.data) {
					other := append(slices.Clone(e.data), make([]byte, 8)...)[:max(0, size)]
					d.umb(fmt.Sprintf("%s has %d bytes", e.name, size), replaced(list, i, other))
				}
			}
			if e.name != "index.json" {
				d.words(list, i, n%2 == 0)
			}
		}
		for _, name := range []string{
			"x.bin", "index.json.bin", "state-to-exit-rate.bin", "actions/choices/values.bin",
			"annotations/aps/x/states/values.bin", "annotations/aps/goal-1/choices/values.bin",
			"valuations/states/valuations.bin", "annotations/rewards/cost-1/choices/probabilities.bin",
		} {
			d.umb(name+" is there", append(slices.Clone(list), entry{name, make([]byte, 8)}))
		}
		d.index(list)
		cases += d.cases
	}
	if cases < 1000 {
		t.Errorf("only %d cases", cases)
	}
}

func replaced(list []entry, i int, data []byte) []entry {
	list = slices.Clone(list)
	list[i].data = data
	return list
}

func (d *damages) umb(what string, list []entry) {
	d.Helper()
	d.try(what, func() (*prob.MDP, []string, error) { return readUMB(free(), bytes.NewReader(pack(list))) })
}

// archive cuts an archive off, and changes bits of a compressed one.
func (d *damages) archive(r *rand.Rand, data []byte) {
	raw := func(what string, data []byte) {
		d.try(what, func() (*prob.MDP, []string, error) { return readUMB(free(), bytes.NewReader(data)) })
	}
	for size := 0; size < len(data); size += 256 {
		raw(fmt.Sprintf("%d bytes of %d", size, len(data)), data[:size])
		raw(fmt.Sprintf("%d bytes of %d, compressed", size, len(data)), zipped(data[:size]))
	}
	raw("zeros behind the end", append(slices.Clone(data), make([]byte, 10240)...))
	raw("something behind the end", append(slices.Clone(data), 1))
	z := zipped(data)
	raw("something behind what is compressed", append(slices.Clone(z), 1))
	for range 100 {
		raw("a compressed archive is cut off", z[:r.IntN(len(z))])
		flipped := slices.Clone(z)
		bit := r.IntN(8 * len(z))
		flipped[bit/8] ^= 1 << (bit % 8)
		raw(fmt.Sprintf("bit %d of a compressed archive", bit), flipped)
	}
	for range 8 {
		flipped := slices.Clone(z)
		flipped[len(z)-1-r.IntN(8)] ^= 1 << r.IntN(8)
		raw("the checksum of a compressed archive", flipped)
	}
}

// words puts other words into file i, none of which can stand there.
func (d *damages) words(list []entry, i int, exact bool) {
	name, data := list[i].name, list[i].data
	var others []uint64
	switch {
	case strings.HasSuffix(name, "probability.bin") || strings.HasPrefix(name, "annotations/rewards"):
		others = []uint64{math.Float64bits(math.NaN()), math.Float64bits(math.Inf(1)), math.Float64bits(-1), 1}
		if exact {
			others = []uint64{1 << 63} // of a numerator; as a denominator it is large
		}
	case strings.Contains(name, "-is-") || strings.HasPrefix(name, "annotations/aps"):
		others = []uint64{1 << 63, math.MaxUint64, 1 << 40}
	default:
		others = []uint64{math.MaxUint64, 1 << 63, 1 << 32, 1<<32 + 1, 1000}
	}
	for at := 0; at < len(data); at += 8 {
		others := others
		if exact && at%16 == 8 && strings.HasPrefix(name, "annotations/rewards") {
			others = []uint64{0}
		}
		for _, other := range others {
			changed := slices.Clone(data)
			binary.LittleEndian.PutUint64(changed[at:], other)
			d.umb(fmt.Sprintf("%s: word %d is %x", name, at/8, other), replaced(list, i, changed))
		}
		if strings.HasSuffix(name, "probability.bin") && !exact {
			p := math.Float64frombits(binary.LittleEndian.Uint64(data[at:]))
			for _, other := range []float64{0, -p, 2 * p, p + 1e-6, p - 1e-8} {
				changed := slices.Clone(data)
				binary.LittleEndian.PutUint64(changed[at:], math.Float64bits(other))
				d.umb(fmt.Sprintf("%s: number %d is %v", name, at/8, other), replaced(list, i, changed))
			}
		}
	}
}

// index changes, takes out and doubles all that the index says.
func (d *damages) index(list []entry) {
	var root any
	if err := json.Unmarshal(list[0].data, &root); err != nil {
		d.Fatal(err)
	}
	try := func(what string) {
		text, err := json.Marshal(root)
		if err != nil {
			d.Fatal(err)
		}
		d.umb("index.json: "+what, replaced(list, 0, text))
	}
	var visit func(where string, x any)
	visit = func(where string, x any) {
		object, _ := x.(map[string]any)
		for key, value := range object {
			place := where + "/" + key
			for _, other := range []any{
				nil, "", "x", "Ab", -1, 0, 1.5, int64(1) << 40, 1e30, true, map[string]any{},
				[]any{}, []any{"branches"}, []any{"states", "states"},
			} {
				if _, isText := other.(string); key == "alias" && (isText || other == nil) {
					continue // another name is another name
				}
				if object[key] = other; fmt.Sprint(other) != fmt.Sprint(value) {
					try(fmt.Sprintf("%s is %v", place, other))
				}
			}
			delete(object, key)
			if key != "alias" {
				try(place + " is not there")
			}
			object["X"+key] = value
			if key != "alias" {
				try(place + " is called X" + key)
			}
			delete(object, "X"+key)
			object[key] = value
			visit(place, value)
			text := list[0].data
			quoted := fmt.Sprintf("%q:", key)
			if at := bytes.Index(text, []byte(quoted)); at >= 0 {
				twice := slices.Insert(slices.Clone(text), at, []byte(quoted+" null, ")...)
				d.umb("index.json: "+place+" is there twice", replaced(list, 0, twice))
			}
		}
	}
	visit("", root)
	aps := root.(map[string]any)["annotations"].(map[string]any)["aps"].(map[string]any)
	for _, a := range aps {
		a.(map[string]any)["alias"] = "same"
	}
	try("aliases are equal")
}
