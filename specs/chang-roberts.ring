protocol chang-roberts "leader election on a directed ring with unique identities"
source "E. Chang, R. Roberts: An improved algorithm for decentralized extrema-finding in circular configurations of processes, Commun. ACM 22(5), 1979"

// Every process sends its identity around the ring and discards identities smaller than its own. Only the largest
// comes back, and its owner is the leader. The order of messages does not matter.

param n: 2..1000 "ring size"

option ids: any | ascending | descending = any "how the identities 1..n are arranged along the ring: in every possible way, or in one; 2n - 1 messages if ascending, n(n+1)/2 if descending"

topology directed ring of n
channel unordered | fifo = unordered "whether messages may overtake each other"

assign uid: permutation of 1..n if ids = any

var id, i: 1..n

message Token(id: 1..n)

event leader

process p =
    if ids = any then Start(uid[p])
    else if ids = ascending then Start(p + 1)
    else Start(n - p)

Start(id) = send right Token(id); Active(id)

Active(id) =
    recv left Token(i) where i > id; send right Token(i); Passive(id)
  | recv left Token(i) where i < id; Active(id)
  | recv left Token(id); Leader

// A process that has seen a larger identity cannot become the leader.
Passive(id) =
    recv left Token(i) where i > id; send right Token(i); Passive(id)
  | recv left Token(i) where i < id; Passive(id)

Leader = leader; Reign

// Smaller identities may arrive late.
Reign = recv left Token(_); Reign

// Properties.

define leads(p) = p at Leader or p at Reign
define elected = exists p in node: leads(p)

role leader = leads(p) "leader" amber
role passive = p at Passive "passive" grey
role active = true "active" blue

invariant unique "there is never more than one leader" = (count p in node: leads(p)) <= 1

terminal elected "one leader, the others passive, and no message is left" =
    (count p in node: leads(p)) = 1
    and (forall p in node: leads(p) or p at Passive)
    and (forall p in node: size(inbox(p, left)) = 0)

invariant largest "who passed a larger identity on will not lead: no other identity comes back" =
    forall p in node, m in inbox(p, left): m.id = p.id => m.id = n

reachable electable "a leader can be elected" = elected

recoverable election "whatever has happened, a leader can still be elected" = elected
