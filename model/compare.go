package model

import "strings"

// Compare orders states of sys by their readable form, the same way in every process.
func Compare(sys System, a, b []Value) int {
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if c := strings.Compare(sys.FormatSlot(i, a[i]), sys.FormatSlot(i, b[i])); c != 0 {
			return c
		}
	}
	return 0
}
