package syntax

import (
	"fmt"
	"strings"
)

// DidYouMean returns `did you mean "x"?` for the candidate nearest to name, or "" if none is near.
func DidYouMean(name string, candidates []string) string {
	if near := Nearest(name, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// Nearest returns the candidate that name is most likely a misspelling of: the least edit distance, at most
// a third of the name's length (but at least 1), case counting as nothing; the first of equally near ones,
// "" if none is near enough.
func Nearest(name string, candidates []string) string {
	best, least := "", max(1, len(name)/3)+1
	for _, c := range candidates {
		if c == name {
			continue
		}
		if d := editDistance(strings.ToLower(name), strings.ToLower(c)); d < least && d < len(name) {
			best, least = c, d
		}
	}
	return best
}

// editDistance counts the insertions, deletions, substitutions and swaps of neighbours that turn a into b
// (optimal string alignment).
func editDistance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			differ := 0
			if s[i] != t[j] {
				differ = 1
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+differ)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
