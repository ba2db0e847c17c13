package spectest

import "regexp"

// Uncoupled returns the text of a spec without faults, capacities, delays, crashes and properties, and with registers
// in place of shared variables.
func Uncoupled(text string) string {
	text = environmentClause.ReplaceAllString(text, "$1\n")
	text = crashClause.ReplaceAllString(text, "")
	text = propertyLine.ReplaceAllString(text, "")
	return sharedClause.ReplaceAllString(text, "register")
}

var (
	environmentClause = regexp.MustCompile(`(?m)^(channel (unordered|fifo|lifo)).*\n`)
	crashClause       = regexp.MustCompile(`(?m)^crash .*\n`)
	propertyLine      = regexp.MustCompile(`(?m)^(invariant|terminal|reachable|recoverable|ltl) .*\n`)
	sharedClause      = regexp.MustCompile(`(?m)^shared`)
)
