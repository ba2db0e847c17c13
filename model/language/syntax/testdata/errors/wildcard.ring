protocol p
A = recv _ M(_, _ + 1); send _ M(_); stop
