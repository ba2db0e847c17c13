protocol ricart-agrawala "Ricart and Agrawala: mutual exclusion by permissions, in the order of clocks"
source "G. Ricart, A. K. Agrawala: An optimal algorithm for mutual exclusion in computer networks, Commun. ACM 24(1), 1981, Sect. 2"

param n: 2..4 = 2 "processes"
param rounds: 1..3 = 1 "how often each of them enters"

topology complete graph of n
channel unordered

type Time = 0..n * rounds + 1

var q: node
var clock, ours, theirs: Time // the largest time seen; the times of its own request and of another
var r: 0..rounds
var deferred, awaited: set of node
message Request(theirs: Time), Reply
event enter, leave

process p = Idle(0, rounds)

Idle(clock, r) =
    recv q Request(theirs); send q Reply; Idle(max(clock, theirs), r)
  | when r > 0: let ours = clock + 1;
        for q in neighbours(self): send q Request(ours); Ask(ours, ours, r, {}, neighbours(self))

// A process that asks answers those that asked earlier, and lets the others wait.
Ask(clock, ours, r, deferred, awaited) =
    if awaited = {} then enter; Critical(clock, r, deferred)
    else ( recv q Reply; Ask(clock, ours, r, deferred, awaited minus {q})
        | recv q Request(theirs) where theirs < ours or theirs = ours and q < self;
          send q Reply; Ask(max(clock, theirs), ours, r, deferred, awaited)
        | recv q Request(theirs) where theirs > ours or theirs = ours and q > self;
          Ask(max(clock, theirs), ours, r, deferred union {q}, awaited)
        )

Critical(clock, r, deferred) =
    recv q Request(theirs); Critical(max(clock, theirs), r, deferred union {q})
  | leave; Release(clock, r, deferred)
Release(clock, r, deferred) = for q in deferred: send q Reply; Idle(clock, r - 1)

role critical = p at Critical "in the critical section" green
role waiting = p at Ask "waits for permission" red
role idle = true "idle" grey

invariant exclusive "one is in the critical section at most" = (count p in node: p at Critical) <= 1
terminal served "everybody has been there, and nothing is under way" =
    (forall p in node: p at Idle) and (forall p in node, q in neighbours(p): size(inbox(p, q)) = 0)
ltl enters "who waits enters" = forall p in node: p at Ask leads to p at Critical
