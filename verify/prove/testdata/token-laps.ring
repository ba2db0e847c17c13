protocol token-laps "a token counts the processes that it passes after process 0, up to a bound"

param n: 2..100 = 3 "ring size"

topology directed ring of n
channel fifo

var c: 0..7
message Token(c: 0..7)
event enter, leave

initially Token(0) in inbox(0, left)
process p = if p = 0 then First else Other

First = recv left Token(c); send right Token(0); First
Other = recv left Token(c); enter; Critical(min(c + 1, 7))
Critical(c) = leave; Pass(c)
Pass(c) = send right Token(c); Other

invariant exclusive "one is in the critical section at most" = (count p in node: p at Critical) <= 1
