protocol livelock "two processes that agree to go on for ever"

param n: 2..8 = 2 "ring size"
topology directed ring of n
channel unordered

var mine, theirs: 0..1
message Vote(value: 0..1)
event leader

process p = Vote(0)

Vote(mine) = draw mine in 0..1; send right Vote(mine); Count(mine)

Count(mine) =
    recv left Vote(theirs) where theirs < mine; Leader
  | recv left Vote(theirs) where theirs > mine; Follower
  | recv left Vote(mine); Again

// After a tie nobody draws any more.
Again = send right Vote(0); recv left Vote(_); Again

Follower = stop
Leader = leader; stop

invariant unique "there is never more than one leader" = (count p in node: p at Leader) <= 1
terminal elected "one leader" = (count p in node: p at Leader) = 1
recoverable election "a leader can still be elected" = exists p in node: p at Leader
