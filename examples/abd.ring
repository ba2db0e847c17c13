protocol abd "A register on several servers that behaves like one: who reads also writes back"
source "H. Attiya, A. Bar-Noy, D. Dolev: Sharing memory robustly in message-passing systems, J. ACM 42(1), 1995, Sect. 3"

param readers: 1..3 = 1 "processes that read"
param servers: 1..5 = 3 "processes that keep a copy"
param writes: 0..3 = 1 "how often the writer writes; its values are 1..writes, which are also their times"
param reads: 0..3 = 1 "how often each reader reads"
option back: bool = true "a reader writes the value that it has found to a majority before it returns it"

topology bipartite graph of 1 + readers by servers
channel unordered

type Number = 0..max(writes, reads) + 1

var t, u, got: 0..writes // times of values; 0 is the first value
var i, j: Number         // of an operation; answers repeat it
var q: node
var yes, left: set of node
message Ask(i: Number), Value(i: Number, t: 0..writes)
message Store(i: Number, t: 0..writes), Stored(i: Number)
event written(t: 0..writes), returned(t: 0..writes)

process writer = Next(1)
process reader[p in 1..readers] = Idle(reads, 0)
process server[p in readers + 1..readers + servers] = Serving(0)

define majority(s: set of node) = 2 * size(s) > servers

Next(i) = when i <= writes: Writing(i, server)
Writing(i, left) =
    if left = {} then Written(i, {}) else choose q in left; send q Store(i, i); Writing(i, left minus {q})
Written(i, yes) =
    if majority(yes) then written(i); Next(i + 1) else recv q Stored(i); Written(i, yes union {q})

// A reader has returned got before. It asks all servers, and takes the latest value of a majority.
Idle(i, keep got) = when i > 0: Asking(i, server)
Asking(i, left) = if left = {} then Finding(i, 0, {}) else choose q in left; send q Ask(i); Asking(i, left minus {q})
Finding(i, t, yes) =
    if majority(yes) then if back then Saving(i, t, server) else returned(t); Idle(i - 1, t)
    else recv q Value(i, u); Finding(i, max(t, u), yes union {q})
Saving(i, t, left) =
    if left = {} then Saved(i, t, {}) else choose q in left; send q Store(i, t); Saving(i, t, left minus {q})
Saved(i, t, yes) =
    if majority(yes) then returned(t); Idle(i - 1, t) else recv q Stored(i); Saved(i, t, yes union {q})

Serving(t) =
    recv q Ask(j); send q Value(j, t); Serving(t)
  | recv q Store(j, u); send q Stored(j); Serving(max(t, u))

role server = p in server "keeps a copy" grey
role writer = p = writer "writes" blue
role reader = true "reads" green

invariant kept "a majority has the value that a reader has returned, or a later one" =
    forall p in reader: p at Idle => 2 * (count q in server: q.t >= p.got) > servers
ltl done "everybody comes to an end" = eventually forall p in reader: p at Idle and p.i = 0
