package printable

import (
	"fmt"
	"strings"
)

// Noun returns a noun in the number that n things have: step or steps, loss or losses, entry or entries.
func Noun[T ~int | ~int64 | ~uint64](n T, noun string) string {
	stem, isY := strings.CutSuffix(noun, "y")
	switch {
	case n == 1:
		return noun
	case isY:
		return stem + "ies"
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "sh"):
		return noun + "es"
	}
	return noun + "s"
}

// Count writes a number with its noun: 1 step, 2 steps.
func Count[T ~int | ~int64 | ~uint64](n T, noun string) string {
	return fmt.Sprint(n, " ", Noun(n, noun))
}
