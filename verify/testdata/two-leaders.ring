protocol two-leaders "Chang and Roberts, but equal identities are taken for one's own"

param n: 2..8 = 3 "ring size"
topology directed ring of n
channel unordered

var id, i: 1..2
message Token(id: 1..2)
event leader

process p = draw id in 1..2; send right Token(id); Active(id)

Active(id) =
    recv left Token(i) where i > id; send right Token(i); Passive
  | recv left Token(i) where i < id; Active(id)
  | recv left Token(id); Leader

Passive = recv left Token(i); send right Token(i); Passive

Leader = leader; stop

invariant unique "there is never more than one leader" = (count p in node: p at Leader) <= 1
invariant alone "a leader has no leader next to it" =
    forall p in node: p at Leader => not neighbour(p, right) at Leader
