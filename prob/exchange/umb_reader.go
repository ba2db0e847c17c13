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

// readUMB reads a process in the UMB format, which may be compressed by gzip, and says what was assumed of it.
func readUMB(f *effort.Effort, r io.Reader) (*prob.MDP, []string, error) {
	in := bufio.NewReader(r)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, nil, err
		}
		in = bufio.NewReader(z)
	}
	if magic, _ := in.Peek(6); bytes.Equal(magic, []byte{0xfd, '7', 'z', 'X', 'Z', 0}) {
		return nil, nil, errors.New("a file compressed by xz is not read: decompress it first")
	}
	u := &umbReader{explicit: newExplicit(f), seen: make(map[string]bool), sets: make(map[string]prob.Set), gains: make(map[string][]uint16), in: bufio.NewReaderSize(nil, 1<<16)}
	if err := u.archive(in); err != nil {
		return nil, nil, err
	}
	if err := u.complete(); err != nil {
		return nil, nil, err
	}
	m, err := u.process()
	return m, u.assumed, err
}

// A umbReader reads the files of a process, one after the other, as the index says what they are.
type umbReader struct {
	explicit
	index *umbIndex
	seen  map[string]bool     // files
	sets  map[string]prob.Set // by file: labels
	gains map[string][]uint16 // by file: rewards

	name   string // of the file that is read
	length uint64 // in bytes
	in     *bufio.Reader
}

// A counted reader counts what is read.
type counted struct {
	io.Reader
	bytes int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.bytes += int64(n)
	return n, err
}

// archive reads the files. The index is the first, so that it is known what the others are.
func (u *umbReader) archive(r io.Reader) error {
	const block = 512 // of a tar, which ends with two of zeros
	in := &counted{Reader: r}
	t := tar.NewReader(in)
	for {
		begin := (in.bytes + block - 1) / block * block
		h, err := t.Next()
		switch {
		case err == io.EOF && u.index == nil:
			return errors.New("there is no index.json")
		case err == io.EOF && in.bytes < begin+2*block:
			return errors.New("the archive is cut off: its end is missing")
		case err == io.EOF:
			return u.padding(in)
		case err != nil:
			return fmt.Errorf("this is no whole tar file: %w", err)
		case h.Typeflag == tar.TypeDir:
			continue
		case h.Typeflag != tar.TypeReg:
			return fmt.Errorf("%s is not a regular file", h.Name)
		}
		u.name, u.length = strings.TrimPrefix(path.Clean("/"+h.Name), "/"), uint64(h.Size)
		u.in.Reset(t)
		if u.seen[u.name] {
			return fmt.Errorf("%s is in the archive twice", u.name)
		}
		u.seen[u.name] = true
		if err := u.file(); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, u.in); err != nil {
			return fmt.Errorf("%s: %w", u.name, err)
		}
	}
}

// padding reads what is behind the end: zeros, and the checksum of a compressed file.
func (u *umbReader) padding(in io.Reader) error {
	var b [1 << 12]byte
	for {
		u.Check()
		n, err := in.Read(b[:])
		switch {
		case len(bytes.Trim(b[:n], "\x00")) > 0:
			return errors.New("there is something behind the end of the archive")
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("the end of the archive: %w", err)
		}
	}
}

// file reads one file, unless it does not matter.
func (u *umbReader) file() (err error) {
	if u.index == nil {
		return u.readIndex()
	}
	s := &u.index.System
	switch u.name {
	case "state-is-initial.bin":
		u.initial, err = u.bits(s.States)
	case "state-to-choices.bin":
		u.choices, err = u.csr(s.States, s.Choices)
	case "choice-to-branches.bin":
		u.branches, err = u.csr(s.Choices, s.Branches)
	case "branch-to-target.bin":
		u.to, err = column(u, 8, s.Branches, func(word []byte) (uint32, error) {
			t := binary.LittleEndian.Uint64(word)
			if t >= s.States {
				return 0, fmt.Errorf("target %d is out of range: there are %d states", t, s.States)
			}
			return uint32(t), nil
		})
	case "branch-to-probability.bin":
		u.weight, err = u.values(s.Probability, s.Branches)
	default:
		return u.other()
	}
	return err
}

func (u *umbReader) readIndex() error {
	if u.name != "index.json" {
		return fmt.Errorf("the first file is %q, not index.json", u.name)
	}
	if u.length > maxIndex {
		return fmt.Errorf("index.json has more than %d bytes", maxIndex)
	}
	data, err := io.ReadAll(u.in)
	if err == nil {
		u.index, err = parseIndex(data)
	}
	return err
}

// other reads an annotation, and refuses what the index does not declare.
func (u *umbReader) other() (err error) {
	a, on := u.index.declares(u.name)
	switch {
	case on == "" && u.index.Revision == 0: // a later revision may know other files
		return fmt.Errorf("%s is not declared in index.json", u.name)
	case a == nil:
	case a.Type.Type == "bool":
		u.sets[u.name], err = u.bits(u.index.System.count(on))
	default:
		u.gains[u.name], err = u.values(&a.Type, u.index.System.count(on))
	}
	return err
}

// sized returns an error unless the file has so many words.
func (u *umbReader) sized(size, count uint64) error {
	if want := size * count; u.length != want {
		return fmt.Errorf("%s has %d bytes; by the index it should have %d", u.name, u.length, want)
	}
	return nil
}

// column returns what the words of a file are.
func column[T uint16 | uint32](u *umbReader, size, count uint64, read func(word []byte) (T, error)) ([]T, error) {
	if err := u.sized(size, count); err != nil {
		return nil, err
	}
	var list []T
	word := make([]byte, size)
	for i := range count {
		if i%heldAtOnce == 0 {
			u.Hold(4 * heldAtOnce)
			list = slices.Grow(list, int(min(count-i, max(heldAtOnce, i))))
		}
		_, err := io.ReadFull(u.in, word)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", u.name, err)
		}
		n, err := read(word)
		if err != nil {
			return nil, fmt.Errorf("%s: number %d: %w", u.name, i, err)
		}
		list = append(list, n)
	}
	return list, nil
}

// csr returns the beginnings of ranges: they ascend from 0 to the number of what there is.
func (u *umbReader) csr(count, end uint64) ([]uint32, error) {
	last, first := uint64(0), true
	list, err := column(u, 8, count+1, func(word []byte) (uint32, error) {
		v := binary.LittleEndian.Uint64(word)
		if v < last || first && v != 0 || v > end {
			return 0, fmt.Errorf("%d after %d: the numbers must ascend from 0 to %d", v, last, end)
		}
		last, first = v, false
		return uint32(v), nil
	})
	if err == nil && last != end {
		err = fmt.Errorf("%s: the last number is %d and not %d", u.name, last, end)
	}
	return list, err
}

// bits returns a set of states.
func (u *umbReader) bits(states uint64) (prob.Set, error) {
	x := prob.Set{}
	if err := u.sized(8, (states+63)/64); err != nil {
		return nil, err
	}
	for i := range u.length / 8 {
		if i%heldAtOnce == 0 {
			u.Hold(8 * heldAtOnce)
		}
		var word [8]byte
		if _, err := io.ReadFull(u.in, word[:]); err != nil {
			return nil, fmt.Errorf("%s: %w", u.name, err)
		}
		x = append(x, binary.LittleEndian.Uint64(word[:]))
	}
	if states%64 != 0 && x[len(x)-1]>>(states%64) != 0 {
		return nil, fmt.Errorf("%s: bits behind the last state are not 0", u.name)
	}
	return x, nil
}

// values returns numbers, as those of the table.
func (u *umbReader) values(t *umbType, count uint64) ([]uint16, error) {
	size, err := t.bytes()
	if err != nil {
		return nil, err
	}
	return column(u, uint64(size), count, func(word []byte) (uint16, error) {
		return u.numbers.add(u.Effort, word, func() (number, error) { return t.number(word) })
	})
}

// complete takes the format's defaults for the files that are not there.
func (u *umbReader) complete() error {
	s := &u.index.System
	for _, c := range []struct {
		name string
		list *[]uint32
		n, m uint64
	}{{"state-to-choices.bin", &u.choices, s.States, s.Choices}, {"choice-to-branches.bin", &u.branches, s.Choices, s.Branches}} {
		switch {
		case *c.list != nil:
		case c.n != c.m:
			return fmt.Errorf("there is no %s", c.name)
		case uint64(len(u.to)) == s.Branches: // there is not more than what the file has
			u.Hold(4 * (c.n + 1))
			for i := range uint32(c.n + 1) {
				*c.list = append(*c.list, i)
			}
		}
	}
	switch {
	case u.to == nil:
		return errors.New("there is no branch-to-target.bin")
	case u.weight == nil:
		return errors.New("there is no branch-to-probability.bin: all probabilities would be 0")
	}
	if s.Players == 0 {
		for i := range u.choices[1:] {
			if u.choices[i+1]-u.choices[i] > 1 {
				return fmt.Errorf("state %d has several choices; by the index this is a Markov chain", i)
			}
		}
	}
	if u.initial == nil {
		u.initial = prob.NewSet(int(s.States))
	}
	if n := u.initial.Len(); uint64(n) != s.Initial {
		return fmt.Errorf("state-is-initial.bin: %d states are initial; by the index %d should be", n, s.Initial)
	}
	u.annotations()
	return nil
}

// annotations makes labels and rewards, in the order of their names.
func (u *umbReader) annotations() {
	for _, id := range slices.Sorted(maps.Keys(u.index.Annotations["aps"])) {
		a := u.index.Annotations["aps"][id]
		name := "annotations/aps/" + id + "/states/values.bin"
		if u.sets[name] == nil {
			u.assume("index.json declares %s, which is not in the archive: no state has the label %s", name, a.name(id))
			u.sets[name] = prob.NewSet(int(u.index.System.States))
		}
		u.labels = append(u.labels, prob.Label{Name: a.name(id), States: u.sets[name]})
	}
	for _, id := range slices.Sorted(maps.Keys(u.index.Annotations["rewards"])) {
		a := u.index.Annotations["rewards"][id]
		r := gain{name: a.name(id)}
		for _, on := range a.AppliesTo {
			name := "annotations/rewards/" + id + "/" + on + "/values.bin"
			if u.gains[name] == nil {
				u.assume("index.json declares %s, which is not in the archive: the reward %s of %s is 0", name, r.name, on)
			}
			*map[string]*[]uint16{"states": &r.states, "choices": &r.choices, "branches": &r.branches}[on] = u.gains[name]
		}
		u.rewards = append(u.rewards, r)
	}
}

// number returns a number that is stored.
func (t *umbType) number(data []byte) (number, error) {
	if t.Type == "double" {
		return fromDouble(math.Float64frombits(binary.LittleEndian.Uint64(data)))
	}
	half := slices.Clone(data[:len(data)/2])
	slices.Reverse(half)
	numerator := new(big.Int).SetBytes(half)
	if half[0] >= 0x80 {
		numerator.Sub(numerator, new(big.Int).Lsh(big.NewInt(1), uint(8*len(half))))
	}
	half = slices.Clone(data[len(data)/2:])
	slices.Reverse(half)
	denominator := new(big.Int).SetBytes(half)
	if denominator.Sign() == 0 {
		return number{}, errors.New("a fraction has the denominator 0")
	}
	r := new(big.Rat).SetFrac(numerator, denominator)
	return number{r, r}, nil
}
