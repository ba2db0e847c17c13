protocol suzuki-kasami "Suzuki and Kasami: mutual exclusion by a privilege, which goes to those that have asked for it"
source "I. Suzuki, T. Kasami: A distributed mutual exclusion algorithm, ACM Trans. Comput. Syst. 3(4), 1985, Sect. 2"

param n: 2..5 = 2 "sites"
param rounds: 1..3 = 1 "how often each of them enters"

topology complete graph of n + 1
channel unordered

type Round = 0..rounds

var q: node
var x, r: Round
var asked, served: array node of Round // by site: its requests that are known, and those that were granted
var left, waiting: set of node         // the privilege has a queue of those that wait:
var head, tail: node                   // the first and the last of them, the next of each, and itself of others
var next: array node of node
message Request(x: Round)
message Privilege(served: array node of Round, waiting: set of node, head: node, tail: node, next: array node of node)
event enter, leave

process start = choose q in site; send q Privilege(all(0), {}, q, q, {p in node: p}); stop
process site[p in 1..n] = Idle(all(0), rounds)

Idle(asked, r) =
    recv q Request(x); Idle(asked with [q] = max(asked[q], x), r)
  | recv q Privilege(served, _, _, _, _); Holding(asked, served, r) // from the start
  | when r > 0: let asked = asked with [self] = asked[self] + 1; Asking(asked, r, site minus {self})

Asking(asked, r, left) =
    if left = {} then Waiting(asked, r)
    else choose q in left; send q Request(asked[self]); Asking(asked, r, left minus {q})

Waiting(asked, r) =
    recv q Request(x); Waiting(asked with [q] = max(asked[q], x), r)
  | recv q Privilege(served, waiting, head, tail, next); enter;
    Critical(asked, served, waiting, head, tail, next, r)

Critical(asked, served, waiting, head, tail, next, r) =
    recv q Request(x); Critical(asked with [q] = max(asked[q], x), served, waiting, head, tail, next, r)
  | leave; let served = served with [self] = asked[self];
    Append(asked, served, waiting, head, tail, next, r - 1, {q in site where q != self and not q in waiting and asked[q] = served[q] + 1})

// Those that have asked since are appended to the queue, in any order, and its head gets the privilege.
Append(asked, served, waiting, head, tail, next, r, left) =
    if left = {} then Pass(asked, served, waiting, head, tail, next, r)
    else choose q in left; skip;
        Append(asked, served, waiting union {q}, if waiting = {} then q else head, q, if waiting = {} then next else next with [tail] = q, r, left minus {q})
Pass(asked, served, waiting, head, tail, next, r) =
    if waiting = {} then Holding(asked, served, r)
    else send head Privilege(served, waiting minus {head}, next[head], tail, next with [head] = head); Idle(asked, r)

// Who has the privilege and needs it no more gives it to the first that asks.
Holding(asked, served, r) =
    recv q Request(x) where max(asked[q], x) = served[q] + 1;
    send q Privilege(served, {}, q, q, {p in node: p}); Idle(asked with [q] = max(asked[q], x), r)
  | recv q Request(x) where max(asked[q], x) != served[q] + 1; Holding(asked with [q] = max(asked[q], x), served, r)
  | when r > 0:
        let asked = asked with [self] = asked[self] + 1;
        enter; Critical(asked, served, {}, self, self, {p in node: p}, r)

role critical = p at Critical "in the critical section" green
role waiting = p at Waiting or p at Asking "waits for the privilege" red
role idle = true "idle" grey

invariant exclusive "one is in the critical section at most" = (count p in node: p at Critical) <= 1
terminal granted "everybody who has asked has been there, and nobody can ask any more" =
    forall p in site: not (p at Asking or p at Waiting or p at Idle and p.r > 0)
ltl enters "who waits enters" = forall p in site: p at Waiting leads to p at Critical
