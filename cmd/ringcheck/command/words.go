package command

import (
	"slices"
	"strings"

	"ringcheck/bisim"
	"ringcheck/lts"
)

// wordsLimit is how many operators a formula may have to be put in words.
const wordsLimit = 24

// inWords says what a formula means, line by line; nil if it is too long to be read that way.
func inWords(f *bisim.Formula) []string {
	if tooLong(f, new(wordsLimit)) {
		return nil
	}
	return explain(f, false)
}

// tooLong reports whether a formula has more than so many operators.
func tooLong(f *bisim.Formula, limit *int) bool {
	*limit--
	return *limit < 0 || slices.ContainsFunc(f.Args, func(g *bisim.Formula) bool { return tooLong(g, limit) })
}

// explain says what a formula, or its negation, demands of a state.
func explain(f *bisim.Formula, negated bool) []string {
	it := "it can"
	if negated {
		it = "it cannot"
	}
	switch f.Op {
	case bisim.Not:
		return explain(f.Args[0], !negated)
	case bisim.And:
		return explainAll(f, negated)
	case bisim.Next:
		return follow(it+" do "+labelName(f.Label), " to a state where", f.Args[0])
	case bisim.Until:
		return explainUntil(f, it)
	case bisim.Diverge:
		return follow(it+" do τ for ever", ", always in a state where", f.Args[0])
	}
	if negated {
		return []string{"nothing holds"}
	}
	return []string{"anything holds"}
}

func explainAll(f *bisim.Formula, negated bool) []string {
	lines := []string{"all of this:"}
	if negated {
		lines[0] = "not all of this:"
	}
	for _, g := range f.Args {
		lines = append(lines, nest("- ", explain(g, false))...)
	}
	return lines
}

func explainUntil(f *bisim.Formula, it string) []string {
	line, link := it+" do "+labelName(f.Label)+", perhaps after τ's", ", through states, its own included, where"
	if f.Label == lts.TauName {
		line, link = it+" come, by τ's or none", ", through states where"
	}
	through, to := f.Args[0], f.Args[1]
	if through.Op == bisim.True {
		return follow(line+",", " to a state where", to)
	}
	lines := follow(line, link, through)
	if to.Op != bisim.True {
		lines = append(lines, follow("", "to a state where", to)...)
	}
	return lines
}

// follow appends what has to hold of a state, unless anything may.
func follow(line, link string, f *bisim.Formula) []string {
	if f.Op == bisim.True {
		return []string{strings.TrimSuffix(line, ",")}
	}
	return append([]string{line + link}, nest("  ", explain(f, false))...)
}

// nest indents lines; the first one begins with a mark.
func nest(mark string, lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		if i == 0 {
			out[i] = mark + line
		} else {
			out[i] = "  " + line
		}
	}
	return out
}
