protocol itai-rodeh-rounds "Itai and Rodeh with round numbers, over channels that need not be queues; who clashes in the last round gives up"
source "A. Itai, M. Rodeh: Symmetry breaking in distributed networks, Inf. Comput. 88(1), 1990; as in W. Fokkink, J. Pang: Variations on Itai-Rodeh leader election for anonymous rings and their analysis in PRISM, J. UCS 12(8), 2006, Sect. 3"

param n: 2..9 = 3 "ring size"
param k: 2..9 = 2 "identities"
param rounds: 1..9 = 2 "rounds"

topology directed ring of n
channel unordered | fifo = unordered "whether messages may overtake each other"

var id, i: 1..k
var round, r: 1..rounds
var h: 1..n
var b: bool
message M(id: 1..k, round: 1..rounds, hop: 1..n, unique: bool)
event leader, clash

process p = Enter(1)

Enter(round) = draw id; send right M(id, round, 1, true); Active(id, round)

// A later round beats an earlier one, and in the same round a larger identity beats a smaller one.
Active(id, round) =
    recv left M(_, round, n, true); Leader
  | recv left M(_, round, n, false); Clash(round)
  | recv left M(id, round, h, _) where h < n; send right M(id, round, h + 1, false); Active(id, round)
  | recv left M(i, r, h, b) where r > round or r = round and i > id; send right M(i, r, h + 1, b); Passive
  | recv left M(i, r, _, _) where r < round or r = round and i < id; Active(id, round)

Clash(round) = if round < rounds then Enter(round + 1) else clash; Passive

// A message that is back at its owner is discarded.
Passive =
    recv left M(i, r, h, b) where h < n; send right M(i, r, h + 1, b); Passive
  | recv left M(_, _, n, _); Passive

Leader = leader; stop

define elected = exists p in node: p at Leader

role leader = p at Leader "leader" amber
role passive = p at Passive "passive" grey
role active = true "active" blue

invariant unique "there is never more than one leader" = (count p in node: p at Leader) <= 1
terminal decided "in the end all others are passive; nobody leads only if there was a clash in the last round" =
    (count p in node: p at Leader) <= 1 and (forall p in node: p at Leader or p at Passive)
reachable elected "a leader can be elected" = elected
reachable late "in the last round, too" = exists p in node: p at Active and p.round = rounds
probability often "two rounds are enough in five of eight elections, whatever overtakes what" =
    P(elected) >= 5/8 if n = 3 and k = 2 and rounds = 2
