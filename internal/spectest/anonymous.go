package spectest

import "strings"

// Anonymous takes out of a spec of Random what tells process 0 from the others where they begin.
func Anonymous(source string) string {
	return strings.NewReplacer("if p = 0 then", "if n > 0 then", "when p = 0:", "when n > 0:",
		"when p > 0:", "when n > 1:", "uid[0]", "uid[p]",
		"process zero[p in 0..0]", "process zero[p in 0..n - 1]", "process other[p in 1..n - 1]", "process other[p in n..n - 1]",
		"where p = 0", "where n > 0", "where p > 0", "where n > 0").Replace(source)
}
