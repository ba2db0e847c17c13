package conform

// The mistakes of a Coordinator and a Participant.
const (
	CommitsEarly Bug = "commits when the first participant has voted yes"
	IgnoresNo    Bug = "takes every vote for a yes"
	TellsOne     Bug = "tells only the first participant of its decision"
	VotesLate    Bug = "reports that it aborts before it votes no"
	Disobeys     Bug = "commits when it is told to abort"
)

// A Coordinator asks participants whether they can commit, and tells them to if all can: two-phase commit (J. Gray,
// 1978). It is process 0, and the participants have the numbers from 1 on.
type Coordinator struct {
	quiet
	Network      *Network
	Participants int
	Bug          Bug

	decided bool
	yes     int
}

// Begin asks everybody.
func (c *Coordinator) Begin() { c.tell("Ask") }

func (c *Coordinator) tell(what string) {
	for p := 1; p <= c.Participants; p++ {
		if what == "Ask" || p == 1 || c.Bug != TellsOne {
			c.Network.Send(0, p, what)
		}
	}
}

// Receive counts a vote and decides if it can.
func (c *Coordinator) Receive(vote Message) {
	if c.decided {
		return
	}
	if vote.Args[0] == false && c.Bug != IgnoresNo {
		c.decided = true
		c.tell("Abort")
		return
	}
	if c.yes++; c.yes == c.Participants || c.Bug == CommitsEarly {
		c.decided = true
		c.tell("Commit")
	}
}

// A Participant votes, and obeys the coordinator's decision.
type Participant struct {
	quiet
	Network *Network
	Number  int
	Can     bool // whether it can commit
	Bug     Bug

	asked, aborted bool
}

// Accepts reports whether it is time for a message: a decision may overtake the question.
func (p *Participant) Accepts(m Message) bool { return p.asked != (m.Name == "Ask") }

// Receive votes, or commits, or aborts.
func (p *Participant) Receive(m Message) {
	p.asked = true
	switch {
	case m.Name == "Ask" && p.Can:
		p.Network.Send(p.Number, 0, "Vote", true)
	case m.Name == "Ask":
		if p.Bug == VotesLate {
			p.Network.Event(p.Number, "aborted")
		}
		p.Network.Send(p.Number, 0, "Vote", false)
		if p.Bug != VotesLate {
			p.Network.Event(p.Number, "aborted")
		}
		p.aborted = true
	case p.aborted:
	case m.Name == "Commit", p.Bug == Disobeys:
		p.Network.Event(p.Number, "committed")
	default:
		p.Network.Event(p.Number, "aborted")
	}
}
