package exchange

import (
	"archive/tar"
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"

	"ringcheck/prob"
)

// WriteUMB writes a process in the UMB format: with exact, numbers are rationals, else doubles. Rewards are those of branches.
func WriteUMB(w io.Writer, m *prob.MDP, exact bool) error {
	u := &umbWriter{m: m, tar: tar.NewWriter(w), exact: exact}
	index, err := json.MarshalIndent(u.index(), "", "  ")
	if err != nil {
		return err
	}
	u.entry("index.json", int64(len(index)), func(out *bufio.Writer) { out.Write(index) })
	initial := prob.NewSet(m.States())
	for _, s := range m.Initial() {
		initial.Add(s)
	}
	u.set("state-is-initial.bin", initial)
	u.arrays()
	for i := range m.Labels {
		u.set("annotations/aps/"+u.id(i, m.Labels[i].Name)+"/states/values.bin", m.Labels[i].States)
	}
	for i := range m.Rewards {
		u.rewards("annotations/rewards/"+u.id(i, m.Rewards[i].Name)+"/branches/values.bin", &m.Rewards[i])
	}
	if u.err != nil {
		return u.err
	}
	return u.tar.Close()
}

// A umbWriter writes the entries of a tar, one after the other, up to the first error.
type umbWriter struct {
	m     *prob.MDP
	tar   *tar.Writer
	exact bool
	err   error
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
	initial := prob.NewSet(u.m.States())
	for _, s := range u.m.Initial() {
		initial.Add(s)
	}
	x.System = umbSystem{
		Time: "discrete", Players: 1, States: uint64(u.m.States()), Initial: uint64(initial.Len()),
		Choices: uint64(u.m.Choices()), Branches: uint64(u.m.Branches()), Probability: &t,
	}
	for i, l := range u.m.Labels {
		x.annotate("aps", u.id(i, l.Name), umbAnnotation{l.Name, []string{"states"}, umbType{"bool", 1}})
	}
	for i, r := range u.m.Rewards {
		x.annotate("rewards", u.id(i, r.Name), umbAnnotation{r.Name, []string{"branches"}, t})
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
	m := u.m
	states, choices, branches := int64(m.States()), int64(m.Choices()), int64(m.Branches())
	u.entry("state-to-choices.bin", 8*(states+1), func(out *bufio.Writer) {
		n := uint64(0)
		put(out, n)
		for s := range uint32(states) {
			m.Each(s, func([]prob.Branch) { n++ })
			put(out, n)
		}
	})
	u.entry("choice-to-branches.bin", 8*(choices+1), func(out *bufio.Writer) {
		n := uint64(0)
		put(out, n)
		u.each(func(choice []prob.Branch) {
			n += uint64(len(choice))
			put(out, n)
		})
	})
	u.entry("branch-to-target.bin", 8*branches, func(out *bufio.Writer) {
		u.each(func(choice []prob.Branch) {
			for _, b := range choice {
				put(out, uint64(b.To))
			}
		})
	})
	u.numbers("branch-to-probability.bin", func(b prob.Branch) *big.Rat { return b.Weight.Rat() })
}

func (u *umbWriter) each(yield func(choice []prob.Branch)) {
	for s := range uint32(u.m.States()) {
		u.m.Each(s, yield)
	}
}

func (u *umbWriter) rewards(name string, r *prob.Reward) {
	u.numbers(name, func(b prob.Branch) *big.Rat { return r.At(b.Mark) })
}

// numbers writes one number for each branch.
func (u *umbWriter) numbers(name string, of func(b prob.Branch) *big.Rat) {
	size := int64(8)
	if u.exact {
		size = 16
	}
	var bad error
	u.entry(name, size*int64(u.m.Branches()), func(out *bufio.Writer) {
		u.each(func(choice []prob.Branch) {
			for _, b := range choice {
				r := of(b)
				if !u.exact {
					f, _ := r.Float64()
					put(out, math.Float64bits(f))
					continue
				}
				if !r.Num().IsInt64() || !r.Denom().IsUint64() {
					bad = fmt.Errorf("%s: %s does not fit into two numbers of 64 bits", name, r.RatString())
				}
				put(out, uint64(r.Num().Int64()))
				put(out, r.Denom().Uint64())
			}
		})
	})
	if u.err == nil {
		u.err = bad
	}
}
