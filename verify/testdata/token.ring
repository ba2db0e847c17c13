protocol token "a token goes round; whoever has it may use it, as often as he likes"
param n: 2..5 = 3
topology directed ring of n
channel unordered
message Token
event enter
process p = if p = 0 then Have else Wait
Have = send right Token; Wait | enter; Busy
Busy = skip; Have
Wait = recv left Token; Have
ltl used = forall p in node: always eventually p at Busy
ltl often = forall p in node: always eventually p at Busy under strongly fair
ltl fairly = forall p in node: always eventually p at Busy under strongly fair of enter, Token
