protocol dijkstra "Dijkstra's K-state ring: from whatever the processes begin with, one privilege goes round in the end"
source "E. W. Dijkstra: Self-stabilizing systems in spite of distributed control, Commun. ACM 17(11), 1974"

param n: 2..9 = 4 "ring size"
param k: 1..9 = 4 "values of a register"

topology directed ring of n

register x: 0..k - 1

process p = if p = 0 then Bottom else Other

Bottom = when left.x = x: x := (x + 1) mod k; Bottom
Other = when left.x != x: x := left.x; Other

define privileged(p) = if p = 0 then neighbour(p, left).x = p.x else neighbour(p, left).x != p.x

invariant alive "somebody is privileged" = exists p in node: privileged(p)
recoverable legitimate "one process alone can come to be privileged" = (count p in node: privileged(p)) = 1
ltl stable "in the end exactly one process is privileged, whatever the scheduler does" =
    eventually always ((count p in node: privileged(p)) = 1) if k >= n - 1
ltl fair "and each of them again and again" = always eventually privileged(n - 1) if k >= n - 1
