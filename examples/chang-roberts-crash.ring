protocol chang-roberts-crash "Chang and Roberts' election where processes can crash: never two leaders, but perhaps none"
source "E. Chang, R. Roberts: An improved algorithm for decentralized extrema-finding in circular configurations of processes, Commun. ACM 22(5), 1979"

param n: 2..8 = 3 "ring size"
option crashes: 0..8 = 1 "how many processes can crash"

topology directed ring of n
channel fifo | unordered = fifo "whether messages may overtake each other"
crash at most crashes

assign uid: permutation of 1..n

var id, i: 1..n
message Token(id: 1..n)
event leader

process p = Start(uid[p])

Start(id) = send right Token(id); Active(id)

// Every process discards identities smaller than its own.
Active(id) =
    recv left Token(i) where i > id; send right Token(i); Passive(id)
  | recv left Token(i) where i < id; Active(id)
  | recv left Token(id); Leader

Passive(id) =
    recv left Token(i) where i > id; send right Token(i); Passive(id)
  | recv left Token(i) where i < id; Passive(id)

Leader = leader; Reign
Reign = ignore Token

define leads(p) = p at Leader or p at Reign

role crashed = p crashed "crashed" red
role leader = leads(p) "leader" amber
role passive = p at Passive "passive" grey
role active = true "active" blue

invariant largest "who leads has the largest identity, so that nobody else does" =
    forall p in node: leads(p) => uid[p] = n
terminal elected "unless somebody crashes, there is a leader" =
    (exists p in node: leads(p)) or (exists p in node: p crashed)
reachable lucky "somebody can be elected though another has crashed" =
    (exists p in node: leads(p)) and (exists p in node: p crashed) if crashes > 0
reachable lost "or nobody ever, since who has crashed does not pass the largest identity on" =
    exists p in node, m in inbox(p, left): p crashed and m.id = n if crashes > 0
