package lsp

import (
	"slices"
	"strings"

	"ringcheck/model/language/syntax"
	"ringcheck/model/language/topology"
)

// An offer lists the completions that fit somewhere: words of the language, and kinds of names.
type offer struct {
	words []string
	kinds []string
}

// wordsOf returns the words of some clauses and further ones.
func wordsOf(clauses []syntax.Clause, more ...string) []string {
	return append(syntax.Words(clauses...), more...)
}

// The names that expressions use, in a process and in a property.
var (
	values = []string{"parameter", "option", "constant", "variable", "assignment", "process number", "kind of process",
		"value", "bound name"}
	anywhere = append(slices.Clone(values), "definition", "event", "equation")
)

// The clauses whose words can stand in an expression, and in a formula.
var (
	inExpression = []syntax.Clause{syntax.OperatorClause, syntax.QuantifierClause, syntax.ValueClause,
		syntax.FunctionClause}
	inFormula = append(slices.Clone(inExpression), syntax.PredicateClause, syntax.TemporalClause,
		syntax.HappeningClause)
)

// What can stand in a declaration, by the kind of text.
var (
	inDeclaration = offer{words: syntax.DeclarationWords()}
	inStep        = offer{syntax.Words(syntax.StepClause, syntax.OtherStep), []string{"event", "equation"}}
	inCode        = offer{wordsOf(inExpression, "where", "then", "with", "if", "else", "self"), values}
	inProperty    = offer{wordsOf(inFormula, "if", "then", "else", "under"), anywhere}
	inType        = offer{syntax.Words(syntax.TypeClause), []string{"type", "parameter", "constant"}}
	ofMessage     = offer{kinds: []string{"message"}}
	fromChannel   = offer{topology.Compass, values}
)

// behind maps a word or sign to the completions that may follow it.
var behind = map[string]offer{
	".":        {kinds: []string{"variable", "field"}},
	"at":       {[]string{"most"}, []string{"equation"}},
	"is":       ofMessage,
	"ignore":   ofMessage,
	"draw":     {kinds: []string{"variable"}},
	"choose":   {kinds: []string{"variable"}},
	"let":      {kinds: []string{"variable"}},
	"keep":     {kinds: []string{"variable"}},
	"send":     fromChannel,
	"recv":     {append(slices.Clone(fromChannel.words), "_"), values},
	"per":      {words: syntax.Words(syntax.PerClause)},
	"event":    {kinds: []string{"event"}},
	"recover":  {kinds: []string{"equation"}},
	"fair":     {words: []string{"of"}},
	"under":    {words: syntax.Words(syntax.UnderClause)},
	"topology": {words: append(syntax.Words(syntax.TopologyClause), "anonymous")},
	"channel":  {words: syntax.Words(syntax.ChannelKindClause)},
	"until":    {[]string{"terminal"}, anywhere},
	"array":    inType,
	"of": {append(syntax.Words(syntax.TypeClause), inCode.words...),
		append(slices.Clone(anywhere), "type", "message")},
}

// typed are the declarations with types.
var typed = append(syntax.Words(syntax.SettingClause, syntax.VariableClause, syntax.SignatureClause),
	"assign", "define", "type")

// completion returns the completions that fit at a position.
func (d *document) completion(p position) []Completion {
	c := d.contextAt(p)
	items := []Completion{}
	for _, w := range c.words {
		items = append(items, Completion{Label: w, Kind: 14})
	}
	names, _ := d.names()
	for _, n := range names {
		if slices.Contains(c.kinds, n.Kind) {
			detail := strings.TrimSuffix(n.Kind+", "+n.Type, ", ")
			items = append(items, Completion{n.Text, kinds[n.Kind].completion, detail})
		}
	}
	slices.SortStableFunc(items, func(a, b Completion) int { return strings.Compare(a.Label, b.Label) })
	return slices.CompactFunc(items, func(a, b Completion) bool { return a.Label == b.Label })
}

// contextAt returns the completions that fit at a position, by the tokens before it. The word that ends there is being
// typed.
func (d *document) contextAt(p position) offer {
	f, pos := d.reading().File, d.pos(p)
	at, column := f.TokenAt(pos), pos.Column
	if at > 0 && f.Token(at-1).End == pos && f.Token(at-1).Word() {
		at-- // it ends at the cursor
		column = f.Token(at).Pos.Column
	}
	if at == 0 || column == 1 && f.Token(at-1).Pos.Line < pos.Line {
		return inDeclaration
	}
	begin, words := at-1, inDeclaration.words
	for begin > 0 && !(f.Token(begin).First && (f.Token(begin).Pos.Column == 1 ||
		slices.Contains(words, f.Token(begin).Text))) {
		begin--
	}
	equals := begin // the first "=", after which the text of an equation begins
	for equals < at-1 && f.Token(equals).Text != "=" {
		equals++
	}
	last, word := f.Token(at-1).Text, f.Token(begin).Text
	code := word == "process" || f.Token(begin).Name() && !slices.Contains(words, word)
	if c, ok := behind[last]; ok && (f.Token(at-1).Word() || last == ".") && (last != "event" || at-1 != begin) {
		return c
	}
	switch {
	case at >= 2 && (f.Token(at-2).Text == "send" || f.Token(at-2).Text == "recv") && last != "(":
		return ofMessage
	case word == "channel" && last == ",":
		return offer{words: syntax.Words(syntax.ChannelClauses)}
	case code && (at-1 == equals || slices.Contains(strings.Fields("; | then else :"), last)):
		return inStep
	case (last == ":" || last == "=" && word == "type") && slices.Contains(typed, word):
		return inType
	case code:
		return inCode
	}
	return inProperty
}

// Complete returns the completions that fit at a place in a text. Lines and characters count from 0, as in the
// protocol.
func Complete(text string, line, character int) []Completion {
	return newDocument("", 0, text).completion(position{line, character})
}
