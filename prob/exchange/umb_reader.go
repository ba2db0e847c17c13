package exchange

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"path"
	"slices"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/prob"
)

// readUMB reads a process in the UMB format, which may be compressed by gzip.
func readUMB(f *effort.Effort, r io.Reader) (*prob.MDP, error) {
	in := bufio.NewReader(r)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReader(z)
	}
	if magic, _ := in.Peek(6); bytes.Equal(magic, []byte{0xfd, '7', 'z', 'X', 'Z', 0}) {
		return nil, errors.New("a file compressed by xz is not read: decompress it first")
	}
	u := &umbReader{Effort: f, files: make(map[string][]byte)}
	if err := u.read(tar.NewReader(in)); err != nil {
		return nil, err
	}
	return u.process()
}

// A umbReader holds the files of a process.
type umbReader struct {
	*effort.Effort
	index *umbIndex
	files map[string][]byte

	labels []prob.Label
	names  []string // of rewards
}

// read reads all files that matter. The index is the first, so that it is known how long the others are.
func (u *umbReader) read(t *tar.Reader) error {
	for {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF) && u.index == nil:
			return errors.New("there is no index.json")
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("this is no tar file: %w", err)
		case h.Typeflag != tar.TypeReg:
			continue
		}
		name := strings.TrimPrefix(path.Clean("/"+h.Name), "/")
		if u.index == nil {
			if name != "index.json" {
				return fmt.Errorf("the first file is %q, not index.json", name)
			}
			data, err := u.limited(t, maxIndex, name)
			if err != nil {
				return err
			}
			if u.index, err = parseIndex(data); err != nil {
				return err
			}
			continue
		}
		if size, ok := u.size(name); ok {
			if u.files[name], err = u.limited(t, size, name); err != nil {
				return err
			}
			if int64(len(u.files[name])) != size {
				return fmt.Errorf("%s has %d bytes; by the index it should have %d", name, len(u.files[name]), size)
			}
		}
	}
}

// limited reads a file that may have so many bytes. Memory is taken as they come, not as a header promises them.
func (u *umbReader) limited(r io.Reader, size int64, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(&holding{r, u.Effort}, size+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if int64(len(data)) > size {
		return nil, fmt.Errorf("%s has more than the %d bytes that it should have", name, size)
	}
	return data, nil
}

// A holding reader counts what is read as memory that is held.
type holding struct {
	io.Reader
	*effort.Effort
}

func (h *holding) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.Hold(uint64(n))
	return n, err
}

// size returns how many bytes a file has by the index, and whether it matters.
func (u *umbReader) size(name string) (int64, bool) {
	s := &u.index.System
	switch name {
	case "state-is-initial.bin":
		return bitBytes(s.States), true
	case "state-to-choices.bin":
		return 8 * int64(s.States+1), true
	case "choice-to-branches.bin":
		return 8 * int64(s.Choices+1), true
	case "branch-to-target.bin":
		return 8 * int64(s.Branches), true
	case "branch-to-probability.bin":
		n, _ := s.Probability.bytes()
		return int64(n) * int64(s.Branches), true
	}
	parts := strings.Split(name, "/") // annotations/rewards/r-0/choices/values.bin
	if len(parts) != 5 || parts[0] != "annotations" || parts[4] != "values.bin" {
		return 0, false
	}
	a, ok := u.index.Annotations[parts[1]][parts[2]]
	if !ok || !slices.Contains(a.AppliesTo, parts[3]) {
		return 0, false
	}
	count := map[string]uint64{"states": s.States, "choices": s.Choices, "branches": s.Branches}[parts[3]]
	switch parts[1] {
	case "aps":
		return bitBytes(count), true
	case "rewards":
		n, _ := a.Type.bytes()
		return int64(n) * int64(count), true
	}
	return 0, false
}

func bitBytes(n uint64) int64 { return int64((n + 63) / 64 * 8) }

// process makes the process of the files.
func (u *umbReader) process() (*prob.MDP, error) {
	s := &u.index.System
	states, err := u.csr("state-to-choices.bin", s.States, s.Choices)
	if err != nil {
		return nil, err
	}
	choices, err := u.csr("choice-to-branches.bin", s.Choices, s.Branches)
	if err != nil {
		return nil, err
	}
	if u.files["branch-to-target.bin"] == nil { // else a small file could claim to hold a large process
		return nil, errors.New("there is no branch-to-target.bin")
	}
	initial, err := u.initial()
	if err != nil {
		return nil, err
	}
	u.annotations()
	b := newBuilder(u.Effort, u.names)
	for state := range s.States {
		for choice := at(states, state); choice < at(states, state+1); choice++ {
			list, err := u.choice(state, choice, at(choices, choice), at(choices, choice+1))
			if err == nil {
				err = b.choice(list)
			}
			if err != nil {
				return nil, fmt.Errorf("state %d, choice %d: %w", state, choice, err)
			}
		}
		b.end()
	}
	return b.process(initial, u.labels)
}

// csr returns an array of the beginnings of ranges, checked: it ascends from 0 to the number of what there is. An array that is not there maps
// everything to one.
func (u *umbReader) csr(name string, n, end uint64) ([]byte, error) {
	data, ok := u.files[name]
	if !ok {
		if n != end {
			return nil, fmt.Errorf("there is no %s", name)
		}
		return nil, nil
	}
	last := uint64(0)
	for i := range n + 1 {
		u.Tick()
		v := at(data, i)
		if v < last || i == 0 && v != 0 || v > end {
			return nil, fmt.Errorf("%s: number %d is %d after %d: the numbers must ascend from 0 to %d", name, i, v, last, end)
		}
		last = v
	}
	if last != end {
		return nil, fmt.Errorf("%s: the last number is %d and not %d", name, last, end)
	}
	return data, nil
}

// at returns number i of an array, i itself if there is none.
func at(data []byte, i uint64) uint64 {
	if data == nil {
		return i
	}
	return binary.LittleEndian.Uint64(data[8*i:])
}

// initial returns the initial states.
func (u *umbReader) initial() ([]uint32, error) {
	var list []uint32
	x := set(u.files["state-is-initial.bin"], u.index.System.States)
	for s := range uint32(u.index.System.States) {
		if x.Has(s) {
			list = append(list, s)
		}
	}
	if uint64(len(list)) != u.index.System.Initial {
		return nil, fmt.Errorf("state-is-initial.bin: %d states are initial; by the index %d should be", len(list), u.index.System.Initial)
	}
	return list, nil
}

// set returns a set of states; without an array it is empty.
func set(data []byte, states uint64) prob.Set {
	x := prob.NewSet(int(states))
	for i := range len(data) / 8 {
		x[i] = binary.LittleEndian.Uint64(data[8*i:])
	}
	return x
}

// annotations finds labels and rewards, in the order of their names.
func (u *umbReader) annotations() {
	for _, id := range sortedKeys(u.index.Annotations["aps"]) {
		a := u.index.Annotations["aps"][id]
		u.labels = append(u.labels, prob.Label{Name: named(a, id), States: set(u.files["annotations/aps/"+id+"/states/values.bin"], u.index.System.States)})
	}
	for _, id := range sortedKeys(u.index.Annotations["rewards"]) {
		u.names = append(u.names, named(u.index.Annotations["rewards"][id], id))
	}
}

func sortedKeys(m map[string]umbAnnotation) []string { return slices.Sorted(maps.Keys(m)) }

func named(a umbAnnotation, id string) string {
	if a.Alias != "" {
		return a.Alias
	}
	return id
}

// choice returns the branches of a choice.
func (u *umbReader) choice(state, choice, first, end uint64) ([]branch, error) {
	var list []branch
	common, err := u.rewardsOf(map[string]uint64{"states": state, "choices": choice})
	if err != nil {
		return nil, err
	}
	for i := first; i < end; i++ {
		b := branch{weight: one}
		t := at(u.files["branch-to-target.bin"], i)
		if t >= u.index.System.States {
			return nil, fmt.Errorf("target %d is out of range: there are %d states", t, u.index.System.States)
		}
		b.to = uint32(t)
		if data := u.files["branch-to-probability.bin"]; data != nil {
			if b.weight, err = number(data, i, u.index.System.Probability); err != nil {
				return nil, err
			}
		}
		own, err := u.rewardsOf(map[string]uint64{"branches": i})
		if err != nil {
			return nil, err
		}
		b.rewards = sum(common, own)
		list = append(list, b)
	}
	return list, nil
}

// rewardsOf returns what the rewards give to some things.
func (u *umbReader) rewardsOf(things map[string]uint64) ([]*big.Rat, error) {
	var all []*big.Rat
	for i, id := range sortedKeys(u.index.Annotations["rewards"]) {
		a := u.index.Annotations["rewards"][id]
		all = append(all, nil)
		for kind, n := range things {
			data := u.files["annotations/rewards/"+id+"/"+kind+"/values.bin"]
			if data == nil {
				continue
			}
			r, err := number(data, n, &a.Type)
			if err != nil {
				return nil, err
			}
			if all[i] != nil {
				r = new(big.Rat).Add(all[i], r)
			}
			all[i] = r
		}
	}
	return all, nil
}

// number returns number i of an array.
func number(data []byte, i uint64, t *umbType) (*big.Rat, error) {
	size, err := t.bytes()
	if err != nil {
		return nil, err
	}
	data = data[uint64(size)*i : uint64(size)*(i+1)]
	if t.Type == "double" {
		return fromDouble(math.Float64frombits(binary.LittleEndian.Uint64(data)))
	}
	half := slices.Clone(data[:size/2])
	slices.Reverse(half)
	numerator := new(big.Int).SetBytes(half)
	if half[0] >= 0x80 {
		numerator.Sub(numerator, new(big.Int).Lsh(big.NewInt(1), uint(4*size)))
	}
	half = slices.Clone(data[size/2:])
	slices.Reverse(half)
	denominator := new(big.Int).SetBytes(half)
	if denominator.Sign() == 0 {
		return nil, errors.New("a fraction has the denominator 0")
	}
	return new(big.Rat).SetFrac(numerator, denominator), nil
}
