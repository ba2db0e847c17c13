package export

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/ir"
	"ringcheck/verify"
)

// A verdict is one on a property of a kind, which is given with what is assumed.
type verdict struct {
	kind    string
	outcome verify.Outcome
}

// TestFormulas: what is said of a model in the μ-calculus has, by a dumb evaluation, the verdicts that we find.
func TestFormulas(t *testing.T) {
	compared := map[verdict]int{}
	for _, p := range []*ir.Protocol{
		instantiate(t, "franklin", map[string]string{"n": "2"}),
		instantiate(t, "itai-rodeh", map[string]string{"n": "2", "channel": "fifo"}),
		instantiate(t, "chang-roberts", map[string]string{"n": "3"}),
		spectest.Instantiate(t, decided[0].spec+ours(decided[0].formulas[:1]), nil),
		spectest.Instantiate(t, decided[1].spec+claims, nil),
	} {
		compareFormulas(t, p, compared)
	}
	for _, kind := range []ir.PropertyKind{ir.Invariant, ir.Terminal, ir.Reachable, ir.Recoverable} {
		for _, outcome := range []verify.Outcome{verify.Holds, verify.Violated} {
			if compared[verdict{kind.String(), outcome}] == 0 {
				t.Errorf("no property of kind %v that is %v was compared", kind, outcome)
			}
		}
	}
}

// compareFormulas compares the formulas of a protocol with our verdicts, and counts those.
func compareFormulas(t *testing.T, p *ir.Protocol, compared map[verdict]int) {
	t.Helper()
	var b strings.Builder
	if err := MCRL2(t.Context(), &b, p, Options{Probes: true}); err != nil {
		t.Fatal(err)
	}
	formulas, err := Formulas(t.Context(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := verify.Subject{System: spectest.Compile(t, p)}.Check(t.Context(), p.Properties, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	states := readMCRL2(t, b.String()).explore()
	for i, v := range report.Verdicts {
		_, formula, _ := strings.Cut(formulas[i].Text, "\n")
		if formula == "" {
			continue
		}
		m := &modal{T: t, states: states, tokens: mcfToken.FindAllString(formula, -1)}
		for _, token := range m.tokens {
			if n, err := strconv.Atoi(token); err == nil {
				m.values = max(m.values, n+1)
			}
		}
		if got := m.formula()(nil); got[0] != (v.Outcome == verify.Holds) || len(m.tokens) > 0 {
			t.Errorf("%s: %s is %v, %s %v\n%s", p.Name, v.Property.Name, v.Outcome, formula, got[0], b.String())
		}
		kind := v.Property.Kind.String()
		if v.Property.Kind == ir.LTL {
			kind = strings.TrimSpace(kind + " " + v.Property.Temporal.String())
		}
		compared[verdict{kind, v.Outcome}]++
	}
}

// TestTemporalFormulas: the formulas of random LTL properties of random specs have the verdicts that we find.
func TestTemporalFormulas(t *testing.T) {
	compared := map[verdict]int{}
	seeds, least := uint64(30), 4
	if *every {
		seeds, least = 90, 10
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 26))
		src := decided[r.IntN(len(decided))].spec // fairness matters where runs go on
		atoms := []string{"0 at Have", "1 at Idle", "exists p in node: p at Have", "terminal"}
		if seed%3 > 0 {
			src = []func(*rand.Rand) string{spectest.Random, spectest.Varied}[seed%2](r)
			atoms = []string{"quiet", "there(0, 0)", "exists p in node: p.x = 1", "terminal", "forall p in node: p.f"}
		}
		p := spectest.Instantiate(t, src, nil)
		if err := MCRL2(t.Context(), io.Discard, p, Options{}); err != nil {
			continue
		}
		found, err := explore.Run(t.Context(), spectest.Compile(t, p), explore.Options{MaxStates: 200})
		if err != nil || !found.Complete() {
			continue
		}
		names := []string{p.Equations[r.IntN(len(p.Equations))].Name}
		for _, ev := range p.Events {
			atoms, names = append(atoms, ev.Name+" happens", ev.Name+" happens at 1"), append(names, ev.Name)
		}
		for _, m := range p.Messages {
			names = append(names, m.Name)
		}
		for i, under := range []string{"", "", " under fair", " under fair", " under fair",
			" under fair of " + names[r.IntN(len(names))]} {
			src += fmt.Sprintf("ltl f%d = %s%s\n", i, randomLTL(r, 1+r.IntN(2), atoms), under)
		}
		compareFormulas(t, spectest.Instantiate(t, src, nil), compared)
	}
	t.Log(compared)
	for _, kind := range []string{"ltl", "ltl fair"} {
		if compared[verdict{kind, verify.Holds}] < least || compared[verdict{kind, verify.Violated}] < least {
			t.Errorf("too few runs of kind %s were compared: %v", kind, compared)
		}
	}
}

func randomLTL(r *rand.Rand, size int, atoms []string) string {
	if size <= 0 {
		return "(" + atoms[r.IntN(len(atoms))] + ")"
	}
	form := []string{"(not %s)", "(next %s)", "(always %s)", "(eventually %s)", "(%s and %s)", "(%s or %s)",
		"(%s until %s)", "(%s unless %s)", "(%s leads to %s)", "(%s releases %s)"}[r.IntN(10)]
	var parts []any
	for range strings.Count(form, "%s") {
		parts = append(parts, randomLTL(r, size-1-r.IntN(2), atoms))
	}
	return fmt.Sprintf(form, parts...)
}

var mcfToken = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_']*|[0-9]+|\|\||&&|==|[-!*<>()\[\]:=.,]`)

// A modal reads a formula of the μ-calculus, token by token.
type modal struct {
	*testing.T
	states [][]edge
	tokens []string
	values int // of parameters: from 0 on
}

// A meaning is in which states a formula is true, by what its parameters and variables are.
type (
	meaning func(scope) []bool
	scope   map[string]bound
	bound   struct {
		value int
		where [][]bool // of a variable, by its argument
	}
)

func (c scope) with(name string, b bound) scope {
	c = maps.Clone(c)
	if c == nil {
		c = scope{}
	}
	c[name] = b
	return c
}

func (m *modal) take() string {
	first := m.tokens[0]
	m.tokens = m.tokens[1:]
	return first
}

func (m *modal) accept(token string) bool {
	if len(m.tokens) == 0 || m.tokens[0] != token {
		return false
	}
	m.take()
	return true
}

func (m *modal) want(tokens ...string) {
	for _, token := range tokens {
		if !m.accept(token) {
			m.Fatalf("mCRL2: want %q before %q", token, m.tokens[:min(8, len(m.tokens))])
		}
	}
}

// each returns what value is of each state.
func (m *modal) each(value func(s int) bool) []bool {
	out := make([]bool, len(m.states))
	for s := range out {
		out[s] = value(s)
	}
	return out
}

func (m *modal) formula() meaning {
	x := m.conjunction()
	for m.accept("||") {
		left, right := x, m.conjunction()
		x = func(c scope) []bool {
			l, r := left(c), right(c)
			return m.each(func(s int) bool { return l[s] || r[s] })
		}
	}
	return x
}

func (m *modal) conjunction() meaning {
	x := m.unary()
	for m.accept("&&") {
		left, right := x, m.unary()
		x = func(c scope) []bool {
			l := left(c)
			if !slices.Contains(l, true) {
				return l
			}
			r := right(c)
			return m.each(func(s int) bool { return l[s] && r[s] })
		}
	}
	return x
}

func (m *modal) unary() meaning {
	switch first := m.take(); first {
	case "true", "false":
		return func(scope) []bool { return m.each(func(int) bool { return first == "true" }) }
	case "!":
		x := m.unary()
		return func(c scope) []bool { l := x(c); return m.each(func(s int) bool { return !l[s] }) }
	case "(":
		x := m.formula()
		m.want(")")
		return x
	case "val":
		m.want("(")
		name := m.take()
		m.want("==")
		value := m.number()
		m.want(")")
		return func(c scope) []bool {
			return m.each(func(int) bool { return c[name].value == value(c) })
		}
	case "mu", "nu":
		return m.fixpoint(first == "nu")
	case "<", "[":
		return m.modality(first == "<")
	default:
		m.want("(")
		argument := m.number()
		m.want(")")
		return func(c scope) []bool { return c[first].where[argument(c)] }
	}
}

// number reads a number or a parameter.
func (m *modal) number() func(scope) int {
	token := m.take()
	if n, err := strconv.Atoi(token); err == nil {
		return func(scope) int { return n }
	}
	return func(c scope) int { return c[token].value }
}

// fixpoint reads nu X(q: Nat = n) . f, and goes through approximations from above, or for mu from below.
func (m *modal) fixpoint(greatest bool) meaning {
	name := m.take()
	m.want("(")
	parameter := m.take()
	m.want(":", "Nat", "=")
	first := m.number()
	m.want(")", ".")
	body := m.formula()
	return func(c scope) []bool {
		now := make([][]bool, m.values)
		for q := range now {
			now[q] = m.each(func(int) bool { return greatest })
		}
		for changed := true; changed; {
			changed = false
			for q := range now {
				next := body(c.with(name, bound{where: now}).with(parameter, bound{value: q}))
				changed = changed || !slices.Equal(next, now[q])
				now[q] = next
			}
		}
		return now[first(c)]
	}
}

// modality reads where some step, or all steps, lead to states where a formula is true; with * any number of steps.
func (m *modal) modality(some bool) meaning {
	steps := m.actions()
	repeated := m.accept("*")
	m.want(map[bool]string{true: ">", false: "]"}[some])
	x := m.unary()
	to, known := make([][]int, len(m.states)), map[string]bool{}
	for s, edges := range m.states {
		for _, e := range edges {
			if _, ok := known[e.action]; !ok {
				known[e.action] = steps(e.action)
			}
			if known[e.action] {
				to[s] = append(to[s], e.to)
			}
		}
	}
	return func(c scope) []bool {
		then := x(c)
		now := then
		next := func(s int) bool {
			v := slices.ContainsFunc(to[s], func(s int) bool { return now[s] == some }) == some
			switch {
			case repeated && some:
				return v || then[s]
			case repeated:
				return v && then[s]
			}
			return v
		}
		for {
			before := now
			if now = m.each(next); !repeated || slices.Equal(now, before) {
				return now
			}
		}
	}
}

// actions reads an action formula: && and || are not mixed.
func (m *modal) actions() func(action string) bool {
	x := m.action()
	for m.tokens[0] == "&&" || m.tokens[0] == "||" {
		and := m.take() == "&&"
		left, right := x, m.action()
		x = func(a string) bool { return left(a) && right(a) || !and && (left(a) || right(a)) }
	}
	return x
}

func (m *modal) action() func(action string) bool {
	switch first := m.take(); first {
	case "true":
		return func(string) bool { return true }
	case "!":
		x := m.action()
		return func(a string) bool { return !x(a) }
	case "(":
		x := m.actions()
		m.want(")")
		return x
	case "exists":
		vars := map[string]bool{}
		for ok := true; ok; ok = m.accept(",") {
			vars[m.take()] = true
			m.want(":")
			for m.take(); m.tokens[0] != "," && m.tokens[0] != "."; {
				m.take() // of FSet(Int)
			}
		}
		m.want(".")
		return m.pattern(m.take(), vars)
	default:
		return m.pattern(first, nil)
	}
}

// pattern reads the arguments of an action, in which variables stand for anything.
func (m *modal) pattern(name string, vars map[string]bool) func(action string) bool {
	text := regexp.QuoteMeta(name)
	for depth := 0; m.tokens[0] == "(" || depth > 0; {
		token := m.take()
		depth += map[string]int{"(": 1, ")": -1}[token]
		if vars[token] {
			text += ".*"
		} else {
			text += regexp.QuoteMeta(token)
		}
		if depth == 0 {
			break
		}
	}
	whole := regexp.MustCompile("^" + text + "$")
	return whole.MatchString
}
