protocol randomized-second "randomized leader election, second phase: mediators arbitrate, the larger random number wins"
source "M. K. Ramanathan, R. A. Ferreira, S. Jagannathan, A. Grama, W. Szpankowski: Randomized leader election, Distrib. Comput. 19, 2007, Tables 3 to 7"

param c: 1..4 = 2 "contenders, processes 0..c-1"
param n: 1..16 = 1 "mediators, the processes behind them"
param tau: 1..3 = 1 "a message arrives within so many ticks"
option sets: common | shifted = common "every contender asks all mediators; or contender p all but the one that is p places on"
option start: together | free = together "contenders begin at once, or each within 3 tau"
option dec: current | any = current "a DEC counts if it is of the contender that was acknowledged last or waits; or, as the tables have it, any"
option answer: bool = true "who waits when a winner is declared gets a NAK, as the text has it; the tables do not say so"
option race: bool = false "at the instant of a deadline a timer may ring before a message is taken"

topology complete graph of c + n
channel unordered, delay 0..tau, racing if race

var q, cur, w: node
var i, cp, wp: 0..c // random numbers, a permutation of 1..c; 0 for nobody
var d: 0..3 * tau
var left: 0..n
var asked: set of node
timer t: 0..3 * tau         // of the current state
timer clock: 0..7 * tau + 1 // ticks since a contender began
message Req(i: 1..c), Potw, Dec, Ack, Nak
event winner, final(q: node)

// The random numbers are 1..c in some order; by symmetry contender p has p + 1, since only its mediators differ.
process p =
    if p >= c then Idle
    else if start = free then Late(p + 1, mediators(p)) else Begin(p + 1, mediators(p))

define mediators(p) = {q in c..c + n - 1 where sets = common or n = 1 or q != c + p mod n}

// A contender.
Late(i, asked) = choose d in 0..3 * tau; t := d; Delay(i, asked)
Delay(i, asked) = when t = 0: skip; Begin(i, asked)
Begin(i, asked) = let clock = 7 * tau + 1; for q in asked: send q Req(i); Await(asked, size(asked))
Await(asked, left) =
    recv _ Ack where left > 1; Await(asked, left - 1)
  | recv _ Ack where left = 1; let t = 2 * tau; for q in asked: send q Potw; Potential(asked)
  | recv _ Nak; Decline(asked)
Potential(asked) =
    recv _ Nak; Decline(asked)
  | when t = 0: winner; Winner
  | ignore Ack
Decline(asked) = for q in asked: send q Dec; Lost
Lost = ignore Ack, Nak
Winner = ignore Ack, Nak

// A mediator: cur is the contender acknowledged last, with random number cp, and w is one that waits, if wp > 0.
Idle =
    recv q Req(i); let t = 3 * tau; send q Ack; Safe(q, i, 0, 0)
  | ignore Potw, Dec

Safe(cur, cp, w, wp) =
    recv q Req(i) where i > cp and i > wp; if wp > 0 then send w Nak; Safe(cur, cp, q, i) else Safe(cur, cp, q, i)
  | recv q Req(i) where i < cp or i < wp; send q Nak; Safe(cur, cp, w, wp)
  | recv cur Potw; t := 3 * tau; Close(cur, cp, w, wp)
  | recv q Potw where q != cur; send q Nak; Safe(cur, cp, w, wp)
  | recv cur Dec; Next(w, wp)
  | recv q Dec where q != cur;
    if dec = any then Next(w, wp) else if wp > 0 and q = w then Safe(cur, cp, 0, 0) else Safe(cur, cp, w, wp)
  | when t = 0 and wp > 0: send cur Nak; Next(w, wp)
  | when t = 0 and wp = 0: t := 3 * tau; Post(cur, cp)

// The contender that waits is next.
Next(w, wp) = if wp > 0 then let t = 3 * tau; send w Ack; Safe(w, wp, 0, 0) else skip; Idle

Post(cur, cp) =
    recv q Req(i) where i > cp; send cur Nak; Next(q, i)
  | recv q Req(i) where i < cp; send q Nak; Post(cur, cp)
  | recv cur Potw; t := 3 * tau; Close(cur, cp, 0, 0)
  | recv cur Dec; Next(0, 0)
  | recv q Dec where q != cur; if dec = any then Next(0, 0) else Post(cur, cp)
  | recv q Potw where q != cur; Post(cur, cp)
  | when t = 0: skip; Idle

Close(cur, cp, w, wp) =
    recv q Req(i) where i > cp and i > wp; if wp > 0 then send w Nak; Close(cur, cp, q, i) else Close(cur, cp, q, i)
  | recv q Req(i) where i < cp or i < wp; send q Nak; Close(cur, cp, w, wp)
  | recv cur Dec; Next(w, wp)
  | recv q Dec where q != cur;
    if dec = any then Next(w, wp) else if wp > 0 and q = w then Close(cur, cp, 0, 0) else Close(cur, cp, w, wp)
  | recv q Potw where q != cur; Close(cur, cp, w, wp)
  | when t = 0 and wp > 0: if answer then send w Nak; Final(cur) else skip; Final(cur)
  | when t = 0 and wp = 0: final(cur); Final(cur)

Final(cur) =
    recv q Req(_); send q Nak; Final(cur)
  | ignore Potw, Dec

define undecided(p) = p at Begin or p at Await or p at Potential or p at Decline

role wins = p at Winner "winner" amber
role lost = p at Lost "has lost" grey
role contends = p < c "contender" blue
role mediates = true "mediator" teal

invariant one "Theorem 10: there is one winner at most" = (count p in 0..c - 1: p at Winner) <= 1
invariant soon "Theorem 8: who has begun has won or lost within 7 tau" =
    forall p in 0..c - 1: undecided(p) => p.clock > 0 or p at Begin
terminal elected "in the end there is one winner, and the others have lost" =
    (count p in 0..c - 1: p at Winner) = 1 and (forall p in 0..c - 1: p at Winner or p at Lost)
