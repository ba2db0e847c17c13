protocol nodes "a type where a set is expected, and a graph without a rule"
topology graph of 3
process p = A(node)
A = for q in node minus {p}: send q M; B
B = draw q in node; stop
invariant alone = forall q in node union {1}: true
invariant within = {1} in {node minus {1}}
