package spectest

import (
	"fmt"
	"iter"
	"strings"

	"ringcheck/model/language/channel"
	"ringcheck/model/language/ir"
)

// A FaultyChannel is a small spec with one discipline of channels and one fault of messages, which happens at most
// twice. Equal messages are next to each other and apart, so that it matters which of them a fault befalls.
type FaultyChannel struct {
	Discipline, Fault string // the keywords; without a fault, Fault is empty
	Kind              ir.FaultKind
	Text              string
}

// faultyChannel is the text of a FaultyChannel, given the discipline and the fault. Process 0 sends two messages, and
// process 1 reports which messages it receives.
const faultyChannel = `protocol channels
topology line of 2
channel %s
message M(v: 1..2)
event got(v: 1..2)
var v: 1..2
initially M(2), M(1), M(1) in inbox(1, left)
process p = if p = 0 then Send else Take
Send = send right M(1); send right M(2); stop
Take = recv left M(v); got(v); Take
`

// FaultyChannels yields a spec for each discipline with each fault and without.
func FaultyChannels() iter.Seq[FaultyChannel] {
	return func(yield func(FaultyChannel) bool) {
		for _, discipline := range channel.Buffers() {
			if !yield(FaultyChannel{discipline, "", 0, fmt.Sprintf(faultyChannel, discipline)}) {
				return
			}
			for word, kind := range faultKinds() {
				text := fmt.Sprintf(faultyChannel, discipline+", "+word+" at most 2")
				if !yield(FaultyChannel{discipline, word, kind, text}) {
					return
				}
			}
		}
	}
}

// Delayed returns the text with a delay of messages of up to two ticks.
func (c FaultyChannel) Delayed() string {
	before, after, _ := strings.Cut(c.Text, "\nmessage")
	return before + ", delay 0..2\nmessage" + after
}

// String names the spec.
func (c FaultyChannel) String() string { return strings.TrimSpace(c.Discipline + " " + c.Fault) }
