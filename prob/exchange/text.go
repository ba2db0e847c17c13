package exchange

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"

	"ringcheck/internal/effort"
	"ringcheck/prob"
)

// A lines reads a text line by line, without comments and empty lines, and the words of a line.
type lines struct {
	*effort.Effort
	name   string
	in     *bufio.Scanner
	number int
	rest   []byte // of the line
	heard  func(comment string)
}

// longestLine is how many bytes a line may have.
const longestLine = 1 << 20

func newLines(f *effort.Effort, name string, r io.Reader) *lines {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 1<<16), longestLine)
	return &lines{Effort: f, name: name, in: in}
}

// next goes to the next line, and reports whether there is one.
func (l *lines) next() bool {
	for l.in.Scan() {
		l.Tick()
		l.number++
		l.rest = bytes.TrimSpace(l.in.Bytes())
		switch {
		case bytes.HasPrefix(l.rest, []byte("#")):
			if l.heard != nil {
				l.heard(string(l.rest))
			}
		case len(l.rest) > 0:
			return true
		}
	}
	return false
}

// fail returns an error about the current line.
func (l *lines) fail(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", l.name, l.number, fmt.Errorf(format, args...))
}

// end returns why there are no more lines, nil if that is as it should be.
func (l *lines) end() error {
	switch err := l.in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%s:%d: the line is longer than %d bytes", l.name, l.number+1, longestLine)
	case err != nil:
		return fmt.Errorf("%s:%d: %w", l.name, l.number+1, err)
	}
	return nil
}

// word returns the next word of the line, nothing at its end.
func (l *lines) word() []byte {
	i := 0
	for i < len(l.rest) && l.rest[i] > ' ' {
		i++
	}
	word := l.rest[:i]
	l.rest = bytes.TrimLeft(l.rest[i:], " \t")
	return word
}

// whole returns the next word as a number below 2^32.
func (l *lines) whole() (uint32, error) {
	word, n := l.word(), uint64(0)
	for _, c := range word {
		if n = 10*n + uint64(c-'0'); c < '0' || c > '9' || n > math.MaxUint32 {
			return 0, l.fail("%w", notNumber(string(word)))
		}
	}
	if len(word) == 0 {
		return 0, l.fail("there are too few numbers")
	}
	return uint32(n), nil
}

// wholes returns the words up to the end of the line as such numbers.
func (l *lines) wholes() (list []uint32, err error) {
	for len(l.rest) > 0 {
		n, err := l.whole()
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// notNumber says that a word is no number.
func notNumber(word string) error {
	const length = 20
	if len(word) > length {
		return fmt.Errorf("%q… is not a number", word[:length])
	}
	return fmt.Errorf("%q is not a number", word)
}

// merged returns the branches of a choice by their targets, in ascending order, those to one state as one. Of their marks nothing is left: see mean.
func merged(choice []prob.Branch) []prob.Branch {
	if len(choice) == 1 {
		return choice
	}
	list := slices.Clone(choice)
	slices.SortFunc(list, func(a, b prob.Branch) int { return cmp.Compare(a.To, b.To) })
	out := list[:1]
	for _, b := range list[1:] {
		last := &out[len(out)-1]
		if last.To == b.To {
			last.Weight = prob.WeightOf(new(big.Rat).Add(last.Weight.Rat(), b.Weight.Rat()))
			continue
		}
		out = append(out, b)
	}
	return out
}

// mean returns the mean reward of a choice. In the decision processes of PRISM and Storm rewards are those of choices: PRISM refuses a .trew in which two
// branches of a choice have different ones, and does not read those of branches in a .umb. With the mean of its branches for a choice all expectations stay.
func mean(r *prob.Reward, choice []prob.Branch) *big.Rat {
	if len(choice) == 1 {
		return r.At(choice[0].Mark)
	}
	sum := new(big.Rat)
	for _, b := range choice {
		if of := r.At(b.Mark); of.Sign() != 0 {
			sum.Add(sum, new(big.Rat).Mul(b.Weight.Rat(), of))
		}
	}
	return sum
}

// decimal writes a number: as a fraction if it is to be exact, else as the shortest decimal that is the same double.
func decimal(r *big.Rat, exact bool) string {
	if exact || r.IsInt() {
		return r.RatString()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}
