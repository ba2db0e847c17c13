package ir

import (
	"iter"
	"strings"

	"ringcheck/model/language/syntax"
)

// A FaultKind is a kind of fault of the environment: an index of the table of faults.
type FaultKind int

// FaultKinds is the number of kinds.
const FaultKinds = FaultKind(len(faults))

// CrashFault is the crash of a process. It has an entry because it has a limit and names like the others. Its effect is
// not in the table but in step.Machine.Crash: it depends on which processes can crash, and a recovery undoes it. All
// other faults befall a message in a channel.
const CrashFault FaultKind = 0

// LossFault is the loss of a message. Pictures also show with it that a tick takes a message away.
const LossFault FaultKind = 1

// A FaultInfo describes a kind of fault. A loss is a fault that makes nothing of a message, a duplication makes two.
type FaultInfo struct {
	Keyword    string // in the declaration of the channel: "lossy"; empty for crashes
	Noun       string // "loss"
	Plural     string // "losses", the name of their number
	Verb       string // "lose", in labels and logs
	Participle string // "lost": the message is lost
	Sign       string // in pictures
	Path       string // of the sign, in the path language of SVG; empty for crashes
	// Early says that a Timed schedule of a simulation decides about the fault when a message is sent, so that what
	// the fault adds has its own delay, and not when the message is about to be received.
	Early bool
	// Changes says that the effect is one other message. Then equal messages side by side in a sequence are different
	// targets.
	Changes bool
	// Effect yields what can take the place of a message in a channel: no message, several copies of it, or one other
	// message. The number of possibilities depends only on the kind of the message. Nil for crashes.
	Effect func(c Content) iter.Seq[[]Content]
}

// faults has the kinds of faults. The parser, the semantics, the engines, the pictures and conform read it.
var faults = [...]FaultInfo{
	CrashFault: {Noun: "crash", Plural: "crashes", Verb: "crash", Participle: "crashed", Sign: "✕"},
	LossFault: {Keyword: "lossy", Noun: "loss", Plural: "losses", Verb: "lose", Participle: "lost", Sign: "✕",
		Path: cross, Effect: lose},
	{Keyword: "duplicating", Noun: "duplicate", Plural: "duplicates", Verb: "duplicate",
		Participle: "duplicated", Sign: "+", Path: "M-6 0H6M0 -6V6", Early: true, Effect: duplicate},
	{Keyword: "corrupting", Noun: "corruption", Plural: "corruptions", Verb: "corrupt",
		Participle: "corrupted", Sign: "≠", Path: "M-6 -2H6M-6 2H6M3 -6L-3 6", Changes: true, Effect: corrupt},
}

// cross is the path of ✕.
const cross = "M-5 -5L5 5M5 -5L-5 5"

func lose(Content) iter.Seq[[]Content] {
	return func(yield func([]Content) bool) { yield(nil) }
}

func duplicate(c Content) iter.Seq[[]Content] {
	return func(yield func([]Content) bool) { yield([]Content{c, c}) }
}

// corrupt yields all other messages of the kind.
func corrupt(c Content) iter.Seq[[]Content] {
	return func(yield func([]Content) bool) {
		for other := range c.Message.Contents(nil) {
			if other.Age = c.Age; other.Compare(c) != 0 && !yield([]Content{other}) {
				return
			}
		}
	}
}

// Info returns the entry of a kind.
func (k FaultKind) Info() *FaultInfo { return &faults[k] }

// MostEffects is the number of effects that a fault can have on a message at most.
const MostEffects = 1 << 16

// Count returns the number of effects that a fault can have on a message of a kind, MostEffects + 1 if there are more.
func (k FaultKind) Count(m *Message) (n uint32) {
	c := Content{Message: m}
	for _, f := range m.Fields {
		c.Args = append(c.Args, f.Type.Zero())
	}
	for range k.Info().Effect(c) {
		if n++; n > MostEffects {
			break
		}
	}
	return n
}

// String returns the name of the number of faults of a kind.
func (k FaultKind) String() string { return k.Info().Plural }

// FaultOf returns the kind of fault that a word of the declaration of the channel permits.
func FaultOf(keyword string) (k FaultKind, ok bool) {
	for k := range FaultKinds {
		if k != CrashFault && faults[k].Keyword == keyword {
			return k, true
		}
	}
	return 0, false
}

// Faults are the faults that the environment can cause.
type Faults struct {
	Most    [FaultKinds]int64 // of each kind in a run: 0 for none, or Unlimited
	Mortal  []bool            // by process: whether it can crash
	Crashed *Equation         // the equation of a crashed process; nil if no process can crash, not even by itself
	Recover *Call             // what a crashed process continues as when it recovers; nil if it never does
	Number  *Var              // holds the number of the process in Recover; may be nil
	Pos     syntax.Pos        // of the first fault in the text; the zero Pos without faults
}

// Unlimited is a number of faults without a limit.
const Unlimited = -1

// Any reports whether the environment has transitions other than ticks.
func (f *Faults) Any() bool { return f.Most != [FaultKinds]int64{} || f.Recover != nil }

// String names the faults that can happen: "losses and crashes".
func (f *Faults) String() string {
	var names []string
	for k, most := range f.Most {
		if most != 0 {
			names = append(names, FaultKind(k).String())
		}
	}
	if f.Recover != nil {
		names = append(names, "recoveries")
	}
	return strings.Join(names, " and ")
}

// InChannels returns the kinds of faults that can befall a message.
func (f *Faults) InChannels() (kinds []FaultKind) {
	for k := range FaultKinds {
		if k != CrashFault && f.Most[k] != 0 {
			kinds = append(kinds, k)
		}
	}
	return kinds
}
