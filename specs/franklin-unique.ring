protocol franklin-unique "Franklin's own algorithm: leader election on a bidirectional ring with unique identities"
source "R. Franklin: On an improved algorithm for decentralized extrema finding in circular configurations of processors, Commun. ACM 25(5), 1982"

// In a round every active process sends its identity to its nearest active neighbours on both sides, and receives
// theirs. It stays active if its own is the largest of the three. A process that receives its own identity is the leader.

param n: 2..1000 "ring size"

option ids: any | ascending | descending = any "how the identities 1..n are arranged along the ring: in every possible way, or in one"
option announce: bool = false "the leader tells the others, which become nonleaders"

topology undirected ring of n
channel fifo | unordered = fifo "whether messages may overtake each other"

assign uid: permutation of 1..n if ids = any

var id, i, j: 1..n // its own identity, those received from the left and from the right

message M(id: 1..n)
message Elected "the announcement of the leader"

event leader

process p =
    if ids = any then Round(uid[p])
    else if ids = ascending then Round(p + 1)
    else Round(n - p)

Round(id) = send right M(id); send left M(id); Wait(id)

Wait(id) =
    recv left M(i); if i = id then Leader else Left(id, i)
  | recv right M(j); if j = id then Leader else Right(id, j)

Left(id, i) = recv right M(j); Decide(id, i, j)

Right(id, j) = recv left M(i); Decide(id, i, j)

Decide(id, i, j) = if i > id or j > id then Passive else Round(id)

// A passive process forwards messages.
Passive =
    recv left M(i); send right M(i); Passive
  | recv right M(j); send left M(j); Passive
  | when announce: recv left Elected; send right Elected; Nonleader

Nonleader = stop

Leader = leader; if announce then send right Elected; Herald else stop

// The leader waits for its announcement to come back. Its other message must not block it.
Herald =
    recv left Elected; stop
  | recv _ M(_); Herald

// Properties.

define leads(p) = p at Leader or p at Herald
define elected = exists p in node: leads(p)

role leader = leads(p) "leader" amber
role passive = p at Passive or p at Nonleader "passive" grey
role active = true "active" blue

invariant unique "there is never more than one leader" = (count p in node: leads(p)) <= 1

terminal elected "one leader, the others passive, and at most the leader's other own message is left" =
    (count p in node: leads(p)) = 1
    and (forall p in node: leads(p) or p at Passive or p at Nonleader)
    and (sum p in node, d in dir: size(inbox(p, d))) <= 1

reachable electable "a leader can be elected" = elected

recoverable election "whatever has happened, a leader can still be elected" = elected
