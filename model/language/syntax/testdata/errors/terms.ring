protocol p
A = leader; stop; B
B = send right M(x)
C = if x then stop
D = (stop | skip; stop; stop
E = stop | 
F = recv left M(x) where ; stop
G = send M(x); stop
H = draw x with; stop
