package ir

import (
	"cmp"
	"errors"
	"iter"
	"math"
	"math/big"
	"sort"
	"strings"

	"ringcheck/model/language/syntax"
)

// Unless noted otherwise, these expressions occur only in properties and are evaluated with Env.State. A Process is of
// type Node.
//
// ProcessVar and MessageField are undefined if the variable is not live at the process or the message has no such
// field. So is then every enclosing expression, up to the nearest Holds, which is false. Package check puts a Holds
// around every atom (a comparison, membership test or boolean field that is an operand of not, and, or, => or a
// quantifier, a condition, or the whole property), so that a comparison with an undefined operand is false and its
// negation true.
type (
	// Quantifier ranges Var over Lo..Hi, or over the messages of the channel Over.
	Quantifier struct {
		Op     Quant
		Var    *Var
		Lo, Hi Expr
		Over   Expr // nil, or of type ChannelRef
		Body   Expr
		T      *Type
		Pos    syntax.Pos
	}
	// At holds if the control point of the process is in the text of Equation.
	At struct {
		Process  Expr
		Equation *Equation
		Pos      syntax.Pos
	}
	// BoundFor holds if the process is at Equation, or its decisions lead there without an action, see Protocol.Settle.
	BoundFor struct {
		Protocol *Protocol
		Process  Expr
		Equation *Equation
		Pos      syntax.Pos
	}
	// ProcessVar is the value of Var at a process. It also occurs in processes, which can read the registers of others.
	ProcessVar struct {
		Process Expr
		Var     *Var
		Pos     syntax.Pos
		// Required says that it is an error if the process is of a kind that does not have the variable. Otherwise the
		// value is undefined.
		Required bool
	}
	// MessageIs holds if Of, of type MessageRef, is a message of kind Message.
	MessageIs struct {
		Of      Expr
		Message *Message
		Pos     syntax.Pos
	}
	// MessageField is the field Fields[m.ID] of Of, of type MessageRef, where m is its kind of message; Fields is -1
	// for a kind without the field. The field's type is within T for every kind that has it.
	MessageField struct {
		Of     Expr
		Fields []int
		T      *Type
	}
	// Inbox is the channel from which the process receives with the source Source, -1 for no channel.
	Inbox struct {
		Protocol        *Protocol
		Process, Source Expr
	}
	// Neighbour is the neighbour of Process that it names by Side, a direction or a port; undefined without such a
	// neighbour.
	Neighbour struct {
		Protocol      *Protocol
		Process, Side Expr
	}
	// Peer is the process at the other end of the channel that process Env.Self addresses by Port. It occurs only in
	// processes.
	Peer struct {
		Protocol *Protocol
		Port     Expr
		Pos      syntax.Pos
	}
	// Neighbours is the set of the processes that Process is connected to or, with Ports, of the ports by which it
	// names them. It also occurs in processes.
	Neighbours struct {
		Protocol *Protocol
		Process  Expr
		Ports    bool
		T        *Type
	}
	// Length is the number of messages in Channel.
	Length struct{ Channel Expr }
	// Holds is the boolean X, or false where X is undefined.
	Holds struct {
		X   Expr
		Pos syntax.Pos
	}
)

// Quant is the operation of a Quantifier on the values of its body.
type Quant int

// The quantifiers.
const (
	ForAll Quant = iota
	Exists
	Sum   // of a boolean: how often it is true
	Unite // of sets
)

// errUndefined is the error of an expression that is undefined in a state. The nearest enclosing Holds handles it.
var errUndefined = errors.New("undefined in this state")

// MaxDomain is the greatest number of values of a quantifier or a loop; with more a single step would take too long.
const MaxDomain = 1 << 20

func (e *Quantifier) Type() *Type   { return e.T }
func (e *At) Type() *Type           { return BoolType() }
func (e *BoundFor) Type() *Type     { return BoolType() }
func (e *ProcessVar) Type() *Type   { return e.Var.Type }
func (e *MessageIs) Type() *Type    { return BoolType() }
func (e *MessageField) Type() *Type { return e.T }
func (e *Inbox) Type() *Type {
	return &Type{Kind: ChannelRef, Lo: -1, Hi: int64(e.Protocol.NumberOfLinks()) - 1}
}
func (e *Neighbour) Type() *Type  { return NodeType(e.Protocol.N) }
func (e *Neighbours) Type() *Type { return e.T }
func (e *Peer) Type() *Type       { return NodeType(e.Protocol.N) }
func (e *Length) Type() *Type     { return NatType() }
func (e *Holds) Type() *Type      { return BoolType() }

// Eval evaluates the body for the values of the domain in ascending order, until the result is certain. A value that
// decides a ForAll or Exists does so even if the evaluation for others fails, so the order does not matter.
func (e *Quantifier) Eval(env *Env) (int64, error) {
	lo, hi, err := e.Domain(env)
	if err != nil {
		return 0, err
	}
	if e.T != nil && e.T.Wide {
		return e.unite(env, lo, hi)
	}
	result := truth(e.Op == ForAll)
	var failed error
	for i := range hi - lo + 1 {
		env.tick(1)
		env.Vars[e.Var.ID] = lo + i
		b, err := e.Body.Eval(env)
		switch {
		case err != nil && (e.Op == Unite || e.Op == Sum):
			return 0, err
		case err != nil:
			failed = cmp.Or(failed, err)
		case e.Op == Unite:
			result |= b
		case e.Op == Sum:
			if result, err = exact(e.Pos)(add(result, b)); err != nil {
				return 0, err
			}
		case b != result:
			return b, nil
		}
	}
	return result, failed
}

// Ordered reports whether the order of the terms of a sum can decide whether it overflows: not if all have the same
// sign, or are small.
func (e *Quantifier) Ordered() bool {
	const large = math.MaxInt64 / MaxDomain
	t := e.Body.Type()
	return e.Op == Sum && t.Lo < 0 && t.Hi > 0 && (t.Lo < -large || t.Hi > large)
}

// Domain returns the least and the greatest value of Var; it has no value if lo > hi. For a channel they are references
// to its messages.
func (e *Quantifier) Domain(env *Env) (lo, hi int64, err error) {
	if e.Over == nil {
		if lo, hi, err = evalBoth(e.Lo, e.Hi, env); err != nil {
			return 0, 0, err
		}
		if size, ok := sub(hi, lo); !ok || size >= MaxDomain {
			return 0, 0, errorAt(e.Pos, "%d..%d has too many values to quantify over", lo, hi)
		}
		return lo, hi, nil
	}
	link, err := e.Over.Eval(env)
	if err != nil || link < 0 {
		return 0, -1, err
	}
	first := messageRef(int(link), 0)
	return first, first + int64(len(env.State.Channel(int(link)))) - 1, nil
}

// messageRef returns the value of type MessageRef for message i of a channel.
func messageRef(link, i int) int64 { return int64(link)<<32 | int64(i) }

// MessageAt returns the message that ref, a value of type MessageRef, refers to.
func MessageAt(state View, ref int64) Content {
	return state.Channel(int(ref >> 32))[ref&(1<<32-1)]
}

func (e *At) Eval(env *Env) (int64, error) {
	p, err := e.Process.Eval(env)
	if err != nil {
		return 0, err
	}
	return truth(env.State.Seen(int(p)).Point.Equation == e.Equation), nil
}

func (e *BoundFor) Eval(env *Env) (int64, error) {
	p, err := e.Process.Eval(env)
	if err != nil {
		return 0, err
	}
	l := env.State.Seen(int(p))
	return truth(l.Point.Equation == e.Equation || e.Protocol.Settle(l, env.Sets).Point.Equation == e.Equation), nil
}

func (e *ProcessVar) Eval(env *Env) (int64, error) {
	p, err := e.Process.Eval(env)
	if err != nil {
		return 0, err
	}
	if env.State == nil { // the caller does not know the states of other processes
		return 0, errUndefined
	}
	v, live := env.State.Seen(int(p)).Var(e.Var)
	switch {
	case !live && e.Required:
		return 0, errorAt(e.Pos, "process %d has no %s, which only %s has", p, e.Var.Name, e.Var.Of.Name)
	case !live:
		return 0, errUndefined
	}
	return v, nil
}

func (e *MessageIs) Eval(env *Env) (int64, error) {
	ref, err := e.Of.Eval(env)
	if err != nil {
		return 0, err
	}
	return truth(MessageAt(env.State, ref).Message == e.Message), nil
}

func (e *MessageField) Eval(env *Env) (int64, error) {
	ref, err := e.Of.Eval(env)
	if err != nil {
		return 0, err
	}
	m := MessageAt(env.State, ref)
	i := e.Fields[m.Message.ID]
	if i < 0 {
		return 0, errUndefined
	}
	return m.Args[i], nil
}

func (e *Inbox) Eval(env *Env) (int64, error) {
	p, source, err := evalBoth(e.Process, e.Source, env)
	if err != nil {
		return 0, err
	}
	return int64(e.Protocol.InLink(int(p), source)), nil
}

func (e *Neighbour) Eval(env *Env) (int64, error) {
	p, side, err := evalBoth(e.Process, e.Side, env)
	if err != nil {
		return 0, err
	}
	if e.Protocol.Topology.Ring {
		n := int64(e.Protocol.N)
		return (p + n - 1 + 2*side) % n, nil
	}
	if q, ok := e.Protocol.Peer(int(p), side); ok {
		return int64(q), nil
	}
	return 0, errUndefined
}

func (e *Neighbours) Eval(env *Env) (int64, error) {
	elements, err := e.elements(env, math.MinInt64)
	if err != nil {
		return 0, err
	}
	var list []int32
	for v := range elements {
		list = append(list, int32(v))
	}
	set, _ := env.makeSet(e.T, list)
	return set, nil
}

// elements returns the elements of the set that are at least from, in ascending order.
func (e *Neighbours) elements(env *Env, from int64) (iter.Seq[int64], error) {
	p, err := e.Process.Eval(env)
	if err != nil {
		return nil, err
	}
	if e.Ports {
		return atLeast(e.Protocol.Ports(int(p)), from), nil
	}
	return atLeast(e.Protocol.Neighbours(int(p)), from), nil
}

// atLeast returns the elements of an ascending list that are at least from.
func atLeast[T int | int32 | int64](list []T, from int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for _, v := range list[sort.Search(len(list), func(i int) bool { return int64(list[i]) >= from }):] {
			if !yield(int64(v)) {
				return
			}
		}
	}
}

func (e *Peer) Eval(env *Env) (int64, error) {
	port, err := e.Port.Eval(env)
	if err != nil {
		return 0, err
	}
	if p, ok := e.Protocol.Peer(env.Self, port); ok {
		return int64(p), nil
	}
	return 0, errorAt(e.Pos, "process %d has no neighbour %s", env.Self, e.Protocol.FormatPort(port))
}

func (e *Length) Eval(env *Env) (int64, error) {
	link, err := e.Channel.Eval(env)
	if err != nil || link < 0 {
		return 0, err
	}
	return int64(len(env.State.Channel(int(link)))), nil
}

func (e *Holds) Eval(env *Env) (int64, error) {
	v, err := e.X.Eval(env)
	if errors.Is(err, errUndefined) {
		return 0, nil
	}
	return v, err
}

// A Role says how pictures show a process: by the first role whose Body holds for it.
type Role struct {
	Name   string
	Word   string // what pictures call it; the name if the spec gives no other word
	Colour string // a word of syntax.ColourClause; may be empty
	Var    *Var   // of type Node: the process in Body
	Body   Expr   // as of a Property
}

// A Reward assigns a reward, or a cost, to the steps of a run.
type Reward struct {
	Name, Doc string
	Per       RewardKind
	Message   *Message // of PerSend: nil for every message
	Event     *Event   // of PerEvent
	// Fields are the fields that Value reads: Fields[i] is field i of the Message or Event, nil if it is not read.
	Fields []*Var
	Value  Expr  // an integer
	Over   int64 // the divisor of Value; 0 means 1
	Pos    syntax.Pos
}

// Amount returns the reward for a value of Value.
func (r *Reward) Amount(value int64) *big.Rat { return big.NewRat(value, max(1, r.Over)) }

// RewardKind says which steps have a reward.
type RewardKind int

// The kinds of reward.
const (
	PerStep RewardKind = iota
	PerSend
	PerEvent
	PerTick
)

// MostSteps is the greatest allowed value of Bound.Within.
const MostSteps = 1_000_000

// A Bound is a claim about a probability or an expected reward.
type Bound struct {
	Name, Doc string
	Reward    *Reward // the bounded quantity is this reward until Goal; nil: the probability to reach Goal
	Within    int64   // of a probability: the maximum of Unit until Goal, -1 for any
	Unit      *Reward // nil: steps
	Goal      *Formula
	Relation  Relation
	Value     *big.Rat
	// Uniform says that each enabled choice of the system is taken with equal probability; otherwise the claim is about
	// every scheduler.
	Uniform  bool
	Pos      syntax.Pos
	Warnings []Warning
}

// Relation is the comparison of a quantity with its bound.
type Relation int

// The relations.
const (
	Less Relation = iota
	AtMost
	AtLeast
	Greater
)

func (r Relation) String() string {
	switch r {
	case Less:
		return "<"
	case AtMost:
		return "<="
	case AtLeast:
		return ">="
	case Greater:
		return ">"
	}
	return "unknown relation"
}

// A Temporal is a property of runs: Formula holds on every run from an initial state that is fair as required. A run
// that reaches a terminal state stays there for ever.
type Temporal struct {
	Formula *Formula
	Fair    []FairClause
	Chance  Chance
}

// Chance is the required probability of the formula of a Temporal under every fair scheduler.
type Chance int

// The chances.
const (
	AllRuns Chance = iota // every fair run satisfies it
	ProbabilityOne
	PositiveProbability
)

func (c Chance) String() string {
	switch c {
	case AllRuns:
		return ""
	case ProbabilityOne:
		return "with probability one"
	case PositiveProbability:
		return "with positive probability"
	}
	return "unknown chance"
}

// String returns the assumptions: "fair and strongly fair of Deliver, with probability one"; "" for none.
func (t *Temporal) String() string {
	var parts []string
	for i := range t.Fair {
		parts = append(parts, t.Fair[i].String())
	}
	s := strings.Join(parts, " and ")
	if t.Chance == AllRuns {
		return s
	}
	return strings.TrimPrefix(s+", "+t.Chance.String(), ", ")
}

// A FairClause restricts the runs to fair ones. Weak fairness: an action that stays enabled is taken infinitely often.
// Strong fairness: an action that is enabled infinitely often is taken infinitely often. Without Names, all steps of a
// process are one action. With Names, each process has an action for each name: its steps in that equation, or that
// event; sending and receiving a message are two actions.
type FairClause struct {
	Strongly  bool
	Names     []string
	Equations []*Equation
	Events    []*Event
	Messages  []*Message
}

func (f *FairClause) String() string {
	s := "fair"
	if f.Strongly {
		s = "strongly fair"
	}
	if len(f.Names) > 0 {
		s += " of " + strings.Join(f.Names, ", ")
	}
	return s
}
