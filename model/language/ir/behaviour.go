package ir

import (
	"math/big"
	"strings"

	"ringcheck/model/language/syntax"
)

// A Role is a part that processes play, for pictures: a process plays the first role whose Body holds for it.
type Role struct {
	Name   string
	Word   string // for people; the name if the spec gives none
	Colour string // one of syntax.Colours; may be empty
	Var    *Var   // of type Node: the process in Body
	Body   Expr   // as of a Property
}

// A Reward is what steps of a run earn or cost.
type Reward struct {
	Name, Doc string
	Per       RewardKind
	Message   *Message // of PerSend: nil for every message
	Event     *Event   // of PerEvent
	// Fields are what Value reads: Fields[i] is field i of the Message or Event, nil if it is not read.
	Fields []*Var
	Value  Expr  // an integer
	Over   int64 // what Value is divided by; 0 for 1
	Pos    syntax.Pos
}

// Earned returns the reward that a value of Value stands for.
func (r *Reward) Earned(value int64) *big.Rat { return big.NewRat(value, max(1, r.Over)) }

// RewardKind says which steps have a reward.
type RewardKind int

// The kinds of reward.
const (
	PerStep RewardKind = iota
	PerSend
	PerEvent
	PerTick
)

// A Bound is a claim about a probability or an expected reward.
type Bound struct {
	Name, Doc string
	Reward    *Reward // what is earned until Goal; nil: the probability to reach Goal
	Within    int64   // the number of steps, -1 for any
	Goal      *Formula
	Relation  Relation
	Value     *big.Rat
	// Uniform says that each enabled choice of the system is taken with equal probability; else the claim is
	// about every scheduler.
	Uniform bool
	Pos     syntax.Pos
}

// Relation is how a quantity is to compare with its bound.
type Relation int

// The relations.
const (
	Less Relation = iota
	AtMost
	AtLeast
	Greater
)

func (r Relation) String() string { return [...]string{"<", "<=", ">=", ">"}[r] }

// A Temporal is a property of runs: Formula holds on every run from an initial state that is fair as required. In a
// terminal state a run stays for ever.
type Temporal struct {
	Formula *Formula
	Fair    []FairClause
	Chance  Chance
}

// Chance is how likely it has to be that the formula of a Temporal is true, whatever a scheduler does that is fair.
type Chance int

// The chances.
const (
	AllRuns Chance = iota // it is true of every run
	ProbabilityOne
	PositiveProbability
)

func (c Chance) String() string {
	return [...]string{"", "with probability one", "with positive probability"}[c]
}

// String says what is assumed: "fair and strongly fair of Deliver, with probability one"; "" if nothing is.
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

// A FairClause restricts the runs to fair ones. Weakly fair: an action that stays enabled is taken again and again;
// with Strongly: one that is enabled again and again is. Without Names each process is one action; with them each
// name is, for each process: its steps within an equation, an event, sending a message, receiving one.
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

// A Formula is one of linear temporal logic. X and Y are its operands, nil where the operator has none.
type Formula struct {
	Op      Operator
	X, Y    *Formula
	State   Expr   // of StateAtom: a body as of a Property
	Event   *Event // of EventAtom
	Process Expr   // of EventAtom: whose it is, nil if any process's; its value is that of the first state
	Pos     syntax.Pos
}

// An Operator is what a Formula is made by.
type Operator int

// The operators.
const (
	StateAtom    Operator = iota // State holds in the first state
	EventAtom                    // the first step is Event, of Process
	TerminalAtom                 // the first state has no transitions
	Negation
	Conjunction
	Disjunction
	Implication
	Next
	Always
	Eventually
	Until    // Y happens, and X holds until then
	Unless   // X holds until Y happens, or for ever
	Releases // Y holds until X and Y hold, or for ever
)

// Substitute returns f with an expression in place of a variable.
func (f *Formula) Substitute(v *Var, by Expr) *Formula {
	if f == nil {
		return nil
	}
	g := *f
	g.X, g.Y = f.X.Substitute(v, by), f.Y.Substitute(v, by)
	if f.State != nil {
		g.State = Substitute(f.State, v, by)
	}
	if f.Process != nil {
		g.Process = Substitute(f.Process, v, by)
	}
	return &g
}

// Propositional reports whether f has no temporal operator, so that a state and the next step decide it.
func (f *Formula) Propositional() bool {
	return f == nil || f.Op < Next && f.X.Propositional() && f.Y.Propositional()
}
