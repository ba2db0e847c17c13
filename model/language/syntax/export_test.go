package syntax

// ReservedWords returns how many reserved words there are.
func ReservedWords() int { return len(declarationWords) + len(otherWords) }
