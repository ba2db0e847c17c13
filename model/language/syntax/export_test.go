package syntax

import "flag"

// ReservedWords returns how many reserved words there are.
func ReservedWords() int { return len(reservedWords) }

// Update is the flag to rewrite golden files.
var Update = flag.Bool("update", false, "rewrite the golden files")
