protocol franklin "probabilistic leader election on an anonymous bidirectional ring"
source "R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol: Leader Election in Anonymous Rings: Franklin Goes Probabilistic (2008), Sect. 2"

// In a round every active process draws an identity, sends it to its nearest active neighbours on both sides
// and receives theirs. It stays active unless one of them is larger. By its own message, back after n hops,
// the last active process learns that it is the leader.

param n: 2..1000 "ring size"
param k: 2..1000 = 2 "number of identities"

option bits: bool = true "carry the number of the round modulo 2 (without: Sect. 3)"
option order: any | left = any "which neighbour is read first in a round (left: Sect. 5)"
option fresh: round | clash | both = round "when an active process draws: in every round (Sect. 6, Algorithm A), after a clash with a neighbour (B), or with both of them (B, read in another way)"
option announce: bool = false "the leader tells the others, which become nonleaders"

topology undirected ring of n
channel unordered | fifo = unordered "whether messages may overtake each other"

var id: 1..k     // its own identity
var i, j: 1..k   // the identities received from the left and from the right
var h: 1..n
var bit, b: bool if bits

message M(id: 1..k, hop: 1..n, bit: bool if bits)
message Elected "the announcement of the leader"

event leader

process p = A1(true)

// The start of a round. Its number is bit.
A1(bit) = draw id; Round(id, bit)

Round(id, bit) = send right M(id, 1, bit); send left M(id, 1, bit); A2(id, bit)

// Wait for the first message of this round; messages of the next one stay in the channel.
A2(id, bit) =
    recv left M(i, h, bit); if h = n then Leader else A3(id, bit, i)
  | when order = any:
        recv right M(j, h, bit); if h = n then Leader else A4(id, bit, j)

// Wait for the second one, from the right or from the left.
A3(id, bit, i) = recv right M(j, h, bit); if h = n then Leader else A5(id, bit, i, j)

A4(id, bit, j) = recv left M(i, h, bit); if h = n then Leader else A5(id, bit, i, j)

// Withdraw or start the next round.
A5(id, bit, i, j) =
    if i > id or j > id then P
    else if fresh = round or fresh = clash and (i = id or j = id) or i = id and j = id then A1(not bit)
    else Round(id, not bit)

// A passive process forwards messages.
P =
    recv left M(i, h, b); send right M(i, h + 1, b); P
  | recv right M(j, h, b); send left M(j, h + 1, b); P
  | when announce: recv left Elected; send right Elected; Nonleader

Nonleader = stop

Leader = leader; if announce then send right Elected; Herald else stop

// The leader waits for its announcement to come back. A late election message must not block it.
Herald =
    recv left Elected; stop
  | recv _ M(_, _, _); Herald

// Properties.

define leads(p) = p at Leader or p at Herald
define elected = exists p in node: leads(p)
define decided = exists p in node: leads(p) or p.h = n // its own message is back, but there is no event yet; for prob --until
define messages = sum p in node, d in dir: size(inbox(p, d))

role leader = leads(p) "leader" amber
role passive = p at P or p at Nonleader "passive" grey
role active = true "active" blue

invariant unique "there is never more than one leader" = (count p in node: leads(p)) <= 1

terminal elected "one leader, the others passive, and only the leader's other message left" =
    (count p in node: leads(p)) = 1
    and (forall p in node: leads(p) or p at P)
    and messages = 1
    and (forall p in node, d in dir, m in inbox(p, d): leads(p) and m.hop = n)
    if not announce

terminal announced "one leader, the others know it, and at most the leader's other own message is left" =
    (count p in node: leads(p)) = 1
    and (forall p in node: leads(p) or p at Nonleader)
    and messages <= 1
    and (forall p in node, d in dir, m in inbox(p, d): m is M)
    if announce

reward rounds "a round takes 2n messages, whoever schedules: until terminal, this counts the rounds" = 1/(2 * n) per send M

reachable electable "a leader can be elected" = elected

recoverable election "whatever has happened, a leader can still be elected" = elected

// Lemma 1: after initialization, and before a leader is elected, between each pair of (adjacent) active
// processes there are exactly two messages; if they travel in opposite directions, both processes and both
// messages carry the same bit, and if they travel in the same direction, the processes carry opposite bits,
// and so do the messages.
//
// In the paper a process receives two messages and sends two, or none, in one step. Here that takes several
// steps, and we read the lemma as a statement about the process before and after them:
//   - A round ends when the process acts again. Until then it is active, carries the bit of the round, and
//     what it received in the round is still between it and the neighbour that it came from.
//   - A round begins with the first send; the second message is between the processes already. Before its
//     very first send a process has both messages with it ("after initialization").
//   - A message that a passive process has received and not yet passed on is where that process is.
// Two processes are adjacent if all processes between them are passive; the last active process is adjacent
// to itself, once around the ring. A leader is not active, so after the election the lemma is vacuous.
// In this reading it holds in every reachable state.

define active(p) = p at A1 or p at Round or p at A2 or p at A3 or p at A4

// The process d places to the right of p.
define after(p, d: 0..n) = (p + d) mod n

define adjacent(p, d: 1..n) =
    active(p) and active(after(p, d)) and (forall e in 1..d - 1: not active(after(p, e)))

// How many messages with bit c travel to the right, to the left, between p and the process d places on.
// (i is live in an active process if it has read from its left, in a passive one if it holds a message that
// came from its left; so is j for the right.)
define rightward(p, d: 1..n, c: bool) =
    (count e in 1..d, m in inbox(after(p, e), left): m.bit = c)
    + (count e in 1..d - 1: after(p, e).i > 0 and after(p, e).b = c)
    + (if after(p, d).i > 0 and after(p, d).bit = c then 1 else 0)
    + (if p at A1 and p.bit = c then 1 else 0)
define leftward(p, d: 1..n, c: bool) =
    (count e in 0..d - 1, m in inbox(after(p, e), right): m.bit = c)
    + (count e in 1..d - 1: after(p, e).j > 0 and after(p, e).b = c)
    + (if p.j > 0 and p.bit = c then 1 else 0)
    + (if (after(p, d) at A1 or after(p, d) at Round) and after(p, d).bit = c then 1 else 0)

define opposed(p, d: 1..n, c: bool) =
    after(p, d).bit = c
    and rightward(p, d, c) = 1 and leftward(p, d, c) = 1
    and rightward(p, d, not c) = 0 and leftward(p, d, not c) = 0
define behind(p, d: 1..n, c: bool) =
    after(p, d).bit != c
    and (rightward(p, d, true) = 1 and rightward(p, d, false) = 1
         and leftward(p, d, true) = 0 and leftward(p, d, false) = 0
         or leftward(p, d, true) = 1 and leftward(p, d, false) = 1
            and rightward(p, d, true) = 0 and rightward(p, d, false) = 0)

invariant lemma1 "Lemma 1: two messages between adjacent active processes, and their bits" =
    forall p in node, d in 1..n: adjacent(p, d) => opposed(p, d, p.bit) or behind(p, d, p.bit)
    if bits

// A consequence, on which explore --assume no-conflict relies: an active process never has a choice between several
// messages in one channel.
invariant alone "at most one message with a process' own bit in each of its channels" =
    forall p in node, d in dir: (count m in inbox(p, d): m.bit = p.bit) <= 1
    if bits
