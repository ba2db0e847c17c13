package prove

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/verify/prove/sat"
)

// clauses calls add with clauses that can be satisfied if and only if, in a ring of n, a step leads from a state
// without the patterns to a state in which a pattern occurs.
func (p *proof) clauses(n int, add func(...sat.Lit)) {
	r := &ring{translation: p.translation, n: n}
	next := r.numberAtoms()
	r.addAxioms(add)
	for _, q := range p.patterns {
		r.forbid(q, add)
	}
	var some []sat.Lit
	for _, q := range p.patterns {
		r.stepsInto(q, func(_ *step, _ []int, before []sat.Lit) bool {
			for _, l := range before {
				add(-next, l)
			}
			some = append(some, next)
			next++
			return true
		})
	}
	add(some...)
}

// solve reports whether the clauses for a ring of n can be satisfied. If they cannot, it has called learned with the
// clauses of a refutation.
func (p *proof) solve(ctx context.Context, n int, learned func(lits []sat.Lit)) (satisfiable bool) {
	r := &ring{solver: &sat.Solver{Proof: learned}}
	p.clauses(n, r.solver.Add)
	return r.solve(&effort.Effort{Context: ctx, Limit: p.memory})
}

// cnf returns the clauses for a ring of n in the DIMACS format. A comment has the digest of proof.json, of which they
// contain the rules and the patterns only.
func (p *proof) cnf(n int, proofJSON []byte) []byte {
	var body bytes.Buffer
	most, count := sat.Lit(0), 0
	p.clauses(n, func(lits ...sat.Lit) {
		count++
		for _, l := range lits {
			most = max(most, l, -l)
		}
		dimacs(&body, lits)
	})
	head := fmt.Appendf(nil, "c proof.json %x\np cnf %d %d\n", sha256.Sum256(proofJSON), most, count)
	return append(head, body.Bytes()...)
}

// A File is a file of a certificate.
type File struct {
	Name string
	Data []byte
}

var (
	//go:embed certificate/README.md
	certificateReadme []byte
	//go:embed certificate/regenerate.py
	regenerate []byte
)

// ProofFile is the name of the file of a certificate that has the rules and the patterns: see CheckPatterns.
const ProofFile = "proof.json"

// Certificate calls write with the files by which other tools can check a proof: the rules and the patterns; for each
// size of ring, unsatisfiable clauses in the DIMACS format, and their refutation in the DRAT format; and instructions
// for checking these.
func (r *Report) Certificate(ctx context.Context, write func(File) error) error {
	return effort.Do(ctx, func() error {
		for _, f := range r.proof.files(ctx) {
			if err := write(f); err != nil {
				return err
			}
		}
		return nil
	})
}

// files returns the files of a certificate.
func (p *proof) files(ctx context.Context) []File {
	data := p.record().encode()
	files := []File{{"README.md", certificateReadme}, {"regenerate.py", regenerate}, {ProofFile, data}}
	for n := 2; n <= p.largest; n++ {
		var why bytes.Buffer
		p.solve(ctx, n, func(lits []sat.Lit) { dimacs(&why, lits) })
		files = append(files, File{ringFile(n, ".cnf"), p.cnf(n, data)}, File{ringFile(n, ".drat"), why.Bytes()})
	}
	return files
}

// ringFile returns the name of a file about rings of n.
func ringFile(n int, ending string) string { return fmt.Sprintf("ring-%d%s", n, ending) }

func dimacs(b *bytes.Buffer, lits []sat.Lit) {
	for _, l := range lits {
		fmt.Fprintf(b, "%d ", l)
	}
	b.WriteString("0\n")
}

// A record is a proof as JSON: relations, nodes of patterns and symbols of rules by number.
type record struct {
	Spec     string            `json:"spec"`
	Given    map[string]string `json:"given"`
	Property string            `json:"property"`
	Coarse   bool              `json:"coarse"`
	Counts   bool              `json:"counts"`
	Zero     bool              `json:"zero"`
	Rings    [2]int            `json:"rings"`
	Controls int               `json:"controls"`
	History  bool              `json:"history"`
	Holders  []nodeVar         `json:"holders"`
	Transits []messageKind     `json:"transits"`
	Sights   []sight           `json:"sights"`
	Initial  initialStates     `json:"initial"`
	Rules    []rule            `json:"rules"`
	Patterns []patternRecord   `json:"patterns"`
}

type patternRecord struct {
	Text  string  `json:"text"`
	Goal  bool    `json:"goal"` // the property forbids it
	Width int     `json:"width"`
	Atoms [][]int `json:"atoms"`
}

// record returns a proof for JSON.
func (p *proof) record() *record {
	r := &record{Spec: p.Name, Given: p.given, Property: p.property, Coarse: p.coarse, Rings: [2]int{2, p.largest},
		Counts: p.counts, Zero: p.hasZero,
		Controls: len(p.controls), History: p.hasHistory, Initial: p.initial, Rules: p.rules,
		Holders: p.nodeVars, Transits: p.messageKinds, Sights: p.sights}
	for _, q := range p.patterns {
		v := patternRecord{Text: p.describe(q), Goal: p.isGoal(q), Width: q.width}
		for _, a := range q.atoms {
			list := []int{int(a.relation)}
			if a.absent {
				list[0] = ^int(a.relation)
			}
			for _, n := range a.nodes {
				if n >= 0 {
					list = append(list, int(n))
				}
			}
			v.Atoms = append(v.Atoms, list)
		}
		r.Patterns = append(r.Patterns, v)
	}
	return r
}

// isGoal reports whether the property forbids a pattern.
func (p *proof) isGoal(q pattern) bool {
	return slices.ContainsFunc(p.goals, func(g pattern) bool { return g.key() == q.key() })
}

// encode returns proof.json.
func (r *record) encode() []byte { return append(effort.Must(json.Marshal(r)), '\n') }
