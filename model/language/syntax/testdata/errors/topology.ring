protocol p
topology bidirectional ring of n
topology unidirectional ring of n
topology tree of n
topology clique of n
topology complete of n
