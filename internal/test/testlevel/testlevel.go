// Package testlevel says how much the tests of this repository try. The environment variable RINGCHECK_TEST decides:
//
//	unset  what go test should do within three minutes
//	1      what is run before a change is taken
//	N      the same, with N times as many random cases
//	long   the same as 4, and what takes hours or a cluster
package testlevel

import (
	"fmt"
	"os"
	"strconv"
)

// variable is the name of the environment variable.
const variable = "RINGCHECK_TEST"

// longFactor is the factor of random cases when the variable is "long".
const longFactor = 4

// factor returns the value of the variable, 0 if it is not set, and whether it is "long". It reads the variable each
// time, so that go test does not take a result for one with another value.
func factor() (n int, long bool) {
	text := os.Getenv(variable)
	switch text {
	case "":
		return 0, false
	case "long":
		return longFactor, true
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		panic(fmt.Sprintf("%s is %q: expected a number from 1, or long", variable, text))
	}
	return n, false
}

// Gate reports whether the tests run before a change is taken, and may take minutes.
func Gate() bool {
	n, _ := factor()
	return n > 0
}

// Long reports whether the tests may take hours.
func Long() bool {
	_, long := factor()
	return long
}

// Cases returns a function for the number of random cases: usual for go test, or a multiple of gate. Tests call it when
// they run: go test does not notice what is read before.
func Cases[T ~int | ~uint64](usual, gate T) func() T {
	return func() T {
		n, _ := factor()
		if n == 0 {
			return usual
		}
		return gate * T(n)
	}
}
