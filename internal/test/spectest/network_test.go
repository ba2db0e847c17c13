package spectest

import (
	"strings"
	"testing"

	"ringcheck/model/language/topology"
)

// TestNetworks checks that random specs have every kind of network.
func TestNetworks(t *testing.T) {
	found := make(map[string]bool)
	for _, n := range networks {
		kind, _, _ := strings.Cut(n.topology, " of ")
		found[kind] = true
	}
	for _, kind := range topology.Kinds {
		for _, word := range []string{"", "anonymous "} {
			if !found[word+kind.Keyword] && !(kind.Anonymous && word != "") {
				t.Errorf("add a network %s%s to networks", word, kind.Keyword)
			}
		}
	}
}
