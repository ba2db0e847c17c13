package ir

import (
	"fmt"
	"maps"
	"slices"

	"ringcheck/model/language/syntax"
)

// A Feature is a part of the language that some engines do not support.
type Feature int8

// The features.
const (
	FaultFeature     Feature = iota // faults of the environment
	CrashFeature                    // crashes by an action of a process
	TimeFeature                     // delays and timers
	CapacityFeature                 // channels with a capacity
	SyncFeature                     // synchronous channels
	RegisterFeature                 // registers
	ReadFeature                     // reads of registers of other processes
	SharedFeature                   // shared variables
	GhostFeature                    // ghosts
	OwnerFeature                    // variables that one kind of process has
	AnonymousFeature                // neighbours named by port
)

// String returns the name of the feature, in the plural.
func (f Feature) String() string { return supports[f].name }

// Features returns the features in order.
func Features() []Feature { return slices.Sorted(maps.Keys(supports)) }

// SupportedBy reports whether an engine supports the feature.
func (f Feature) SupportedBy(e Engine) bool { return supports[f].by[e] }

// An Engine is a user of protocols that does not support all features. All others do.
type Engine int8

// The engines.
const (
	InProofs     Engine = iota // of invariants for every number of processes
	InLogs                     // of programs, which are checked against a protocol
	InReductions               // by confluence
	InPromela
	InMCRL2
)

// engineNames complete the sentence "… are not supported".
var engineNames = map[Engine]string{
	InProofs: "in proofs", InLogs: "in checks of logs", InReductions: "by reductions", InPromela: "in Promela",
	InMCRL2: "in mCRL2",
}

// String completes the sentence "… are not supported".
func (e Engine) String() string { return engineNames[e] }

// Engines returns the engines in order.
func Engines() []Engine { return slices.Sorted(maps.Keys(engineNames)) }

// A support is a feature with the engines that support it.
type support struct {
	name string // plural
	// find returns the name of the first use of the feature in a protocol, "" without a use, and the position of the
	// use, the zero Pos if it is unknown.
	find func(p *Protocol) (what string, at syntax.Pos)
	by   map[Engine]bool
}

type by = map[Engine]bool

const yes, no = true, false

// supports is the table of features, by which engines refuse protocols; see Protocol.Refusal.
var supports = map[Feature]support{
	FaultFeature: {"faults of the environment", findFaults,
		by{InProofs: no, InLogs: yes, InReductions: no, InPromela: no, InMCRL2: no}},
	CrashFeature: {"crashes by an action", findCrash,
		by{InProofs: no, InLogs: yes, InReductions: yes, InPromela: no, InMCRL2: no}},
	TimeFeature: {"delays and timers", findTime,
		by{InProofs: no, InLogs: yes, InReductions: no, InPromela: no, InMCRL2: no}},
	CapacityFeature: {"channels with a capacity", findCapacity,
		by{InProofs: no, InLogs: yes, InReductions: no, InPromela: yes, InMCRL2: no}},
	SyncFeature: {"synchronous channels", findSync,
		by{InProofs: no, InLogs: no, InReductions: no, InPromela: yes, InMCRL2: no}},
	RegisterFeature: {"registers", findVar(func(v *Var) bool { return v.Kind == Register }),
		by{InProofs: yes, InLogs: yes, InReductions: yes, InPromela: yes, InMCRL2: yes}},
	ReadFeature: {"reads of registers of others", findRead,
		by{InProofs: yes, InLogs: yes, InReductions: no, InPromela: yes, InMCRL2: yes}},
	SharedFeature: {"shared variables", findShared,
		by{InProofs: no, InLogs: yes, InReductions: no, InPromela: yes, InMCRL2: no}},
	GhostFeature: {"ghosts", findVar(func(v *Var) bool { return v.Kind == Ghost }),
		by{InProofs: yes, InLogs: yes, InReductions: yes, InPromela: no, InMCRL2: no}},
	OwnerFeature: {"variables of one kind of process", findVar(func(v *Var) bool { return v.Of != nil }),
		by{InProofs: no, InLogs: yes, InReductions: yes, InPromela: yes, InMCRL2: yes}},
	AnonymousFeature: {"anonymous networks", findAnonymous,
		by{InProofs: yes, InLogs: yes, InReductions: yes, InPromela: no, InMCRL2: no}},
}

// An UnsupportedError says that a protocol uses a feature that an engine does not support.
type UnsupportedError struct {
	Feature Feature
	Engine  Engine
	Pos     syntax.Pos // the zero Pos if it is not known
	What    string     // plural
}

// Message returns the error without its position.
func (e *UnsupportedError) Message() string {
	return fmt.Sprintf("%s are not supported %v", e.What, e.Engine)
}

// Error returns file:line:column: message.
func (e *UnsupportedError) Error() string {
	if e.Pos == (syntax.Pos{}) {
		return e.Message()
	}
	return e.Pos.String() + ": " + e.Message()
}

// Refusal returns an *UnsupportedError for the first feature that p has and an engine does not support, nil if
// there is none.
func (p *Protocol) Refusal(e Engine) *UnsupportedError {
	for _, f := range Features() {
		if s := supports[f]; !s.by[e] {
			if what, at := s.find(p); what != "" {
				return &UnsupportedError{Feature: f, Engine: e, Pos: at, What: what}
			}
		}
	}
	return nil
}

func findFaults(p *Protocol) (string, syntax.Pos) { return p.Faults.String(), p.Faults.Pos }

func findCrash(p *Protocol) (string, syntax.Pos) {
	for _, t := range p.Terms() {
		if prefix, ok := t.(*Prefix); ok {
			if c, ok := prefix.Action.(*Crash); ok {
				return "crashes", c.Pos
			}
		}
	}
	return "", syntax.Pos{}
}

func findTime(p *Protocol) (string, syntax.Pos) {
	if !p.Time.Ticks {
		return "", syntax.Pos{}
	}
	return "delays and timers", p.Time.Pos
}

func findCapacity(p *Protocol) (string, syntax.Pos) {
	if p.Capacity.Most == 0 {
		return "", syntax.Pos{}
	}
	return "channels with a capacity", p.Capacity.Pos
}

func findSync(p *Protocol) (string, syntax.Pos) {
	if !p.Channel.Sync {
		return "", syntax.Pos{}
	}
	return "synchronous channels", p.ChannelPos
}

// findVar returns a function that finds the first lasting variable with a property.
func findVar(selected func(*Var) bool) func(*Protocol) (string, syntax.Pos) {
	return func(p *Protocol) (string, syntax.Pos) {
		i := slices.IndexFunc(p.Vars, func(v *Var) bool { return v.Lasting() && selected(v) })
		if i < 0 {
			return "", syntax.Pos{}
		}
		what := [...]string{
			Ordinary: "variables", Register: "registers", Ghost: "ghosts", Timer: "timers", Shared: "shared variables",
		}[p.Vars[i].Kind]
		if p.Vars[i].Of != nil {
			what += " of one kind of process"
		}
		return what, p.Vars[i].Pos
	}
}

// findRead finds the first expression that reads a register of another process.
func findRead(p *Protocol) (what string, at syntax.Pos) {
	for _, t := range p.Terms() {
		for _, e := range ExprsOf(t) {
			Walk(e, func(e Expr) bool {
				if v, ok := e.(*ProcessVar); ok && what == "" {
					what, at = "reads of registers of others", v.Pos
				}
				return true
			})
		}
	}
	return what, at
}

func findShared(p *Protocol) (string, syntax.Pos) {
	if len(p.Shared) == 0 {
		return "", syntax.Pos{}
	}
	return "shared variables, such as " + p.Shared[0].Name + ",", p.Shared[0].Pos
}

func findAnonymous(p *Protocol) (string, syntax.Pos) {
	if p.Numbered() || p.Topology.Linear() {
		return "", syntax.Pos{}
	}
	return "anonymous networks", syntax.Pos{}
}
