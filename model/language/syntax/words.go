package syntax

import (
	"slices"
	"strings"

	"ringcheck/model/language/channel"
	"ringcheck/model/language/property"
	"ringcheck/model/language/topology"
)

// A Clause is a part of the text that admits words of its own.
type Clause int

// The clauses. Up to OtherDeclaration, their words begin a declaration.
const (
	SettingClause Clause = iota
	VariableClause
	SignatureClause
	PropertyClause
	BoundClause
	OtherDeclaration
	TopologyClause    // the words of topology.Keywords
	ChannelKindClause // channel.Keywords
	ChannelClauses    // behind the kind of channel
	PerClause         // behind "per" in a reward
	ColourClause      // at the end of a role
	UnderClause       // behind "under"
	TypeClause
	StepClause      // terms with operands
	OtherStep       // terms without operands, and loops
	OperatorClause  // between two operands or before one, in every expression
	PredicateClause // behind a process or a message, in properties
	ValueClause
	QuantifierClause
	FunctionClause
	SubsetsClause   // a function that stands behind "draw x in" only
	TemporalClause  // operators of formulas
	LetterClause    // abbreviations of operators of formulas
	HappeningClause // atoms of formulas
	JointClause     // words that join the parts of a declaration, a term or an expression
)

// A vocabulary is words of a clause.
type vocabulary struct {
	clause   Clause
	reserved bool // names must differ from them
	words    string
}

// vocabularies has the words of all clauses that have no table of their own.
var vocabularies = []vocabulary{
	{SettingClause, true, "param option"},
	{VariableClause, true, "var"},
	{VariableClause, false, "register shared ghost timer"},
	{SignatureClause, true, "message event"},
	{BoundClause, false, "probability expected"},
	{OtherDeclaration, true, "assign channel const define process protocol source topology type"},
	{OtherDeclaration, false, "check crash initially ltl reward role"},
	{ChannelClauses, false, "lossy duplicating corrupting delay racing dropping"},
	{PerClause, false, "step send event tick"},
	{ColourClause, false, "amber blue green grey purple red teal"},
	{UnderClause, false, "fair strongly probability positive uniform"},
	{TypeClause, true, "bool nat node dir set array"},
	{TypeClause, false, "permutation"},
	{StepClause, true, "send recv draw choose let when if"},
	{OtherStep, true, "skip stop"},
	{OtherStep, false, "for ignore crash"},
	{OperatorClause, true, "and or not in union minus div mod"},
	{PredicateClause, true, "at is"},
	{PredicateClause, false, "crashed bound"},
	{ValueClause, true, "true false"},
	{QuantifierClause, true, "forall exists count sum"},
	{FunctionClause, true, "all"},
	{FunctionClause, false, "min max abs size opposite log2ceil sqrtceil inbox neighbour neighbours ports"},
	{SubsetsClause, false, "subsets"},
	{TemporalClause, false, "always eventually next until unless releases leads"},
	{LetterClause, false, "G F X U W R"},
	{HappeningClause, false, "happens terminal"},
	{JointClause, true, "of with where then else"},
	{JointClause, false, "anonymous by most recover keep inbox per under within one to P E"},
}

// Words returns the words of some clauses.
func Words(clauses ...Clause) (words []string) {
	add := func(list string) {
		for _, w := range strings.Fields(list) {
			if !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	for _, c := range clauses {
		switch c {
		case TopologyClause:
			add(strings.Join(topology.Keywords(), " "))
		case PropertyClause:
			add(strings.Join(append(property.Keywords(true), property.Keywords(false)...), " "))
		case ChannelKindClause:
			add(strings.Join(channel.Keywords(), " "))
		}
		for _, v := range vocabularies {
			if v.clause == c {
				add(v.words)
			}
		}
	}
	return words
}

// DeclarationWords returns the words that begin a declaration.
func DeclarationWords() []string {
	var clauses []Clause
	for c := range OtherDeclaration + 1 {
		clauses = append(clauses, c)
	}
	return Words(clauses...)
}

// reservedWords are the words that names must differ from.
var reservedWords = func() map[string]bool {
	set := make(map[string]bool)
	for _, w := range property.Keywords(true) {
		set[w] = true
	}
	for _, v := range vocabularies {
		for _, w := range strings.Fields(v.words) {
			if v.reserved {
				set[w] = true
			}
		}
	}
	return set
}()

// declarationWords begin a declaration; a word that is not reserved is a name unless a word follows.
var declarationWords = DeclarationWords()
