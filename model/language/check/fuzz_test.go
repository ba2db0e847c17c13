package check_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model/language/check"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/specs"
)

// FuzzCheck checks that every text gives a well-formed protocol or errors with positions.
func FuzzCheck(f *testing.F) {
	for _, name := range specs.Names() {
		f.Add(spectest.Source(f, name))
	}
	examples, err := filepath.Glob("../../../examples/*.ring")
	if err != nil || len(examples) == 0 {
		f.Fatal("there are no examples")
	}
	for _, path := range examples {
		src, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(src))
	}
	corpus := spectest.NewCorpus()
	for _, src := range corpus.Specs(10, 4) {
		f.Add(src)
		corpus.Use(f, src)
	}
	corpus.Check(f)
	f.Add(clauses + start + "A = draw x in {0: 1/2, 1: 1/2}; out(x); stop\n")
	f.Add(kinds + "process hub = A(leaf)\nprocess leaf[p in 1..n - 1] = A({p, hub})\ninvariant i = forall q in leaf: " +
		"q.r = hub")
	f.Add(clauses + start + "A = recv _ M(x, _); A\ninitially M(q, o), Ping in inbox(q, left) for q in node, y in " +
		"{0..q} where o\n")
	f.Add("protocol a topology anonymous torus of 3 by 2 channel fifo register x: bool var d: dir message M process " +
		"p = for d in ports(p): send d M; A A = when left.x: recv opposite(up) _; x := down.x; A")
	f.Add("protocol a define d = forall d in 0: d()\n")
	f.Fuzz(func(t *testing.T, src string) {
		if err := tryOut(src); err != nil {
			t.Error(err)
		}
	})
}

// tryOut parses, checks and instantiates a text. The error says what must not happen.
func tryOut(src string) error {
	r := check.Text("fuzz.ring", []byte(src))
	if err := checkReading(r); err != nil {
		return err
	}
	if r.Errors != nil {
		return positioned(r.Errors)
	}
	s := r.Spec
	for _, settings := range []map[string]string{nil, {"n": "2"}, {"n": "3", "k": "2"}} {
		p, err := s.Instantiate(settings)
		var setting *check.SettingError
		switch {
		case errors.As(err, &setting):
		case err != nil:
			return positioned(err)
		case checkSanity(p) != nil:
			return checkSanity(p)
		default:
			seen := 0
			err := p.Initial(func([]ir.Local, [][]ir.Content, []int64) bool { seen++; return seen < 3 })
			var failure *ir.Error
			if err != nil && !errors.As(err, &failure) {
				return err
			}
		}
	}
	return nil
}

func positioned(err error) error {
	var list syntax.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return err
	}
	for _, e := range list {
		if e.Pos.Line == 0 || e.Message == "" {
			return e
		}
	}
	return nil
}

var damages = testlevel.Cases(10, 50) // how often TestDamagedSpecs damages each spec

// Damaged specs, most of which have a mistake.
func TestDamagedSpecs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for _, name := range specs.Names() {
		src := spectest.Source(t, name)
		tokens := tokenize(src)
		for range damages() {
			damaged := damage(r, tokens)
			if err := tryOut(damaged); err != nil {
				t.Fatalf("%v\n%s", err, damaged)
			}
		}
	}
}

// tokenize splits a text into words and the characters between them.
func tokenize(src string) []string {
	var tokens []string
	word := func(b byte) bool {
		return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
	}
	for i := 0; i < len(src); {
		j := i + 1
		for word(src[i]) && j < len(src) && word(src[j]) {
			j++
		}
		tokens = append(tokens, src[i:j])
		i = j
	}
	return tokens
}

// damage replaces a few tokens by others of the same text.
func damage(r *rand.Rand, tokens []string) string {
	out := append([]string(nil), tokens...)
	for range 1 + r.IntN(3) {
		i, j := r.IntN(len(out)), r.IntN(len(out))
		for len(out[i]) == 1 && r.IntN(10) > 0 { // prefer words to spaces and punctuation
			i = r.IntN(len(out))
		}
		for len(out[j]) == 1 && r.IntN(10) > 0 {
			j = r.IntN(len(out))
		}
		out[i] = out[j]
	}
	text := ""
	for _, s := range out {
		text += s
	}
	return text
}
