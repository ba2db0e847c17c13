package check_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ringcheck/model/language/check"
	"ringcheck/model/language/syntax"
)

// clauses are the clauses that every spec needs.
const clauses = `protocol test
param n: 1..5 = 2
option o: bool = true
topology undirected ring of n
channel fifo
var x, y: 0..2
var f: bool
var c: red | green
var e: set of 0..2
var a: array 0..1 of 0..2
var u: nat
var d: dir
message M(v: 0..2, w: bool)
message Ping
event done
event out(v: 0..2)
`

// start is a process declaration; the test defines A.
const start = "process p = A\n"

// marked returns the position of the mark ^ in a text, and the text without it.
func marked(t *testing.T, text string) (syntax.Pos, string) {
	t.Helper()
	before, after, found := strings.Cut(text, "^")
	if !found {
		t.Fatalf("no mark in %q", text)
	}
	line := strings.Count(before, "\n") + 1
	column := len([]rune(before[strings.LastIndex(before, "\n")+1:])) + 1
	return syntax.Pos{File: "test.ring", Line: line, Column: column}, before + after
}

// parse returns the syntax tree of a text without syntax errors.
func parse(tb testing.TB, src string) *syntax.File {
	tb.Helper()
	f, err := syntax.Parse("test.ring", []byte(src))
	if err != nil {
		tb.Fatalf("%v\n%s", err, src)
	}
	return f
}

// A complaint is a spec with a mark at its mistake, and the expected message.
type complaint struct{ src, want string }

func (c complaint) check(t *testing.T, prefix string, run func(*syntax.File) error) {
	t.Helper()
	pos, src := marked(t, prefix+c.src)
	err := run(parse(t, src))
	var list syntax.ErrorList
	if !errors.As(err, &list) {
		t.Errorf("%s\ngot  %v\nwant %s", c.src, err, c.want)
		return
	}
	first := list[0]
	got := first.Message
	if first.Hint != "" {
		got += " (" + first.Hint + ")"
	}
	if got != c.want || first.Pos != pos {
		t.Errorf("%s\ngot  %s: %s\nwant %s: %s", c.src, first.Pos, got, pos, c.want)
	}
}

func checkFile(f *syntax.File) error {
	_, err := check.File(f)
	return err
}

func TestDeclarationErrors(t *testing.T) {
	for _, c := range []complaint{
		{"^protocol p\nprocess p = A\nA = stop",
			`the topology is missing (for example: topology undirected ring of n)`},
		{"^protocol p\ntopology directed ring of 2\nA = stop",
			`the process declaration is missing (for example: process p = Start)`},
		{"protocol p\nparam n: 1..2\n^param n: 1..3", `n is already declared, as a parameter on line 2`},
		{"protocol p\nparam x: 1..2\nvar y, ^x: bool", `x is already declared, as a parameter on line 2`},
		{"protocol p\nconst c = ^d + 1\nconst d = 1", `d is declared only after its use`},
		{"protocol p\nconst c = ^c + 1", `c is declared only after its use`},
		{"protocol p\ntype T = ^U\ntype U = bool", `U is declared only after its use`},
		{"protocol p\nvar x: ^Colour\ntype Color = red | green", `unknown type Colour (did you mean "Color"?)`},
		{"protocol p\nparam n: 1..3\nvar x: ^n", `n is a parameter, not a type`},
		{"protocol p\ntype T = bool\nconst c = ^T", `T is a type, not a value`},
		{"protocol p\nconst c = ^zero", `unknown name zero (known: left, right)`},
		{"protocol p\nparam size: 1..3\nconst c = ^sise", `unknown name sise (did you mean "size"?)`},
		{"protocol p\nvar x: bool\nvar y: bool if ^x",
			`x is a variable; only parameters, options and constants have a value here`},
		{"protocol p\nvar x: 0..^true", `upper end of a range: expected an integer, found a boolean`},
		{"protocol p\nvar x: red | green | ^red", `red is listed twice`},
		{"protocol p\nparam red: 1..2\nvar x: ^red | green", `red is already the name of a parameter`},
		{"protocol p\nvar x: set of ^nat", `a set cannot have such elements`},
		{"protocol p\nvar x: set of ^set of bool", `a set cannot have such elements`},
		{"protocol p\nvar x: array 0..1 of ^array 0..1 of bool", `an array cannot have such elements`},
		{"protocol p\nvar x: array ^bool of bool", `the indices of an array are integers in a range, or node`},
		{"protocol p\nvar x: array ^nat of bool", `the indices of an array are integers in a range, or node`},
		{"protocol p\noption o: red | green = ^blue", `blue is not one of red | green`},
		{"protocol p\noption o: red | green = ^gren", `gren is not one of red | green (did you mean "green"?)`},
		{"protocol p\nvar x: ^integer", `unknown type integer (write a range, such as 0..9, or nat)`},
		{"protocol p\nvar x: ^boolean", `unknown type boolean (write bool)`},
		{"protocol p\nprocess a = A\nprocess b[p in 1..1] = A\nA = stop\nvar x: bool\ninvariant i = ^x",
			`x is a variable of each process: write a.x for that of process a`},
		{"protocol p\noption o: bool = ^1", `default of o: expected a boolean, found an integer`},
		{"protocol p\ntype S = set of bool\noption o: ^S = true", `an option is bool, an enumeration or a range`},
		{"protocol p\nparam n: 1..3 = ^false", `default of n: expected an integer, found a boolean`},
		{"protocol p\nmessage M(x: bool, ^x: bool)", `x is already declared, as a field on line 2`},
		{"protocol p\nmessage M(x: bool if ^3)", `condition: expected a boolean, found an integer`},
		{"protocol p\nmessage M\n^message M", `M is already declared, as a message on line 2`},
		{"protocol p\nevent M\n^event M", `M is already declared, as an event on line 2`},
		{"protocol p\nA = stop\n^A = stop", `A is already declared, as an equation on line 2`},
		{"protocol p\nassign u: ^nat", `cannot assign all values of an integer`},
		{"protocol p\ntopology directed ring of ^true", `number of processes: expected an integer, found a boolean`},
		{"protocol p\ninvariant i = true\n^invariant i = true", `i is already declared, as a property on line 2`},
		{"protocol p\nA = stop\nprocess a = A\n^process a = A",
			`a is already declared, as a kind of process on line 3`},
		{"protocol p\nvar a: bool\n^process a[p in 0..1] = A\nA = stop",
			`a is already declared, as a variable on line 2`},
		{"protocol p\nprocess a[p in 0..0] = A\nprocess b[^q in 1..1] = A\nA = stop",
			`the number of a process must have the same name everywhere: it is p above`},
		{"protocol p\nprocess a = A\nprocess b = A\nA = stop\nconst c = ^a",
			`a is a kind of process, which is not known here`},
		{"protocol p\ntopology line of ^a\nprocess a = A\nprocess b = A\nA = stop",
			`a is a kind of process, which is not known here`},
		{"protocol p\nprocess a = B(^p)\nprocess b[p in 1..1] = A\nA = stop\nvar x: 0..1\nB(x) = stop",
			`unknown name p (known: a, self)`},
		{"protocol p\ntopology directed ring of 2\nregister r: 0..9 = ^self\nprocess i = A\nA = stop",
			`unknown name self (outside of equations the number of a process is called i)`},
		{"protocol p\nA = stop\ninvariant none = 0 in ^A", `unknown name A (it is an equation: a property says p at A)`},
		{"protocol p\nprocess a[p in 0..^b] = A\nprocess b = A\nA = stop",
			`b is a kind of process, which is not known here`},
		{"protocol p\nconst c = 1 ^/ 2",
			`a quotient can stand only in a probability, or as a whole reward; integer division is div`},
	} {
		c.check(t, "", func(f *syntax.File) error { return checkOnly(checkFile(f), "is missing", c.want) })
	}
}

// checkOnly ignores errors that contain a text, unless the test expects them.
func checkOnly(err error, out, want string) error {
	var list, rest syntax.ErrorList
	if strings.Contains(want, out) || !errors.As(err, &list) {
		return err
	}
	for _, e := range list {
		if !strings.Contains(e.Message, out) {
			rest = append(rest, e)
		}
	}
	return rest.Err()
}

func TestTermErrors(t *testing.T) {
	for _, c := range []complaint{
		// Calls.
		{`A = recv left Ping; ^don; stop`, `unknown event don (did you mean "done"?)`},
		{`A = recv left Ping; ^dne`, `unknown equation dne (did you mean "done"?)`},
		{`A = recv left Ping; ^halt`, `unknown equation halt (known: A, done, out, stop)`},
		{`A = recv left ^Pnig; A`, `unknown message Pnig (did you mean "Ping"?)`},
		{"A = ^B", `unknown equation B (known: A, done, out, stop)`},
		{"A = skip; ^Waitng\nWaiting = stop", `unknown equation Waitng (did you mean "Waiting"?)`},
		{"A = skip; ^done", `unknown equation done (an event that ends a sequence is written done; stop)`},
		{"A = ^A; stop", `unknown event A (it is an equation; nothing can follow a call)`},
		{"A = ^dome; stop", `unknown event dome (did you mean "done"?)`},
		{"A = skip; ^B(1)\nB(x, y) = skip; B(x, y)", `B takes 2 arguments (x, y), found 1`},
		{"A = skip; ^B(1)\nB = stop", `B takes 0 arguments, found 1`},
		{"A = skip; B(^true)\nB(x) = skip; B(x)", `argument x of B: expected an integer, found a boolean`},
		{"A = skip; B(^blue)\nB(c) = skip; B(c)", `blue is not one of red | green`},
		{"A = skip; B(^red)\nB(x) = skip; B(x)", `argument x of B: expected an integer, found one of red | green`},
		{"A = stop\nB(x, ^x) = stop", `a second parameter x`},
		{"A = stop\nB(^z) = stop", `no variable z is declared (known: a, c, d, e, f, u, x, y)`},
		{"A = stop\nB(^n) = stop", `n is a parameter, not a variable`},
		// Bindings.
		{"A = out(^x); stop", `x has no value here: neither a parameter of the equation nor bound before`},
		{"A = (recv left M(x, _); stop | out(^x); stop)",
			`x has no value here: neither a parameter of the equation nor bound before`},
		{"A = if o then recv left M(x, _); stop else out(^x); stop",
			`x has no value here: neither a parameter of the equation nor bound before`},
		{"A = skip; B(1)\nB(x) = skip; C\nC = out(^x); stop",
			`x has no value here: neither a parameter of the equation nor bound before`},
		{"A = out(^p); stop", `p is known only in the process declaration`},
		{"A = recv left M(x, f) where ^y = x; stop",
			`y has no value here: neither a parameter of the equation nor bound before`},
		{"A = recv left M(^x + 1, _); stop",
			`x has no value here: neither a parameter of the equation nor bound before`},
		{"A = recv d M(_, _); send ^q Ping; stop", `q is not a direction`},
		{"A = let x = ^x; skip; stop", `x has no value here: neither a parameter of the equation nor bound before`},
		// Actions.
		{"A = send right ^N; stop", `unknown message N (known: M, Ping)`},
		{"A = send right ^M(1); stop", `M takes 2 arguments (v, w), found 1`},
		{"A = send right M(1, ^2); stop", `argument w of M: expected a boolean, found an integer`},
		{"A = send (^1) Ping; stop", `target of send: expected a direction, found an integer`},
		{"A = send ^rihgt Ping; stop", `rihgt is not a direction (did you mean "right"?)`},
		{"A = recv left ^M(x); stop", `M takes 2 arguments (v, w), found 1`},
		{"A = recv left M(^f, _); stop", `field v of M: expected an integer, found f, which is a boolean`},
		{"A = recv left M(^true, _); stop", `field v of M: expected an integer, found a boolean`},
		{"A = recv left M(_, _) where ^1; stop", `condition: expected a boolean, found an integer`},
		{"A = recv ^x Ping; stop", `source of recv: expected a direction, found x, which is an integer`},
		{"A = ^out; stop", `out takes 1 argument (v), found 0`},
		{"A = out(^true); stop", `argument v of out: expected an integer, found a boolean`},
		{"A = recv left M(x, _) then ^y := x; stop", `y is not a register, shared variable, ghost or timer (let y = … binds a variable)`},
		{"A = recv left M(x, _) then ^z := x; stop", `no variable z is declared (known: a, c, d, e, f, u, x, y)`},
		{"A = let ^self = 1; skip; stop", `self is the number of the process and cannot be bound`},
		{"A = recv left M(x, ^self); stop", `field w of M: expected a boolean, found an integer`},
		{"A = let a = {i in ^o: 1}; skip; stop",
			`domain: expected a type, a range, a set or a channel, found a boolean`},
		{"A = let a = {i in 0..2: ^true}; skip; stop", `element of an array: expected an integer, found a boolean`},
		{"A = let x = ^{i in 0..2: 1}; skip; stop", `the context does not say what array this is`},
		{"A = when ^1: skip; stop", `condition: expected a boolean, found an integer`},
		{"A = if ^1 then stop else stop", `condition: expected a boolean, found an integer`},
		// Draws.
		{"A = draw ^z; skip; stop", `no variable z is declared (known: a, c, d, e, f, u, x, y)`},
		{"A = draw ^u; skip; stop", `u has infinitely many values: draw u in a range`},
		{"A = draw ^x with 1/2; skip; stop", `only a boolean is drawn with a probability, x is an integer`},
		{"A = draw f with ^true; skip; stop", `probability: expected an integer, found a boolean`},
		{"A = draw f in ^0..1; skip; stop", `f is a boolean, the range holds integers`},
		{"A = draw ^x in subsets({0, 1}, 1); skip; stop", `x is an integer, subsets are sets`},
		{"A = draw x; ^crash; stop", `unknown event crash (known: done, out)`},
		{"A = skip; stop\n^crash = stop", `crash is an action and cannot name an equation (choose another name)`},
		{"A = draw x in ^n; skip; stop", `values of x: expected a set of integers, found an integer`},
		{"A = draw x in {1: 1/2, ^true: 1/2}; skip; stop", `value of x: expected an integer, found a boolean`},
		{"A = ^choose f with 1/2; skip; stop", `choose leaves the choice to the scheduler; probabilities need draw`},
		{"A = let x = 1; draw f with ^x; skip; stop",
			`x is a variable; only parameters, options and constants have a value here`},
		{"A = draw x; ^recv left Ping; stop",
			`a draw must be followed by a send, an event, an assignment, crash or skip, not by a receive`},
		{"A = draw x; ^stop", `a draw must be followed by a send, an event, an assignment, crash or skip, not by stop`},
		{"A = draw x; (^skip; stop | done; stop)",
			`a draw must be followed by a send, an event, an assignment, crash or skip, not by a choice`},
		{"A = draw x; ^when o: skip; stop",
			`a draw must be followed by a send, an event, an assignment, crash or skip, not by when`},
		{"A = draw x; ^choose y; skip; stop",
			`a draw must be followed by a send, an event, an assignment, crash or skip, not by choose`},
		{"A = draw x; draw f; if f then skip; stop else let y = 1; ^stop",
			`a draw must be followed by a send, an event, an assignment, crash or skip, not by stop`},
		{"A = draw x; ^B\nB = C\nC = if o then skip; stop else recv left Ping; stop",
			`a draw must be followed by a send, an event, an assignment, crash or skip, not by B, which begins with C, ` +
				`which begins with a receive`},
		{"A = skip; draw x; ^A2\nA2 = stop",
			`a draw must be followed by a send, an event, an assignment, crash or skip, not by A2, which begins with stop`},
		// Recursion.
		{"A = ^A", `A calls itself without an action in between: A, A`},
		{"A = skip; B\nB = C\nC = draw x; if x = 0 then skip; C else ^B",
			`B calls itself without an action in between: B, C, B`},
		{"A = (skip; A | when o: ^A)", `A calls itself without an action in between: A, A`},
	} {
		c.check(t, clauses+start, checkFile)
	}
}

func TestContentsErrors(t *testing.T) {
	for _, c := range []complaint{
		{"initially ^Pong in inbox(0, left)", `unknown message Pong (did you mean "Ping"?)`},
		{"initially Ping in inbox(0, ^1)", `source: expected a direction, found an integer`},
		{"initially M(1, ^2) in inbox(0, left)", `argument w of M: expected a boolean, found an integer`},
		{"initially ^M(1) in inbox(0, left)", `M takes 2 arguments (v, w), found 1`},
		{"initially Ping in inbox(^q, left)", `unknown name q (known: n)`},
		{"initially Ping in inbox(^uid[0], left)",
			`uid can be read only in the process declaration, before any choice, draw, action or let of a register (pass it to an equation)`},
		{"initially Ping in inbox(0, left) for p in node where p ^at A", `at can stand only in properties`},
		{"initially ^Ping", `unknown name Ping (it is a message: initially Ping in inbox(p, d) puts one into a channel)`},
		{"initially ^1", `condition: expected a boolean, found an integer`},
		{"ghost g: bool = false\ndefine full(p) = p.g\ninitially ^exists p in node: full(p)",
			`it reads the ghost g, which cannot decide what an initial state is`},
	} {
		c.check(t, clauses+start+"assign uid: 0..2\nA = stop\n", checkFile)
	}
	complaint{"^initially M in inbox(0, left)",
		`initially: the protocol has no channels (declare channel unordered or channel fifo)`}.check(t,
		"protocol p\ntopology directed ring of 2\nmessage M\nprocess p = stop\n", checkFile)
}

func TestProcessErrors(t *testing.T) {
	for _, c := range []complaint{
		{"process p = skip; A(^uid[p])",
			`uid can be read only in the process declaration, before any choice, draw, action or let of a register (pass it to an equation)`},
		{"process p = when ^uid[p] = 0: skip; stop",
			`uid can be read only in the process declaration, before any choice, draw, action or let of a register (pass it to an equation)`},
		{"process p = A(^uid)", `uid is assigned to processes: write uid[p] for that of process p`},
		{"process p = A(uid[^true])", `process: expected an integer, found a boolean`},
		{"process p = A(0)\nB = out(^uid[0]); stop",
			`uid can be read only in the process declaration, before any choice, draw, action or let of a register (pass it to an equation)`},
		{"process p = A(0)\ninvariant i = uid[0] ^= true", `the operands of = differ: an integer and a boolean`},
	} {
		c.check(t, clauses+"assign uid: 0..2\nA(x) = out(x); stop\n", checkFile)
	}
}

func TestTopologyErrors(t *testing.T) {
	for _, c := range []struct {
		topology string
		complaint
	}{
		{"star of 3", complaint{"A = stop\ninvariant i = ^ports(1) = {}",
			`ports is for networks in which processes have no numbers (neighbours(p) is the set of the numbers of the neighbours)`}},
		{"anonymous star of 3", complaint{"A = send ^left Ping; stop",
			`target of send, in this network a port: expected an integer, found a direction`}},
		{"anonymous grid of 3 by 3", complaint{"A = send ^1 Ping; stop",
			`target of send: expected a direction, found an integer`}},
		{"anonymous grid of 3 by 3", complaint{"A = recv ^north Ping; stop", `north is not a direction`}},
		{"undirected ring of 3", complaint{"A = send ^up Ping; stop", `up is not a direction`}},
		{"directed ring of 2", complaint{"A = send ^left Ping; stop",
			`on a directed ring messages are sent to the right only`}},
		{"directed ring of 2", complaint{"A = recv ^right Ping; stop",
			`on a directed ring messages are received from the left only`}},
		{"complete graph of 2", complaint{"A = send ^right Ping; stop",
			`target of send, in this network the number of a process: expected an integer, found a direction`}},
		{"complete graph of 2", complaint{"A = send ^receiver2 Ping; stop\nvar receiver: 0..1", `unknown name receiver2 (known: self)`}},
		{"complete graph of 2", complaint{"A = choose receiver; send ^receiver2 Ping; stop\nvar receiver: 0..1",
			`unknown name receiver2 (did you mean "receiver"?)`}},
		{"complete graph of 2", complaint{"A = choose receiver; send ^receiver2 Ping; stop\nvar receiver: bool",
			`unknown name receiver2 (known: self)`}},
		{"complete graph of 2", complaint{"A = stop\ninvariant i = ^neighbour(0, left) = 0",
			`neighbour is for networks in which processes have no numbers`}},
	} {
		c.check(t, "protocol test\nmessage Ping\nchannel fifo\nprocess p = A\ntopology "+c.topology+"\n", checkFile)
	}
	for _, c := range []complaint{
		{"A = ^send right Ping; stop",
			`send: the protocol has no channels (declare channel unordered or channel fifo)`},
		{"A = ^recv left Ping; stop", `recv: the protocol has no channels (declare channel unordered or channel fifo)`},
		{"A = stop\ninvariant i = forall m in ^inbox(0, left): m is Ping", `the protocol has no channels`},
	} {
		c.check(t, "protocol test\nmessage Ping\nprocess p = A\ntopology directed ring of 2\n", checkFile)
	}
}

func TestExprErrors(t *testing.T) {
	for _, c := range []complaint{
		{"1 ^= true", `the operands of = differ: an integer and a boolean`},
		{"^1 and true", `left operand of and: expected a boolean, found an integer`},
		{"true or ^1", `right operand of or: expected a boolean, found an integer`},
		{"not ^1", `operand of not: expected a boolean, found an integer`},
		{"-^true = 1", `operand of -: expected an integer, found a boolean`},
		{"x + ^true = 1", `right operand of +: expected an integer, found a boolean`},
		{"^c < red", `left operand of <: expected an integer, found one of red | green`},
		{"c = ^blu", `blu is not one of red | green`},
		{"^red = d", `red is not a direction`},
		{"x ^in 3", `right operand of in: expected a set of integers, found an integer`},
		{"e = {^true}", `element of a set: expected an integer, found a boolean`},
		{"{1, ^true} = e", `element of a set: expected an integer, found a boolean`},
		{"({1} ^union 2) = e", `the operands of union differ: a set of integers and an integer`},
		{"(1 ^minus 2) = 3", `the operands of minus: expected sets, found an integer`},
		{"red ^in e", `right operand of in: expected a set of red | green, found a set of integers`},
		{"(^{e} = {e})", `sets of sets of integers are not possible`},
		{"x^[1] = 1", `only arrays have an index, this is an integer`},
		{"(x ^with [0] = 1) = 1", `only arrays have an index, this is an integer`},
		{"^{} = {}", `the context does not say what this is a set of`},
		{"^all(1) = all(2)", `the context does not say what array this is`},
		{"a = all(^true)", `element of an array: expected an integer, found a boolean`},
		{"a[^true] = 1", `index: expected an integer, found a boolean`},
		{"(a with [0] = ^f) = a", `element of an array: expected an integer, found a boolean`},
		{"(if ^x then 1 else 2) = 1", `condition: expected a boolean, found an integer`},
		{"(^if f then 1 else true) = 1", `the branches of if differ: an integer and a boolean`},
		{"^min(1) = 1", `min takes integers or a set of them, found an integer`},
		{"max(1, ^f) = 1", `argument of max: expected an integer, found a boolean`},
		{"^abs(1, 2) = 1", `abs takes 1 argument, found 2`},
		{"opposite(^x) = left", `argument of opposite: expected a direction, found an integer`},
		{"size(^x) = 1", `argument of size: expected a set or a channel, found an integer`},
		{"^mxa(1, 2) = 1", `unknown function mxa (did you mean "max"?)`},
		{"^x(1) = 1", `x is a variable, not a function`},
		{"^inbox(0, left) = inbox(0, left)", `inbox can stand only in properties`},
		{"^x.y = 1", `neighbour whose register is read: expected a direction, found an integer`},
		{"left.^y = 1", `no register y`},
		{"x ^is Ping", `is can stand only in properties`},
	} {
		rest := "; skip; A(x, f, c, e, a, d)"
		c.src = "A(x, f, c, e, a, d) = let f = " + c.src + rest
		c.check(t, clauses+"process p = A(0, true, red, {}, all(0), left)\n", checkFile)
	}
}

func TestPropertyErrors(t *testing.T) {
	for _, c := range []complaint{
		{"invariant i = ^1", `property: expected a boolean, found an integer`},
		{"invariant i = ^x = 1", `x is a variable of each process: write p.x for that of process p`},
		{"invariant i = exists p in node: ^p", `body of exists: expected a boolean, found an integer`},
		{"invariant i = exists p in node: p.^z = 1", `no variable z (known: a, c, d, e, f, u, x, y)`},
		{"invariant i = exists p in node: p ^= true", `the operands of = differ: an integer and a boolean`},
		{"invariant i = exists p in node: p at ^B", `unknown equation B (known: A)`},
		{"invariant i = ^{0} at A", `process: expected an integer, found a set of integers ` +
			`(say of which: exists p in …: p …, or forall p in …: p …)`},
		{"invariant i = exists p in node, ^p in node: true", `p is already the name of a bound name`},
		{"invariant i = exists ^n in node: true", `n is already the name of a parameter`},
		{"invariant i = exists q in ^nodes: true", `unknown type nodes`},
		{"invariant i = exists q in ^int: true", `unknown type int (write a range, such as 0..9, or nat)`},
		{"invariant i = ^p at A", `p is known only in the process declaration ` +
			`(say of which process: forall p in node: …, or exists p in node: …)`},
		{"invariant i = exists q in ^x: true", `x is a variable of each process: write p.x for that of process p`},
		{"invariant i = exists q in node, r in ^q: true",
			`domain: expected a type, a range, a set or a channel, found an integer`},
		{"type T = set of bool\ninvariant i = exists q in ^T: true",
			`cannot range over all values of a set of booleans`},
		{"type T = nat\ninvariant i = exists q in ^T: true", `cannot range over all values of an integer`},
		{"invariant i = exists m in inbox(0, left): m.v > ^true",
			`right operand of >: expected an integer, found a boolean`},
		{"message N(v: bool)\ninvariant i = exists m in inbox(0, left): m.^v = 1",
			`the field v has several types: an integer and a boolean`},
		{"message N(v: bool)\ninvariant i = exists m in inbox(0, left): m is N and m.v ^= 1",
			`the operands of = differ: a boolean and an integer`},
		{"message N(v: bool)\ninvariant i = exists m in inbox(0, left): m is N or m.^v = 1",
			`the field v has several types: an integer and a boolean`},
		{"invariant i = inbox(0, left) ^= inbox(0, left)", `channels cannot be compared`},
		{"invariant i = exists m in inbox(0, left): m.^z = 1", `no message has a field z (known: v, w)`},
		{"invariant i = exists m in inbox(0, left): m is ^Pin", `unknown message Pin (did you mean "Ping"?)`},
		{"invariant i = exists m in inbox(0, left): m ^= m", `messages cannot be compared`},
		{"define h(q) = ^g(q)\ndefine g(q) = true", `g is declared only after its use`},
		{"define g(q) = ^g(q)\ninvariant i = g(1)", `g is declared only after its use`},
		{"define g(q) = true\ninvariant i = ^g", `g takes 1 argument (q), found 0`},
		{"define g(q) = true\ninvariant i = ^g(1, 2)", `g takes 1 argument (q), found 2`},
		{"define g(q: bool) = q\ninvariant i = g(^1)", `argument q of g: expected a boolean, found an integer`},
		{"define g(^n) = true", `n is already the name of a parameter`},
		{"invariant i = true if ^x = 1", `x is a variable; only parameters, options and constants have a value here`},
		{"invariant i = (sum q in node: ^true) = 1", `body of sum: expected an integer, found a boolean`},
	} {
		c.check(t, clauses+start+"A = stop\n", checkFile)
	}
}

// TestManyNames checks a type with so many names that comparing each with all others would take minutes.
func TestManyNames(t *testing.T) {
	var names strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&names, "v%d | ", i)
	}
	complaint{"protocol p\ntopology directed ring of 2\nprocess p = A\nA = stop\nvar x: " + names.String() + "^v0",
		`v0 is listed twice`}.check(t, "", checkFile)
}
