package prove

import (
	"context"
	"math/rand/v2"

	"ringcheck/internal/effort"
	"ringcheck/model/language/ir"
)

// randomRules returns rules of a protocol that no text describes: over a few controls, of which one holds a node and
// one may hold a set of them, and three kinds of message, one of which names a node.
func randomRules(random *rand.Rand) *translation {
	hop := &ir.Var{Name: "v", Type: ir.IntType(1, 100)}
	named := &ir.Message{Name: "N", Fields: []ir.Field{{Name: "f", Type: hop.Type}}}
	bare := &ir.Message{ID: 1, Name: "B"}
	in := &instance{Protocol: &ir.Protocol{}, identity: "uid", effort: &effort.Effort{Context: context.Background()},
		sorts: map[any]valueSort{hop: nodeSort, field{named, 0}: nodeSort}}
	begin := initialProcess{Controls: []int{0}}
	x := &translation{instance: in, nodeVars: []nodeVar{{Var: hop, Control: 2}},
		initial: initialStates{Zero: begin, Others: begin},
		messageKinds: []messageKind{
			{message: named, Right: true, Nodes: 1}, {message: bare, Right: true}, {message: bare}}}
	for c := range 4 {
		x.controls = append(x.controls, control{point: &ir.Point{ID: c}})
	}
	x.controls[2].nodeVars = []int{0}
	if random.IntN(3) > 0 {
		x.hasSets, x.hasHistory = true, random.IntN(2) == 0
		set := &ir.Var{Name: "s", Type: &ir.Type{Kind: ir.Set}}
		x.nodeVars = append(x.nodeVars, nodeVar{Var: set, Control: 3, Set: true})
		x.controls[3].nodeVars = []int{1}
	}
	x.hasZero = random.IntN(2) == 0
	x.counts = !x.hasHistory && random.IntN(2) == 0
	if x.hasZero {
		x.initial.Zero.Controls = []int{random.IntN(2)}
	}
	if random.IntN(2) == 0 {
		for view := range 1 + random.IntN(2) {
			for value := range int64(2) {
				x.sights = append(x.sights, sight{View: view, Right: view == 1, Value: value})
			}
		}
		x.initial.Sights = []int{random.IntN(len(x.sights)), random.IntN(len(x.sights))}
	}
	x.numberRelations()
	for range 2 + random.IntN(4) {
		x.rules = append(x.rules, randomRule(x, random))
	}
	return x
}

func randomRule(x *translation, random *rand.Rand) rule {
	r := rule{From: random.IntN(4), To: random.IntN(4), Received: random.IntN(5) - 1, Sent: random.IntN(5) - 1}
	if r.From == 2 {
		r.Symbols = append(r.Symbols, 0)
	}
	switch {
	case r.Received > 2:
		r.Received = -1
	case r.Received == 0:
		r.Symbols = append(r.Symbols, -1)
		r.Origins = []int{len(r.Symbols)}
	}
	symbol := func() int { return random.IntN(len(r.Symbols) + 1) }
	switch {
	case r.Sent > 2:
		r.Sent = -1
	case r.Sent == 0:
		r.Targets = []int{symbol()}
	}
	if r.To == 2 {
		r.Assignments = []assignment{{0, -1, []int{symbol()}}}
	}
	if r.To == 3 && x.hasSets {
		s := assignment{1, -1, make([]int, random.IntN(2))}
		for i := range s.Symbols {
			s.Symbols[i] = symbol()
		}
		if r.From == 3 && random.IntN(3) > 0 {
			s.Kept = 1
		}
		r.Assignments = append(r.Assignments, s)
	}
	if r.From == 3 && x.hasSets && random.IntN(2) == 0 {
		r.Conds = append(r.Conds, condition{A: symbol(), Of: 2})
	}
	r.Again = x.hasHistory && r.Sent >= 0 && random.IntN(4) == 0
	for range random.IntN(3) {
		c := condition{Less: random.IntN(2) == 0, Not: random.IntN(2) == 0, A: symbol(), B: symbol()}
		c.Zero = x.hasZero && !c.Less && random.IntN(3) == 0
		if c.A != c.B || c.Zero {
			r.Conds = append(r.Conds, c)
		}
	}
	for i := 0; i+1 < len(x.sights); i += 2 { // those of a view
		if random.IntN(2) == 0 {
			r.Conds = append(r.Conds, condition{A: symbol(), Sees: i + 1 + random.IntN(2)})
		}
		if random.IntN(2) == 0 {
			r.Reveals = append(r.Reveals, i+random.IntN(2))
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
			relation := random.Int32N(x.relations())
			nodes := []int{random.IntN(3), random.IntN(3), random.IntN(3)}[:x.arity(relation)]
			a := newAtom(relation, nodes...)
			a.absent = x.isExact(relation) && random.IntN(2) == 0
			x.eachAtom(relation, 3, func(b atom) { // it is one that there can be
				if b.nodes == a.nodes {
					atoms = append(atoms, a)
				}
			})
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
