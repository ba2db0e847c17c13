protocol go-back-n "go-back-n: a window of data in transit, over queues that lose messages"
source "A. S. Tanenbaum, D. J. Wetherall: Computer Networks, 5th edition, 2011, Section 3.4.2"

param w: 1..3 = 1 "the window: how many data can be in transit"
param d: 1..3 = 2 "different data"
option numbers: 1..4 = 2 "sequence numbers; there must be more than the window"
option losses: 0..3 = 1 "how many messages can be lost"
option resend: bool = true "the sender repeats what is not acknowledged"
option patience: 1..9 = 5 "ticks before the sender does so; an answer takes 4 at most"

topology line of 2
channel fifo, lossy at most losses, delay 1..2

type number = 0..numbers - 1
type place = 0..2

var next, expected, a, s: number
var open: 0..w
var kept: array place of 0..d
var i: place
var x, y: 1..d
timer t: 0..9
message Data(x: 1..d, s: number), Ack(a: number)
event accept(x: 1..d), deliver(y: 1..d)

// kept has the data that are not acknowledged, the oldest first. An acknowledgement is for all data up to a number.
define done(a: number, next: number, open: 0..w) = (a - next + open) mod numbers + 1
define item(kept: array place of 0..d, i: 0..6) = if i <= 2 then kept[i] else 0

process sender = Send(0, 0, all(0))
process receiver = Receive(0)

Send(next, open, kept) =
    when open < w: choose x; accept(x); Post(x, next, open, kept)
  | recv right Ack(a) where done(a, next, open) <= open;
    Send(next, open - done(a, next, open), {i in place: item(kept, i + done(a, next, open))})
  | recv right Ack(a) where done(a, next, open) > open; Send(next, open, kept)
  | when resend and t = 0 and open > 0: let t = patience; Repeat(next, open, kept)
Post(x, next, open, kept) =
    let t = patience; send right Data(x, next); Send((next + 1) mod numbers, open + 1, kept with [open] = x)
Repeat(next, open, kept) =
    send right Data(kept[0], (next - open) mod numbers);
    for i in 1..2 where i < open: send right Data(kept[i], (next - open + i) mod numbers); Send(next, open, kept)

Receive(expected) =
    recv left Data(y, s) where s = expected; Deliver(y, expected)
  | recv left Data(_, s) where s != expected; send left Ack((expected - 1) mod numbers); Receive(expected)
Deliver(y, expected) = deliver(y); Answer(expected)
Answer(expected) = send left Ack(expected); Receive((expected + 1) mod numbers)

role delivering = p at Deliver "delivers" green
role ready = true "ready" blue

invariant right "what is delivered is what was accepted with this number" =
    receiver at Deliver => receiver.y = sender.kept[(receiver.expected - sender.next + sender.open) mod numbers]
recoverable progress "data can always be delivered" = receiver at Deliver
ltl delivered "and they are, again and again" = always eventually deliver happens
