protocol randomized "randomized leader election: random mediators let few contenders pass, round by round; of those left the one with the largest number wins"
source "M. K. Ramanathan, R. A. Ferreira, S. Jagannathan, A. Grama, W. Szpankowski: Randomized leader election, Distrib. Comput. 19, 2007"

param n: 1..65536 "processes, each of them a mediator"
param c: 1..65536 = 2 "contenders"
param rounds: 0..30 = 1 "rounds of the first phase; without any, this is the probabilistic quorum alone"
param quorum: 1..65536 = 2 "mediators of a contender in the second phase, the square root of n ln n in the paper"
param spare: 0..65536 = 0 "so many more are asked in the second phase, in case some have failed; a quorum of them has to agree"
param tau: 1..1000 = 1 "a message arrives within so many ticks"
param gamma: 0..1000 = 0 "of 1000 processes, how many have failed"
option network: asynchronous | synchronous = asynchronous "synchronous: every message takes tau ticks, and a mediator answers all that arrive at one moment together"
option pace: own | common = own "a round begins when the one before is won; or 2 tau after that began"

// A process that both contends and mediates is modelled as two, which send messages to each other as to all others.
topology complete graph of c + n
channel unordered, delay (if network = synchronous then tau else 0)..tau

type Round = 1..max(1, rounds)
var j: Round
var i, cp, wp: 0..c // random numbers, 0 for nobody
var q, cur, w: node
var left: 0..n
var asked: set of c..c + n - 1
var up: bool
register taken: set of Round = {} // of a mediator: the rounds in which it has let a contender pass
timer t: 0..5 * tau

message Ask(j: Round) "first phase", Yes, No
message Req(i: 1..c) "second phase", Ack, Nak, Potw, Dec
event survivor "enters the second phase", winner

// The random numbers are 1..c in some order. Mediators are drawn uniformly, so contender p can have the number p + 1.
process contender[p in 0..c - 1] = Contend(1, p + 1)
process mediator[p in c..c + n - 1] = if network = synchronous then Gather else if gamma > 0 then Fresh else Idle

// In round j a contender asks √(n ln 2 / (E - 1)) mediators, rounded up; E = n / 2^(j - 1) are expected to be left.
define sigma(j: Round) =
    if n > 2^(j - 1) then min(n, sqrtceil((693147181 * n * 2^(j - 1) - 1) div (1000000000 * (n - 2^(j - 1))) + 1)) else n

Contend(j, i) =
    if rounds = 0 then survivor; Enter(i)
    else draw asked in subsets({q in c..c + n - 1 where true}, sigma(j)); t := 2 * tau;
        for q in asked: send q Ask(j); Hope(j, i, sigma(j))
Hope(j, i, left) =
    recv _ Yes where left > 1; Hope(j, i, left - 1)
  | recv _ Yes where left = 1; if pace = own then Next(j, i) else Pause(j, i)
  | recv _ No; Lost
Pause(j, i) = when t = 0: skip; Next(j, i)
Next(j, i) = if j < rounds then Contend(j + 1, i) else survivor; Enter(i)

Enter(i) =
    draw asked in subsets({q in c..c + n - 1 where true}, quorum + spare); t := 5 * tau;
    for q in asked: send q Req(i); Await(asked, quorum)
Await(asked, left) =
    recv _ Ack where left > 1; Await(asked, left - 1)
  | recv _ Ack where left = 1;
    if network = synchronous then winner; Winner
    else let t = 2 * tau; for q in asked: send q Potw; Potential(asked)
  | recv _ Nak; if network = synchronous then Lost else Decline(asked)
  | when gamma > 0 and t = 0: skip; Decline(asked)
Potential(asked) =
    recv _ Nak; Decline(asked)
  | when t = 0: winner; Winner
  | ignore Ack
Decline(asked) = for q in asked: send q Dec; Lost
Lost = ignore Yes, No, Ack, Nak
Winner = ignore Ack, Nak

// In a synchronous network a mediator answers after it has received all messages that have arrived.
Gather =
    recv q Ask(_); Alone(q)
  | recv q Req(i); Best(q, i)
Alone(q) =
    send q Yes; Gather
  | recv w Ask(_); send q No; Clash(w)
Clash(q) =
    send q No; Gather
  | recv w Ask(_); send q No; Clash(w)
Best(q, i) =
    send q Ack; Gather
  | recv w Req(wp) where wp > i; send q Nak; Best(w, wp)
  | recv w Req(wp) where wp < i; send w Nak; Best(q, i)

// In an asynchronous network, a mediator that may have failed before it is asked.
Fresh =
    recv q Ask(j); draw up with 1 - gamma/1000; if up then let taken = {j}; send q Yes; Idle else skip; Failed
  | recv q Req(i);
    draw up with 1 - gamma/1000; if up then let t = 3 * tau; send q Ack; Safe(q, i, 0, 0) else skip; Failed
  | ignore Potw, Dec
Failed = ignore Ask, Req, Potw, Dec

// In the second phase, cur is the contender acknowledged last, with number cp, and w is one that waits, if wp > 0.
Idle =
    recv q Req(i); let t = 3 * tau; send q Ack; Safe(q, i, 0, 0)
  | recv q Ask(j) where j in taken; send q No; Idle
  | recv q Ask(j) where not j in taken; let taken = taken union {j}; send q Yes; Idle
  | ignore Potw, Dec
Safe(cur, cp, w, wp) =
    recv q Req(i) where i > cp and i > wp; if wp > 0 then send w Nak; Safe(cur, cp, q, i) else Safe(cur, cp, q, i)
  | recv q Req(i) where i < cp or i < wp; send q Nak; Safe(cur, cp, w, wp)
  | recv cur Potw; t := 3 * tau; Close(cur, cp, w, wp)
  | recv q Potw where q != cur; send q Nak; Safe(cur, cp, w, wp)
  | recv cur Dec; Free(w, wp)
  | recv q Dec where q != cur; if wp > 0 and q = w then Safe(cur, cp, 0, 0) else Safe(cur, cp, w, wp)
  | when t = 0 and wp > 0: send cur Nak; Free(w, wp)
  | when t = 0 and wp = 0: t := 3 * tau; Post(cur, cp)
  | recv q Ask(j) where j in taken; send q No; Safe(cur, cp, w, wp)
  | recv q Ask(j) where not j in taken; let taken = taken union {j}; send q Yes; Safe(cur, cp, w, wp)
Free(w, wp) = if wp > 0 then let t = 3 * tau; send w Ack; Safe(w, wp, 0, 0) else skip; Idle
Post(cur, cp) =
    recv q Req(i) where i > cp; send cur Nak; Free(q, i)
  | recv q Req(i) where i < cp; send q Nak; Post(cur, cp)
  | recv cur Potw; t := 3 * tau; Close(cur, cp, 0, 0)
  | recv cur Dec; Free(0, 0)
  | recv q Dec where q != cur; Post(cur, cp)
  | recv q Potw where q != cur; Post(cur, cp)
  | when t = 0: skip; Idle
  | recv q Ask(j) where j in taken; send q No; Post(cur, cp)
  | recv q Ask(j) where not j in taken; let taken = taken union {j}; send q Yes; Post(cur, cp)
Close(cur, cp, w, wp) =
    recv q Req(i) where i > cp and i > wp; if wp > 0 then send w Nak; Close(cur, cp, q, i) else Close(cur, cp, q, i)
  | recv q Req(i) where i < cp or i < wp; send q Nak; Close(cur, cp, w, wp)
  | recv cur Dec; Free(w, wp)
  | recv q Dec where q != cur; if wp > 0 and q = w then Close(cur, cp, 0, 0) else Close(cur, cp, w, wp)
  | recv q Potw where q != cur; Close(cur, cp, w, wp)
  | when t = 0 and wp > 0: send w Nak; Final
  | when t = 0 and wp = 0: skip; Final
  | recv q Ask(j) where j in taken; send q No; Close(cur, cp, w, wp)
  | recv q Ask(j) where not j in taken; let taken = taken union {j}; send q Yes; Close(cur, cp, w, wp)
Final =
    recv q Req(_); send q Nak; Final
  | ignore Potw, Dec
  | recv q Ask(j) where j in taken; send q No; Final
  | recv q Ask(j) where not j in taken; let taken = taken union {j}; send q Yes; Final

role leader = p at Winner "leader" amber
role lost = p at Lost "has lost" grey
role failed = p at Failed "has failed" red
role contends = p in contender "contender" blue
role mediates = true "mediator" teal

reward survivors "contenders in the second phase" = 1 per event survivor
reward winners "leaders" = 1 per event winner
reward requests "requests of the first phase" = 1 per send Ask

define won = count p in contender: p at Winner
invariant one "Theorem 10: there is one leader at most, if any two contenders have a mediator in common" =
    won <= 1
    if 2 * quorum > n
terminal unique "with high probability there is one leader at most, if two contenders need not have a mediator in common" =
    won <= 1
    if 2 * quorum <= n
