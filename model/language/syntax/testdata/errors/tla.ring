protocol tla
topology directed ring of 2
var x: 0..3 = 0
process p = A(0)
A(x) = skip; foo right; A(x)
invariant i = \A p in node: ~(p.x = 2) /\ p.x <= 3 \/ \E q in node: p.x \in {1} \cup {2}
