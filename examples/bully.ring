protocol bully "bully algorithm: who hears nothing of the coordinator asks all with larger numbers, and rules if none of them answers in time"
source "H. Garcia-Molina: Elections in a distributed computing system, IEEE Trans. Comput. C-31(1), 1982, Sect. 4"

// As textbooks have it, with a coordinator that says again and again that it is alive. Messages take tau ticks at
// most, and processes no time: who does not answer in time has crashed.

param n: 2..5 = 3 "processes"
param tau: 1..3 = 1 "a message arrives within so many ticks"
option crashes: 0..4 = 1 "how many processes can crash"

topology complete graph of n
channel unordered, delay 0..tau
crash at most crashes

const answer = 2 * tau + 1 // more than a question and its answer take
const verdict = answer + tau + 1 // more than an election takes, with the announcement
const period = 2 // of a coordinator
const silence = period + tau + 1 // of a coordinator that must have crashed

var me, q, leader: node
timer t: 0..max(verdict, silence)
message Election, Answer, Coordinator
event rules(q: node)

process p = Elect(p)

Elect(me) =
    when me = n - 1: Announce(me)
  | when me < n - 1: let t = answer; for q in me + 1..n - 1: send q Election; Ask(me)

// Does somebody with a larger number answer?
Ask(me) =
    recv q Election; send q Answer; Ask(me)
  | let t = verdict; recv _ Answer; Expect(me)
  | Obey(me)
  | when t = 0: Announce(me)

// Then it holds an election, too, and somebody will win.
Expect(me) =
    recv q Election; send q Answer; Expect(me)
  | ignore Answer
  | Obey(me)
  | when t = 0: Elect(me)

Announce(me) = let t = period; rules(me); for q in 0..me - 1: send q Coordinator; Rule(me)
Rule(me) =
    recv q Election; send q Answer; Rule(me)
  | when t = 0: Announce(me)

Obey(me) = let t = silence; recv leader Coordinator; Follow(me, leader)
Follow(me, keep leader) =
    recv q Election; send q Answer; Elect(me)
  | ignore Answer
  | Obey(me)
  | when t = 0: Elect(me)

define rules(p) = p at Announce or p at Rule
define highest(p) = not p crashed and (forall q in p + 1..n - 1: q crashed)

role crashed = p crashed "crashed" grey
role coordinator = rules(p) "coordinator" green
role follower = p at Follow "follows" blue
role electing = true "holds an election" amber

invariant one "no two rule at the same time" = (count p in node: rules(p)) <= 1
ltl stable "in the end whoever has the largest number of those alive rules, and the others follow, for ever" =
    eventually always (forall p in node: p crashed or (if highest(p) then rules(p) else p at Follow and highest(p.leader)))
