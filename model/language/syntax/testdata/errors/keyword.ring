protocol p
topology directed ring of n
A(h) = recv left Token(h); if h = n the Leader else A(h)
B = sned right Token; stop
mesage Token(h: 1..n)
