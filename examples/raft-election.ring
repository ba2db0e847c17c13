protocol raft-election "Raft's election of a leader for each term, with servers that crash and come back and messages that get lost"
source "D. Ongaro, J. Ousterhout: In search of an understandable consensus algorithm, USENIX ATC 2014, Sect. 5.2"

// Without the log. A server that does not grant its vote does not answer, and a leader announces itself once.

param n: 2..5 = 3 "servers"
param terms: 1..4 = 2 "nobody starts an election for a later term"
option losses: 0..9 = 1 "how many messages get lost"
option crashes: 0..9 = 1 "how often a server crashes"
option disk: bool = true "a server that comes back knows for whom it voted; if it does not, a term can have two leaders"
option ordered: bool = true "a server writes to the others in the order of their numbers; if not, in any"

topology complete graph of n
channel unordered, lossy at most losses
crash at most crashes of p recover Restart(p)

// On disk: the latest term, and for whom the server voted in it.
register term: 0..terms = 0
register voted: set of node = {} // at most one

ghost led: set of 1..terms = {} // the terms of which the server has been the leader

var me, q: node
var t: 1..terms
var votes, left: set of node
message RequestVote(t: 1..terms), Vote(t: 1..terms), Heartbeat(t: 1..terms)
event timeout, leader(t: 1..terms)

process p = Follower(p)

Restart(me) = if disk then Follower(me) else voted := {}; Follower(me)

Follower(me) =
    recv q RequestVote(t) where t = term and voted minus {q} = {}; Grant(me, q, t)
  | Newer(me)
  | Stand(me)

// All servers become followers when they hear of a later term.
Newer(me) =
    recv q RequestVote(t) where t > term; Grant(me, q, t)
  | recv _ Heartbeat(t) where t > term; let voted = {}; term := t; Follower(me)

Grant(me, q, t) = let term = t; let voted = {q}; send q Vote(t); Follower(me)

Stand(me) = when term < terms:
        let term = term + 1; let voted = {me}; timeout;
        if ordered then for q in node where q != me: send q RequestVote(term); Candidate(me, {me})
        else Ask(me, {q in node where q != me})

Ask(me, left) =
    choose q in left; send q RequestVote(term); if left = {q} then Candidate(me, {me}) else Ask(me, left minus {q})

Candidate(me, votes) =
    if 2 * size(votes) > n then Win(me)
    else ( recv q Vote(term); Candidate(me, votes union {q})
        | recv _ Heartbeat(term); Follower(me)
        | Newer(me)
        | Stand(me)
        )

Win(me) = let led = led union {term}; leader(term);
    if ordered then for q in node where q != me: send q Heartbeat(term); Leader(me)
    else Announce(me, {q in node where q != me})
Announce(me, left) =
    choose q in left; send q Heartbeat(term); if left = {q} then Leader(me) else Announce(me, left minus {q})
Leader(me) = Newer(me)

role crashed = p crashed "crashed" grey
role leader = p at Leader or p at Win "leader" green
role candidate = p at Candidate or p at Stand "candidate" amber
role follower = true "follower" blue

invariant safe "Election Safety: never two leaders of a term" =
    forall p in node, q in node, t in 1..terms: t in p.led and t in q.led => p = q
reachable elected "every term can have its leader" = forall t in 1..terms: exists p in node: t in p.led
reachable split "votes can be split, so that a term has none" =
    forall p in node: p.voted = {p} and p.term = terms and p.led = {}
