protocol p
recoverable a = eventually 0 at A
invariant b = go happens
ltl c = [] 0 at A
ltl d = <> 0 at A
ltl e = F G
invariant f = (0 at A -> 1 at A)
ltl g = 0 at A leads 1 at A
ltl h = 0 at A under fair under fair
ltl i = 0 at A ~> 1 at A
