protocol peterson "leader election on a directed ring with unique identities, two messages a phase for each process"
source "G. L. Peterson: An O(n log n) unidirectional algorithm for the circular extrema problem, ACM Trans. Program. Lang. Syst. 4(4), 1982, the basic algorithm"

// An active process has a temporary identity, its own at first. In a phase it sends it to the next active process,
// receives i from the previous one, sends the larger of the two, and receives the corresponding j. If i is at least as
// large as both, it takes i over and stays active; else it only relays. Who receives its first identity is the leader.

param n: 2..1000 "ring size"

option ids: any | ascending | descending = any "how the identities 1..n are arranged along the ring: in every possible way, or in one"

topology directed ring of n
channel fifo | unordered = fifo "whether messages may overtake each other"

assign uid: permutation of 1..n if ids = any

var id, tid, i, j: 1..n

message M(id: 1..n)

event leader

process p =
    if ids = any then Phase(uid[p], uid[p])
    else if ids = ascending then Phase(p + 1, p + 1)
    else Phase(n - p, n - p)

Phase(id, tid) = send right M(tid); First(id, tid)

First(id, tid) = recv left M(i); if i = id then Leader else send right M(max(tid, i)); Second(id, tid, i)

Second(id, tid, i) =
    recv left M(j);
    if j = id then Leader
    else if i >= max(tid, j) then Phase(id, i)
    else Relay(id)

Relay(id) = recv left M(i); if i = id then Leader else send right M(i); Relay(id)

Leader = leader; Reign

// The leader discards what the others still send.
Reign = recv left M(_); Reign

// Properties.

define leads(p) = p at Reign
define elected = exists p in node: leads(p)

role leader = leads(p) "leader" amber
role passive = p at Relay "relay" grey
role active = true "active" blue

invariant unique "there is never more than one leader" = (count p in node: leads(p)) <= 1

terminal elected "there is one leader, and no message is left" =
    (count p in node: leads(p)) = 1
    and (forall p in node: size(inbox(p, left)) = 0)

invariant largest "nobody but the process with the largest identity hears its own" =
    forall p in node, m in inbox(p, left): m.id = p.id => m.id = n
    if channel = fifo

reachable electable "a leader can be elected" = elected

recoverable election "whatever has happened, a leader can still be elected" = elected
