protocol dining-philosophers "dining philosophers: everyone takes the fork on the left, then that on the right; or some of them the other way round"
source "E. W. Dijkstra: Hierarchical ordering of sequential processes, Acta Inf. 1(2), 1971, Sect. 6; C. A. R. Hoare: Communicating sequential processes (1985), Sect. 2.5"

param n: 2..9 = 4 "philosophers"

option right_first: 0..9 = 1 "how many of them take the fork on the right first; with nobody, or all, there is a deadlock"

topology undirected ring of n

// Whether a philosopher holds the left and the right fork. Neighbours share a fork.
register lhand, rhand: bool = false

event hungry, eat

process p = if p < right_first then RightFirst else LeftFirst

LeftFirst = hungry; Left
Left = when not left.rhand: lhand := true; ThenRight
ThenRight = when not right.lhand: rhand := true; LeftEats
LeftEats = eat; lhand := false; rhand := false; LeftFirst
RightFirst = hungry; Right
Right = when not right.lhand: rhand := true; ThenLeft
ThenLeft = when not left.rhand: lhand := true; RightEats
RightEats = eat; rhand := false; lhand := false; RightFirst

define waits(p) = p at Left or p at ThenRight or p at Right or p at ThenLeft
define eats(p) = p.lhand and p.rhand

role eating = eats(p) "has both forks" green
role holding = p.lhand or p.rhand "has one fork" amber
role hungry = waits(p) "hungry" red
role thinking = true "thinks" grey

invariant exclusive "no two neighbours have the same fork" =
    forall p in node: not (p.lhand and neighbour(p, left).rhand)

terminal no_deadlock "somebody can always do something" = false

ltl somebody "somebody eats, again and again" = always eventually eat happens under fair

ltl everybody "everybody who is hungry eats" =
    forall p in node: waits(p) leads to eats(p)
    under strongly fair
