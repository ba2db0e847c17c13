protocol synchronous-ring "TimeSlice: a synchronous ring elects with n messages, where silence means something, too"
source "N. A. Lynch: Distributed Algorithms (1996), Sect. 3.6.1"

// Round v has n ticks, in which only a token of the process with identity v can be under way. A process that has heard
// nothing when the round of its own identity begins has the smallest identity.

param n: 2..9 = 3 "ring size"
param smallest: 1..9 = 2 "the smallest of the n identities, which follow each other"

topology directed ring of n
channel fifo, delay 1..1

assign uid: permutation of smallest..smallest + n - 1

timer slice: 0..n * (smallest + n) = n * (uid[p] - 1) // until its own round
timer clock: 0..n * smallest + 1 = n * smallest + 1
message Token
event leader

process p = Silent

Silent =
    when slice = 0: leader; send right Token; Leader
  | recv left Token; send right Token; Follower
Leader = recv left Token; Elected
Elected = stop
Follower = stop

role leader = p at Leader or p at Elected "leader" amber
role follower = p at Follower "follower" grey
role silent = true "silent" blue

invariant least "only the smallest identity leads" =
    forall p in node: p at Leader or p at Elected => uid[p] = smallest
invariant punctual "it is elected n (smallest - 1) ticks after the beginning, and the token is back n ticks later" =
    forall p in node: (p at Leader => p.clock <= n + 1) and (p at Elected => p.clock <= 1)
invariant silent "nothing is sent before" =
    (exists p in node: size(inbox(p, left)) > 0) => exists p in node: p at Leader
terminal decided "everybody knows in the end" =
    (count p in node: p at Elected) = 1 and (count p in node: p at Follower) = n - 1
expected messages "it takes n messages" = E(messages until terminal) <= n
