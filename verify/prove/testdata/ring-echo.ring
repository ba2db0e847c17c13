protocol ring-echo "echo on a ring: a wave goes both ways round, and comes back to process 0 when all are informed"
source "E. J. H. Chang: Echo algorithms: depth parallel operations on general graphs, IEEE Trans. Softw. Eng. 8(4), 1982"

param n: 2..100 = 4 "ring size"

topology undirected ring of n
channel fifo

var from, d: dir
message Wave
event decided

process initiator = send left Wave; send right Wave; First
process other[p in 1..n - 1] = Asleep

First = recv _ Wave; Second
Second = recv _ Wave; decided; Done

Asleep = recv from Wave; Forward(from)
Forward(from) = send opposite(from) Wave; Child(from)
Child(from) = recv d Wave where d != from; Reply(from)
Reply(from) = send from Wave; Done
Done = stop

role done = p at Done "done" green
role asleep = p at Asleep "asleep" grey
role awake = true "awake" blue

invariant informed "who decides is the last to know" = initiator at Done => forall p in node: not p at Asleep
invariant complete "who decides is the last" = initiator at Done => forall p in node: p at Done
terminal decided "the initiator decides" = forall p in node: p at Done
