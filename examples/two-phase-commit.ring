protocol two-phase-commit "two-phase commit: participants vote, the coordinator decides; if it crashes, they may have to wait for ever"
source "J. Gray: Notes on data base operating systems, in: Operating systems, LNCS 60, 1978, Sect. 5.8.3"

param m: 1..8 = 2 "participants"
option crashes: 0..1 = 1 "whether the coordinator can crash"
option ordered: bool = true "the coordinator writes to the participants in the order of their numbers; if not, in any"

topology star of m + 1
channel unordered
crash at most crashes of p where p = coordinator

var q: node
var asked, left: set of node
message Ask, Vote(v: bool), Commit, Abort
event committed, aborted

process coordinator = if ordered then Ask else Asking(participant)
process participant[p in 1..m] = recv coordinator Ask; Vote

Ask = for q in participant: send q Ask; Count(participant)
Asking(left) = choose q in left; send q Ask; if left = {q} then Count(participant) else Asking(left minus {q})

Count(asked) =
    recv q Vote(true) where asked != {q}; Count(asked minus {q})
  | recv q Vote(true) where asked = {q};
    if ordered then for q in participant: send q Commit; Committed else Committing(participant)
  | recv _ Vote(false); if ordered then for q in participant: send q Abort; Aborted else Aborting(participant)

Committing(left) = choose q in left; send q Commit; if left = {q} then Committed else Committing(left minus {q})
Aborting(left) = choose q in left; send q Abort; if left = {q} then Aborted else Aborting(left minus {q})

Vote =
    send coordinator Vote(true); Prepared
  | send coordinator Vote(false); aborted; Aborted
Prepared =
    recv coordinator Commit; committed; Committed
  | recv coordinator Abort; aborted; Aborted

Committed = stop
Aborted = ignore Vote, Abort

role crashed = p crashed "crashed" red
role committed = p at Committed "committed" green
role aborted = p at Aborted "aborted" amber
role undecided = true "undecided" blue

invariant agreement "nobody commits where somebody aborts" =
    not ((exists p in node: p at Committed) and (exists p in node: p at Aborted))
invariant unanimous "somebody commits only if all have voted yes" =
    (exists p in node: p at Committed) => forall p in participant: p at Prepared or p at Committed
reachable commit = forall p in node: p at Committed
reachable abort = forall p in node: p at Aborted
terminal decided "unless the coordinator crashes, everybody comes to a decision" =
    coordinator crashed or (forall p in node: p at Committed) or (forall p in node: p at Aborted)
reachable blocked "a participant that has voted yes waits for a coordinator that has crashed" =
    coordinator crashed and (exists p in participant: p at Prepared and size(inbox(p, coordinator)) = 0) if crashes > 0
