protocol p
topology directed ring of n
A = receive left Token(h); B
B = transmit right Token; stop
C = recv left Token(x); x = 2; done; stop
D = recv left Token(x);
    x = 2; stop
E = recv left Token(x);
F = stop
invariant one = exists p, q in node: p != q
G = ln[self] := 3; stop
H = p.ln := 3; stop
ltl i = (0 at A) leadsto (1 at A)
