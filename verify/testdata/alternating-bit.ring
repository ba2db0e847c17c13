protocol alternating-bit "messages are sent again until they are acknowledged, over channels that garble"
source "K. A. Bartlett, R. A. Scantlebury, P. T. Wilkinson: A note on reliable full-duplex transmission over half-duplex links, Commun. ACM 12(5), 1969"

param n: 4..4 = 4

topology directed ring of n
channel fifo

var b: bool
message Data(b: bool)
message Ack(b: bool)
message Garbled
event deliver

// Process 0 sends to process 2 through process 1, which acknowledges through process 3.
process p = if p = 0 then Send(false) else if p = 1 then Line else if p = 2 then Wait(false) else Line

Send(b) = send right Data(b); Listen(b)
Listen(b) = recv left Ack(b); Send(not b) | recv left Ack(not b); Send(b) | recv left Garbled; Send(b)
Wait(b) =
    recv left Data(b); deliver; send right Ack(b); Wait(not b)
  | recv left Data(not b); send right Ack(not b); Wait(b)
  | recv left Garbled; send right Ack(not b); Wait(b)
Line = recv left Data(b); Carry(b) | recv left Ack(b); Return(b)
Carry(b) = send right Data(b); Line | send right Garbled; Line
Return(b) = send right Ack(b); Line | send right Garbled; Line

ltl delivered "one message after the other is delivered" = always eventually deliver happens
ltl fairly "the same, if what can get through again and again does" = always eventually deliver happens under strongly fair of Data, Ack
