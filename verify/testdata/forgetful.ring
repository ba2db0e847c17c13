protocol forgetful "a process that has got its answer forgets the message that is still on its way"

param n: 2..8 = 2 "ring size"
topology directed ring of n
channel unordered

message Ask
message Tell

process p = if p = 0 then send right Ask; Waiting else Serving

Waiting = recv left Ask; Done | recv left Tell; Done
Serving = recv left Ask; send right Ask; send right Tell; Done
Done = stop

terminal clean "nothing is left" = forall p in node, m in inbox(p, left): m is Ask
