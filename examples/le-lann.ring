protocol le-lann "Le Lann's election: every identity goes round the ring, and whoever has the smallest knows it"
source "G. Le Lann: Distributed systems - towards a formal approach, IFIP Congress 1977; as in G. Tel: Introduction to Distributed Algorithms (2000), Algorithm 7.1"

param n: 2..8 = 3 "ring size"

topology directed ring of n
channel fifo | unordered = fifo "whether identities may overtake each other; if they may, more than one process may lead"

assign uid: permutation of 1..n
assign starts: bool

var id, q: 1..n
var list: set of 1..n
message Token(id: 1..n)
event leader

process p = if starts[p] then Start(uid[p]) else Asleep

// A process that starts an election collects identities until its own is back.
Start(id) = send right Token(id); Collect(id, {id})
Collect(id, list) =
    recv left Token(q) where q != id; send right Token(q); Collect(id, list union {q})
  | recv left Token(id) where id = min(list); Leader
  | recv left Token(id) where id > min(list); Lost

Asleep = recv left Token(q); send right Token(q); Asleep

Leader = leader; stop
Lost = stop

role leader = p at Leader "leader" amber
role lost = p at Lost or p at Asleep "passive" grey
role candidate = true "candidate" blue

invariant least "the leader has the smallest identity of those who started" =
    forall p in node: p at Leader => forall q in node: starts[q] => uid[p] <= uid[q]
terminal elected "if somebody started, there is one leader in the end, and no message is left" =
    (exists p in node: starts[p]) => (count p in node: p at Leader) = 1 and (forall p in node: size(inbox(p, left)) = 0)
ltl always_one "if somebody starts, somebody leads in the end" =
    (exists p in node: starts[p]) => eventually leader happens
