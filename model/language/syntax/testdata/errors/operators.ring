protocol p
invariant a = x == y
invariant b = x && y
invariant c = not x <= y < z
invariant d = x! = y
const e := 3
invariant e = x = not y
