protocol token-both-ways "process 0 makes a token, which goes from neighbour to neighbour, in either direction"

param n: 2..100 = 3 "ring size"

topology undirected ring of n
channel fifo

message Token
event enter, leave

process first = send right Token; Idle
process other[p in 1..n - 1] = Idle

Idle = recv _ Token; (Pass | enter; Critical)
Critical = leave; Pass
Pass = send left Token; Idle | send right Token; Idle

invariant exclusive "one is in the critical section at most" = (count p in node: p at Critical) <= 1
terminal no_deadlock "there is always something to do" = false
