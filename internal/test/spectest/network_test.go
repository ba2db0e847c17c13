package spectest

import (
	"strings"
	"testing"

	"ringcheck/model/language/topology"
)

// TestNetworks checks that random specs have every kind of network that there is for three processes.
func TestNetworks(t *testing.T) {
	found := make(map[string]bool)
	for _, n := range networks {
		kind, _, _ := strings.Cut(n.topology, " of ")
		found[kind] = true
	}
	for _, kind := range topology.Kinds {
		if !admitsThree(kind) {
			continue
		}
		for _, word := range []string{"", "anonymous "} {
			if !found[word+kind.Keyword] && !(kind.Anonymous && word != "") {
				t.Errorf("add a network %s%s to networks", word, kind.Keyword)
			}
		}
	}
}

// admitsThree reports whether there is a network of a kind with three processes, as most random specs have.
func admitsThree(kind *topology.Kind) bool {
	for a := range int64(4) {
		for b := range int64(4) {
			if kind.Processes(a, b) == 3 {
				return true
			}
		}
	}
	return false
}
