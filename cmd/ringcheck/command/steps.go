package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxSteps is the largest number of steps that can be asked for.
const maxSteps = 1_000_000

// A stepList is the value of --within: numbers of steps separated by commas.
type stepList []int

// Set implements pflag.Value.
func (l *stepList) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		n, err := parseSteps(word)
		if err != nil {
			return err
		}
		*l = append(*l, n)
	}
	return nil
}

func (l *stepList) String() string { return "" }

// Type implements pflag.Value.
func (l *stepList) Type() string { return "STEPS" }

// A stepRange is the value of --curve: FIRST..LAST.
type stepRange struct {
	first, last int
	given       bool
}

// Set implements pflag.Value.
func (r *stepRange) Set(text string) error {
	low, high, ok := strings.Cut(text, "..")
	if !ok {
		return errors.New("want FIRST..LAST")
	}
	var err error
	if r.first, err = parseSteps(low); err == nil {
		r.last, err = parseSteps(high)
	}
	if err == nil && r.last < r.first {
		err = errors.New("the first number is above the last")
	}
	r.given = true
	return err
}

func (r *stepRange) String() string { return "" }

// Type implements pflag.Value.
func (r *stepRange) Type() string { return "RANGE" }

func parseSteps(word string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(word))
	if err != nil || n < 0 || n > maxSteps {
		return 0, fmt.Errorf("want numbers of steps from 0 to %d", maxSteps)
	}
	return n, nil
}
