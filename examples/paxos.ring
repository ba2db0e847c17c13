protocol paxos "Paxos, for one decision: a majority of acceptors chooses a value, whoever proposes and whatever is late"
source "L. Lamport: Paxos made simple, ACM SIGACT News 32(4), 2001, Sect. 2.2"

param proposers: 1..3 = 2 "proposers"
param acceptors: 1..5 = 3 "acceptors"
param ballots: 1..6 = 2 "proposals are numbered 1..ballots; proposer p has p + 1, p + 1 + proposers and so on"
option ordered: bool = true "proposers write to the acceptors in the order of their numbers; if not, in any"

topology bipartite graph of proposers by acceptors
channel unordered

var b, seen, last, best: 0..ballots // numbers of proposals; 0 for none
var own, v, w: 0..proposers         // values; proposer p proposes p + 1, and 0 is none
var q: node
var yes, left: set of node
message Prepare(b: 1..ballots), Promise(b: 1..ballots, last: 0..ballots, v: 0..proposers)
message Accept(b: 1..ballots, v: 1..proposers), Accepted(b: 1..ballots)
event timeout, decided(v: 1..proposers)

process proposer[p in 0..proposers - 1] = Propose(p + 1, p + 1)
process acceptor[p in proposers..proposers + acceptors - 1] = Accepting(0, 0, 0)

define majority(s: set of node) = 2 * size(s) > acceptors

// Phase 1: best is the largest number of a proposal accepted by acceptors in yes, and v is its value (own if none).
Propose(b, own) =
    if ordered then for q in acceptor: send q Prepare(b); Prepared(b, own, 0, own, {}) else Preparing(b, own, acceptor)
Preparing(b, own, left) =
    choose q in left; send q Prepare(b);
    if left = {q} then Prepared(b, own, 0, own, {}) else Preparing(b, own, left minus {q})
Prepared(b, own, best, v, yes) =
    if majority(yes) then
        if ordered then for q in acceptor: send q Accept(b, v); Proposed(b, own, v, {})
        else Proposing(b, own, v, acceptor)
    else ( recv q Promise(b, last, w) where last > best; Prepared(b, own, last, w, yes union {q})
        | recv q Promise(b, last, _) where last <= best; Prepared(b, own, best, v, yes union {q})
        | Again(b, own)
        )

// Phase 2.
Proposing(b, own, v, left) =
    choose q in left; send q Accept(b, v);
    if left = {q} then Proposed(b, own, v, {}) else Proposing(b, own, v, left minus {q})
Proposed(b, own, v, yes) =
    if majority(yes) then decided(v); Decided(b, v)
    else ( recv q Accepted(b); Proposed(b, own, v, yes union {q})
        | Again(b, own)
        )
Decided(keep b, keep v) = stop

// A proposer may stop waiting and propose again, with a larger number.
Again(b, own) = when b + proposers <= ballots: timeout; Propose(b + proposers, own)

// An acceptor has promised to ignore proposals with numbers below seen. It accepted v last, with number last.
Accepting(seen, last, v) =
    recv q Prepare(b) where b > seen; send q Promise(b, last, v); Accepting(b, last, v)
  | recv q Accept(b, w) where b >= seen; send q Accepted(b); Accepting(b, b, w)

role decided = p at Decided "decided" green
role proposer = p in proposer "proposes" blue
role acceptor = true "accepts" grey

invariant agreement "no two values are decided" =
    forall p in proposer, q in proposer: p at Decided and q at Decided => p.v = q.v
invariant later "P2b: what is accepted under larger numbers has the value that is decided" =
    forall p in proposer, q in acceptor: p at Decided and q.last >= p.b => q.v = p.v
reachable other "somebody decides on a value that is not the own one" =
    exists p in proposer: p at Decided and p.v != p + 1 if proposers > 1 and ballots > 1
terminal alone "who is alone decides" = 0 at Decided if proposers = 1
