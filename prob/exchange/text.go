package exchange

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/prob"
)

// A lines reads a text line by line, without comments and empty lines.
type lines struct {
	*effort.Effort
	name    string
	in      *bufio.Scanner
	number  int
	comment string // with what a comment begins
	heard   func(comment string)
}

// longestLine is how many bytes a line may have.
const longestLine = 1 << 20

func newLines(f *effort.Effort, name string, r io.Reader, comment string) *lines {
	in := bufio.NewScanner(r)
	in.Buffer(nil, longestLine)
	return &lines{Effort: f, name: name, in: in, comment: comment}
}

// next returns the next line, "" and false at the end.
func (l *lines) next() (string, bool) {
	for l.in.Scan() {
		l.Tick()
		l.number++
		line := strings.TrimSpace(l.in.Text())
		if strings.HasPrefix(line, l.comment) {
			if l.heard != nil {
				l.heard(line)
			}
			continue
		}
		if line != "" {
			return line, true
		}
	}
	return "", false
}

// fail returns an error about the current line.
func (l *lines) fail(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", l.name, l.number, fmt.Errorf(format, args...))
}

// end returns why there are no more lines, nil if that is as it should be.
func (l *lines) end() error {
	if err := l.in.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", l.name, l.number+1, err)
	}
	return nil
}

// numbers returns the words of a line as numbers below 2^32.
func (l *lines) numbers(words []string) ([]uint32, error) {
	var list []uint32
	for _, w := range words {
		n, err := strconv.ParseUint(w, 10, 32)
		if err != nil {
			return nil, l.fail("%q is not a number", w)
		}
		list = append(list, uint32(n))
	}
	return list, nil
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
			sum := new(big.Rat).Add(last.Weight.Rat(), b.Weight.Rat())
			if sum.Num().IsUint64() && sum.Denom().IsUint64() {
				last.Weight = prob.Weight{Num: sum.Num().Uint64(), Den: sum.Denom().Uint64()}
				continue
			}
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
