protocol p
var count: 1..2
const 2x = 3
message of(x: bool)
define f(node) = 1
A(forall) = stop
