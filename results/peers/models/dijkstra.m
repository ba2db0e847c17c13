-- Dijkstra's K-state ring, as in examples/dijkstra.ring, from all values of the registers.
const
  N: 7;
  K: 8;
  Starts: 2097152; -- K to the power N
type
  Node: 0 .. N - 1;
  Value: 0 .. K - 1;
var
  x: array [Node] of Value;

ruleset s: 0 .. Starts - 1 do
  startstate
    var rest: 0 .. Starts - 1;
  begin
    rest := s;
    for p: Node do
      x[p] := rest % K;
      rest := rest / K;
    end;
  end;
end;

rule "bottom" x[N - 1] = x[0] ==>
  x[0] := (x[0] + 1) % K;
end;

ruleset p: Node do
  rule "other" p > 0 & x[p - 1] != x[p] ==>
    x[p] := x[p - 1];
  end;
end;
