package exchange

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
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
	"unsafe"

	"ringcheck/internal/effort"
	"ringcheck/internal/textfile"
	"ringcheck/verify/prob"
)

// readUMB reads a process in the UMB format, which gzip may have compressed, and lists what was assumed about it.
func readUMB(f *effort.Effort, r io.Reader) (m *prob.MDP, assumed []string, err error) {
	defer effort.Catch(&err)
	in := bufio.NewReader(r)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		in = bufio.NewReader(effort.Must(gzip.NewReader(in)))
	}
	if magic, _ := in.Peek(6); bytes.Equal(magic, []byte{0xfd, '7', 'z', 'X', 'Z', 0}) {
		refuse("a file compressed by xz is not read: decompress it first")
	}
	u := &umbReader{explicit: newExplicit(f), seen: make(map[string]bool), in: bufio.NewReaderSize(nil, 1<<16)}
	u.archive(in)
	u.complete()
	m, err = u.process()
	return m, u.assumed, err
}

// A umbReader reads the files of an archive one after the other, as the index declares them.
type umbReader struct {
	*explicit
	index *umbIndex
	files map[string]func() // readers of the files that the index declares
	seen  map[string]bool
	zero  [][2]string // files that the index declares, and what is assumed if they are missing

	name   string // of the current file
	length uint64 // in bytes
	in     *bufio.Reader
}

// A counted reader counts the bytes that are read.
type countingReader struct {
	io.Reader
	bytes int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.bytes += int64(n)
	return n, err
}

// archive reads the files. The index comes first and declares the others.
func (u *umbReader) archive(r io.Reader) {
	const block = 512 // of a tar, which ends with two of zeros
	in := &countingReader{Reader: r}
	t := tar.NewReader(in)
	for {
		begin := (in.bytes + block - 1) / block * block
		h, err := t.Next()
		switch {
		case err == io.EOF && u.index == nil:
			refuse("there is no index.json")
		case err == io.EOF && in.bytes < begin+2*block:
			refuse("the archive is cut off: its end is missing")
		case err == io.EOF:
			u.padding(in)
			return
		case err != nil:
			refuse("this is not a complete tar file: %w", err)
		case h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader:
			continue
		case h.Typeflag != tar.TypeReg:
			refuse("%s is not a regular file", h.Name)
		}
		u.name, u.length = strings.TrimPrefix(path.Clean("/"+h.Name), "/"), uint64(h.Size)
		u.in.Reset(t)
		read := u.files[u.name]
		switch {
		case u.index == nil:
			read = u.readIndex
		case u.seen[u.name]:
			refuse("%s is in the archive twice", u.name)
		case read == nil && u.index.Revision == 0: // a later revision may have other files
			refuse("%s is not declared in index.json", u.name)
		}
		u.seen[u.name] = true
		if read != nil {
			read()
		}
		if _, err := io.Copy(io.Discard, u.in); err != nil {
			refuse("%s: %w", u.name, err)
		}
	}
}

// padding reads what follows the end of the archive: zeros, and the checksum of a compressed file.
func (u *umbReader) padding(in io.Reader) {
	var b [1 << 12]byte
	for {
		u.Check()
		n, err := in.Read(b[:])
		switch {
		case len(bytes.Trim(b[:n], "\x00")) > 0:
			refuse("there is data after the end of the archive")
		case err == io.EOF:
			return
		case err != nil:
			refuse("the end of the archive: %w", err)
		}
	}
}

func (u *umbReader) readIndex() {
	if u.name != "index.json" {
		refuse("the first file is %q, not index.json", u.name)
	}
	if u.length > maxIndex {
		refuse("index.json has more than %d bytes", maxIndex)
	}
	u.index = effort.Must(parseIndex(textfile.TrimMark(effort.Must(io.ReadAll(u.in)))))
	u.declare()
}

// declare sets the readers of all possible files.
func (u *umbReader) declare() {
	s := &u.index.System
	u.files = map[string]func(){
		"state-is-initial.bin":   func() { u.bits(&u.initial) },
		"state-to-choices.bin":   func() { u.ranges(&u.choices, s.States, s.Choices) },
		"choice-to-branches.bin": func() { u.ranges(&u.branches, s.Choices, s.Branches) },
		"branch-to-target.bin": func() {
			column(u, &u.to, 8, s.Branches, func(word []byte) (uint32, error) {
				t := binary.LittleEndian.Uint64(word)
				if t >= s.States {
					return 0, fmt.Errorf("target %d is out of range: there are %d states", t, s.States)
				}
				return uint32(t), nil
			})
		},
		"branch-to-probability.bin": func() { u.values(&u.weight, s.Probability, s.Branches) },
	}
	ignore := func(declared bool, folder, names string) {
		for _, name := range strings.Fields(names) {
			if declared {
				u.files[folder+name+".bin"] = func() {}
			}
		}
	}
	ignore(s.Players > 0, "", "state-to-player")
	ignore(s.ChoiceActions > 0, "actions/choices/", "values string-mapping strings")
	ignore(s.BranchActions > 0, "actions/branches/", "values string-mapping strings")
	for of := range u.index.Valuations {
		ignore(true, "valuations/"+of+"/", "valuations valuation-to-class string-mapping strings")
	}
	for group, list := range u.index.Annotations {
		for id, a := range list {
			for _, on := range a.AppliesTo {
				ignore(group != "aps" && group != "rewards", "annotations/"+group+"/"+id+"/"+on+"/",
					"values string-mapping strings distribution-mapping probabilities")
			}
		}
	}
	u.declareAnnotations()
}

// declareAnnotations declares the files of labels and rewards.
func (u *umbReader) declareAnnotations() {
	s := &u.index.System
	labels, rewards := u.index.Annotations["aps"], u.index.Annotations["rewards"]
	u.labels, u.rewards = make([]prob.Label, len(labels)), make([]gain, len(rewards))
	for i, id := range slices.Sorted(maps.Keys(labels)) {
		l, name := &u.labels[i], "annotations/aps/"+id+"/states/values.bin"
		l.Name = cmp.Or(labels[id].Alias, id)
		u.files[name] = func() { u.bits(&l.States) }
		u.zero = append(u.zero, [2]string{name, "no state has the label " + l.Name})
	}
	for i, id := range slices.Sorted(maps.Keys(rewards)) {
		r, t := &u.rewards[i], rewards[id].Type
		r.name = cmp.Or(rewards[id].Alias, id)
		for _, on := range rewards[id].AppliesTo {
			list, count := &r.states, s.States
			switch on {
			case "choices":
				list, count = &r.choices, s.Choices
			case "branches":
				list, count = &r.branches, s.Branches
			}
			name := "annotations/rewards/" + id + "/" + on + "/values.bin"
			u.files[name] = func() { u.values(list, &t, count) }
			u.zero = append(u.zero, [2]string{name, "the reward " + r.name + " of " + on + " is 0"})
		}
	}
}

// column reads a file of count words of size bytes each.
func column[T uint16 | uint32 | uint64](u *umbReader, to *[]T, size, count uint64,
	read func(word []byte) (T, error),
) {
	if want := size * count; u.length != want {
		refuse("%s has %d bytes; by the index it should have %d", u.name, u.length, want)
	}
	list, word := []T{}, make([]byte, size)
	for i := range count {
		if i%heldAtOnce == 0 {
			u.Hold(uint64(unsafe.Sizeof(list[0])) * heldAtOnce)
			list = slices.Grow(list, int(min(count-i, max(heldAtOnce, i)))) // not the size that the index claims
		}
		if _, err := io.ReadFull(u.in, word); err != nil {
			refuse("%s: %w", u.name, err)
		}
		n, err := read(word)
		if err != nil {
			refuse("%s: number %d: %w", u.name, i, err)
		}
		list = append(list, n)
	}
	*to = list
}

// ranges reads the first elements of count consecutive ranges: the numbers ascend from 0 to end.
func (u *umbReader) ranges(to *[]uint32, count, end uint64) {
	last, first := uint64(0), true
	column(u, to, 8, count+1, func(word []byte) (uint32, error) {
		v := binary.LittleEndian.Uint64(word)
		if v < last || v > end || first && v != 0 {
			return 0, fmt.Errorf("%d after %d: the numbers must ascend from 0 to %d", v, last, end)
		}
		last, first = v, false
		return uint32(v), nil
	})
	if last != end {
		refuse("%s: the last number is %d and not %d", u.name, last, end)
	}
}

// bits reads a set of states.
func (u *umbReader) bits(to *prob.Set) {
	states, list := u.index.System.States, (*[]uint64)(to)
	column(u, list, 8, (states+63)/64, func(word []byte) (uint64, error) {
		return binary.LittleEndian.Uint64(word), nil
	})
	if states%64 != 0 && (*list)[states/64]>>(states%64) != 0 {
		refuse("%s: bits behind the last state are not 0", u.name)
	}
}

// values reads numbers, as indices into the table.
func (u *umbReader) values(to *[]uint16, t *umbType, count uint64) {
	column(u, to, uint64(effort.Must(t.bytes())), count, func(word []byte) (uint16, error) {
		return u.numbers.add(u.Effort, word, func() (number, error) { return t.number(word) })
	})
}

// complete sets the format's defaults for missing files.
func (u *umbReader) complete() {
	s := &u.index.System
	switch {
	case !u.seen["branch-to-target.bin"]: // otherwise a small file could claim to hold a large process
		refuse("there is no branch-to-target.bin")
	case !u.seen["branch-to-probability.bin"]:
		refuse("there is no branch-to-probability.bin: all probabilities would be 0")
	case u.choices == nil && s.States != s.Choices:
		refuse("there is no state-to-choices.bin")
	case u.branches == nil && s.Choices != s.Branches:
		refuse("there is no choice-to-branches.bin")
	}
	if u.choices == nil { // every state has one choice
		u.choices = u.identity(s.States)
	}
	if u.branches == nil {
		u.branches = u.identity(s.Choices)
	}
	for i := range u.choices[1:] {
		if s.Players == 0 && u.choices[i+1]-u.choices[i] > 1 {
			refuse("state %d has several choices; by the index this is a Markov chain", i)
		}
	}
	for _, z := range u.zero {
		if !u.seen[z[0]] {
			u.assume("index.json declares %s, which is not in the archive: %s", z[0], z[1])
		}
	}
	for i := range u.labels {
		if u.labels[i].States == nil {
			u.labels[i].States = prob.NewSet(int(s.States))
		}
	}
	if u.initial == nil {
		u.initial = prob.NewSet(int(s.States))
	}
	if n := u.initial.Len(); uint64(n) != s.Initial {
		refuse("state-is-initial.bin: %d states are initial; by the index %d should be", n, s.Initial)
	}
}

// identity returns the first elements of n ranges of length 1; n is at most the number of branches that were read.
func (u *umbReader) identity(n uint64) []uint32 {
	u.Hold(4 * n)
	list := make([]uint32, n+1)
	for i := range list {
		list[i] = uint32(i)
	}
	return list
}

// number decodes a stored number.
func (t *umbType) number(data []byte) (number, error) {
	if t.Type == "double" {
		return fromDouble(math.Float64frombits(binary.LittleEndian.Uint64(data)))
	}
	data = slices.Clone(data)
	slices.Reverse(data)
	half := len(data) / 2
	denominator, numerator := new(big.Int).SetBytes(data[:half]), new(big.Int).SetBytes(data[half:])
	if data[half] >= 0x80 {
		numerator.Sub(numerator, new(big.Int).Lsh(big.NewInt(1), uint(8*half)))
	}
	if denominator.Sign() == 0 {
		return number{}, errors.New("a fraction has the denominator 0")
	}
	r := new(big.Rat).SetFrac(numerator, denominator)
	return number{r, r}, nil
}
