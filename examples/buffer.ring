protocol buffer "a buffer: data leave it in the order in which they came"
source "C. A. R. Hoare: Communicating Sequential Processes, Prentice Hall, 1985, Section 4.2"

param size: 1..3 = 1 "how many data it can hold"
param d: 1..3 = 2 "different data"

topology line of 1

type place = 0..2

var held: 0..size
var kept: array place of 0..d
var x: 1..d
event accept(x: 1..d), deliver(x: 1..d)

process p = Buffer(0, all(0))

Buffer(held, kept) =
    when held < size: choose x; accept(x); Buffer(held + 1, kept with [held] = x)
  | when held > 0: deliver(kept[0]); Buffer(held - 1, kept with [0] = kept[1] with [1] = kept[2] with [2] = 0)

recoverable empty "it can always be emptied" = forall p in node: p.held = 0
recoverable full "and filled" = forall p in node: p.held = size
