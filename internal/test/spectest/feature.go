package spectest

import (
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/testlevel"
	"ringcheck/model/language/syntax"
)

// A feature is a construct of the language, at a place where it may matter.
type feature struct {
	// name has the form "group: construct".
	name string
	in   pattern // describes a node of the syntax trees of the specs that have it
	// declare changes what a spec declares so that it can have the feature; nil if there is nothing to change.
	declare func(*plan)
	// write returns a sequence with the feature, behind an action, and what follows. It is nil if the declarations
	// have the feature, or if most specs have it.
	write func(s *scope, depth int) string
	// reads says that it reads a register of a neighbour.
	reads bool
}

// features are those of which a varied spec has some by force. A spec of NewReaders has some of readers in their place.
var features, readers []*feature

// Writing a feature calls for others.
func init() {
	for _, f := range slices.Concat(networkFeatures(), loopFeatures, readFeatures(), disciplineFeatures(),
		capacityFeatures, channelFeatures, messageFaults(), dataFeatures, processFeatures, choiceFeatures,
		faultFeatures, sharedFeatures) {
		features = append(features, &f)
		if f.reads {
			readers = append(readers, &f)
		}
	}
	for _, f := range asReaders(slices.Concat(registerFeatures, peerFeatures)) {
		readers = append(readers, &f)
	}
}

// perSpec is the number of features that a varied spec has by force.
const perSpec = 5

// A Corpus provides random specs and counts how many of them a test uses that have each feature of the language.
type Corpus struct {
	without  []string // the groups of features that specs need not have
	features []*feature
	used     map[string]int // specs by feature
}

// Asymmetric are features of specs of which rotation is no symmetry: those with a process of its own kind, with a
// topology in which not all processes are alike or know their numbers, and with a state that the processes share:
// shared variables, the time, and how many faults there were.
var Asymmetric = []string{"process: a single one of a kind", "process: a kind by name", "network: line",
	"network: complete graph", "network: star", "network: binary tree", "network: grid", "network: anonymous grid",
	"network: torus", "network: bipartite graph", "network: graph", "data: own number", "time", "fault: lossy",
	"fault: duplicating", "fault: corrupting", "fault: loss and duplication of a queue", "fault: loss and delay",
	"fault: crash, any process", "fault: crash, some processes", "fault: crash, by chance", "fault: recovery",
	"fault: recovery with a loop", "fault: recovery of some processes", "capacity: loss", "capacity: duplicates",
	"capacity: dropping and duplicates", "capacity: delay", "capacity: race", "capacity: dropping and delay",
	"capacity: timer", "shared"}

// Coupled are features of specs in which not every process acts on its own, so that confluence reduces nothing.
var Coupled = []string{"time", "fault", "neighbour", "capacity", "shared"}

// NewCorpus returns a corpus for a test that cannot use specs with some features: groups of them or single ones.
func NewCorpus(without ...string) *Corpus { return newCorpus(features, without) }

// NewReaders returns a corpus of specs that have nothing by force but reads of registers of neighbours: in all
// positions, of all types, by all names of a process.
func NewReaders(without ...string) *Corpus { return newCorpus(readers, without) }

func newCorpus(from []*feature, without []string) *Corpus {
	c := &Corpus{used: make(map[string]int), without: without}
	for _, f := range from {
		group, _, _ := strings.Cut(f.name, ":")
		if !slices.Contains(without, group) && !slices.Contains(without, f.name) {
			c.features = append(c.features, f)
		}
	}
	known := make(map[string]bool)
	for _, f := range slices.Concat(features, readers) {
		group, _, _ := strings.Cut(f.name, ":")
		known[group], known[f.name] = true, true
	}
	for _, w := range without {
		if !known[w] {
			panic("spectest: there is no feature or group " + w)
		}
	}
	return c
}

// rounds is the number of different sets of features that specs have by force. It is odd, so that each set meets what a
// test does with every other spec.
func (c *Corpus) rounds() int { return len(c.features)/perSpec | 1 }

// forced returns the features that the spec of a seed has by force. Neighbours in the list, which may exclude one
// another, are in different specs.
func (c *Corpus) forced(seed uint64) []*feature {
	var all []*feature
	for i := int(seed % uint64(c.rounds())); i < len(c.features); i += c.rounds() {
		all = append(all, c.features[i])
	}
	if seed/uint64(c.rounds())%2 == 1 { // what is declared last excludes other declarations
		slices.Reverse(all)
	}
	return all
}

// Varied returns the text of a random spec that has some features by force; consecutive seeds have all. The same
// numbers give the same text.
func (c *Corpus) Varied(seed, stream uint64) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, stream)), varied: true}
	g.risky = g.chance(20)
	g.draft()
	g.omit(c.without)
	if !slices.Contains(c.without, "capacity") && g.chance(8) {
		g.capacity, g.dropping = 1+g.IntN(2), g.chance(3)
	}
	var readers []*feature
	for _, f := range c.forced(seed) {
		if f.declare != nil {
			f.declare(&g.plan)
		}
		if f.reads {
			readers = append(readers, f)
		}
		if f.write != nil {
			g.pending = append(g.pending, f)
		}
	}
	// What alone reads a register may be overlooked; nobody notices if something else reads it, too.
	if n := int(seed) / c.rounds() % 3; n > 0 && len(readers) > 0 {
		g.reticent = true
		only := readers[n%len(readers)]
		g.pending = slices.DeleteFunc(g.pending, func(f *feature) bool { return f.reads && f != only })
	}
	return g.spec()
}

// Any returns what Random returns for one in five seeds, and what Varied returns for the others.
func (c *Corpus) Any(seed, stream uint64) string {
	if seed%5 == 4 {
		return Random(seed, stream)
	}
	return c.Varied(seed/5*4+seed%5, stream)
}

// retries is how often Specs tries to have a feature used.
const retries = 40

// Specs yields seeds with the specs that Any returns for them: n at first. Before a change is taken, some more follow
// as long as there are features that no spec has which was used.
func (c *Corpus) Specs(n int, stream uint64) iter.Seq2[uint64, string] {
	return func(yield func(uint64, string) bool) {
		for seed := range uint64(n) {
			if !yield(seed, c.Any(seed, stream)) {
				return
			}
		}
		if !testlevel.Gate() {
			return
		}
		unused := func(f *feature) bool { return c.used[f.name] == 0 }
		for i := range uint64(retries * c.rounds()) {
			varied := uint64(n) + i
			if !slices.ContainsFunc(c.forced(varied), unused) {
				continue
			}
			if seed := varied/4*5 + varied%4; !yield(seed, c.Any(seed, stream)) {
				return
			}
		}
	}
}

// Use counts the features of a spec that a test has used to its end.
func (c *Corpus) Use(tb testing.TB, source string) {
	tb.Helper()
	f, err := syntax.Parse("test.ring", []byte(source))
	if err != nil {
		tb.Fatal(err)
	}
	met := make(map[*feature]bool)
	inspect(f, func(n *node) {
		for _, f := range c.features {
			if !met[f] && f.in(n) {
				met[f] = true
				c.used[f.name]++
			}
		}
	})
}

// Check is an error if a feature is in none of the specs that were used. It does nothing in a go test of three minutes,
// whose specs are too few to have all.
func (c *Corpus) Check(tb testing.TB) {
	tb.Helper()
	if !testlevel.Gate() {
		return
	}
	var missing []string
	for _, f := range c.features {
		if c.used[f.name] == 0 {
			missing = append(missing, f.name)
		}
	}
	if len(missing) > 0 {
		tb.Errorf("of %d features, %d are in no spec that was used: %s", len(c.features), len(missing),
			strings.Join(missing, ", "))
	}
}
