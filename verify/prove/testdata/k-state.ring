protocol k-state "Dijkstra's K-state ring with three values: who is privileged enters, from states in which one process is"
source "E. W. Dijkstra: Self-stabilizing systems in spite of distributed control, Commun. ACM 17(11), 1974, Solution with K-state machines"

param n: 2..100 = 3 "ring size"

topology directed ring of n

register x: 0..2 = 0
event enter

process bottom = Bottom
process other[p in 1..n - 1] = Other

Bottom = when left.x = x: enter; First
First = x := (x + 1) mod 3; Bottom
Other = when left.x != x: enter; Second
Second = x := left.x; Other

define privileged(p) = p at Bottom and neighbour(p, left).x = p.x or p at First
    or p at Other and neighbour(p, left).x != p.x or p at Second

invariant exclusive "one is in the critical section at most" =
    (count p in node: p at First or p at Second) <= 1
invariant privileges "one is privileged at most" = (count p in node: privileged(p)) <= 1
