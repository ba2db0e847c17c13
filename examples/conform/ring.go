package conform

// The mistakes of a Candidate.
const (
	PassesAll  Bug = "passes smaller identities on, too"
	SendsOwn   Bug = "sends its own identity on instead of a larger one"
	LeadsEarly Bug = "leads when it hears of a smaller identity"
	PassesOwn  Bug = "passes its own identity on when it leads"
)

// A Candidate takes part in an election on a ring (E. Chang, R. Roberts, 1979): it passes larger identities on, drops
// smaller ones, and leads when its own has come round.
type Candidate struct {
	quiet
	Network  *Network
	Number   int
	Identity int
	Right    int // its neighbour
	Bug      Bug
}

// Begin sends the identity around the ring.
func (c *Candidate) Begin() {
	c.Network.Log.Info("begin", "p", c.Number, "assign", map[string]int{"uid": c.Identity})
	c.send(c.Identity)
}

func (c *Candidate) send(identity int) { c.Network.Send(c.Number, c.Right, "Token", identity) }

// Receive passes an identity on, or drops it, or leads.
func (c *Candidate) Receive(m Message) {
	switch identity := m.Args[0].(int); {
	case identity == c.Identity:
		c.Network.Event(c.Number, "leader")
		if c.Bug == PassesOwn {
			c.send(identity)
		}
	case identity > c.Identity && c.Bug == SendsOwn:
		c.send(c.Identity)
	case identity > c.Identity, c.Bug == PassesAll:
		c.send(identity)
	case c.Bug == LeadsEarly:
		c.Network.Event(c.Number, "leader")
	}
}
