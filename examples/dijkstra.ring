protocol dijkstra "Dijkstra's K-state ring: from whatever the processes begin with, one privilege goes round in the end"
source "E. W. Dijkstra: Self-stabilizing systems in spite of distributed control, Commun. ACM 17(11), 1974, Solution with K-state machines"

param n: 2..9 = 4 "ring size"
param k: 2..9 = 4 "values of a register"

topology directed ring of n

register x: 0..k - 1

process bottom = Bottom
process other[p in 1..n - 1] = Other

Bottom = when left.x = x: x := (x + 1) mod k; Bottom
Other = when left.x != x: x := left.x; Other

define privileged(p) = if p = bottom then neighbour(p, left).x = p.x else neighbour(p, left).x != p.x

role privileged = privileged(p) "privileged" green
role other = true "not privileged" grey

invariant alive "somebody is privileged" = exists p in node: privileged(p)
recoverable legitimate "one process alone can come to be privileged" = (count p in node: privileged(p)) = 1
ltl stable "in the end exactly one process is privileged, whatever the scheduler does" =
    eventually always (count p in node: privileged(p)) = 1
ltl fair "and each of them again and again" = always eventually privileged(n - 1)
