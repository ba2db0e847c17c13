protocol dkr "Dolev-Klawe-Rodeh (and Peterson) on a directed ring, with round numbers modulo m"
source "R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol: Leader Election in Anonymous Rings: Franklin Goes Probabilistic (2008), Sect. 8; after D. Dolev, M. Klawe, M. Rodeh (1982)"

// In a round an active process compares its identity with those of the two nearest active processes on its
// left: i, which arrives in message One, and j, which its left neighbour forwards in message Two. It stays
// active if neither of the others is larger than i. With drawn identities and round numbers modulo 2 the
// protocol is wrong unless channels are FIFO: a message Two can be overtaken by one of a later round (Fig. 4 of
// the paper), and no leader may be elected. That takes five processes and three identities.

param n: 2..1000 "ring size"
param k: 2..1000 = 2 "number of identities (not with distinct ones)"

option modulus: 1..16 = 2 "round numbers count modulo this; 1 is without round numbers"
option ids: random | distinct | any = random "identities: drawn in each round; or those of Dolev, Klawe and Rodeh, of which a survivor takes over i: process p begins with p, or they are arranged in every possible way"

topology directed ring of n
channel unordered | fifo = unordered "whether messages may overtake each other"

assign uid: permutation of 0..n - 1 if ids = any

type Id = 0..(if ids = random then k else n) - 1

var id, i, j: Id
var r, s: 0..modulus - 1 // round numbers
var h: 1..2 * n

// A message One goes from its sender to the next active process, within n hops; a message Two goes one active
// process further.
message One(id: Id, hop: 1..n, round: 0..modulus - 1)
message Two(id: Id, hop: 1..2 * n, round: 0..modulus - 1)

event leader

process p = if ids = random then A1(0) else if ids = any then Round(uid[p], 0) else Round(p, 0)

// The start of round r.
A1(r) = draw id; Round(id, r)

Round(id, r) = send right One(id, 1, r); A2(id, r)

A2(id, r) =
    recv left One(i, h, r); if h = n then Leader else send right Two(i, h + 1, r); A3(id, r, i)
  | recv left Two(j, _, r); A4(id, r, j)

A3(id, r, i) = recv left Two(j, _, r); A5(id, r, i, j)

A4(id, r, j) = recv left One(i, h, r); if h = n then Leader else send right Two(i, h + 1, r); A5(id, r, i, j)

// Withdraw or start the next round.
A5(id, r, i, j) =
    if j > i or id > i then P
    else if ids = random then A1((r + 1) mod modulus)
    else Round(i, (r + 1) mod modulus)

// A passive process forwards messages.
P =
    recv left One(i, h, s); send right One(i, h + 1, s); P
  | recv left Two(j, h, s); send right Two(j, h + 1, s); P

Leader = leader; stop

// Properties.

define elected = exists p in node: p at Leader

role leader = p at Leader "leader" amber
role passive = p at P "passive" grey
role active = true "active" blue

invariant unique "there is never more than one leader" = (count p in node: p at Leader) <= 1

terminal elected "one leader, the others passive, and no message is left" =
    (count p in node: p at Leader) = 1
    and (forall p in node: p at Leader or p at P)
    and (forall p in node: size(inbox(p, left)) = 0)

reachable electable "a leader can be elected" = elected

recoverable election "whatever has happened, a leader can still be elected" = elected
