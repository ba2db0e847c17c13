protocol p "several errors, each in its declaration"
param n 2..16
option bits: bool
topology ring of n
channel fifo unordered
channel fifo | unordered
var x: 1..
message M(id 1..k)
A = send right; B
B = recv left M(i, j) C
C = draw x in 1..2
