protocol itai-rodeh "probabilistic leader election on an anonymous directed ring"
source "A. Itai, M. Rodeh: Symmetry breaking in distributed networks, Inf. Comput. 88(1), 1990; W. Fokkink, J. Pang: Variations on Itai-Rodeh leader election for anonymous rings (2006), Algorithm A"

// Every active process draws an identity and sends it around the ring, as in the algorithm of Chang and
// Roberts. A process with the largest identity gets its own message back, after n hops. The bit of a
// message is true until another active process with the same identity forwards it: then there was
// a clash, and the processes with the largest identity begin another round.
//
// Itai and Rodeh number the rounds (--rounds): a later round beats an earlier one, and in the same round
// the larger identity wins. Round numbers have no bound, so neither has the number of states; a search
// ends at --max-nat. Fokkink and Pang showed that over FIFO channels the numbers can be left out
// (the default), and there are finitely many states. Over unordered channels they cannot.

param n: 2..1000 "ring size"
param k: 2..1000 = 2 "number of identities"

option rounds: bool = false "carry round numbers (Itai and Rodeh); the state space is infinite then"

topology directed ring of n
channel unordered | fifo = fifo "whether messages may overtake each other"

var id, i: 1..k
var round, r: nat if rounds
var h: 1..n
var b: bool

message M(id: 1..k, round: nat if rounds, hop: 1..n, unique: bool)

event leader

process p = A1(1)

// The start of a round.
A1(round) = draw id; send right M(id, round, 1, true); A2(id, round)

A2(id, round) =
    recv left M(_, _, n, true); Leader
  | recv left M(_, _, n, false); A1(round + 1)
  | recv left M(id, round, h, _) where h < n; send right M(id, round, h + 1, false); A2(id, round)
  | recv left M(i, r, h, b) where h < n and (r > round or r = round and i > id); send right M(i, r, h + 1, b); P
  | recv left M(i, r, h, _) where h < n and (r < round or r = round and i < id); A2(id, round)

// A passive process forwards messages. Its own does not come back, since an active process with a larger
// identity has discarded it; where this fails, over unordered channels, it stays in the channel.
P = recv left M(i, r, h, b) where h < n; send right M(i, r, h + 1, b); P

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
