protocol token-ring "token ring: whoever wants to enter waits for the token that goes round; it may get lost"
source "G. Le Lann: Distributed systems - towards a formal approach, IFIP Congress 1977, Sect. 3"

param n: 2..9 = 3 "ring size"
option losses: 0..1 = 0 "whether the token can get lost"

topology directed ring of n
channel fifo, lossy at most losses

message Token
event request, enter, leave

initially Token in inbox(0, left)
process p = Idle

Idle =
    request; Waiting
  | recv left Token; send right Token; Idle
Waiting = recv left Token; enter; Critical
Critical = leave; send right Token; Idle

role critical = p at Critical "in the critical section" green
role waiting = p at Waiting "waiting" red
role idle = true "idle" grey

invariant exclusive "one is in the critical section at most" = (count p in node: p at Critical) <= 1
terminal no_deadlock "there is always something to do" = false
ltl served "who waits enters" = forall p in node: p at Waiting leads to p at Critical under fair
