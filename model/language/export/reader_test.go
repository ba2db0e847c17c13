package export

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var mcrl2Token = regexp.MustCompile(`%[^\n]*|[A-Za-z_][A-Za-z0-9_']*|[0-9]+|->|==|!=|<=|>=|=>|&&|\|\||\|>|<\||[-+*#!<>=(){}\[\],:;.|]`)

var mcrl2Keywords = strings.Fields("sort cons map var eqn act proc init delta tau sum block allow hide rename comm " +
	"struct Bool Pos Nat Int Real List Set Bag " +
	"FSet FBag true false whr end lambda forall exists div mod in delay yaled nil mu nu val pbes bes pred glob dist")

// A reader reads a linear process; a syntax error ends the test.
type reader struct {
	*testing.T
	*linear
	tokens []string
	local  map[string]int // the variables of a sum, numbered after the parameters
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
		if slices.ContainsFunc(left[:len(left)-len(r.tokens)],
			func(token string) bool { _, ok := r.local[token]; return ok }) {
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

// mcrl2Levels are the infix operators, those that bind loosest first (appendix of the language reference).
var mcrl2Levels = [][]string{{"=>"}, {"||"}, {"&&"}, {"==", "!="}, {"<", "<=", ">=", ">", "in"}, {"|>"}, {"<|"},
	{"+", "-"}, {"div", "mod"}, {"*"}}

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
	case "|>":
		return append(list{text(x)}, y.(list)...)
	case "in":
		switch y := y.(type) {
		case bag:
			return y[text(x)] > 0
		case set:
			return y[text(x)]
		case list:
			return slices.Contains(y, text(x))
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
		r.Fatalf("mCRL2: %q is not known, or lacks arguments, before %q", name, r.tokens[:min(20, len(r.tokens))])
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
