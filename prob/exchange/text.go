package exchange

import (
	"bufio"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"ringcheck/prob"
)

// A lines reads a text line by line, without comments and empty lines.
type lines struct {
	name    string
	in      *bufio.Scanner
	number  int
	comment string // with what a comment begins
	heard   func(comment string)
}

// longestLine is how many bytes a line may have.
const longestLine = 1 << 20

func newLines(name string, r io.Reader, comment string) *lines {
	in := bufio.NewScanner(r)
	in.Buffer(nil, longestLine)
	return &lines{name: name, in: in, comment: comment}
}

// next returns the next line, "" and false at the end.
func (l *lines) next() (string, bool) {
	for l.in.Scan() {
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

// merged returns the branches of a choice, those to one state as one, whose rewards are the mean of theirs. That changes no expectation.
func merged(m *prob.MDP, choice []prob.Branch) []branch {
	var out []branch
	place := make(map[uint32]int)
	for _, b := range choice {
		i, ok := place[b.To]
		if !ok {
			i = len(out)
			place[b.To] = i
			out = append(out, branch{to: b.To, weight: new(big.Rat), rewards: make([]*big.Rat, len(m.Rewards))})
			for r := range m.Rewards {
				out[i].rewards[r] = new(big.Rat)
			}
		}
		w := b.Weight.Rat()
		out[i].weight.Add(out[i].weight, w)
		for r := range m.Rewards {
			out[i].rewards[r].Add(out[i].rewards[r], new(big.Rat).Mul(w, m.Rewards[r].At(b.Mark)))
		}
	}
	for i := range out {
		for r := range out[i].rewards {
			out[i].rewards[r].Quo(out[i].rewards[r], out[i].weight)
		}
	}
	return out
}

// mean returns the mean rewards of a choice.
func mean(m *prob.MDP, choice []prob.Branch) []*big.Rat {
	var out []*big.Rat
	for r := range m.Rewards {
		sum := new(big.Rat)
		for _, b := range choice {
			sum.Add(sum, new(big.Rat).Mul(b.Weight.Rat(), m.Rewards[r].At(b.Mark)))
		}
		out = append(out, sum)
	}
	return out
}

// decimal writes a number: as a fraction if it is to be exact, else as the shortest decimal that is the same double.
func decimal(r *big.Rat, exact bool) string {
	if exact || r.IsInt() {
		return r.RatString()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// quoted returns a name between quotation marks, without what would end them.
func quoted(name string) string {
	return `"` + strings.Map(func(r rune) rune {
		if r == '"' || r < ' ' {
			return '_'
		}
		return r
	}, name) + `"`
}
