protocol hirschberg-sinclair "leader election on a bidirectional ring with unique identities, O(n log n) messages"
source "D. S. Hirschberg, J. B. Sinclair: Decentralized extrema-finding in circular configurations of processors, Commun. ACM 23(11), 1980; as in T. Baliukonis: Leader Election in Asynchronous Rings (2025), Sect. 2 and 3"

// At stage s a candidate asks the 2^s processes on either side whether one of them has a larger identity. If
// none has, it gets two answers "ok" and enters the next stage; a "no" makes it withdraw. A request that
// comes back to its sender has gone full circle: the sender is the leader.

param n: 2..1000 "ring size"

option ids: any | ascending | descending = any "how the identities 1..n are arranged along the ring: in every possible way, or in one"

topology undirected ring of n
channel unordered | fifo = unordered "whether messages may overtake each other"

// At the last stage a request can go full circle. So there are 1 + ⌈log2 n⌉ stages.
const last = log2ceil(n)

assign uid: permutation of 1..n if ids = any

type Role = candidate | withdrawn | elected

var id, i: 1..n
var role: Role
var stage: 0..last
var oks: 0..1          // how many answers "ok" a candidate has received at this stage
var d: dir             // where a message came from
var x: 0..2^last - 1   // how many processes have answered a request
var y: 1..2^last       // how many are to answer it

message From(id: 1..n, x: 0..2^last - 1, y: 1..2^last) "the request"
message Ok(id: 1..n)
message No(id: 1..n)

event leader

process p =
    if ids = any then Stage(uid[p], 0)
    else if ids = ascending then Stage(p + 1, 0)
    else Stage(n - p, 0)

Stage(id, stage) =
    send right From(id, 0, 2^stage);
    send left From(id, 0, 2^stage);
    Serve(id, candidate, stage, 0)

// Every process (candidate, withdrawn or leader) answers requests: it answers "no" to a smaller identity, and
// forwards a larger one or, at the end of its way, answers "ok". It forwards answers to others.
// A candidate acts on its own answers and on its own request; a withdrawn process ignores the second answer,
// the leader its second request.
Serve(id, role, stage, oks) =
    recv d From(i, _, _) where i < id; send d No(i); Serve(id, role, stage, oks)
  | recv d From(i, x, y) where i > id and x + 1 = y; send d Ok(i); Serve(id, role, stage, oks)
  | recv d From(i, x, y) where i > id and x + 1 < y; send opposite(d) From(i, x + 1, y); Serve(id, role, stage, oks)
  | recv d Ok(i) where i != id; send opposite(d) Ok(i); Serve(id, role, stage, oks)
  | recv d No(i) where i != id; send opposite(d) No(i); Serve(id, role, stage, oks)
  | recv _ Ok(id) where role = candidate and oks = 0; Serve(id, role, stage, 1)
  | recv _ Ok(id) where role = candidate and oks = 1; Stage(id, stage + 1)
  | recv _ No(id) where role = candidate; Serve(id, withdrawn, 0, 0)
  | recv _ Ok(id) where role = withdrawn; Serve(id, role, stage, oks)
  | recv _ No(id) where role = withdrawn; Serve(id, role, stage, oks)
  | recv _ From(id, _, _) where role = candidate; Leader(id)
  | recv _ From(id, _, _) where role = elected; Serve(id, role, stage, oks)

Leader(id) = leader; Serve(id, elected, 0, 0)

// Properties.

define leads(p) = p at Leader or p.role = elected
define elected = exists p in node: leads(p)

role leader = leads(p) "leader" amber
role passive = p.role = withdrawn "withdrawn" grey
role candidate = true "candidate" blue

invariant unique "there is never more than one leader" = (count p in node: leads(p)) <= 1

terminal elected "one leader, the others withdrawn, and no message is left" =
    (count p in node: leads(p)) = 1
    and (forall p in node: leads(p) or p.role = withdrawn)
    and (forall p in node, d in dir: size(inbox(p, d)) = 0)

invariant largest "the leader has the largest identity" = forall p in node: leads(p) => p.id = n

invariant thinning "Sect. 4: at most n / (2^(s-1) + 1) candidates at stages s and later, for s at least 1" =
    forall s in 1..last: (count p in node: p.stage >= s) * (2^(s - 1) + 1) <= n

reachable electable "a leader can be elected" = elected

recoverable election "whatever has happened, a leader can still be elected" = elected
