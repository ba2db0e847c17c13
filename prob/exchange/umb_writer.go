package exchange

import (
	"archive/tar"
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"

	"ringcheck/internal/effort"
	"ringcheck/prob"
)

// WriteUMB writes a process in the UMB format: with exact, numbers are rationals, else doubles. Rewards are those of choices, the means of what their branches
// have.
func WriteUMB(ctx context.Context, w io.Writer, m *prob.MDP, exact bool) (err error) {
	defer effort.Catch(&err)
	c, err := newClosed(ctx, m)
	if err != nil {
		return err
	}
	u := &umbWriter{closed: c, tar: tar.NewWriter(w), exact: exact}
	u.choices, u.branches = u.counts()
	u.labels = u.sets()
	index, err := json.MarshalIndent(u.index(), "", "  ")
	if err != nil {
		return err
	}
	u.entry("index.json", int64(len(index)), func(out *bufio.Writer) { out.Write(index) })
	u.set("state-is-initial.bin", u.initial())
	u.arrays()
	for i, l := range u.labels {
		u.set("annotations/aps/"+u.id(i, l.Name)+"/states/values.bin", l.States)
	}
	for i := range m.Rewards {
		u.numbers("annotations/rewards/"+u.id(i, m.Rewards[i].Name)+"/choices/values.bin", u.choices, func(put func(*big.Rat)) {
			u.all(func(_ uint32, _ int, choice []prob.Branch) { put(mean(&m.Rewards[i], choice)) })
		})
	}
	if u.err != nil {
		return u.err
	}
	return u.tar.Close()
}

// A umbWriter writes the entries of a tar, one after the other, up to the first error.
type umbWriter struct {
	closed
	labels            []prob.Label
	choices, branches int
	tar               *tar.Writer
	exact             bool
	err               error
}

// id returns the identifier of annotation i of its group.
func (u *umbWriter) id(i int, name string) string { return fmt.Sprintf("%s-%d", identifier(name), i) }

func (u *umbWriter) number() umbType {
	if u.exact {
		return umbType{"rational", 128}
	}
	return umbType{"double", 64}
}

func (u *umbWriter) index() *umbIndex {
	t := u.number()
	x := &umbIndex{Version: 1, Annotations: map[string]map[string]umbAnnotation{}}
	x.FileData = new(struct {
		Tool string `json:"tool"`
	})
	x.FileData.Tool = "ringcheck"
	x.System = umbSystem{
		Time: "discrete", Players: 1, States: uint64(u.States()), Initial: uint64(u.initial().Len()),
		Choices: uint64(u.choices), Branches: uint64(u.branches), Probability: &t,
	}
	for i, l := range u.labels {
		x.annotate("aps", u.id(i, l.Name), umbAnnotation{l.Name, []string{"states"}, umbType{"bool", 1}})
	}
	for i, r := range u.Rewards {
		x.annotate("rewards", u.id(i, r.Name), umbAnnotation{r.Name, []string{"choices"}, t})
	}
	return x
}

func (x *umbIndex) annotate(group, id string, a umbAnnotation) {
	if x.Annotations[group] == nil {
		x.Annotations[group] = map[string]umbAnnotation{}
	}
	x.Annotations[group][id] = a
}

// entry writes one file of the tar.
func (u *umbWriter) entry(name string, size int64, write func(out *bufio.Writer)) {
	if u.err != nil {
		return
	}
	u.err = u.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: size, Format: tar.FormatUSTAR})
	if u.err != nil {
		return
	}
	out := bufio.NewWriterSize(u.tar, 1<<16)
	write(out)
	u.err = out.Flush()
}

// set writes a set of states, a bit for each.
func (u *umbWriter) set(name string, x prob.Set) {
	u.entry(name, 8*int64(len(x)), func(out *bufio.Writer) {
		for _, word := range x {
			put(out, word)
		}
	})
}

func put(out *bufio.Writer, word uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], word)
	out.Write(b[:])
}

// arrays writes the states, choices and branches.
func (u *umbWriter) arrays() {
	u.entry("state-to-choices.bin", 8*int64(u.States()+1), func(out *bufio.Writer) {
		n := uint64(0)
		u.all(func(_ uint32, number int, _ []prob.Branch) {
			if number == 0 {
				put(out, n)
			}
			n++
		})
		put(out, n)
	})
	u.entry("choice-to-branches.bin", 8*int64(u.choices+1), func(out *bufio.Writer) {
		n := uint64(0)
		put(out, n)
		u.all(func(_ uint32, _ int, choice []prob.Branch) {
			n += uint64(len(merged(choice)))
			put(out, n)
		})
	})
	u.entry("branch-to-target.bin", 8*int64(u.branches), func(out *bufio.Writer) {
		u.all(func(_ uint32, _ int, choice []prob.Branch) {
			for _, b := range merged(choice) {
				put(out, uint64(b.To))
			}
		})
	})
	u.numbers("branch-to-probability.bin", u.branches, func(put func(*big.Rat)) {
		u.all(func(_ uint32, _ int, choice []prob.Branch) {
			for _, b := range merged(choice) {
				put(b.Weight.Rat())
			}
		})
	})
}

// numbers writes so many numbers.
func (u *umbWriter) numbers(name string, count int, each func(put func(*big.Rat))) {
	size := 8
	if u.exact {
		size = 16
	}
	var bad error
	u.entry(name, int64(size*count), func(out *bufio.Writer) {
		each(func(r *big.Rat) {
			if !u.exact {
				f, _ := r.Float64()
				put(out, math.Float64bits(f))
				return
			}
			if !r.Num().IsInt64() || !r.Denom().IsUint64() {
				bad = fmt.Errorf("%s: %s does not fit into two numbers of 64 bits", name, r.RatString())
			}
			put(out, uint64(r.Num().Int64()))
			put(out, r.Denom().Uint64())
		})
	})
	if u.err == nil {
		u.err = bad
	}
}
