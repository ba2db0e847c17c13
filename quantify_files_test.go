package ringcheck_test

import (
	"archive/tar"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"strings"
	"testing"

	"ringcheck/verify/prob"
	"ringcheck/verify/prob/exchange"
)

// exported writes a process to a file in the format of its name.
func exported(path string, p *prob.MDP) error {
	base, files, err := exchange.Write(context.Background(), path, p, true)
	for _, f := range files {
		out, failed := os.Create(base + f.Suffix)
		err = errors.Join(err, failed)
		if err == nil {
			err = errors.Join(f.Write(out), out.Close())
		}
	}
	return err
}

// readSlowPRISM reads files in PRISM's explicit format as its manual describes it.
func readSlowPRISM(t *testing.T, base string) *slow {
	t.Helper()
	lines := func(suffix string) (rows [][]string) {
		text, err := os.ReadFile(base + suffix)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "#") {
				rows = append(rows, strings.Fields(strings.ReplaceAll(line, ":", " ")))
			}
		}
		return rows
	}
	number := func(word string) int {
		var n int
		if _, err := fmt.Sscan(word, &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	rat := func(word string) *big.Rat {
		r, ok := new(big.Rat).SetString(word)
		if !ok {
			t.Fatalf("%q is not a number", word)
		}
		return r
	}
	rows := lines(".tra")
	p := newSlow(number(rows[0][0]))
	for _, row := range rows[1:] {
		s, c := number(row[0]), number(row[1])
		if c == len(p.choices[s]) {
			p.choices[s] = append(p.choices[s], nil)
		}
		b := slowBranch{to: number(row[2]), weight: rat(row[3]), gain: map[string]*big.Rat{}}
		for _, reward := range slowRewards {
			b.gain[reward] = new(big.Rat)
		}
		p.choices[s][c] = append(p.choices[s][c], b)
	}
	for i, reward := range slowRewards {
		for _, row := range lines(fmt.Sprintf("%d.trew", i+1))[1:] {
			c := p.choices[number(row[0])][number(row[1])]
			for j := range c {
				if c[j].to == number(row[2]) {
					c[j].gain[reward] = rat(row[3])
				}
			}
		}
	}
	rows = lines(".lab")
	for _, row := range rows[1:] {
		for _, l := range row[1:] {
			p.label(number(row[0]), strings.Split(rows[0][number(l)], `"`)[1])
		}
	}
	return p
}

// newSlow returns a process without choices.
func newSlow(states int) *slow {
	return &slow{choices: make([][][]slowBranch, states), goal: make([]bool, states)}
}

// label records a label of a state. The choice of a deadlock was added for tools that do not allow deadlocks.
func (p *slow) label(s int, name string) {
	switch name {
	case "init":
		p.initial = append(p.initial, s)
	case "deadlock":
		p.choices[s] = nil
	default:
		p.goal[s] = true
	}
}

// unpacked returns the files in a tar.
func unpacked(t *testing.T, path string) map[string][]byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	files := map[string][]byte{}
	for in := tar.NewReader(file); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
}

// readSlowUMB reads a file in the UMB format, without compression and with rational numbers.
func readSlowUMB(t *testing.T, path string) *slow {
	t.Helper()
	files := unpacked(t, path)
	var index struct {
		System struct {
			States int `json:"#states"`
		} `json:"transition-system"`
		Annotations map[string]map[string]struct {
			Alias string `json:"alias"`
		} `json:"annotations"`
	}
	if err := json.Unmarshal(files["index.json"], &index); err != nil {
		t.Fatal(err)
	}
	word := func(name string, i int) int { return int(binary.LittleEndian.Uint64(files[name][8*i:])) }
	rat := func(name string, i int) *big.Rat { return big.NewRat(int64(word(name, 2*i)), int64(word(name, 2*i+1))) }
	p := newSlow(index.System.States)
	for s := range p.choices {
		for c := word("state-to-choices.bin", s); c < word("state-to-choices.bin", s+1); c++ {
			var choice []slowBranch
			for b := word("choice-to-branches.bin", c); b < word("choice-to-branches.bin", c+1); b++ {
				gain := map[string]*big.Rat{}
				for id, r := range index.Annotations["rewards"] {
					gain[r.Alias] = rat("annotations/rewards/"+id+"/choices/values.bin", c)
				}
				to, weight := word("branch-to-target.bin", b), rat("branch-to-probability.bin", b)
				choice = append(choice, slowBranch{to: to, weight: weight, gain: gain})
			}
			p.choices[s] = append(p.choices[s], choice)
		}
	}
	labels := map[string]string{"state-is-initial.bin": "init"}
	for id, l := range index.Annotations["aps"] {
		labels["annotations/aps/"+id+"/states/values.bin"] = l.Alias
	}
	for name, label := range labels {
		for s := range p.choices {
			if word(name, s/64)>>(s%64)&1 != 0 {
				p.label(s, label)
			}
		}
	}
	return p
}
