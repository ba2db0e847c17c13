package ringcheck_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ringcheck"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/verify/prob"
)

// A slow is a Markov decision process for naive algorithms, which use nothing of package prob.
type slow struct {
	choices [][][]slowBranch // by state
	goal    []bool           // by state
	initial []int            // equally likely
}

type slowBranch struct {
	to     int
	weight *big.Rat
	gain   map[string]*big.Rat // by reward
	hit    bool                // it reaches the goal
}

var randomSpecs = testlevel.Cases[uint64](40, 120) // how many random specs TestQuantifyRandom compares

// TestQuantifyRandom compares probabilities and rewards of random specs with those that exact elimination gives: of the
// full system, of the orbits under rotation and permutations, and of the files that are written. The specs have several
// initial states, some of which satisfy the goal.
func TestQuantifyRandom(t *testing.T) {
	total := randomSpecs()
	compared, atOnce := 0, 0
	for seed := range total {
		r := rand.New(rand.NewPCG(seed, 26))
		text, goal := slowSpec(r), slowGoals[r.IntN(len(slowGoals))]
		p := generated(t, text, goal)
		if p == nil || len(p.choices) > 200 {
			continue
		}
		compared++
		name := fmt.Sprintf("seed %d, until %s\n%s", seed, goal, text)
		want := p.values()
		for _, turn := range []ringcheck.Symmetry{
			ringcheck.NoSymmetry, ringcheck.Rotation, ringcheck.Permutation} {
			quantified(t, name, text, goal, turn, want)
			claimed(t, name, text, goal, turn, want)
		}
		if slices.ContainsFunc(p.initial, func(s int) bool { return p.goal[s] }) {
			atOnce++
		}
	}
	if compared < int(total)/3 || atOnce < int(total)/6 {
		t.Errorf("only %d specs were compared, %d of them with a goal that an initial state satisfies",
			compared, atOnce)
	}
}

var slowRewards = []string{"steps", "cost", "toll"}

var slowGoals = []string{
	"exists p in node: p.r", "forall p in node: p.r", "(count p in node: p.r) = 1", "e happens", "terminal",
	"e happens or terminal",
	"exists p in node: p.s = 1 and p at B", "forall p in node: p at C or not p.r", "not (exists p in node: id[p] = 1)",
	"e happens or (forall p in node: p.r)",
}

// slowSpec returns the text of a random spec that begins in several states.
func slowSpec(r *rand.Rand) string {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	topology, messages := pick("directed", "undirected"), r.IntN(3) > 0
	var b strings.Builder
	fmt.Fprintf(&b, "protocol slow\ntopology %s ring of %s\n", topology, pick("2", "2", "3"))
	fmt.Fprintf(&b, "channel %s\n", pick("fifo", "unordered"))
	fmt.Fprintf(&b, "register r: bool\nregister s: 0..1%s\nassign id: %s\n", pick("", " = 0", " = 1"),
		pick("1..2", "1..3"))
	b.WriteString("var v: 0..2\nmessage M(v: 0..2)\nevent e, f\n")
	b.WriteString("reward cost = 3 / 2 per event e\nreward toll = 1 + v per send M\n")
	fmt.Fprintf(&b, "process p = %s\n", pick("A", "A", "if id[p] = 1 then A else B", "if id[p] = 2 then C else A"))
	act := func(next ...string) string {
		then := pick(next...)
		if messages && r.IntN(6) == 0 {
			return fmt.Sprintf("send right M(%d); stop", r.IntN(3))
		}
		return pick("e; ", "f; ", "r := not r; ", "s := 1 - s; ", "skip; ") + then
	}
	term := func(next ...string) string {
		switch r.IntN(6) {
		case 0:
			if messages {
				return fmt.Sprintf("recv left M(%s); %s", pick("_", "1", "0"), pick(next...))
			}
		case 1:
			return fmt.Sprintf("draw v; (if v = %d then %s else %s)", r.IntN(3), act(next...), act(next...))
		case 2:
			return fmt.Sprintf("when %s: %s", pick("r", "not r", "s = 1", "s = 0"), act(next...))
		}
		return act(next...)
	}
	for _, equation := range []struct {
		name string
		next []string
	}{
		{"A", []string{"B", "B", "C", "stop", "A"}}, {"B", []string{"C", "C", "stop", "stop"}},
		{"C", []string{"stop", "stop", "C"}},
	} {
		alternatives := []string{term(equation.next...)}
		for range r.IntN(3) {
			alternatives = append(alternatives, term(equation.next...))
		}
		fmt.Fprintf(&b, "%s = %s\n", equation.name, strings.Join(alternatives, " | "))
	}
	return b.String()
}

// slowSystem returns the instance of a spec without parameters.
func slowSystem(t *testing.T, text string) *ringcheck.System {
	t.Helper()
	spec, err := ringcheck.Parse("slow.ring", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	sys, err := spec.System()
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// generated returns the process of a spec and a goal, state by state; nil if the spec has a model error or is large.
func generated(t *testing.T, text, goal string) *slow {
	t.Helper()
	sys := slowSystem(t, fmt.Sprintf("%s\nprobability asked = P(%s) >= 0\n", text, goal))
	prepared, err := ringcheck.Prepare(t.Context(), sys, ringcheck.Search{})
	if err != nil {
		t.Fatal(err)
	}
	full := prepared.System.(*compile.System)
	protocol := full.Protocol()
	p, asked := &slow{}, protocol.Bounds[len(protocol.Bounds)-1].Goal
	numbers, states := map[string]int{}, [][]model.Value{}
	number := func(s []model.Value) int {
		n, ok := numbers[fmt.Sprint(s)]
		if !ok {
			n = len(states)
			numbers[fmt.Sprint(s)], states = n, append(states, slices.Clone(s))
		}
		return n
	}
	err = full.Initial(func(s []model.Value) bool {
		if n := number(s); !slices.Contains(p.initial, n) {
			p.initial = append(p.initial, n)
		}
		return true
	})
	for s := 0; s < len(states) && err == nil; s++ {
		if s > 1000 {
			return nil
		}
		p.choices = append(p.choices, nil)
		last := [2]int{-1, -1}
		err = model.Each(full, states[s], func(g int, step model.Step, to []model.Value) bool {
			if here := [2]int{g, int(step.Choice)}; here != last {
				p.choices[s], last = append(p.choices[s], nil), here
			}
			c := &p.choices[s][len(p.choices[s])-1]
			*c = append(*c, taken(full, asked, step, number(to)))
			return true
		})
	}
	if err != nil {
		return nil
	}
	view := full.NewView()
	for s := range states {
		view.Show(states[s])
		p.goal = append(p.goal, satisfied(t, asked, protocol.NewEnv(view), len(p.choices[s]) == 0))
	}
	return p
}

// taken returns a transition as a branch.
func taken(full *compile.System, goal *ir.Formula, step model.Step, to int) slowBranch {
	weight := big.NewRat(int64(step.Weight.Num), int64(step.Weight.Den))
	b := slowBranch{to: to, weight: weight, gain: map[string]*big.Rat{}, hit: happens(full, goal, step.Label)}
	for _, r := range full.Protocol().Rewards {
		earned, _ := full.Reward(r, step.Label)
		b.gain[r.Name] = r.Amount(earned)
	}
	return b
}

// happens reports whether a transition is an event of a goal.
func happens(full *compile.System, goal *ir.Formula, l model.Label) bool {
	if goal.Op == ir.Disjunction {
		return happens(full, goal.X, l) || happens(full, goal.Y, l)
	}
	a, _ := full.Action(l)
	return goal.Op == ir.EventAtom && a.Event == goal.Event
}

// satisfied reports whether a goal is true of a state.
func satisfied(t *testing.T, goal *ir.Formula, env *ir.Env, terminal bool) bool {
	switch goal.Op {
	case ir.Disjunction:
		return satisfied(t, goal.X, env, terminal) || satisfied(t, goal.Y, env, terminal)
	case ir.TerminalAtom:
		return terminal
	case ir.StateAtom:
		v, err := goal.State.Eval(env)
		if err != nil {
			t.Fatal(err)
		}
		return v != 0
	case ir.EventAtom, ir.Negation, ir.Conjunction, ir.Implication, ir.Next, ir.Always, ir.Eventually, ir.Until,
		ir.Unless, ir.Releases:
	}
	return false
}

// A slowRow is a linear equation: a value is the constant plus the weighted sum of others.
type slowRow struct {
	constant *big.Rat
	of       map[int]*big.Rat
}

// rows returns the equations, by state, of the Markov chain under the uniform scheduler for a reward, or for the
// probability of the goal if reward is "".
func (p *slow) rows(reward string) []slowRow {
	var rows []slowRow
	for s, choices := range p.choices {
		row := slowRow{new(big.Rat), map[int]*big.Rat{}}
		if p.goal[s] {
			choices = nil
			if reward == "" {
				row.constant.SetInt64(1)
			}
		}
		for _, c := range choices {
			for _, b := range c {
				w := new(big.Rat).Mul(b.weight, big.NewRat(1, int64(len(choices))))
				switch {
				case reward != "":
					row.constant.Add(row.constant, new(big.Rat).Mul(w, b.gain[reward]))
				case b.hit:
					row.constant.Add(row.constant, w)
				}
				if !b.hit {
					if row.of[b.to] == nil {
						row.of[b.to] = new(big.Rat)
					}
					row.of[b.to].Add(row.of[b.to], w)
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// mean returns the mean over the initial states of the least solution of the equations, by Gaussian elimination.
func (p *slow) mean(rows []slowRow) *big.Rat {
	mean := new(big.Rat)
	for s := range rows {
		if loop := rows[s].of[s]; loop != nil {
			delete(rows[s].of, s)
			if loop.Cmp(big.NewRat(1, 1)) == 0 { // the state is never left
				rows[s].constant.SetInt64(0)
			} else {
				f := new(big.Rat).Inv(new(big.Rat).Sub(big.NewRat(1, 1), loop))
				rows[s].constant.Mul(rows[s].constant, f)
				for _, w := range rows[s].of {
					w.Mul(w, f)
				}
			}
		}
		for from := range rows {
			if w := rows[from].of[s]; w != nil && from != s {
				delete(rows[from].of, s)
				rows[from].constant.Add(rows[from].constant, new(big.Rat).Mul(w, rows[s].constant))
				for to, x := range rows[s].of {
					if rows[from].of[to] == nil {
						rows[from].of[to] = new(big.Rat)
					}
					rows[from].of[to].Add(rows[from].of[to], new(big.Rat).Mul(w, x))
				}
			}
		}
	}
	for _, s := range p.initial {
		mean.Add(mean, rows[s].constant)
	}
	return mean.Quo(mean, big.NewRat(int64(len(p.initial)), 1))
}

const slowSteps = 4

// within returns the probability of reaching the goal within slowSteps steps under a scheduler, by trying all choices.
func (p *slow) within(scheduler string) *big.Rat {
	x := make([]*big.Rat, len(p.choices))
	for t := range slowSteps + 1 {
		y := make([]*big.Rat, len(x))
		for s, choices := range p.choices {
			var values []*big.Rat
			for _, c := range choices {
				v := new(big.Rat)
				for _, b := range c {
					switch {
					case t > 0 && b.hit:
						v.Add(v, b.weight)
					case t > 0:
						v.Add(v, new(big.Rat).Mul(b.weight, x[b.to]))
					}
				}
				values = append(values, v)
			}
			if y[s] = chosen(scheduler, values); p.goal[s] {
				y[s] = big.NewRat(1, 1)
			}
		}
		x = y
	}
	var values []*big.Rat
	for _, s := range p.initial {
		values = append(values, x[s])
	}
	return chosen(scheduler, values)
}

// chosen returns the least or greatest of some values, or else their mean.
func chosen(scheduler string, values []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	switch {
	case len(values) == 0:
	case scheduler == "min":
		return slices.MinFunc(values, (*big.Rat).Cmp)
	case scheduler == "max":
		return slices.MaxFunc(values, (*big.Rat).Cmp)
	default:
		for _, v := range values {
			sum.Add(sum, v)
		}
		sum.Quo(sum, big.NewRat(int64(len(values)), 1))
	}
	return sum
}

// values returns the answers by query.
func (p *slow) values() map[string]string {
	probability := p.mean(p.rows(""))
	out := map[string]string{"probability uniform": probability.RatString()}
	for _, k := range []string{"uniform", "min", "max"} {
		out["within "+k] = p.within(k).RatString()
	}
	for _, reward := range slowRewards {
		if out[reward] = "inf"; probability.Cmp(big.NewRat(1, 1)) == 0 {
			out[reward] = p.mean(p.rows(reward)).RatString()
		}
	}
	return out
}

// quantified compares the answers of Quantify, and the files that it writes, with the expected values.
func quantified(t *testing.T, name, text, goal string, turn ringcheck.Symmetry, want map[string]string) {
	t.Helper()
	sys, dir := slowSystem(t, text), t.TempDir()
	for _, ask := range []ringcheck.Questions{
		{}, {Within: []int{slowSteps}},
		{Rewards: slowRewards, Scheduler: "uniform", Process: func(p *prob.MDP) error {
			return errors.Join(exported(filepath.Join(dir, "p.umb"), p), exported(filepath.Join(dir, "p.tra"), p))
		}},
	} {
		ask.Until, ask.Exact = goal, true
		r, err := ringcheck.Quantify(t.Context(), sys, ask, ringcheck.Search{Symmetry: turn})
		if err != nil {
			t.Fatalf("%s\n%v", name, err)
		}
		for _, a := range r.Results {
			key := a.Query + " " + a.Scheduler
			if a.Within != nil {
				key = "within " + a.Scheduler
			}
			if a.Reward != "" {
				if key = a.Reward; a.Scheduler != "uniform" {
					continue
				}
			}
			if got := answerText(a); want[key] != "" && got != want[key] {
				t.Errorf("%v: %s: %s, want %s\n%s", turn, key, got, want[key], name)
			}
		}
	}
	read := map[string]*slow{
		"umb": readSlowUMB(t, filepath.Join(dir, "p.umb")), "tra": readSlowPRISM(t, filepath.Join(dir, "p")),
	}
	for format, p := range read {
		for key, got := range p.values() {
			if want[key] != got {
				t.Errorf("%v, %s: %s: %s, want %s\n%s", turn, format, key, got, want[key], name)
			}
		}
	}
}

// claimed compares verdicts on bounds that are just true and just false with the expected ones.
func claimed(t *testing.T, name, text, goal string, turn ringcheck.Symmetry, want map[string]string) {
	t.Helper()
	claims, probability, cost := "", want["probability uniform"], want["cost"]
	for _, relation := range []string{">=", ">"} {
		claims += fmt.Sprintf("probability p%d = P(%s) %s %s under uniform\n", len(claims), goal, relation, probability)
	}
	for _, relation := range []string{"<=", "<"} {
		if cost != "inf" {
			claims += fmt.Sprintf("expected e%d = E(cost until %s) %s %s under uniform\n", len(claims), goal, relation,
				cost)
		}
	}
	r, err := ringcheck.Check(t.Context(), slowSystem(t, text+claims), ringcheck.Checks{},
		ringcheck.Search{Symmetry: turn})
	if err != nil {
		t.Fatalf("%s\n%v", name, err)
	}
	for i, v := range r.Verdicts.Properties {
		if v.Holds == nil || *v.Holds != (i%2 == 0) {
			t.Errorf("%v: %s is %v\n%s\n%s", turn, v.Name, v.Outcome(), name, claims)
		}
	}
}

// answerText returns the exact value of an answer, or "inf".
func answerText(a ringcheck.Answer) string {
	if a.Exact == "" {
		return fmt.Sprint(strings.ToLower(strings.TrimPrefix(fmt.Sprint(a.Low), "+")))
	}
	return a.Exact
}
