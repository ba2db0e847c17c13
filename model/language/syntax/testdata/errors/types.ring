protocol p
var a: set 1..2
var b: array of bool
var c: n + 1
option d: nat = 3
option e: set of bool = {}
topology complete grap of n
channel fifoo
recoverabel x = true
