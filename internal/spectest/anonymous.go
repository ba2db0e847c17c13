package spectest

import "strings"

// Anonymous takes out of a spec of Random what tells process 0 from the others where they begin.
func Anonymous(source string) string {
	return strings.NewReplacer("if p = 0 then", "if n > 0 then", "when p = 0:", "when n > 0:",
		"when p > 0:", "when n > 1:", "uid[0]", "uid[p]").Replace(source)
}
