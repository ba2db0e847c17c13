package prove

import (
	"math/rand/v2"

	"ringcheck/model/language/ir"
)

// randomRules returns rules of a protocol that no text describes: over a few controls, one of which holds a node, and
// two kinds of message, one of which names a node.
func randomRules(random *rand.Rand) *translation {
	hop := &ir.Var{Name: "v", Type: ir.IntType(1, 100)}
	named := &ir.Message{Name: "N", Fields: []ir.Field{{Name: "f", Type: hop.Type}}}
	bare := &ir.Message{ID: 1, Name: "B"}
	in := &instance{Protocol: &ir.Protocol{}, identity: "uid",
		role: map[any]*class{hop: {unbounded: true, assigned: true},
			field{named, 0}: {unbounded: true, assigned: true}}}
	x := &translation{instance: in, holders: []holder{{hop, 2}}, initial: []int{0},
		transits: []transit{{message: named, right: true}, {message: bare, right: true}, {message: bare}}}
	for c := range 4 {
		x.controls = append(x.controls, control{point: &ir.Point{ID: c}})
	}
	x.controls[2].holders = []int{0}
	for range 2 + random.IntN(4) {
		x.rules = append(x.rules, randomRule(x, random))
	}
	return x
}

func randomRule(x *translation, random *rand.Rand) rule {
	r := rule{from: random.IntN(4), to: random.IntN(4), received: random.IntN(5) - 1, sent: random.IntN(5) - 1}
	if r.from == 2 {
		r.symbols = append(r.symbols, 0)
	}
	switch {
	case r.received > 2:
		r.received = -1
	case r.received == 0:
		r.symbols = append(r.symbols, -1)
		r.origins = []int{len(r.symbols)}
	}
	symbol := func() int { return random.IntN(len(r.symbols) + 1) }
	switch {
	case r.sent > 2:
		r.sent = -1
	case r.sent == 0:
		r.targets = []int{symbol()}
	}
	if r.to == 2 {
		r.sets = []set{{0, symbol()}}
	}
	for range random.IntN(3) {
		if c := (cond{random.IntN(2) == 0, symbol(), symbol(), random.IntN(2) == 0}); c.a != c.b {
			r.conds = append(r.conds, c)
		}
	}
	return r.trim()
}

// randomPatterns returns patterns of one to three atoms over one to three nodes.
func randomPatterns(x *translation, random *rand.Rand) (patterns []pattern) {
	known := make(map[string]bool)
	for range 40 {
		var atoms []atom
		for range 1 + random.IntN(3) {
			relation := random.IntN(x.relations())
			nodes := []int{random.IntN(3), random.IntN(3), random.IntN(3)}[:x.arity(relation)]
			if a := newAtom(relation, nodes...); relation != x.orderRelation() || nodes[0] != nodes[1] {
				atoms = append(atoms, a)
			}
		}
		if len(atoms) == 0 {
			continue
		}
		if p := canonical(atoms); !known[p.key()] {
			known[p.key()] = true
			patterns = append(patterns, p)
		}
	}
	return patterns
}
