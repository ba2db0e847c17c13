protocol bully "bully algorithm: who hears nothing of the coordinator asks all with larger numbers, and rules if none of them answers in time"
source "H. Garcia-Molina: Elections in a distributed computing system, IEEE Trans. Comput. C-31(1), 1982, Sect. 4"

// As in textbooks, with a coordinator that announces regularly that it is alive. Messages take at most tau ticks,
// and processes no time: a process that does not answer in time has crashed.

param n: 2..5 = 3 "processes"
param tau: 1..3 = 1 "a message arrives within so many ticks"
option crashes: 0..4 = 1 "how many processes can crash"

topology complete graph of n
channel unordered, delay 0..tau
crash at most crashes

const answer = 2 * tau + 1       // longer than a question and its answer take
const verdict = answer + tau + 1 // longer than an election and its announcement take
const period = 2                 // between announcements of a coordinator
const silence = period + tau + 1 // after which the coordinator must have crashed

var q, leader: node
timer t: 0..max(verdict, silence)
message Election, Answer, Coordinator
event rules(q: node)

process p = Elect

Elect =
    when self = n - 1: Announce
  | when self < n - 1: let t = answer; for q in self + 1..n - 1: send q Election; Ask

// Does somebody with a larger number answer?
Ask =
    recv q Election; send q Answer; Ask
  | let t = verdict; recv _ Answer; Expect
  | Obey
  | when t = 0: Announce

// That process holds an election, too, and somebody will win.
Expect =
    recv q Election; send q Answer; Expect
  | ignore Answer
  | Obey
  | when t = 0: Elect

Announce = let t = period; rules(self); for q in 0..self - 1: send q Coordinator; Rule
Rule =
    recv q Election; send q Answer; Rule
  | when t = 0: Announce

Obey = let t = silence; recv leader Coordinator; Follow(leader)
Follow(keep leader) =
    recv q Election; send q Answer; Elect
  | ignore Answer
  | Obey
  | when t = 0: Elect

define rules(p) = p at Announce or p at Rule
define highest(p) = not p crashed and (forall q in p + 1..n - 1: q crashed)

role crashed = p crashed "crashed" grey
role coordinator = rules(p) "coordinator" green
role follower = p at Follow "follows" blue
role electing = true "holds an election" amber

invariant one "no two rule at the same time" = (count p in node: rules(p)) <= 1
ltl stable "in the end whoever has the largest number of those alive rules, and the others follow, for ever" =
    eventually always forall p in node: p crashed or (if highest(p) then rules(p) else p at Follow and highest(p.leader))
