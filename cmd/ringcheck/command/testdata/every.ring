protocol every "something of each kind that takes time"
param n: 2..4 = 3
topology directed ring of n
channel fifo
message M(v: 1..2)
event leader
var x: 1..2
var v: 1..2
ghost times: 0..3 = 0
reward effort = 1 per send
process p = A
A = draw x; send right M(x); B(x)
B(x) =
    recv left M(v) where v < x; Lead
  | recv left M(v) where v = x; Again(x)
  | recv left M(v) where v > x; stop
Again(x) = times := (times + 1) mod 4; if x = 1 then A else stop
Lead = leader; stop
define elected = exists p in node: p at Lead
invariant small = forall p in node: p.times < 4 and (p.x = 1 => p.times <= 3)
invariant alone "one leads" = (count p in node: p at Lead) <= 1
invariant idle = forall p in node: p at Lead and p.x = 1 => p.times > 3
invariant deep = not (exists p in node, i in 0..19, j in 0..19: i + j < 0 and p.x = 1)
terminal silent = forall p in node: size(inbox(p, left)) = 0
reachable some = elected
recoverable election = elected
ltl sure = eventually leader happens under fair and probability one
ltl calm = always (leader happens => next (always not leader happens))
probability likely = P(leader happens) >= 1/3
expected cheap = E(effort until terminal) <= 100
