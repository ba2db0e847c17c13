package export

import (
	"fmt"
	"iter"
	"maps"
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

// TestMCRL2 reads what is written for mCRL2 again, by its language reference, and counts the states and transitions of
// the linear process. For the ring of two with two identities they are those that the paper published.
func TestMCRL2(t *testing.T) {
	for _, test := range append(slices.Clip(small), setting{"peterson", map[string]string{"n": "3"}}, setting{"franklin-unique", map[string]string{"n": "3"}}) {
		p := instantiate(t, test.spec, test.settings)
		var b strings.Builder
		if err := MCRL2(t.Context(), &b, p, Options{}); err != nil {
			t.Errorf("%s %v: %v", test.spec, test.settings, err)
			continue
		}
		want := count(t, p)
		if want.States > 5000 { // a closure for each operator is slow
			continue
		}
		if initial := want.Levels[0]; initial > 1 {
			want.States++
			want.Transitions += initial
		}
		states, transitions := readMCRL2(t, b.String()).count()
		if states != want.States || transitions != want.Transitions {
			t.Errorf("%s %v: %d states and %d transitions in mCRL2, want %d and %d", test.spec, test.settings, states, transitions, want.States, want.Transitions)
		}
		if test.spec == "franklin" && len(test.settings) == 1 && test.settings["n"] == "2" && (states != 657 || transitions != 1368) {
			t.Errorf("(2,2) has %d states and %d transitions; the paper has 657 and 1,368", states, transitions)
		}
	}
	all := []*ir.Protocol{spectest.Instantiate(t, variety, map[string]string{"channel": "fifo"}), spectest.Instantiate(t, variety, nil), spectest.Instantiate(t, mailboxes, nil)}
	for _, name := range shared {
		all = append(all, example(t, name))
	}
	for _, p := range all {
		var b strings.Builder
		if err := MCRL2(t.Context(), &b, p, Options{}); err != nil {
			t.Fatal(err)
		}
		want := count(t, p)
		states, transitions := readMCRL2(t, b.String()).count()
		if initial := want.Levels[0]; initial > 1 {
			want.States++
			want.Transitions += initial
		}
		if states != want.States || transitions != want.Transitions {
			t.Errorf("%s: %d states and %d transitions in mCRL2, want %d and %d", p.Name, states, transitions, want.States, want.Transitions)
		}
	}
}

// TestFormulas: what is said of a model in the μ-calculus has, by a dumb evaluation, the verdicts that we find.
func TestFormulas(t *testing.T) {
	compared := map[ir.PropertyKind]map[verify.Outcome]int{}
	for _, p := range []*ir.Protocol{
		instantiate(t, "franklin", map[string]string{"n": "2"}),
		instantiate(t, "itai-rodeh", map[string]string{"n": "2", "channel": "fifo"}),
		instantiate(t, "chang-roberts", map[string]string{"n": "3"}),
		spectest.Instantiate(t, decided[1].spec+claims, nil),
	} {
		report, err := verify.Subject{System: spectest.Compile(t, p)}.Check(t.Context(), p.Properties, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := MCRL2(t.Context(), &b, p, Options{Probes: true}); err != nil {
			t.Fatal(err)
		}
		formulas, err := Formulas(t.Context(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		states := readMCRL2(t, b.String()).explore()
		for i, v := range report.Verdicts {
			_, formula, _ := strings.Cut(formulas[i].Text, "\n")
			if formula == "" {
				continue
			}
			m := &modal{t, states, mcrl2Modal.FindAllString(formula, -1)}
			if got := m.formula(); got[0] != (v.Outcome == verify.Holds) || len(m.tokens) > 0 {
				t.Errorf("%s: %s is %v, %s %v", p.Name, v.Property.Name, v.Outcome, formula, got[0])
			}
			if compared[v.Property.Kind] == nil {
				compared[v.Property.Kind] = map[verify.Outcome]int{}
			}
			compared[v.Property.Kind][v.Outcome]++
		}
	}
	for _, kind := range []ir.PropertyKind{ir.Invariant, ir.Terminal, ir.Reachable, ir.Recoverable} {
		for _, outcome := range []verify.Outcome{verify.Holds, verify.Violated} {
			if compared[kind][outcome] == 0 {
				t.Errorf("no property of kind %v that is %v was compared", kind, outcome)
			}
		}
	}
}

var mcrl2Modal = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_']*|\|\||[!*<>()\[\]]`)

// A modal evaluates a formula of the μ-calculus, token by token, in all states.
type modal struct {
	*testing.T
	states [][]edge
	tokens []string
}

func (m *modal) take() string {
	first := m.tokens[0]
	m.tokens = m.tokens[1:]
	return first
}

func (m *modal) want(token string) {
	if got := m.take(); got != token {
		m.Fatalf("mCRL2: %q, want %q", got, token)
	}
}

func (m *modal) formula() []bool {
	out := make([]bool, len(m.states))
	switch first := m.take(); first {
	case "true":
		for s := range out {
			out[s] = true
		}
		return out
	case "(":
		x := m.formula()
		m.want("||")
		for s, y := range m.formula() {
			out[s] = x[s] || y
		}
		m.want(")")
		return out
	case "<", "[":
		steps, repeated := m.actions()
		m.want(map[string]string{"<": ">", "[": "]"}[first])
		return m.next(first == "<", steps, repeated, m.formula())
	default:
		m.Fatalf("mCRL2: %q begins no formula", first)
		return nil
	}
}

// actions reads which actions are meant, and whether any number of them.
func (m *modal) actions() (steps func(string) bool, repeated bool) {
	switch first := m.take(); first {
	case "true":
		m.want("*")
		return func(string) bool { return true }, true
	case "!":
		m.want("(")
		others := map[string]bool{m.take(): true}
		for m.tokens[0] == "||" {
			m.take()
			others[m.take()] = true
		}
		m.want(")")
		return func(action string) bool { return !others[action] }, false
	default:
		return func(action string) bool { return action == first }, false
	}
}

// next says where some step, or all steps, lead to states where x is true; repeated is the fixed point of that.
func (m *modal) next(some bool, steps func(string) bool, repeated bool, x []bool) []bool {
	now := slices.Clone(x)
	for changed := true; changed; {
		changed = false
		out := slices.Clone(now)
		for s, edges := range m.states {
			v := slices.ContainsFunc(edges, func(e edge) bool { return steps(e.action) && now[e.to] == some })
			if v = v == some; repeated && some {
				v = v || x[s]
			} else if repeated {
				v = v && x[s]
			}
			changed, out[s] = changed || v != now[s], v
		}
		now = out
		if !repeated {
			break
		}
	}
	return now
}

// TestMCRL2Words keeps names apart from the words that mCRL2 reserves.
func TestMCRL2Words(t *testing.T) {
	p := spectest.Instantiate(t, "protocol words\nparam n: 2..9 = 2\ntopology directed ring of n\nchannel fifo\nevent nil\nevent Network\nevent delta\nevent won\n"+
		"var pc: 1..2\nprocess p = A\nA = draw pc; nil; B(pc)\nB(pc) = if pc = 1 then Network; stop else delta; won; stop\n", nil)
	var b strings.Builder
	if err := MCRL2(t.Context(), &b, p, Options{}); err != nil {
		t.Fatal(err)
	}
	want := count(t, p)
	if states, transitions := readMCRL2(t, b.String()).count(); states != want.States || transitions != want.Transitions {
		t.Errorf("%d states and %d transitions in mCRL2, want %d and %d\n%s", states, transitions, want.States, want.Transitions, b.String())
	}
}

// A linear is a linear process of mCRL2.
type linear struct {
	params       map[string]int
	constructors map[string]int // their numbers of arguments
	actions      map[string]int
	summands     []summand
	initial      [][]value
	most         int64 // the greatest number in the text
}

type summand struct {
	sums    []string // the sorts of the variables that follow the parameters
	before  []term   // what its condition says of the parameters, and what of the variables
	guard   []term
	action  string
	args    []term
	changes map[int]term
}

// A value is an int64, a bool, a data (of a structured sort), or a bag, a set or a list of values by their text.
type (
	value any
	data  string
	bag   map[string]int
	set   map[string]bool
	list  []string
)

// A term is an expression.
type term func(state []value) value

// text identifies a value.
func text(v value) string {
	switch v := v.(type) {
	case bag:
		var b strings.Builder
		for _, k := range slices.Sorted(maps.Keys(v)) {
			fmt.Fprintf(&b, "%s:%d,", k, v[k])
		}
		return "{" + b.String() + ":}"
	case set:
		return "{" + strings.Join(slices.Sorted(maps.Keys(v)), ",") + "}"
	case list:
		return "[" + strings.Join(v, ",") + "]"
	}
	return fmt.Sprint(v)
}

func stateText(state []value) string {
	var b strings.Builder
	for _, v := range state {
		b.WriteString(text(v))
		b.WriteByte(';')
	}
	return b.String()
}

// count explores the process. Several initial states have one before them, with a transition to each.
func (l *linear) count() (states, transitions uint64) {
	for _, out := range l.explore() {
		states++
		transitions += uint64(len(out))
	}
	return states, transitions
}

// An edge is a transition of the process.
type edge struct {
	action string
	to     int
}

// explore returns the transitions by state, the first of which is initial.
func (l *linear) explore() (all [][]edge) {
	seen := make(map[string]int)
	var queue [][]value
	first := 0
	meet := func(s []value) int {
		k := stateText(s)
		if _, met := seen[k]; !met {
			seen[k] = first + len(seen)
			queue = append(queue, s)
		}
		return seen[k]
	}
	if len(l.initial) > 1 {
		first = 1
		all = append(all, nil)
	}
	for _, s := range l.initial {
		if to := meet(s); first > 0 {
			all[0] = append(all[0], edge{"tau", to})
		}
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		var out []edge
		for i := range l.summands {
			m := &l.summands[i]
			if !hold(m.before, s) {
				continue
			}
			for s := range l.instances(s, m.sums) {
				if !hold(m.guard, s) {
					continue
				}
				for _, a := range m.args {
					a(s)
				}
				next := slices.Clone(s[:len(l.params)])
				for at, e := range m.changes {
					next[at] = e(s)
				}
				out = append(out, edge{m.action, meet(next)})
			}
		}
		all = append(all, out)
	}
	return all
}

// hold reports whether all conditions hold.
func hold(conditions []term, s []value) bool {
	return !slices.ContainsFunc(conditions, func(c term) bool { return !c(s).(bool) })
}

// instances yields a state with the values of the variables of a sum behind it. A natural number that is greater than
// all in the text has to be excluded by the condition.
func (l *linear) instances(s []value, sorts []string) iter.Seq[[]value] {
	return func(yield func([]value) bool) {
		all := [][]value{slices.Clip(s)}
		for _, sort := range sorts {
			var longer [][]value
			for _, s := range all {
				if sort == "Bool" {
					longer = append(longer, append(slices.Clip(s), false), append(slices.Clip(s), true))
					continue
				}
				for n := range l.most + 2 {
					longer = append(longer, append(slices.Clip(s), n))
				}
			}
			all = longer
		}
		for _, s := range all {
			if !yield(s) {
				return
			}
		}
	}
}

var mcrl2Token = regexp.MustCompile(`%[^\n]*|[A-Za-z_][A-Za-z0-9_']*|[0-9]+|->|==|!=|<=|>=|=>|&&|\|\||<\||[-+*#!<>=(){}\[\],:;.|]`)

var mcrl2Keywords = strings.Fields("sort cons map var eqn act proc init delta tau sum block allow hide rename comm struct Bool Pos Nat Int Real List Set Bag " +
	"FSet FBag true false whr end lambda forall exists div mod in delay yaled nil mu nu val pbes bes pred glob dist")

// A reader reads a linear process; the first thing that is not of the language ends the test.
type reader struct {
	*testing.T
	*linear
	tokens []string
	local  map[string]int // the variables of a sum, behind the parameters
}

func readMCRL2(t *testing.T, source string) *linear {
	t.Helper()
	tokens := slices.DeleteFunc(mcrl2Token.FindAllString(source, -1), func(s string) bool { return s[0] == '%' })
	l := &linear{params: make(map[string]int), constructors: make(map[string]int), actions: make(map[string]int)}
	r := &reader{T: t, linear: l, tokens: tokens}
	for _, token := range tokens {
		if n, err := strconv.ParseInt(token, 10, 64); err == nil {
			l.most = max(l.most, n)
		}
	}
	r.sorts()
	r.acts()
	r.process()
	return r.linear
}

func (r *reader) peek() string {
	if len(r.tokens) == 0 {
		return "the end"
	}
	return r.tokens[0]
}

func (r *reader) take() string {
	s := r.peek()
	if len(r.tokens) > 0 {
		r.tokens = r.tokens[1:]
	}
	return s
}

func (r *reader) accept(s string) bool {
	if r.peek() != s {
		return false
	}
	r.take()
	return true
}

func (r *reader) want(s string) {
	if got := r.take(); got != s {
		r.Fatalf("mCRL2: %q, want %q before %q", got, s, r.tokens[:min(8, len(r.tokens))])
	}
}

func (r *reader) name() string {
	s := r.take()
	if slices.Contains(mcrl2Keywords, s) || !regexp.MustCompile(`^[A-Za-z_]`).MatchString(s) {
		r.Fatalf("mCRL2: %q is no name", s)
	}
	return s
}

func declare(r *reader, in map[string]int, name string, v int) {
	if _, twice := in[name]; twice {
		r.Fatalf("mCRL2: %s is declared twice", name)
	}
	in[name] = v
}

func (r *reader) sortName() {
	switch s := r.take(); s {
	case "Int", "Bool", "Point", "Message":
	case "FBag", "FSet", "List":
		r.want("(")
		r.sortName()
		r.want(")")
	default:
		r.Fatalf("mCRL2: %q is no sort", s)
	}
}

func (r *reader) sorts() {
	r.want("sort")
	for r.peek() != "act" {
		r.name()
		r.want("=")
		r.want("struct")
		for ok := true; ok; ok = r.accept("|") {
			name, args := r.name(), 0
			if r.accept("(") {
				for ok := true; ok; ok = r.accept(",") {
					r.sortName()
					args++
				}
				r.want(")")
			}
			declare(r, r.constructors, name, args)
		}
		r.want(";")
	}
}

func (r *reader) acts() {
	r.want("act")
	for r.peek() != "proc" {
		names, args := []string{r.name()}, 0
		for r.accept(",") {
			names = append(names, r.name())
		}
		if r.accept(":") {
			for ok := true; ok; ok = r.accept("#") {
				r.sortName()
				args++
			}
		}
		r.want(";")
		for _, name := range names {
			declare(r, r.actions, name, args)
		}
	}
}

func (r *reader) process() {
	r.want("proc")
	network := r.name()
	if _, ok := r.actions[network]; ok {
		r.Fatalf("mCRL2: %s is an action and a process", network)
	}
	r.want("(")
	for ok := true; ok; ok = r.accept(",") {
		declare(r, r.params, r.name(), len(r.params))
		r.want(":")
		r.sortName()
	}
	r.want(")")
	r.want("=")
	for ok := r.peek() != "delta"; ok; ok = r.accept("+") {
		r.summand(network)
	}
	r.accept("delta")
	r.want(";")
	r.want("init")
	for ok := true; ok; ok = r.accept("+") {
		if r.accept("tau") {
			r.want(".")
		}
		r.want(network)
		var state []value
		for _, e := range r.args() {
			state = append(state, e(nil))
		}
		r.initial = append(r.initial, state)
	}
	r.want(";")
}

func (r *reader) summand(network string) {
	var s summand
	r.local = make(map[string]int)
	if r.accept("sum") {
		for ok := true; ok; ok = r.accept(",") {
			declare(r, r.local, r.name(), len(r.params)+len(s.sums))
			r.want(":")
			sort := r.take()
			if sort != "Nat" && sort != "Bool" {
				r.Fatalf("mCRL2: a sum over %q", sort)
			}
			s.sums = append(s.sums, sort)
		}
		r.want(".")
	}
	r.want("(")
	for ok := true; ok; ok = r.accept("&&") {
		left := r.tokens
		condition := r.expression(3)
		if slices.ContainsFunc(left[:len(left)-len(r.tokens)], func(token string) bool { _, ok := r.local[token]; return ok }) {
			s.guard = append(s.guard, condition)
		} else {
			s.before = append(s.before, condition)
		}
	}
	r.want(")")
	r.want("->")
	s.action = r.name()
	if r.peek() == "(" {
		s.args = r.args()
	}
	if n, ok := r.actions[s.action]; !ok || n != len(s.args) {
		r.Fatalf("mCRL2: action %s with %d arguments", s.action, len(s.args))
	}
	r.want(".")
	r.want(network)
	r.want("(")
	s.changes = make(map[int]term)
	for ok := r.peek() != ")"; ok; ok = r.accept(",") {
		name := r.name()
		at, declared := r.params[name]
		if _, twice := s.changes[at]; twice || !declared {
			r.Fatalf("mCRL2: %s is assigned to twice, or no parameter", name)
		}
		r.want("=")
		s.changes[at] = r.expression(0)
	}
	r.want(")")
	r.summands = append(r.summands, s)
}

func (r *reader) args() []term {
	var list []term
	r.want("(")
	for ok := true; ok; ok = r.accept(",") {
		list = append(list, r.expression(0))
	}
	r.want(")")
	return list
}

// mcrl2Levels are the infix operators, those that bind least first (Appendix of the language reference).
var mcrl2Levels = [][]string{{"=>"}, {"||"}, {"&&"}, {"==", "!="}, {"<", "<=", ">=", ">", "in"}, {"<|"}, {"+", "-"}, {"div", "mod"}, {"*"}}

func (r *reader) expression(level int) term {
	if level == len(mcrl2Levels) {
		return r.prefix()
	}
	x := r.expression(level + 1)
	for slices.Contains(mcrl2Levels[level], r.peek()) {
		op, left := r.take(), x
		if op == "=>" {
			right := r.expression(level)
			return func(s []value) value { return !left(s).(bool) || right(s).(bool) }
		}
		right := r.expression(level + 1)
		x = func(s []value) value { return r.apply(op, left, right, s) }
	}
	return x
}

func (r *reader) apply(op string, left, right term, s []value) value {
	x := left(s)
	switch op {
	case "&&":
		return x.(bool) && right(s).(bool)
	case "||":
		return x.(bool) || right(s).(bool)
	}
	y := right(s)
	switch op {
	case "==":
		return text(x) == text(y)
	case "!=":
		return text(x) != text(y)
	case "<|":
		return append(slices.Clone(x.(list)), text(y))
	case "in":
		switch y := y.(type) {
		case bag:
			return y[text(x)] > 0
		case set:
			return y[text(x)]
		}
	}
	switch x := x.(type) {
	case bag:
		sum, sign := maps.Clone(x), 1
		if op == "-" {
			sign = -1
		}
		for k, n := range y.(bag) {
			if sum[k] += sign * n; sum[k] <= 0 {
				delete(sum, k)
			}
		}
		return sum
	case set:
		sum := maps.Clone(x)
		for k := range y.(set) {
			if op == "-" {
				delete(sum, k)
			} else {
				sum[k] = true
			}
		}
		return sum
	case int64:
		return arithmetic(r.T, op, x, y.(int64))
	}
	r.Fatalf("mCRL2: %v %s %v", x, op, y)
	return nil
}

func arithmetic(t *testing.T, op string, x, y int64) value {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "<":
		return x < y
	case "<=":
		return x <= y
	case "div":
		return (x - ((x%y)+y)%y) / y
	case "mod":
		return ((x % y) + y) % y
	}
	t.Fatalf("mCRL2: %d %s %d", x, op, y)
	return nil
}

func (r *reader) prefix() term {
	switch {
	case r.accept("!"):
		x := r.prefix()
		return func(s []value) value { return !x(s).(bool) }
	case r.accept("-"):
		x := r.prefix()
		return func(s []value) value { return -x(s).(int64) }
	case r.accept("#"):
		x := r.prefix()
		return func(s []value) value { return size(x(s)) }
	case r.accept("("):
		x := r.expression(0)
		r.want(")")
		return x
	case r.accept("["):
		var elements []func([]value) value
		for r.peek() != "]" {
			elements = append(elements, r.expression(0))
			if r.peek() != "]" {
				r.want(",")
			}
		}
		r.want("]")
		return func(s []value) value {
			all := list{}
			for _, e := range elements {
				all = append(all, text(e(s)))
			}
			return all
		}
	case r.accept("{"):
		return r.collection()
	}
	name := r.take()
	if n, err := strconv.ParseInt(name, 10, 64); err == nil {
		return func([]value) value { return n }
	}
	if name == "true" || name == "false" {
		return func([]value) value { return name == "true" }
	}
	if r.peek() == "(" {
		return r.call(name, r.args())
	}
	if at, ok := r.local[name]; ok {
		return func(s []value) value { return s[at] }
	}
	if at, ok := r.params[name]; ok {
		return func(s []value) value { return s[at] }
	}
	if args, ok := r.constructors[name]; !ok || args > 0 {
		r.Fatalf("mCRL2: %q is not known, or lacks arguments", name)
	}
	return func([]value) value { return data(name) }
}

func size(v value) (n int64) {
	switch v := v.(type) {
	case set:
		return int64(len(v))
	case list:
		return int64(len(v))
	case bag:
		for _, k := range v {
			n += int64(k)
		}
	}
	return n
}

// collection reads the rest of a bag or a set.
func (r *reader) collection() term {
	if r.accept(":") {
		r.want("}")
		return func([]value) value { return bag{} }
	}
	var elements, counts []term
	for ok := r.peek() != "}"; ok; ok = r.accept(",") {
		elements = append(elements, r.expression(0))
		if r.accept(":") {
			counts = append(counts, r.expression(0))
		}
	}
	r.want("}")
	return func(s []value) value {
		if len(counts) > 0 {
			return bag{text(elements[0](s)): int(counts[0](s).(int64))}
		}
		all := set{}
		for _, e := range elements {
			all[text(e(s))] = true
		}
		return all
	}
}

func (r *reader) call(name string, args []term) term {
	if n, ok := r.constructors[name]; ok && n == len(args) {
		return func(s []value) value {
			var parts []string
			for _, a := range args {
				parts = append(parts, text(a(s)))
			}
			return data(name + "(" + strings.Join(parts, ",") + ")")
		}
	}
	number := func(i int, s []value) int64 { return args[i](s).(int64) }
	switch name {
	case "if":
		return func(s []value) value {
			if args[0](s).(bool) {
				return args[1](s)
			}
			return args[2](s)
		}
	case "head":
		return func(s []value) value { return data(args[0](s).(list)[0]) }
	case "count":
		return func(s []value) value { return int64(args[1](s).(bag)[text(args[0](s))]) }
	case "tail":
		return func(s []value) value { return args[0](s).(list)[1:] }
	case "min":
		return func(s []value) value { return min(number(0, s), number(1, s)) }
	case "max":
		return func(s []value) value { return max(number(0, s), number(1, s)) }
	case "abs":
		return func(s []value) value { return max(number(0, s), -number(0, s)) }
	case "exp":
		return func(s []value) value {
			v := int64(1)
			for range number(1, s) {
				v *= number(0, s)
			}
			return v
		}
	case "Nat2Int", "Int2Nat", "Int2Pos":
		return args[0]
	}
	r.Fatalf("mCRL2: %s of %d arguments is not known", name, len(args))
	return nil
}
