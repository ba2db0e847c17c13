package conform

// The mistakes of a Server.
const (
	VotesAgain   Bug = "votes for several candidates of a term"
	ForgetsVote  Bug = "does not know for whom it voted after a crash"
	CountsOld    Bug = "counts votes of earlier terms"
	NeedsHalf    Bug = "takes half of the votes for a majority"
	KeepsTerm    Bug = "does not move to a later term when it grants a vote"
	IgnoresLater Bug = "goes on leading when it hears of a leader of a later term"
)

// The roles of a Server.
const (
	follower = iota
	candidate
	leader
)

// A Server takes part in Raft's election of a leader for each term (D. Ongaro, J. Ousterhout, 2014, Sect. 5.2).
type Server struct {
	quiet
	Network *Network
	Number  int
	Servers int
	Terms   int // it starts no election for later ones
	Bug     Bug

	term  int
	voted int // the server for which it voted in the term, -1 for none
	role  int
	votes map[int]bool
}

// NewServer returns a server that has not voted.
func NewServer(n *Network, number, servers, terms int, bug Bug) *Server {
	return &Server{Network: n, Number: number, Servers: servers, Terms: terms, Bug: bug, voted: -1}
}

// Accepts reports whether the server reacts to a message. It never does to what comes too late.
func (s *Server) Accepts(m Message) bool {
	switch t := m.Args[0].(int); m.Name {
	case "RequestVote":
		free := s.voted == -1 || s.voted == m.From || s.Bug == VotesAgain
		return t > s.term || t == s.term && s.role == follower && free
	case "Vote":
		return s.role == candidate && (t == s.term || s.Bug == CountsOld)
	default: // Heartbeat
		return t > s.term || t == s.term && s.role == candidate
	}
}

// Receive grants a vote, counts one, or follows a leader.
func (s *Server) Receive(m Message) {
	t := m.Args[0].(int)
	switch m.Name {
	case "RequestVote":
		s.role, s.voted = follower, m.From
		if s.Bug != KeepsTerm {
			s.term = t
		}
		s.Network.Send(s.Number, m.From, "Vote", s.term)
	case "Vote":
		s.votes[m.From] = true
		s.count()
	case "Heartbeat":
		if s.role == leader && s.Bug == IgnoresLater {
			s.tellAll("Heartbeat")
			return
		}
		if t > s.term {
			s.term, s.voted = t, -1
		}
		s.role = follower
	}
}

func (s *Server) tellAll(what string) {
	for other := range s.Servers {
		if other != s.Number {
			s.Network.Send(s.Number, other, what, s.term)
		}
	}
}

// count wins the election if a majority has voted for the server.
func (s *Server) count() {
	if 2*len(s.votes) > s.Servers || s.Bug == NeedsHalf && 2*len(s.votes) >= s.Servers-1 {
		s.role = leader
		s.Network.Event(s.Number, "leader", s.term)
		s.tellAll("Heartbeat")
	}
}

// Timeout starts an election.
func (s *Server) Timeout() {
	if s.role == leader || s.term == s.Terms {
		return
	}
	s.role, s.voted, s.votes = candidate, s.Number, map[int]bool{s.Number: true}
	s.term++
	s.Network.Event(s.Number, "timeout")
	s.tellAll("RequestVote")
	s.count()
}

// Recover goes on as a follower. The term, and for whom the server voted in it, were on disk.
func (s *Server) Recover() {
	s.role = follower
	if s.Bug == ForgetsVote {
		s.voted = -1
	}
}
