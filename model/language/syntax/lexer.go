package syntax

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A lexer splits a text into tokens. It reports what it cannot read and continues after it.
type lexer struct {
	src      string
	offset   int // of the next rune, in bytes
	pos      Pos // of the next rune
	first    bool
	tokens   []Token
	comments []comment
	errors   ErrorList
}

// A comment is one // comment.
type comment struct {
	pos    Pos
	str    string // without the slashes and one space
	beside bool   // tokens precede it on its line
}

// maxTokens is the maximum number of tokens and comments. Each takes hundreds of bytes, including its part of the
// syntax tree.
const maxTokens = 500_000

// lex splits src into tokens, the last of which is endOfFile, and comments.
func lex(file string, src []byte) *lexer {
	l := &lexer{
		src:    strings.TrimPrefix(string(src), "\ufeff"),
		pos:    Pos{File: file, Line: 1, Column: 1},
		first:  true,
		tokens: make([]Token, 0, min(len(src)/4, maxTokens)+1),
	}
	for l.skipSpace(); l.offset < len(l.src); l.skipSpace() {
		n := len(l.tokens)
		if n+len(l.comments) == maxTokens {
			l.errors.Add(l.pos, "a spec must have at most %d words and signs", maxTokens)
			break
		}
		l.scan()
		if len(l.tokens) > n {
			l.tokens[n].End = l.pos
		}
	}
	l.emit(endOfFile, "")
	return l
}

func (l *lexer) rest() string { return l.src[l.offset:] }

// advance moves n bytes, all of one line, forward.
func (l *lexer) advance(n int) {
	l.pos.Column += utf8.RuneCountInString(l.src[l.offset : l.offset+n])
	l.offset += n
}

// emit adds a token that begins at the current position.
func (l *lexer) emit(kind tokenKind, str string) {
	l.tokens = append(l.tokens, Token{Pos: l.pos, End: l.pos, Text: str, First: l.first, kind: kind})
	l.first = false
}

func (l *lexer) skipSpace() {
	for l.offset < len(l.src) {
		switch l.src[l.offset] {
		case '\n':
			l.offset++
			l.pos.Line, l.pos.Column = l.pos.Line+1, 1
			l.first = true
		case ' ', '\t', '\r':
			l.advance(1)
		default:
			return
		}
	}
}

// scan reads one token or comment.
func (l *lexer) scan() {
	rest := l.rest()
	switch c := rest[0]; {
	case strings.HasPrefix(rest, "//"):
		l.comment()
	case isLetter(c):
		n := span(rest, isNamePart)
		l.word(l.bounded(rest[:n]))
		l.advance(n)
	case isDigit(c):
		l.number()
	case c == '"':
		l.string()
	default:
		l.punctuation()
	}
}

// maxWord is the maximum length of names and numbers. Errors quote them, and the comparison of a misspelt name with
// others takes quadratic time.
const maxWord = 255

// bounded truncates a name or number to its maximum length and reports an error if it is longer.
func (l *lexer) bounded(word string) string {
	if len(word) <= maxWord {
		return word
	}
	l.errors.Add(l.pos, "a name or number must have at most %d characters", maxWord)
	return strings.ToValidUTF8(word[:maxWord], "")
}

func (l *lexer) word(s string) {
	if reservedWords[s] {
		l.emit(keyword, s)
	} else {
		l.emit(name, s)
	}
}

func (l *lexer) comment() {
	line, _, _ := strings.Cut(l.rest(), "\n")
	body := strings.TrimRight(strings.TrimPrefix(line[2:], " "), " \t\r")
	if !utf8.ValidString(body) || strings.ContainsFunc(body, isControl) {
		l.errors.Add(l.pos, "a comment holds invalid UTF-8 or a control character")
		body = ""
	}
	l.comments = append(l.comments, comment{pos: l.pos, str: body, beside: !l.first})
	l.advance(len(line))
}

func (l *lexer) number() {
	rest := l.rest()
	n := span(rest, isNamePart)
	str := l.bounded(rest[:n])
	digits, fraction := span(str, isDigit), rest[n:]
	if digits == n && len(fraction) > 1 && fraction[0] == '.' && isDigit(fraction[1]) {
		n += 1 + span(fraction[1:], isDigit)
		l.emit(decimal, l.bounded(rest[:n]))
		l.advance(n)
		return
	}
	if digits != len(str) {
		l.errors.Add(l.pos, "%q is neither a number nor a name: names begin with a letter", str)
	}
	l.emit(integer, str[:digits])
	l.advance(n)
}

// string reads a string literal. Its escapes are \" and \\.
func (l *lexer) string() {
	rest := l.rest()
	var content strings.Builder
	for i := 1; i < len(rest); {
		r, size := utf8.DecodeRuneInString(rest[i:])
		switch {
		case r == '"':
			l.emit(text, content.String())
			l.advance(i + 1)
			return
		case r == '\n' || r == '\r':
			l.unterminated(content.String(), i)
			return
		case r == '\\' && i+1 < len(rest) && (rest[i+1] == '"' || rest[i+1] == '\\'):
			content.WriteByte(rest[i+1])
			i += 2
			continue
		case r == '\\' || isControl(r) || r == utf8.RuneError && size == 1:
			pos := l.pos
			pos.Column += utf8.RuneCountInString(rest[:i])
			l.errors.Add(pos, "a string must not hold %s", describeRune(r, rest[i])).Hint =
				given(r == '\\', `a backslash is written \\, a quote \"`)
		default:
			content.WriteRune(r)
		}
		i += size
	}
	l.unterminated(content.String(), len(rest))
}

func (l *lexer) unterminated(content string, n int) {
	l.errors.Add(l.pos, "the string does not end on its line")
	l.emit(text, content)
	l.advance(n)
}

func (l *lexer) punctuation() {
	rest := l.rest()
	for _, f := range foreign {
		if strings.HasPrefix(rest, f.str) && !strings.HasPrefix(rest, "!=") {
			l.errors.Add(l.pos, "unexpected %q", f.str).Hint = f.hint
			l.emitForeign(f.meant)
			l.advance(len(f.str))
			return
		}
	}
	for _, p := range punctuations {
		if strings.HasPrefix(rest, p) {
			l.emit(punctuation, p)
			l.advance(len(p))
			return
		}
	}
	r, size := utf8.DecodeRuneInString(rest)
	if unicode.IsLetter(r) {
		l.foreignName()
		return
	}
	l.errors.Add(l.pos, "unexpected %s", describeRune(r, rest[0]))
	l.advance(size)
}

// emitForeign emits the token that a foreign spelling denotes, to avoid further errors.
func (l *lexer) emitForeign(s string) {
	switch {
	case s == "":
	case reservedWords[s]:
		l.emit(keyword, s)
	default:
		l.emit(punctuation, s)
	}
}

func (l *lexer) foreignName() {
	rest := l.rest()
	isPart := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	n := len(rest) - len(strings.TrimLeftFunc(rest, isPart))
	word := l.bounded(rest[:n])
	l.errors.Add(l.pos, "the name %q must consist of the letters a-z and A-Z, digits and _", word)
	l.emit(name, word)
	l.advance(n)
}

// describeRune describes an unexpected rune; b is its first byte.
func describeRune(r rune, b byte) string {
	switch {
	case r == utf8.RuneError:
		return fmt.Sprintf("byte %#02x, which is not valid UTF-8", b)
	case isControl(r):
		return fmt.Sprintf("control character %U", r)
	default:
		return fmt.Sprintf("character %q", r)
	}
}

func span(s string, ok func(byte) bool) int {
	n := 0
	for n < len(s) && ok(s[n]) {
		n++
	}
	return n
}

func isLetter(c byte) bool   { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool    { return '0' <= c && c <= '9' }
func isNamePart(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }
func isControl(r rune) bool  { return r < ' ' && r != '\t' || 0x7f <= r && r < 0xa0 }

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

// is reports whether t is the given word or punctuation. It holds for names, too: words such as "fifo" are not
// reserved.
func (t Token) is(s string) bool {
	return (t.kind == name || t.kind == keyword || t.kind == punctuation) && t.Text == s
}

// String describes t in an error message.
func (t Token) String() string {
	switch t.kind {
	case endOfFile:
		return "the end"
	case text:
		return "string " + strconv.Quote(abbreviate(t.Text))
	default:
		return strconv.Quote(t.Text)
	}
}

// punctuations lists the longer ones first, so that the first match is the longest.
var punctuations = []string{
	"..", "!=", "<=", ">=", "=>", ":=", "->",
	":", ";", ",", "|", "(", ")", "{", "}", "[", "]", ".", "=", "<", ">", "+", "-", "*", "/", "^", "_",
}

// foreign lists spellings of other languages, with the corresponding token, if there is one.
var foreign = []struct{ str, meant, hint string }{
	{"==", "=", `equality is written "="`},
	{"&&", "and", `write "and"`},
	{"||", "or", `write "or"`},
	{"<>", "!=", `write "!=", or in a formula of ltl "eventually"`},
	{"~>", "=>", `write "leads to"`},
	{"~", "not", `write "not"`},
	{`/\`, "and", `write "and"`},
	{`\/`, "or", `write "or"`},
	{`\A`, "forall", `write "forall"`},
	{`\E`, "exists", `write "exists"`},
	{`\in`, "in", `write "in"`},
	{`\cup`, "union", `write "union"`},
	{`\*`, "", `comments begin with "//"`},
	{"/*", "", `comments begin with "//"`},
	{"!", "not", `write "not"`},
	{"&", "and", `write "and"`},
	{"%", "mod", `write "mod"`},
	{"#", "", `comments begin with "//"`},
	{"'", "", `strings stand in double quotes`},
}
