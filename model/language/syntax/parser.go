package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxDepth is the maximum nesting of terms and expressions, which permits recursion over the tree. The steps of a
// sequence, the operators of a chain and pairs of parentheses count as levels; an outermost expression or step counts
// as none.
const maxDepth = 1000

// Parse reads the spec in src; file is its name in positions. If the text has errors, it returns an ErrorList and the
// part that could be parsed.
func Parse(file string, src []byte) (*File, error) {
	l := lex(file, src)
	p := &parser{tokens: l.tokens, errors: l.errors, out: &File{Unread: map[string]bool{}}, resumed: -1}
	p.file()
	p.out.Comments = attachComments(l.comments, p.out.Extents)
	p.out.Spaced = paragraphs(l.comments, p.out.Extents[min(1, len(p.out.Extents)):])
	p.out.tokens, p.out.text = l.tokens, l.src
	p.out.Locate(p.errors, "syntax")
	return p.out, p.errors.Err()
}

// ParseGoal reads the goal of a request: a formula, as in a BoundDecl. The error is an ErrorList.
func ParseGoal(text string) (Expr, error) {
	l := lex("", []byte(text))
	p := &parser{tokens: l.tokens, errors: l.errors, resumed: -1}
	var goal Expr
	p.try(func() {
		if goal = p.formula(); p.peek().kind != endOfFile {
			p.unexpected("an operator or the end", "")
		}
	})
	return goal, p.errors.Err()
}

// A parser is a recursive-descent parser with one token of lookahead, and more where an equation may begin.
type parser struct {
	tokens []Token
	next   int // index of the next token
	depth  int
	// temporal says that expressions may have temporal operators.
	temporal bool
	// adding is "count" or "sum" in the body of such a quantifier.
	adding string
	// looping says that the current sequence is in the body of a loop.
	looping bool
	out     *File
	errors  ErrorList
	resumed int // index of the token at which parsing resumed after the last error; -1 if it has not
}

// An Extent is the range in the text of a declaration or of the protocol clause, whose Decl is the File.
type Extent struct {
	Decl       Decl
	Start, End Pos // of its first and last token
}

// A bailout is the panic by which the parser abandons what it is reading; parser.try catches it.
type bailout struct{}

// fail reports an error and bails out. It does not report an error at the token where parsing resumed after another
// one: that would only be a consequence.
func (p *parser) fail(pos Pos, hint, format string, args ...any) {
	if p.next != p.resumed {
		p.errors.Add(pos, format, args...).Hint = hint
	}
	panic(bailout{})
}

// unexpected reports that the next token is not what was expected.
func (p *parser) unexpected(what, hint string) {
	t := p.peek()
	if pos, ok := p.endOfLine(); ok {
		p.fail(pos, hint, "expected %s, found the end of the line", what)
	}
	p.fail(t.Pos, hint, "expected %s, found %s", what, t)
}

// endOfLine returns the position after the last token if the next one is on another line.
func (p *parser) endOfLine() (Pos, bool) {
	if p.next == 0 || !p.peek().First {
		return Pos{}, false
	}
	return p.tokens[p.next-1].End, true
}

// try runs f and reports whether it returned without a bailout.
func (p *parser) try(f func()) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(bailout); !is {
				panic(r)
			}
			p.depth, p.temporal, p.looping, p.adding = 0, false, false, ""
		}
	}()
	f()
	return true
}

// recovering runs f, which reads a part of a declaration. If that fails, resume skips the part.
func (p *parser) recovering(f, resume func()) (ok bool) {
	depth, looping := p.depth, p.looping
	if p.try(f) {
		return true
	}
	p.depth, p.looping = depth, looping
	resume()
	p.resumed = p.next
	return false
}

// close is need for the token after a sequence. It may be missing where parsing resumed after an error.
func (p *parser) close(s, what, hint string) {
	if p.next != p.resumed || p.is(s) {
		p.need(s, what, hint)
	}
}

// leaveSequence skips a sequence that begins at token start and has an error: it moves to the next "|", ")" or "else"
// that is not nested in the sequence, or to the next declaration.
func (p *parser) leaveSequence(start int) {
	failed, nested, branches := p.next, 0, 0
	for p.next = start; p.peek().kind != endOfFile; p.next++ {
		t := p.peek()
		switch {
		case (p.next > start || start == failed) && p.atDeclaration():
			return
		case t.is("("), t.is("["), t.is("{"):
			nested++
		case nested == 0 && (t.is(")") || p.next >= failed && t.is("else") && branches == 0):
			return
		case p.next >= failed && t.is("|") && (nested == 0 || t.First): // within an unclosed parenthesis, too
			return
		case t.is(")"), t.is("]"), t.is("}"):
			nested = max(0, nested-1)
		case t.is("if"):
			branches++
		case t.is("else"):
			branches--
		}
	}
}

func (p *parser) peek() Token { return p.tokens[p.next] }

// peekAt returns the token i places after the next one.
func (p *parser) peekAt(i int) Token { return p.tokens[min(p.next+i, len(p.tokens)-1)] }

// take consumes the next token.
func (p *parser) take() Token {
	t := p.tokens[p.next]
	if t.kind != endOfFile {
		p.next++
	}
	return t
}

// is reports whether the next token is the given word or punctuation.
func (p *parser) is(s string) bool { return p.peek().is(s) }

// accept consumes the next token if it is s.
func (p *parser) accept(s string) bool {
	if p.is(s) {
		p.next++
		return true
	}
	return false
}

// expect consumes the next token, which must be the word or punctuation s.
func (p *parser) expect(s string) {
	hint := p.misspelt(s)
	switch {
	case s == "=" && p.is(":="):
		hint = `write "="; ":=" sets a register`
	case s == "in" && p.is(","):
		hint = "each name has its own range: p in node, q in node"
	}
	p.need(s, `"`+s+`"`, hint)
}

// need is expect with a description of s and a hint for the error.
func (p *parser) need(s, what, hint string) {
	if !p.is(s) {
		p.unexpected(what, hint)
	}
	p.next++
}

// misspelt returns a hint if the next token looks like a misspelling of one of the words.
func (p *parser) misspelt(words ...string) string {
	if t := p.peek(); t.Word() {
		return DidYouMean(t.Text, words)
	}
	return ""
}

// name consumes a name; what describes it in an error.
func (p *parser) name(what string) *Ident {
	t := p.peek()
	if t.kind == keyword && !t.First {
		p.fail(t.Pos, "choose another name", "expected %s, found the reserved word %s", what, t)
	}
	if t.kind != name {
		p.unexpected(what, "")
	}
	p.next++
	return &Ident{ExprNode: ExprNode{t.Pos}, Name: t.Text}
}

// doc consumes a string, if one follows.
func (p *parser) doc() string {
	if p.peek().kind == text {
		return p.take().Text
	}
	return ""
}

// enter adds a level of nesting and returns the previous number of levels, for leave.
func (p *parser) enter() (outer int) {
	if p.depth++; p.depth > maxDepth+1 {
		p.fail(p.peek().Pos, "", "terms and expressions must not nest more than %d deep", maxDepth)
	}
	return p.depth - 1
}

func (p *parser) leave(outer int) { p.depth = outer }

// list reads a comma-separated list in parentheses or braces, which may be empty.
func list[T any](p *parser, open, end string, item func() T) []T {
	p.expect(open)
	var items []T
	for !p.is(end) {
		items = append(items, item())
		if !p.accept(",") {
			break
		}
	}
	p.need(end, `"," or "`+end+`"`, "")
	return items
}

// inParentheses reads a list in parentheses, if there is one.
func inParentheses[T any](p *parser, item func() T) []T {
	if !p.is("(") {
		return nil
	}
	return list(p, "(", ")", item)
}

// series reads one or more items that are separated by separator.
func series[T any](p *parser, separator string, item func() T) []T {
	all := []T{item()}
	for p.accept(separator) {
		all = append(all, item())
	}
	return all
}

// names reads one or more names that are separated by separator; what describes a name in an error.
func (p *parser) names(separator, what string) []*Ident {
	return series(p, separator, func() *Ident { return p.name(what) })
}

// oneOf takes one of some words.
func (p *parser) oneOf(words ...string) *Ident {
	for _, w := range words {
		if t := p.peek(); p.accept(w) {
			return &Ident{ExprNode: ExprNode{t.Pos}, Name: t.Text}
		}
	}
	p.unexpected("one of "+strings.Join(words, ", "), p.misspelt(words...))
	return nil
}

func (p *parser) file() {
	p.out.Pos = p.peek().Pos
	if !p.try(p.protocol) {
		p.skip()
	}
	for p.peek().kind != endOfFile {
		start, errors := p.next, len(p.errors)
		p.resumed = -1
		read := p.try(p.declaration)
		if read && len(p.errors) == errors {
			continue
		}
		if p.next == start {
			p.next++
		}
		if p.skip(); !read {
			p.unread(p.tokens[max(0, start-1):p.next])
		}
	}
	p.unread(p.tokens[p.next:])
}

// unread adds the words among tokens to File.Unread.
func (p *parser) unread(tokens []Token) {
	for _, t := range tokens {
		if t.Word() {
			p.out.Unread[t.Text] = true
		}
	}
}

// skip moves to the next declaration.
func (p *parser) skip() {
	for p.peek().kind != endOfFile && !p.atDeclaration() {
		p.next++
	}
}

// atDeclaration reports whether the next token begins a line and seems to begin a declaration, perhaps a misspelt one.
func (p *parser) atDeclaration() bool {
	t := p.peek()
	return t.First && (t.kind == keyword && slices.Contains(declarationWords, t.Text) ||
		p.startsEquation() || p.startsUnreserved() ||
		t.kind == name && t.Pos.Column == 1 && p.misspelt(declarationWords...) != "")
}

// startsEquation reports whether NAME = or NAME(names) = follows.
func (p *parser) startsEquation() bool {
	if p.peek().kind != name {
		return false
	}
	i := 1
	if p.peekAt(i).is("(") {
		for i++; p.peekAt(i).kind == name || p.peekAt(i).is(","); i++ {
		}
		if !p.peekAt(i).is(")") {
			return false
		}
		i++
	}
	return p.peekAt(i).is("=")
}

// startsUnreserved reports whether a declaration follows that begins with an unreserved word.
func (p *parser) startsUnreserved() bool {
	t, next := p.peek(), p.peekAt(1)
	follows := next.Word()
	if t.Text == "initially" { // a condition may follow
		follows = follows || next.is("(") && !p.startsEquation() || next.is("{") || next.kind == integer
	}
	return t.kind == name && slices.Contains(declarationWords, t.Text) && follows
}

// protocol reads the protocol clause.
func (p *parser) protocol() {
	p.expect("protocol")
	id := p.name("the name of the protocol")
	p.out.Name, p.out.At = id.Name, id.Pos
	for p.accept("-") {
		p.out.Name += "-" + p.name("the rest of the name").Name
	}
	p.out.Doc = p.doc()
	p.extend(p.out)
}

// extend records the extent of the declaration that has just been read.
func (p *parser) extend(d Decl) {
	p.out.Extents = append(p.out.Extents, Extent{d, d.header().Pos, p.tokens[p.next-1].Pos})
}

// declaration reads one declaration.
func (p *parser) declaration() {
	t := p.peek()
	if t.kind == name && !p.startsUnreserved() {
		p.equationOrMistake()
		return
	}
	d, ok := declarations[t.Text]
	if !ok {
		p.fail(t.Pos, p.misplacedHint(), "expected a declaration, found %s", t)
	}
	p.next++
	h := Header{Pos: t.Pos}
	if d.name != "" {
		id := p.name(d.name)
		h.Name, h.At = id.Name, id.Pos
	}
	if d := d.read(p, h); d != nil {
		p.add(d)
	}
}

// equationOrMistake reads an equation, or explains why the name that stands here does not begin one.
func (p *parser) equationOrMistake() {
	t := p.peek()
	if follow := p.peekAt(1); !follow.is("=") && !follow.is("(") {
		hint := cmp.Or(p.misplacedHint(), p.misspelt(declarationWords...))
		p.fail(t.Pos, hint, "expected a declaration, found %s", t)
	}
	p.add(p.equation())
}

// misplacedHint returns a hint if the next token, or the one before it on the line, is an operator of formulas only.
func (p *parser) misplacedHint() string {
	t := p.peek()
	if t.First || p.next == 0 {
		return ""
	}
	for _, t := range []Token{p.tokens[p.next-1], t} {
		if t.kind == name && (temporalWords[t.Text] != "" || t.Text == "happens") {
			return fmt.Sprintf("%q is an operator of ltl properties", t.Text)
		}
	}
	return ""
}

func (p *parser) add(d Decl) {
	p.extend(d)
	f, start := p.out, d.header().Pos
	f.Order = append(f.Order, d)
	switch d := d.(type) {
	case *TopologyDecl:
		p.checkOnce(f.Topology != nil, start, "topology")
		f.Topology = d
	case *ChannelDecl:
		p.checkOnce(f.Channel != nil, start, "channel")
		f.Channel = d
	case *CrashDecl:
		p.checkOnce(f.Crash != nil, start, "crash")
		f.Crash = d
	}
}

// checkOnce reports an error if there is already a clause of a kind that may occur only once.
func (p *parser) checkOnce(already bool, pos Pos, what string) {
	if already {
		p.errors.Add(pos, "a second %s clause", what)
	}
}
