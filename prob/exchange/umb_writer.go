package exchange

import (
	"archive/tar"
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"ringcheck/internal/effort"
	"ringcheck/prob"
)

// WriteUMB writes a process in the UMB format: with exact, numbers are rationals, else doubles. Rewards are those of
// choices, the means of what their branches have.
func WriteUMB(ctx context.Context, w io.Writer, m *prob.MDP, exact bool) (err error) {
	defer effort.Catch(&err)
	x, err := flatten(ctx, m)
	if err != nil {
		return err
	}
	u := &umbWriter{explicit: x, tar: tar.NewWriter(w), exact: exact}
	for i := range m.Rewards {
		x.rewards[i].name = m.Rewards[i].Name
	}
	index, err := json.MarshalIndent(u.index(), "", "  ")
	if err != nil {
		return err
	}
	u.entry("index.json", int64(len(index)), func(out *bufio.Writer) { out.Write(index) })
	u.set("state-is-initial.bin", x.initial)
	u.column("state-to-choices.bin", x.choices)
	u.column("choice-to-branches.bin", x.branches)
	u.column("branch-to-target.bin", x.to)
	u.values("branch-to-probability.bin", x.weight)
	for i, l := range x.labels {
		u.set("annotations/aps/"+u.id(i, l.Name)+"/states/values.bin", l.States)
	}
	for i, r := range x.rewards {
		u.values("annotations/rewards/"+u.id(i, r.name)+"/choices/values.bin", r.choices)
	}
	if u.err != nil {
		return u.err
	}
	return u.tar.Close()
}

// A umbWriter writes the entries of a tar, one after the other, up to the first error.
type umbWriter struct {
	*explicit
	tar   *tar.Writer
	exact bool
	err   error
}

// id returns the identifier of annotation i of its group.
func (u *umbWriter) id(i int, name string) string { return fmt.Sprintf("%s-%d", identifier(name), i) }

func (u *umbWriter) index() *umbIndex {
	t := umbType{"double", 64}
	if u.exact {
		t = umbType{"rational", 128}
	}
	aps, rewards := map[string]umbAnnotation{}, map[string]umbAnnotation{}
	for i, l := range u.labels {
		aps[u.id(i, l.Name)] = umbAnnotation{l.Name, []string{"states"}, umbType{"bool", 1}}
	}
	for i, r := range u.rewards {
		rewards[u.id(i, r.name)] = umbAnnotation{r.name, []string{"choices"}, t}
	}
	x := &umbIndex{Version: 1, Annotations: map[string]map[string]umbAnnotation{"aps": aps}}
	if len(rewards) > 0 {
		x.Annotations["rewards"] = rewards
	}
	x.FileData = new(struct {
		Tool string `json:"tool"`
	})
	x.FileData.Tool = "ringcheck"
	x.System = umbSystem{
		Time: "discrete", Players: 1, States: uint64(len(u.choices) - 1), Initial: uint64(u.initial.Len()),
		Choices: uint64(len(u.branches) - 1), Branches: uint64(len(u.to)), Probability: &t,
	}
	return x
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
	u.err = cmp.Or(u.err, out.Flush())
}

func put(out *bufio.Writer, word uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], word)
	out.Write(b[:])
}

// set writes a set of states, a bit for each.
func (u *umbWriter) set(name string, x prob.Set) {
	u.entry(name, 8*int64(len(x)), func(out *bufio.Writer) {
		for _, word := range x {
			put(out, word)
		}
	})
}

func (u *umbWriter) column(name string, list []uint32) {
	u.entry(name, 8*int64(len(list)), func(out *bufio.Writer) {
		for _, n := range list {
			u.Tick()
			put(out, uint64(n))
		}
	})
}

// values writes numbers of the table.
func (u *umbWriter) values(name string, list []uint16) {
	size := 8
	if u.exact {
		size = 16
	}
	u.entry(name, int64(size*len(list)), func(out *bufio.Writer) {
		for _, n := range list {
			u.Tick()
			r := u.numbers.list[n].written
			switch f, _ := r.Float64(); {
			case !u.exact:
				put(out, math.Float64bits(f))
			case r.Num().IsInt64() && r.Denom().IsUint64():
				put(out, uint64(r.Num().Int64()))
				put(out, r.Denom().Uint64())
			default:
				u.err = fmt.Errorf("%s: %s does not fit into two numbers of 64 bits", name, r.RatString())
				return
			}
		}
	})
}
