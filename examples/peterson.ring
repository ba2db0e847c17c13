protocol peterson "Peterson's election on a directed ring, with O(n log n) messages"
source "G. L. Peterson: An O(n log n) unidirectional algorithm for the circular extrema problem, ACM Trans. Program. Lang. Syst. 4(4), 1982"

param n: 2..8 = 3 "ring size"

topology directed ring of n
channel fifo | unordered = fifo "whether messages may overtake each other"

assign uid: permutation of 1..n

var initial, tid, ntid, nntid: 1..n
message M(tid: 1..n)
event elected

process p = Active(uid[p], uid[p])

// tid is a temporary identity, ntid that of the nearest active process on the left, nntid that of the next one.
Active(initial, tid) = send right M(tid); recv left M(ntid); First(initial, tid, ntid)
First(initial, tid, ntid) =
    if ntid = initial then Elected
    else (send right M(max(tid, ntid)); recv left M(nntid); Second(initial, tid, ntid, nntid))
Second(initial, tid, ntid, nntid) =
    if nntid = initial then Elected
    else if ntid >= max(tid, nntid) then Active(initial, ntid)
    else Relay(initial)
Relay(initial) = recv left M(tid); if tid = initial then Elected else send right M(tid); Relay(initial)

Elected = elected; stop

define elects(p) = p at Elected

role elected = elects(p) "elected" amber
role relay = p at Relay "relay" grey
role active = true "active" blue

invariant largest "the process with the largest identity is elected, and no other" = forall p in node: elects(p) => uid[p] = n
terminal decided "in the end there is one, and the others know that they are not" =
    (count p in node: elects(p)) = 1
ltl always_one "somebody is always elected" = eventually elected happens
