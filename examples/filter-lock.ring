protocol filter-lock "Peterson's mutual exclusion for n processes, the filter lock"
source "G. L. Peterson: Myths about the mutual exclusion problem, Information Processing Letters 12(3), 1981"

// A process goes through the levels 1 to n - 1. On each it says that it came last, and waits until another process came
// after it or all others are on lower levels. Behind the last level is the critical section.

param n: 2..8 = 3 "number of processes"

topology complete graph of n

type Level = 1..n - 1

shared level: array node of 0..n - 1 = all(0) // where a process is, or wants to be; 0 outside
shared last: array Level of node = all(0)     // who came last to a level

var k: Level

event enter

process p = Advance(1)

Advance(k) = level := level with [self] = k; Mark(k)

Mark(k) = last := last with [k] = self; Wait(k)

Wait(k) =
    when free(self, k) and k < n - 1: skip; Advance(k + 1)
  | when free(self, k) and k = n - 1: enter; Critical

Critical = level := level with [self] = 0; Advance(1)

define free(p, k: Level) = last[k] != p or (forall q in node where q != p: level[q] < k)

invariant exclusion "at most one process is in the critical section" = (count p in node: p at Critical) <= 1

invariant filter "at most n - k processes have passed level k" =
    forall k in Level: (count p in node: level[p] > k) <= n - k

ltl served "whoever wants to enter will" = forall p in node: p at Wait leads to p at Critical under fair

role critical = p at Critical "in the critical section" green
role waiting = p at Wait "waiting" amber

check n = 2..4
