protocol randomized-first "randomized leader election, first phase: in each round a mediator lets one contender pass at most"
source "M. K. Ramanathan, R. A. Ferreira, S. Jagannathan, A. Grama, W. Szpankowski: Randomized leader election, Distrib. Comput. 19, 2007, Sections 3 and 4.1"

param n: 1..65536 "processes, each of them a mediator"
param c: 1..65536 = 2 "contenders"
param rounds: 1..30 = 1 "rounds"
param tau: 1..1000 = 1 "a message arrives within so many ticks"
option network: asynchronous | synchronous = asynchronous "the first to ask a mediator passes; or, if every message takes tau ticks, nobody passes who was not the only one"

// A process that both contends and mediates is modelled as two, which send messages to each other as to all others.
topology complete graph of c + n
channel unordered, delay (if network = synchronous then tau else 0)..tau

type Round = 1..rounds
var j: Round
var q, r: node
var left: 0..n
var asked: set of c..c + n - 1
register taken: set of Round = {} // of a mediator: the rounds in which it has let a contender pass

message Ask(j: Round), Yes, No
event passes(j: Round)

process contender[p in 0..c - 1] = Contend(1)
process mediator[p in c..c + n - 1] = if network = synchronous then Gather else Idle

// In round j a contender asks √(n ln 2 / (E - 1)) mediators, rounded up, where E = n / 2^(j - 1) are expected.
define sigma(j: Round) =
    if n > 2^(j - 1) then min(n, sqrtceil((693147181 * n * 2^(j - 1) - 1) div (1000000000 * (n - 2^(j - 1))) + 1)) else n

Contend(j) =
    draw asked in subsets({q in c..c + n - 1 where true}, sigma(j)); skip;
    for q in asked: send q Ask(j); Hope(j, sigma(j))
Hope(j, left) =
    recv _ Yes where left > 1; Hope(j, left - 1)
  | recv _ Yes where left = 1; passes(j); if j < rounds then Contend(j + 1) else Passed
  | recv _ No; Lost
Lost = ignore Yes, No
Passed = stop

Idle =
    recv q Ask(j) where j in taken; send q No; Idle
  | recv q Ask(j) where not j in taken; let taken = taken union {j}; send q Yes; Idle

// In a synchronous network a mediator answers after it has received all messages that have arrived.
Gather = recv q Ask(_); Alone(q)
Alone(q) =
    send q Yes; Gather
  | recv r Ask(_); send q No; Clash(r)
Clash(q) =
    send q No; Gather
  | recv r Ask(_); send q No; Clash(r)

role passes_all = p at Passed "has passed" green
role lost = p at Lost "has lost" grey
role contends = p in contender "contender" blue
role mediates = true "mediator" teal

reward passed "contenders that pass, in all rounds" = 1 per event passes

terminal decided "in the end every contender has passed or lost" = forall p in contender: p at Passed or p at Lost
reachable none "nobody may be left" = forall p in contender: p at Lost if network = synchronous
