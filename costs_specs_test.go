package ringcheck_test

// The specs whose costs are compared. Each has what could make a search slow.
var (
	startingSpec = `
protocol starting "every state is initial"
topology directed ring of 7
register x: 0..7
process p = stop
`
	lookSpec = `
protocol look
param n: 2..5 = 3
param top: 1..9 = 4
option look: bool = true
topology complete graph of n
channel unordered
message M(a: 0..top), N
register x: 0..top = 0
register y: 0..top = 0
var q: node
var a: 0..top
process p = if p = 0 then W(0) else R
W(a) = let x = a; skip; for q in neighbours(self): send q M(a); if a < top then W(a + 1) else stop
R = recv q M(a); let x = a; send q N; R
  | when look and 0.x = top and y = 0: y := 1; R
`
	passingSpec = `
protocol passing "counters on a ring, which may read those on their left"
option look: bool = true
topology directed ring of 7
register x: 0..5 = 0
process p = A
A = when x < 5 and (not look or left.x >= 0): x := x + 1; A
`
	abdSpec = `
protocol abd "a majority of replicas keeps a register that one process writes and another reads"
param n: 3..5 = 3
param w: 1..3 = 3 "writes"
option look: bool = true "a read begins with the number of the last complete write"
topology complete graph of n
channel unordered
message Store(t: 0..w), Stored(t: 0..w), Query, Value(t: 0..w)
event old
register ts: 0..w = 0
register complete: 0..w = 0
var q: node
var t, u, best, low: 0..w
var k: 0..n
const majority = n div 2 + 1
process p = if p = 0 then Write(1) else if p = 1 then Read else Serve
Write(t) = ts := t; for q in neighbours(self): send q Store(t); Stores(t, 1)
Stores(t, k) =
    when k = majority: complete := t; if t < w then Write(t + 1) else Serve
  | when k < majority: recv _ Stored(u); Stores(t, if u = t then k + 1 else k)
  | recv q Query; send q Value(ts); Stores(t, k)
Read = let low = if look then 0.complete else 0; for q in neighbours(self): send q Query; Values(low, 0, 1)
Values(low, best, k) =
    when k = majority: if max(ts, best) < low then old; Serve else skip; Serve
  | when k < majority: recv _ Value(u); Values(low, max(u, best), k + 1)
  | recv q Store(u); let ts = max(u, ts); send q Stored(u); Values(low, best, k)
Serve =
    recv q Store(u); let ts = max(u, ts); send q Stored(u); Serve
  | recv q Query; send q Value(ts); Serve
  | ignore Stored, Value
`
	idleSpec = `
protocol idle
param n: 4..60 = 4
topology complete graph of n
channel fifo
message T
var c: 0..15
process p = if p < 4 then A(0) else B
A(c) = when c < 15: skip; A(c + 1)
B = stop
`
	deepSpec = `
protocol deep
param m: 1..1000000 = 20000
topology line of 2
var x: 0..1000000
process p = if p = 0 then A(0) else B
A(x) = when x < m: skip; A(x + 1)
B = stop
`
	starSpec = `
protocol star "a hub asks one leaf after another, and adds the answers"
param n: 2..2000 = 12
topology star of n
channel fifo
message Ask, Answer(v: 0..3)
var q: node
var s: 0..3 * n
var v: 0..3
process p = if p = 0 then Hub(1, 0) else Leaf
Hub(q, s) = send q Ask; recv q Answer(v); if q < n - 1 then Hub(q + 1, s + v) else stop
Leaf = recv 0 Ask; choose v in 0..3; send 0 Answer(v); Leaf
`
	relaySpec = `
protocol relay "a token passes a line to and fro"
param n: 2..1000 = 20
topology line of n
channel fifo
message T
process p = if p = 0 then Give else Wait
Give = send right T; Back
Back = recv right T; Give
Wait = recv left T; Pass
Pass = if self = n - 1 then send left T; Wait else send right T; Return
Return = recv right T; send left T; Wait
`
	gridSpec = `
protocol tokens "two tokens walk through a grid"
param w: 2..20 = 3
topology grid of w by w
channel fifo
message T
var q: node
process p = if p = 0 or p = w * w - 1 then Give else Wait
Give = choose q in neighbours(self); send q T; Wait
Wait = recv _ T; Give
`
	elementsSpec = `
protocol bigset
param m: 1..30 = 13
topology line of 2
var s: set of 0..29
var e: 0..29
process p = if p = 0 then A({}) else B
A(s) = choose e in 0..m - 1; when not (e in s): skip; A(s union {e})
B = stop
`
	flagsSpec = `
protocol flags "one process has registers for flags, which it sets in any order"
param m: 1..30 = 14
topology line of 2
register f: array 0..29 of bool = {i in 0..29: false}
var i: 0..29
process p = if p = 0 then A else stop
A = choose i in 0..m - 1; when not f[i]: f := f with [i] = true; A
`
	queueSpec = `
protocol queue "a process sends bits, which another one receives in order"
param m: 1..30 = 15
topology line of 2
channel fifo
message M(b: bool)
var c: 0..30
var b: bool
process p = if p = 0 then S(0) else R
S(c) = when c < m: (send right M(false); S(c + 1) | send right M(true); S(c + 1))
R = recv left M(b); R
`
	castSpec = `
protocol cast "a hub asks all leaves again and again, which answer"
param n: 2..2000 = 12
topology star of n
channel fifo
message Ask, Answer
var q: node
process p = if p = 0 then Hub else Leaf
Hub = skip; for q in neighbours(self): send q Ask; for q in neighbours(self): recv _ Answer; Hub
Leaf = recv 0 Ask; send 0 Answer; Leaf
`
)
