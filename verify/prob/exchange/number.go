package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/internal/textfile"
	"ringcheck/verify/prob"
)

// longestNumber is the maximum length of a number in a text, in characters.
const longestNumber = 400

// parseNumber returns a decimal or a fraction as it is written.
func parseNumber(text string) (number, error) {
	if len(text) > longestNumber {
		return number{}, fmt.Errorf("a number of %d characters is too long", len(text))
	}
	if mantissa, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok { // a big.Rat would have all its digits
		if n, err := strconv.Atoi(exponent); err != nil || n < -longestNumber || n > longestNumber || mantissa == "" {
			return number{}, notNumber(text)
		}
	}
	if r, ok := new(big.Rat).SetString(text); ok && !strings.ContainsAny(text, "_xXpPbBoO") {
		return number{r, r}, nil
	}
	return number{}, notNumber(text)
}

// A number is a number in a file: as written, for a double the shortest decimal that rounds to it, and as stored, for a
// double its exact value.
type number struct{ text, exact *big.Rat }

// A numbers is a table of the distinct numbers of a file. Number 0 is an absent number.
type numbers struct {
	of   map[string]uint16 // by representation in the file
	list []number
}

func newNumbers() numbers { return numbers{make(map[string]uint16), make([]number, 1)} }

// add returns the index of the number that data represents. It calls read if data is new.
func (n *numbers) add(f *effort.Effort, data []byte, read func() (number, error)) (uint16, error) {
	if i, ok := n.of[string(data)]; ok {
		return i, nil
	}
	f.Hold(tableBytes)
	x, err := read()
	if err != nil {
		return 0, err
	}
	if len(n.list) > math.MaxUint16 {
		return 0, prob.ErrTooLarge
	}
	i := uint16(len(n.list))
	n.list = append(n.list, x)
	n.of[string(data)] = i
	return i, nil
}

func fromDouble(f float64) (number, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return number{}, fmt.Errorf("%v is not a number", f)
	}
	if f != 0 && math.Abs(f) < 1e-300 {
		return number{}, fmt.Errorf("%v is too small", f)
	}
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return number{r, new(big.Rat).SetFloat64(f)}, nil
}

// tolerance is the maximum deviation of the sum of a choice's probabilities from 1.
var tolerance = big.NewRat(1, 1e9)

// weights returns the probabilities of a choice: as written if they add up to 1; else the simplest fractions that round
// to the same doubles, if these do; else, if the stored numbers nearly do, those divided by their sum, which differs
// from 1 by off.
func weights(list []number) (out []prob.Weight, off float64, err error) {
	var written, simple, stored []*big.Rat
	for _, n := range list {
		written, stored = append(written, n.text), append(stored, n.exact)
		if over := new(big.Rat).Sub(n.text, one); n.text.Sign() <= 0 || over.Cmp(tolerance) > 0 {
			return nil, 0, fmt.Errorf("%s is not a probability of a branch", n.text.RatString())
		}
	}
	if total(written).Cmp(one) == 0 {
		return asWeights(written), 0, nil
	}
	for _, r := range written {
		simple = append(simple, simplest(r))
	}
	if total(simple).Cmp(one) == 0 {
		return asWeights(simple), 0, nil
	}
	sum := total(stored)
	deviation := new(big.Rat).Sub(sum, one)
	off, _ = deviation.Abs(deviation).Float64()
	if deviation.Cmp(tolerance) > 0 {
		f, _ := sum.Float64() // shown with more digits than the tolerance has
		return nil, 0, fmt.Errorf("the probabilities do not add up to 1, but to %.12g", f)
	}
	for i, r := range stored {
		stored[i] = new(big.Rat).Quo(r, sum)
	}
	return asWeights(stored), off, nil
}

func asWeights(list []*big.Rat) (out []prob.Weight) {
	for _, r := range list {
		out = append(out, prob.WeightOf(r))
	}
	return out
}

var one = big.NewRat(1, 1)

func total(list []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, r := range list {
		sum.Add(sum, r)
	}
	return sum
}

// simplest returns the fraction with the least denominator that rounds to the same double as r > 0. The fractions that
// do are an interval, and it is the first of them on the path to r in the Stern–Brocot tree. Runs of equal turns are
// taken at once, as in continued fractions.
func simplest(r *big.Rat) *big.Rat {
	f, _ := r.Float64()
	middle := new(big.Rat).SetFloat64(f)
	low := new(big.Rat).Add(middle, new(big.Rat).SetFloat64(math.Nextafter(f, 0)))
	high := new(big.Rat).Add(middle, new(big.Rat).SetFloat64(math.Nextafter(f, 2)))
	half := big.NewRat(1, 2)
	return simplestBetween(low.Mul(low, half), high.Mul(high, half))
}

// simplestBetween returns the fraction with the least denominator strictly between two positive numbers.
func simplestBetween(low, high *big.Rat) *big.Rat {
	whole := new(big.Int).Quo(low.Num(), low.Denom())
	next := new(big.Rat).SetInt(new(big.Int).Add(whole, big.NewInt(1)))
	if next.Cmp(high) < 0 {
		return next
	}
	base := new(big.Rat).SetInt(whole)
	l, h := new(big.Rat).Sub(low, base), new(big.Rat).Sub(high, base)
	if l.Sign() == 0 { // 1/k is in between for the first k above 1/h
		k := new(big.Int).Quo(h.Denom(), h.Num())
		return base.Add(base, new(big.Rat).SetFrac(big.NewInt(1), k.Add(k, big.NewInt(1))))
	}
	inner := simplestBetween(h.Inv(h), l.Inv(l))
	return base.Add(base, inner.Inv(inner))
}

// A lines reads a text line by line, skipping comments and empty lines, and each line word by word.
type lines struct {
	*effort.Effort
	name      string
	in        *bufio.Scanner
	number    int
	rest      []byte // the rest of the line
	onComment func(comment string)
}

// longestLine is the maximum length of a line, in bytes.
const longestLine = 1 << 20

func newLines(f *effort.Effort, name string, r io.Reader) *lines {
	text := bufio.NewReader(r)
	textfile.SkipMark(text)
	in := bufio.NewScanner(text)
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
			if l.onComment != nil {
				l.onComment(string(l.rest))
			}
		case len(l.rest) > 0:
			return true
		}
	}
	return false
}

// fail stops the reading with an error about the current line.
func (l *lines) fail(format string, args ...any) {
	refuse("%s:%d: %w", l.name, l.number, fmt.Errorf(format, args...))
}

// end stops the reading with an error unless the lines ended because the file did.
func (l *lines) end() {
	l.number++
	switch err := l.in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		l.fail("the line is longer than %d bytes", longestLine)
	case err != nil:
		l.fail("%w", err)
	}
}

// word returns the next word of the line, empty at its end.
func (l *lines) word() []byte {
	i := 0
	for i < len(l.rest) && l.rest[i] > ' ' {
		i++
	}
	word := l.rest[:i]
	l.rest = bytes.TrimLeft(l.rest[i:], " \t")
	return word
}

// smallNumber returns the next word as a number below 2^32.
func (l *lines) smallNumber() uint32 {
	word, n := l.word(), uint64(0)
	for _, c := range word {
		if n = 10*n + uint64(c-'0'); c < '0' || c > '9' || n > math.MaxUint32 {
			l.fail("%w", notNumber(string(word)))
		}
	}
	if len(word) == 0 {
		l.fail("there are too few numbers")
	}
	return uint32(n)
}

// head reads the first line, which consists of numbers.
func (l *lines) head() (list []uint32) {
	if !l.next() {
		l.end()
		refuse("%s: the file is empty", l.name)
	}
	for len(l.rest) > 0 {
		list = append(list, l.smallNumber())
	}
	return list
}

// refuse stops the reading of a file with an error.
func refuse(format string, args ...any) { effort.Abort(fmt.Errorf(format, args...)) }

// notNumber returns the error for a word that is not a number.
func notNumber(word string) error {
	const length = 20
	if len(word) > length {
		return fmt.Errorf("%q… is not a number", word[:length])
	}
	return fmt.Errorf("%q is not a number", word)
}
