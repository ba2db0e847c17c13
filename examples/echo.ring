protocol echo "echo algorithm: a wave goes through a network and comes back to its initiator"
source "E. J. H. Chang: Echo algorithms: depth parallel operations on general graphs, IEEE Trans. Softw. Eng. 8(4), 1982"

param w: 1..4 = 2 "columns"
param h: 1..4 = 2 "rows"

topology grid of w by h
channel unordered

var q, parent: node
var near, rest: set of node
message Wave
event decided

process p = if p = 0 then Start(neighbours(p)) else Asleep(neighbours(p))

Start(near) = for q in near: send q Wave; Wait(near)
Wait(rest) = if rest = {} then decided; Done else recv q Wave; Wait(rest minus {q})
Done = stop

Asleep(near) = recv parent Wave; Wake(parent, near minus {parent})
Wake(parent, rest) = for q in rest: send q Wave; Child(parent, rest)
Child(parent, rest) = if rest = {} then send parent Wave; Done else recv q Wave; Child(parent, rest minus {q})

role done = p at Done "done" green
role asleep = p at Asleep "asleep" grey
role awake = true "awake" blue

invariant complete "who decides is the last" = 0 at Done => forall p in node: p at Done
terminal decided "the initiator decides, and no message is left" =
    (forall p in node: p at Done) and (forall p in node, q in neighbours(p): size(inbox(p, q)) = 0)
ltl happens "and it always does" = eventually decided happens
