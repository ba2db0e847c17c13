protocol milner-scheduler "cyclers start their tasks in turn: each hands the turn on by rendezvous, before or after its task ends"
source "R. Milner: Communication and concurrency (1989)"

param n: 2..16 = 4 "cyclers"

topology directed ring of n
channel sync

message Turn
event start, end

process p = if p = 0 then Started else Idle

Idle = recv left Turn; Started
Started = start; Both
// The task runs, and the turn is to be handed on. The next cycler takes it only when its task has ended.
Both =
    send right Turn; Running
  | end; Passing
Running = end; Idle
Passing = send right Turn; Idle

define turn(p) = p at Started or p at Both or p at Passing

role turn = turn(p) "has the turn" green
role running = p at Running "its task runs" amber
role idle = true "idle" grey

check n = 2..5

invariant single "one cycler has the turn" = (count p in node: turn(p)) = 1

terminal no_deadlock "somebody can always do something" = false

// The formula is large for more cyclers.
ltl order "a cycler starts its task again only after the next one" =
    forall p in node:
        always (start happens at p => next (not start happens at p unless start happens at (p + 1) mod n))
    if n <= 3

ltl again "every cycler starts its task again and again" =
    forall p in node: always eventually start happens at p
    under fair
