protocol ricart-agrawala "Ricart and Agrawala: mutual exclusion by permissions, in the order of clocks"
source "G. Ricart, A. K. Agrawala: An optimal algorithm for mutual exclusion in computer networks, Commun. ACM 24(1), 1981"

param n: 2..4 = 2 "processes"
param rounds: 1..3 = 1 "how often each of them enters"

topology complete graph of n
channel unordered

var me, q: node
var clock, ours, theirs: 0..n * rounds + 1
var r: 0..rounds
var late, left: set of node
message Request(theirs: 0..n * rounds + 1), Reply
event enter, leave

process p = Idle(p, 0, rounds)

// The clock is the largest number that was seen; ours is that of the own request.
Idle(me, clock, r) =
    when r > 0: let ours = clock + 1;
        for q in node where q != me: send q Request(ours); Ask(me, ours, ours, r, {}, {q in node where q != me})
  | recv q Request(theirs); send q Reply; Idle(me, max(clock, theirs), r)

// Who asks answers those who asked earlier, and keeps the others waiting.
Ask(me, ours, clock, r, late, left) =
    if left = {} then enter; Critical(me, clock, r, late)
    else (recv q Reply; Ask(me, ours, clock, r, late, left minus {q})
        | recv q Request(theirs); Decide(me, ours, max(clock, theirs), theirs, r, late, left, q))
Decide(me, ours, clock, theirs, r, late, left, q) =
    if theirs < ours or theirs = ours and q < me then send q Reply; Ask(me, ours, clock, r, late, left)
    else Ask(me, ours, clock, r, late union {q}, left)
Critical(me, clock, r, late) = leave; Leave(me, clock, r, late)
Leave(me, clock, r, late) = for q in late: send q Reply; Idle(me, clock, r - 1)

invariant exclusive "one is in the critical section at most" = (count p in node: p at Critical) <= 1
terminal served "everybody has been there" = forall p in node: p at Idle
ltl enters "and everybody gets there" = eventually 0 at Critical under fair
