protocol NAME "the process with the largest number becomes the leader"

// Parameters are set on the command line: ringcheck check NAME.ring -n 4
param n: 2..8 = 3 "number of processes"

// Process p can send to its right neighbour and receive from its left one.
topology directed ring of n
channel fifo

var me, other: node

message Candidate(number: node)
event leader

// Each process begins with the equation Start. A semicolon separates the steps of a process, and a bar alternatives.
process p = Start(p)

Start(me) = send right Candidate(me); Active(me)

// An active process gives up when it receives a larger number. It is the leader when its own number returns.
Active(me) =
    recv left Candidate(me); leader; Leader
  | recv left Candidate(other) where other < me; Active(me)
  | recv left Candidate(other) where other > me; send right Candidate(other); Passive

Passive = recv left Candidate(other); send right Candidate(other); Passive

Leader = stop

invariant unique "there is at most one leader" = (count p in node: p at Leader) <= 1
terminal elected "in the end there is a leader" = exists p in node: p at Leader
ltl happens "a leader is elected in every fair run" = eventually leader happens under fair

// The settings at which ringcheck test checks the properties.
check n = 2..5
