package exchange

import "strings"

// keywords are the words that cannot be names in PRISM's language (the manual, "Model Files"), nor names of labels or
// rewards there.
var keywords = strings.Fields(`A bool clock const ctmc C double dtmc E endinit endinvariant endmodule endobservables
	endrewards endsystem false formula filter func F global G init invariant I int label lts max mdp min module X
	nondeterministic observable observables of Pmax Pmin P pomdp popta probabilistic prob pta rate rewards Rmax Rmin R S
	stochastic system true U W`)

// names gives names that are identifiers in PRISM's language, each once.
type names map[string]bool

// newNames returns names of which nothing is taken, but what PRISM has a meaning for.
func newNames() names {
	n := names{initialLabel: true, deadlockLabel: true}
	for _, word := range keywords {
		n[word] = true
	}
	return n
}

// unique returns a name that is like a text, and takes it.
func (n names) unique(text string) string {
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, text)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	for n[name] {
		name += "_"
	}
	n[name] = true
	return name
}
