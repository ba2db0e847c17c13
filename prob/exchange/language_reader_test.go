package exchange

import (
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/scanner"

	"ringcheck/prob"
)

// A reading is a model in PRISM's language as its manual says what it means, as far as WriteLanguage makes use of it:
// modules with bounded variables, commands of which those of an action are taken by all modules that have the action
// together.
type reading struct {
	scanner.Scanner
	t        *testing.T
	token    string
	vars     []readVar
	number   map[string]int // of variables
	consts   map[string]int
	modules  [][]command
	initial  expr
	labels   map[string]expr
	rewards  []string // names
	items    []rewardItem
	actionOf []map[string]bool // alphabets
}

type readVar struct {
	name         string
	low, high    int
	begin        int
	hasBeginning bool
}

type command struct {
	action  string
	guard   expr
	updates []update
}

type update struct {
	weight prob.Weight
	sets   []assignment
}

type assignment struct {
	variable int
	value    expr
}

type rewardItem struct {
	reward int
	action string
	guard  expr
	value  *big.Rat
}

// An expr is evaluated in a state; false is 0 and true is 1.
type expr struct {
	op   string
	args []expr
	eval func(s []int) int
}

func readLanguage(t *testing.T, text string) *reading {
	r := &reading{t: t, number: map[string]int{}, consts: map[string]int{}, labels: map[string]expr{}}
	r.Init(strings.NewReader(text))
	r.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanStrings | scanner.ScanComments | scanner.SkipComments
	r.next()
	r.want("mdp")
	// Variables are known to all modules, so declarations are read before anything else.
	for _, line := range strings.Split(text, "\n") {
		var name string
		if at := strings.Index(line, " : "); at > 0 && strings.HasPrefix(line, "  ") && !strings.Contains(line, "->") && !strings.Contains(line, "] true :") {
			name = strings.TrimSpace(line[:at])
			r.number[name] = len(r.number)
		}
	}
	for r.token != "" {
		r.declaration()
	}
	if len(r.vars) != len(r.number) {
		t.Fatalf("%d variables of %d", len(r.vars), len(r.number))
	}
	return r
}

// next goes to the next token: ".." and "->" and relations are one.
func (r *reading) next() {
	if r.Scan() == scanner.EOF {
		r.token = ""
		return
	}
	r.token = r.TokenText()
	for _, two := range []string{"..", "->", "!=", "<=", ">="} {
		if r.token == two[:1] && r.Peek() == rune(two[1]) {
			r.Scan()
			r.token = two
		}
	}
}

func (r *reading) is(token string) bool {
	if r.token != token {
		return false
	}
	r.next()
	return true
}

func (r *reading) want(token string) {
	r.t.Helper()
	if !r.is(token) {
		r.t.Fatalf("%v: %q, want %q", r.Pos(), r.token, token)
	}
}

func (r *reading) word() string {
	w := r.token
	r.next()
	return w
}

func (r *reading) int() int {
	n, err := strconv.Atoi(r.word())
	if err != nil {
		r.t.Fatalf("%v: %v", r.Pos(), err)
	}
	return n
}

func (r *reading) declaration() {
	switch word := r.word(); word {
	case "const":
		r.want("int")
		name := r.word()
		r.want("=")
		if _, twice := r.consts[name]; twice {
			r.t.Fatalf("%s is declared twice", name)
		}
		r.consts[name] = r.int()
		r.want(";")
	case "module":
		r.word()
		r.module()
	case "init":
		r.initial = r.expression()
		r.want("endinit")
	case "label":
		name, _ := strconv.Unquote(r.word())
		r.want("=")
		r.labels[name] = r.expression()
		r.want(";")
	case "rewards":
		name, _ := strconv.Unquote(r.word())
		r.rewards = append(r.rewards, name)
		for !r.is("endrewards") {
			r.want("[")
			i := rewardItem{reward: len(r.rewards) - 1, action: r.word()}
			r.want("]")
			i.guard = r.expression()
			r.want(":")
			i.value = r.fraction()
			r.want(";")
			r.items = append(r.items, i)
		}
	default:
		r.t.Fatalf("%v: unexpected %q", r.Pos(), word)
	}
}

func (r *reading) fraction() *big.Rat {
	num, den := r.int(), 1
	if r.is("/") {
		den = r.int()
	}
	return big.NewRat(int64(num), int64(den))
}

func (r *reading) module() {
	var commands []command
	alphabet := map[string]bool{}
	for !r.is("endmodule") {
		if !r.is("[") {
			r.variable()
			continue
		}
		c := command{action: r.word()}
		alphabet[c.action] = true
		r.want("]")
		c.guard = r.expression()
		r.want("->")
		for again := true; again; again = r.is("+") {
			u := update{weight: prob.Certain}
			if r.token != "(" {
				w := r.fraction()
				u.weight = prob.Weight{Num: w.Num().Uint64(), Den: w.Denom().Uint64()}
				r.want(":")
			}
			for again := true; again; again = r.is("&") {
				r.want("(")
				name := r.word()
				v, ok := r.number[name]
				if !ok {
					r.t.Fatalf("%v: there is no variable %s", r.Pos(), name)
				}
				r.want("'")
				r.want("=")
				u.sets = append(u.sets, assignment{v, r.expression()})
				r.want(")")
			}
			c.updates = append(c.updates, u)
		}
		r.want(";")
		r.inRange(c)
		commands = append(commands, c)
	}
	r.modules, r.actionOf = append(r.modules, commands), append(r.actionOf, alphabet)
}

func (r *reading) variable() {
	v := readVar{name: r.word(), high: 1}
	if r.number[v.name] != len(r.vars) {
		r.t.Fatalf("variable %s is not in its place", v.name)
	}
	r.want(":")
	if !r.is("bool") {
		r.want("[")
		v.low = r.int()
		r.want("..")
		v.high = r.int()
		r.want("]")
	}
	if r.is("init") {
		v.hasBeginning = true
		switch {
		case r.is("false"):
		case r.is("true"):
			v.begin = 1
		default:
			v.begin = r.int()
		}
	}
	r.want(";")
	r.vars = append(r.vars, v)
}

// levels are the binary operators, those that bind least first.
var levels = [][]string{{"|"}, {"&"}, {"=", "!=", "<", ">", "<=", ">="}, {"+", "-"}}

func (r *reading) expression() expr {
	c := r.binary(0)
	if !r.is("?") {
		return c
	}
	a := r.expression()
	r.want(":")
	b := r.expression()
	return expr{"?", []expr{c, a, b}, func(s []int) int {
		if c.eval(s) != 0 {
			return a.eval(s)
		}
		return b.eval(s)
	}}
}

func (r *reading) binary(level int) expr {
	if level == len(levels) {
		return r.primary()
	}
	x := r.binary(level + 1)
	for slices.Contains(levels[level], r.token) {
		op := r.word()
		a, b := x, r.binary(level+1)
		x = expr{op, []expr{a, b}, func(s []int) int { return apply(op, a.eval(s), b.eval(s)) }}
	}
	return x
}

func apply(op string, a, b int) int {
	truth := map[string]bool{"|": a+b > 0, "&": a*b > 0, "=": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}
	switch op {
	case "+":
		return a + b
	case "-":
		return a - b
	}
	if truth[op] {
		return 1
	}
	return 0
}

func (r *reading) primary() expr {
	constant := func(n int) expr { return expr{"number", nil, func([]int) int { return n }} }
	word := r.word()
	switch v, isVar := r.number[word]; {
	case word == "(":
		x := r.expression()
		r.want(")")
		return x
	case word == "!":
		x := r.primary()
		return expr{"!", []expr{x}, func(s []int) int { return 1 - x.eval(s) }}
	case word == "true":
		return constant(1)
	case word == "false":
		return constant(0)
	case isVar:
		return expr{word, nil, func(s []int) int { return s[v] }}
	}
	if n, ok := r.consts[word]; ok {
		return constant(n)
	}
	n, err := strconv.Atoi(word)
	if err != nil {
		r.t.Fatalf("%v: %q is nothing", r.Pos(), word)
	}
	return constant(n)
}

// beginnings returns the states in which an expression of the form that init has is true.
func (r *reading) beginnings(x expr) []map[int]int {
	switch x.op {
	case "=":
		return []map[int]int{{r.number[x.args[0].op]: x.args[1].eval(nil)}}
	case "!":
		return []map[int]int{{r.number[x.args[0].op]: 0}}
	case "|":
		return append(r.beginnings(x.args[0]), r.beginnings(x.args[1])...)
	}
	var all []map[int]int
	for _, a := range r.beginnings(x.args[0]) {
		for _, b := range r.beginnings(x.args[1]) {
			both := maps.Clone(a)
			maps.Copy(both, b)
			all = append(all, both)
		}
	}
	return all
}

// process builds what the model means.
func (r *reading) process() *prob.MDP {
	var states [][]int
	known := map[string]uint32{}
	number := func(s []int) uint32 {
		key := fmt.Sprint(s)
		n, ok := known[key]
		if !ok {
			n = uint32(len(states))
			known[key] = n
			states = append(states, s)
		}
		return n
	}
	var initial []uint32
	if r.initial.op == "" {
		s := make([]int, len(r.vars))
		for i, v := range r.vars {
			if s[i] = v.begin; !v.hasBeginning {
				r.t.Fatalf("%s has no initial value", v.name)
			}
		}
		initial = append(initial, number(s))
	} else {
		for _, b := range r.beginnings(r.initial) {
			s := make([]int, len(r.vars))
			if len(b) != len(s) {
				r.t.Fatalf("init leaves %d of %d variables open", len(s)-len(b), len(s))
			}
			for i, v := range b {
				s[i] = v
			}
			initial = append(initial, number(s))
		}
	}
	b := prob.NewBuilder()
	marks := map[string]uint32{}
	rewards := make([]prob.Reward, len(r.rewards))
	for i := range rewards {
		rewards[i].Name = r.rewards[i]
	}
	labels := make(map[string][]uint32)
	for n := 0; n < len(states); n++ {
		s := states[n]
		for name, x := range r.labels {
			if x.eval(s) != 0 {
				labels[name] = append(labels[name], uint32(n))
			}
		}
		r.choices(s, func(action string, outcomes []outcome) {
			earned := make([]*big.Rat, len(rewards))
			for i := range earned {
				earned[i] = new(big.Rat)
			}
			for _, i := range r.items {
				if i.action == action && i.guard.eval(s) != 0 {
					earned[i.reward].Add(earned[i.reward], i.value)
				}
			}
			mark, ok := marks[fmt.Sprint(earned)]
			if !ok {
				mark = uint32(len(marks))
				marks[fmt.Sprint(earned)] = mark
				for i := range rewards {
					rewards[i].Of = append(rewards[i].Of, earned[i])
				}
			}
			var branches []prob.Branch
			for _, o := range outcomes {
				branches = append(branches, prob.Branch{To: number(o.state), Weight: o.weight, Mark: mark})
			}
			b.Choice(branches...)
		})
		b.End()
	}
	m, err := b.MDP(initial...)
	if err != nil {
		r.t.Fatal(err)
	}
	m.Rewards = rewards
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		set := prob.NewSet(m.States())
		for _, s := range labels[name] {
			set.Add(s)
		}
		m.Labels = append(m.Labels, prob.Label{Name: name, States: set})
	}
	return m
}

type outcome struct {
	state  []int
	weight prob.Weight
}

// choices calls yield with each choice of a state: for each action, a command of every module that has the action.
// inRange checks what PRISM's symbolic engines check of each command, over all states that the ranges allow, reached or
// not: where the guard is true, every update stays in range. Of a queue, whose places have many values, some states
// will do.
func (r *reading) inRange(c command) {
	r.t.Helper()
	met := map[int]bool{}
	r.meets(c.guard, met)
	for _, u := range c.updates {
		for _, a := range u.sets {
			r.meets(a.value, met)
		}
	}
	s, all := make([]int, len(r.vars)), 1
	for x := c.guard; ; x = x.args[0] { // the guard begins with the local state
		if x.op == "=" {
			s[r.number[x.args[0].op]] = x.args[1].eval(nil)
			delete(met, r.number[x.args[0].op])
		}
		if x.op != "&" {
			break
		}
	}
	vars := slices.Sorted(maps.Keys(met))
	for _, v := range vars {
		all *= r.vars[v].high - r.vars[v].low + 1
	}
	for n := range min(all, 100) {
		if all > 100 {
			n = rand.IntN(all)
		}
		for _, v := range vars {
			size := r.vars[v].high - r.vars[v].low + 1
			s[v], n = r.vars[v].low+n%size, n/size
		}
		for _, u := range c.updates {
			for _, a := range u.sets {
				if n := a.value.eval(s); c.guard.eval(s) != 0 && (n < r.vars[a.variable].low || n > r.vars[a.variable].high) {
					r.t.Fatalf("action %s: %s becomes %d", c.action, r.vars[a.variable].name, n)
				}
			}
		}
	}
}

// meets collects the variables in an expression.
func (r *reading) meets(x expr, met map[int]bool) {
	if v, ok := r.number[x.op]; ok && x.args == nil {
		met[v] = true
	}
	for _, a := range x.args {
		r.meets(a, met)
	}
}

func (r *reading) choices(s []int, yield func(action string, outcomes []outcome)) {
	all := map[string]bool{}
	for _, alphabet := range r.actionOf {
		maps.Copy(all, alphabet)
	}
	for _, action := range slices.Sorted(maps.Keys(all)) {
		var from func(module int, outcomes []outcome)
		from = func(module int, outcomes []outcome) {
			if module == len(r.modules) {
				yield(action, outcomes)
				return
			}
			if !r.actionOf[module][action] {
				from(module+1, outcomes)
				return
			}
			for _, c := range r.modules[module] {
				if c.action != action || c.guard.eval(s) == 0 {
					continue
				}
				var after []outcome
				for _, o := range outcomes {
					for _, u := range c.updates {
						after = append(after, r.apply(s, o, u))
					}
				}
				from(module+1, after)
			}
		}
		from(0, []outcome{{s, prob.Certain}})
	}
}

// apply changes an outcome by an update, whose expressions are about the state before.
func (r *reading) apply(before []int, o outcome, u update) outcome {
	after := slices.Clone(o.state)
	for _, a := range u.sets {
		v := a.value.eval(before)
		if v < r.vars[a.variable].low || v > r.vars[a.variable].high {
			r.t.Fatalf("%s becomes %d", r.vars[a.variable].name, v)
		}
		after[a.variable] = v
	}
	return outcome{after, prob.NewWeight(o.weight.Num*u.weight.Num, o.weight.Den*u.weight.Den)}
}
