param n: 2..16
topology directed ring of n
