protocol p
invariant a = x == y
invariant b = x && y
invariant c = not x <= y < z
invariant d = x! = y
const e := 3
invariant e = x = not y
invariant f = count p in node: p at Done = 2
invariant g = sum p in node: p.x = 1 <= 2
