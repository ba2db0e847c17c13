protocol franklin-unoriented "probabilistic leader election on an anonymous ring whose processes need not agree on left and right"
source "R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol: Leader Election in Anonymous Rings: Franklin Goes Probabilistic (2008), Sect. 2, with the two messages of a round sent in either order"

// In a round every active process draws an identity, sends it to both sides, in an order of its choice, and receives
// those of its nearest active neighbours. It stays active unless one of them is larger. By its own message, back after n
// hops, the last active process learns that it is the leader. Directions are values only: the ring can be reflected.

param n: 2..9 = 3 "ring size"
param k: 2..9 = 2 "number of identities"

topology undirected ring of n
channel unordered

var id, i, j: 1..k // its own identity, and those received first and second
var h: 1..n
var bit, b: bool
var d: dir

message M(id: 1..k, hop: 1..n, bit: bool)
event leader

process p = Round(true)

Round(bit) =
    choose d in {left, right};
    draw id;
    send d M(id, 1, bit);
    send opposite(d) M(id, 1, bit);
    First(id, bit)
First(id, bit) = recv d M(i, h, bit); if h = n then Leader else Second(id, bit, i, opposite(d))
Second(id, bit, i, d) = recv d M(j, h, bit); if h = n then Leader else Compare(id, bit, i, j)
Compare(id, bit, i, j) = if i > id or j > id then Passive else Round(not bit)
Passive = recv d M(i, h, b); send opposite(d) M(i, h + 1, b); Passive
Leader = leader; stop

role leader = p at Leader "leader" amber
role passive = p at Passive "passive" grey
role active = true "active" blue

invariant unique "there is never more than one leader" = (count p in node: p at Leader) <= 1
terminal elected "one leader, the others passive, and only the leader's other message left" =
    (count p in node: p at Leader) = 1
    and (forall p in node: p at Leader or p at Passive)
    and (sum p in node, d in dir: size(inbox(p, d))) = 1
recoverable election "whatever has happened, a leader can still be elected" = exists p in node: p at Leader
