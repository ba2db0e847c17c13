protocol two-phase-commit "two-phase commit: participants vote, the coordinator decides; it can crash"
source "J. Gray: Notes on data base operating systems, 1978"

param n: 2..6 = 3 "processes, the coordinator among them"
option crashes: 0..1 = 1 "whether the coordinator can crash"

topology star of n
channel unordered
crash at most crashes of p where p = 0

var v: bool
var q: node
var left: set of node
message Ask, Vote(v: bool), Commit, Abort
event committed, aborted

process p = if p = 0 then Coordinator else Ready

Coordinator = for q in 1..n - 1: send q Ask; Count({q in 1..n - 1 where q > 0})
Count(left) =
    recv q Vote(true) where left != {q}; Count(left minus {q})
  | recv q Vote(true) where left = {q}; for q in 1..n - 1: send q Commit; Committed
  | recv _ Vote(false); for q in 1..n - 1: send q Abort; Aborted

Ready = recv 0 Ask; Voting
Voting = choose v; send 0 Vote(v); if v then Prepared else Refused
Prepared = recv 0 Commit; committed; Committed | recv 0 Abort; aborted; Aborted
Refused = aborted; Aborted

Committed = ignore Vote
Aborted = ignore Vote, Abort

invariant agreement "nobody commits where somebody aborts" =
    not ((exists p in node: p at Committed) and (exists p in node: p at Aborted))
reachable commit = forall p in node: p at Committed
reachable abort = forall p in node: p at Aborted
reachable blocked "a participant waits for a coordinator that has crashed" =
    0 crashed and (exists p in node: p at Prepared)
    and (forall p in node, q in neighbours(p): size(inbox(p, q)) = 0) if crashes > 0
