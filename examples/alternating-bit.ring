protocol alternating-bit "alternating bit protocol: data in their order over queues that lose and duplicate messages"
source "K. A. Bartlett, R. A. Scantlebury, P. T. Wilkinson: A note on reliable full-duplex transmission over half-duplex links, Commun. ACM 12(5), 1969"

param d: 2..4 = 2 "different data"
option losses: 0..3 = 1 "how many messages can be lost"
option duplicates: 0..3 = 1 "how many can be duplicated"
option patience: 1..9 = 5 "ticks before the sender repeats itself; an answer takes 4 at most"

topology line of 2
channel fifo, lossy at most losses, duplicating at most duplicates, delay 1..2

var x, y: 1..d
var bit, b: bool
timer t: 0..9
message Data(x: 1..d, bit: bool), Ack(bit: bool)
event accept(x: 1..d), deliver(y: 1..d)

process sender = Accept(true)
process receiver = Receive(true)

Accept(bit) = choose x; accept(x); Send(x, bit)
Send(x, bit) = let t = patience; send right Data(x, bit); Wait(x, bit)
Wait(x, bit) =
    recv right Ack(bit); Accept(not bit)
  | recv right Ack(b) where b != bit; Wait(x, bit)
  | when t = 0: Send(x, bit)

Receive(bit) =
    recv left Data(y, bit); Deliver(y, bit)
  | recv left Data(_, b) where b != bit; send left Ack(b); Receive(bit)
Deliver(keep y, bit) = deliver(y); send left Ack(bit); Receive(not bit)

role waiting = p at Wait "waits for an answer" amber
role delivering = p at Deliver "delivers" green
role ready = true "ready" blue

invariant right "what is delivered is what was accepted last" = receiver at Deliver => receiver.y = sender.x
invariant bounded "no more than three messages are under way" =
    size(inbox(receiver, left)) + size(inbox(sender, right)) <= 3
recoverable progress "data can always be delivered" = receiver at Deliver
ltl delivered "and they are, again and again" = always eventually deliver happens
