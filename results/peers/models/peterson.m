-- Peterson's mutual exclusion for N processes. At each level a process waits until it is not the one that came there last,
-- or no other process is as far. A condition is read in one step.
const
  N: 4;
type
  Node: 0 .. N - 1;
  Level: 0 .. N - 1;
  Control: enum { Advance, Mark, Wait, Critical };
var
  at: array [Node] of Control;
  next: array [Node] of Level; -- the level that it wants
  level: array [Node] of Level;
  last: array [Level] of Node;

startstate
  for p: Node do at[p] := Advance; next[p] := 1; level[p] := 0; end;
  for l: Level do last[l] := 0; end;
end;

ruleset p: Node do
  rule "advance" at[p] = Advance ==>
    level[p] := next[p]; at[p] := Mark;
  end;
  rule "mark" at[p] = Mark ==>
    last[next[p]] := p; at[p] := Wait;
  end;
  rule "pass" at[p] = Wait & (last[next[p]] != p | forall q: Node do q = p | level[q] < next[p] end) ==>
    if next[p] < N - 1 then
      next[p] := next[p] + 1; at[p] := Advance;
    else
      next[p] := 1; at[p] := Critical;
    end;
  end;
  rule "leave" at[p] = Critical ==>
    level[p] := 0; at[p] := Advance;
  end;
end;
