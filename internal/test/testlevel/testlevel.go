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
	"sync"
)

// variable is the name of the environment variable.
const variable = "RINGCHECK_TEST"

// longFactor is the factor of random cases when the variable is "long".
const longFactor = 4

// factor returns the value of the variable, 0 if it is not set, and whether it is "long".
var factor = sync.OnceValues(func() (int, bool) {
	text := os.Getenv(variable)
	if text == "" {
		return 0, false
	}
	if text == "long" {
		return longFactor, true
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		panic(fmt.Sprintf("%s is %q: expected a number from 1, or long", variable, text))
	}
	return n, false
})

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

// Cases returns a number of random cases: usual for go test, or a multiple of gate.
func Cases[T ~int | ~uint64](usual, gate T) T {
	n, _ := factor()
	if n == 0 {
		return usual
	}
	return gate * T(n)
}
