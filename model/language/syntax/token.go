package syntax

import (
	"slices"
	"strconv"
)

// A tokenKind is the lexical class of a token.
type tokenKind int

const (
	endOfFile tokenKind = iota
	name
	integer
	decimal
	text // a string literal
	keyword
	punctuation
)

// A token is a lexical unit. Str is its spelling, for a string literal its content.
type token struct {
	kind  tokenKind
	str   string
	pos   Pos
	end   int  // the column behind it
	first bool // the first token of its line
}

// is reports whether t is the given word or punctuation. Words such as "fifo" are reserved nowhere.
func (t token) is(s string) bool {
	return (t.kind == name || t.kind == keyword || t.kind == punctuation) && t.str == s
}

// String describes t in an error message.
func (t token) String() string {
	switch t.kind {
	case endOfFile:
		return "the end"
	case text:
		return "string " + strconv.Quote(t.str)
	default:
		return strconv.Quote(t.str)
	}
}

// declarationWords begin a declaration, all but that of an equation, which begins with its name.
var declarationWords = []string{
	"assign", "channel", "const", "define", "event", "inevitable", "invariant", "message", "option", "param",
	"process", "protocol", "reachable", "source", "terminal", "topology", "type", "var",
}

// unreservedWords begin declarations, too, where a name follows. Elsewhere they are names.
var unreservedWords = []string{
	"crash", "expected", "ghost", "initially", "ltl", "probability", "recoverable", "register", "reward", "role", "timer",
}

// otherWords are the rest of the reserved words.
var otherWords = []string{
	"all", "and", "array", "at", "bool", "choose", "count", "dir", "div", "draw", "else", "exists", "false",
	"forall", "if", "in", "is", "let", "minus", "mod", "nat", "node", "not", "of", "or", "recv", "send", "set",
	"skip", "stop", "sum", "then", "true", "union", "when", "where", "with",
}

func allDeclarationWords() []string { return slices.Concat(declarationWords, unreservedWords) }

func isDeclarationWord(s string) bool {
	_, found := slices.BinarySearch(declarationWords, s)
	return found
}

func isKeyword(s string) bool {
	_, found := slices.BinarySearch(otherWords, s)
	return found || isDeclarationWord(s)
}

// punctuations lists the longer ones first, so that the first that fits is the right one.
var punctuations = []string{
	"..", "!=", "<=", ">=", "=>", ":=", "->",
	":", ";", ",", "|", "(", ")", "{", "}", "[", "]", ".", "=", "<", ">", "+", "-", "*", "/", "^", "_",
}

// foreign holds spellings of other languages, with the token of ours that was meant, if there is one.
var foreign = []struct{ str, meant, hint string }{
	{"==", "=", `equality is written "="`},
	{"&&", "and", `write "and"`},
	{"||", "or", `write "or"`},
	{"<>", "!=", `write "!=", or in a formula of ltl "eventually"`},
	{"/*", "", `comments begin with "//"`},
	{"!", "not", `write "not"`},
	{"&", "and", `write "and"`},
	{"%", "mod", `write "mod"`},
	{"#", "", `comments begin with "//"`},
	{"'", "", `strings stand in double quotes`},
}
