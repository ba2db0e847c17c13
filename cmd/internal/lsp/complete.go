package lsp

import (
	"slices"
	"strings"

	"ringcheck/model/language/channel"
)

// An offer is what can stand somewhere: words of the language, and kinds of names.
type offer struct {
	words string
	kinds []string
}

// The names that expressions use, in a process and in a property.
var (
	values = []string{"parameter", "option", "constant", "variable", "assignment", "process number", "kind of process",
		"value", "bound name"}
	anywhere = append(slices.Clone(values), "definition", "event", "equation")
)

const (
	operators = " and or not in union minus div mod if then else forall exists count sum true false" +
		" min max abs size opposite log2ceil sqrtceil neighbours ports"
	steps        = "send recv draw choose let if when for skip stop ignore crash"
	declarations = "assign channel const crash define event expected ghost initially invariant ltl message option" +
		" param probability process reachable recoverable register reward role source terminal timer topology type var"
)

// What can stand in a declaration, by the kind of text.
var (
	inDeclaration = offer{words: declarations}
	inStep        = offer{steps, []string{"event", "equation"}}
	inCode        = offer{"where then with all self" + operators, values}
	inProperty    = offer{"at is crashed happens terminal under inbox neighbour always eventually next until unless" +
		" releases leads" + operators, anywhere}
	inType    = offer{"bool nat node dir set array permutation", []string{"type", "parameter", "constant"}}
	ofMessage = offer{kinds: []string{"message"}}
)

// behind has what one word or sign before it determines.
var behind = map[string]offer{
	".":        {kinds: []string{"variable", "field"}},
	"at":       {"most", []string{"equation"}},
	"is":       ofMessage,
	"ignore":   ofMessage,
	"draw":     {kinds: []string{"variable"}},
	"choose":   {kinds: []string{"variable"}},
	"let":      {kinds: []string{"variable"}},
	"keep":     {kinds: []string{"variable"}},
	"send":     {"left right up down", values},
	"recv":     {"left right up down _", values},
	"per":      {words: "step send event tick"},
	"event":    {kinds: []string{"event"}},
	"recover":  {kinds: []string{"equation"}},
	"fair":     {words: "of"},
	"under":    {words: "fair strongly probability positive uniform"},
	"topology": {words: "anonymous directed undirected line complete star binary grid torus bipartite graph"},
	"channel":  {words: strings.Join(channel.Keywords(), " ")},
	"until":    {"terminal", anywhere},
	"array":    inType,
	"of":       {"bool nat node dir set" + operators, append(slices.Clone(anywhere), "type", "message")},
}

// typed are the declarations with types.
var typed = strings.Fields("var register ghost timer param option message event assign define type")

// completion offers what can stand at the cursor.
func (s *server) completion(d *document, p *params) (any, error) {
	return d.completion(p.Position), nil
}

// completion returns what can stand at a position.
func (d *document) completion(p position) []Completion {
	c := d.contextAt(p)
	items := []Completion{}
	for _, w := range strings.Fields(c.words) {
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

// contextAt returns what can stand at a position, by the tokens before it. The word that ends there is being typed.
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
	begin, words := at-1, strings.Fields(declarations)
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
	case code && (at-1 == equals || slices.Contains(strings.Fields("; | then else :"), last)):
		return inStep
	case (last == ":" || last == "=" && word == "type") && slices.Contains(typed, word):
		return inType
	case code:
		return inCode
	}
	return inProperty
}

// Complete returns what can stand at a place in a text. Lines and characters count from 0, as in the protocol.
func Complete(text string, line, character int) []Completion {
	return newDocument("", 0, text).completion(position{line, character})
}
