-- Two-phase commit, as in examples/two-phase-commit.ring with --no-ordered --crashes 0, with a scalarset of participants.
const
  M: 4;
type
  P: scalarset(M);
  Set: array [P] of boolean;
  -- What the coordinator does; AskedOne and so on are the places behind a send, where the rest is decided.
  Control: enum { Asking, AskedOne, Counting, Committing, CommittedOne, Aborting, AbortedOne };
  State: enum { Idle, Voting, VotedNo, Prepared, Committed1, Committed, Aborted1, AbortedP };
var
  at: Control;
  left: Set;   -- Asking, Committing, Aborting and behind their sends
  q: P;        -- behind their sends
  asked: Set;  -- Counting
  state: array [P] of State;
  ask, commit, abort: Set;            -- messages to a participant
  yes, no: Set;                       -- votes on the way

function only(var s: Set; p: P): boolean; begin
  return s[p] & forall r: P do r = p | !s[r] end;
end;
procedure fill(var s: Set); begin for p: P do s[p] := true; end; end;
procedure empty(var s: Set); begin for p: P do s[p] := false; end; end;

startstate begin
  at := Asking; fill(left); undefine q; empty(asked);
  for p: P do state[p] := Idle; end;
  empty(ask); empty(commit); empty(abort); empty(yes); empty(no);
end;

-- the set from which the coordinator chooses next, for a kind of sends
function asks(p: P): boolean; begin
  return (at = Asking & left[p]) | (at = AskedOne & !only(left, q) & left[p] & p != q);
end;
function commits(p: P): boolean; begin
  return (at = Committing & left[p]) | (at = CommittedOne & !only(left, q) & left[p] & p != q);
end;
function aborts(p: P): boolean; begin
  return (at = Aborting & left[p]) | (at = AbortedOne & !only(left, q) & left[p] & p != q);
end;
function counting(): boolean; begin
  return at = Counting | (at = AskedOne & only(left, q));
end;
function waits(p: P): boolean; begin -- whether the vote of p is awaited
  if at = Counting then return asked[p]; else return true; end;
end;
function last(p: P): boolean; begin
  if at = Counting then return only(asked, p); else return forall r: P do r = p end; end;
end;

ruleset p: P do
  rule "ask" asks(p) ==> begin
    if at != Asking then left[q] := false; end;
    ask[p] := true; q := p; at := AskedOne;
  end;
  rule "commit" commits(p) ==> begin
    if at != Committing then left[q] := false; end;
    commit[p] := true; q := p; at := CommittedOne;
  end;
  rule "abort" aborts(p) ==> begin
    if at != Aborting then left[q] := false; end;
    abort[p] := true; q := p; at := AbortedOne;
  end;
  rule "count" yes[p] & counting() & !last(p) ==> begin
    yes[p] := false;
    if at != Counting then fill(asked); end;
    asked[p] := false; empty(left); undefine q; at := Counting;
  end;
  rule "all" yes[p] & counting() & last(p) ==> begin
    yes[p] := false; empty(asked); undefine q; fill(left); at := Committing;
  end;
  rule "no" no[p] & counting() ==> begin
    no[p] := false; empty(asked); undefine q; fill(left); at := Aborting;
  end;
  rule "ignore yes" yes[p] & at = AbortedOne & only(left, q) ==> begin
    yes[p] := false;
  end;
  rule "ignore no" no[p] & at = AbortedOne & only(left, q) ==> begin
    no[p] := false;
  end;

  rule "asked" ask[p] & state[p] = Idle ==> begin ask[p] := false; state[p] := Voting; end;
  rule "yes" state[p] = Voting ==> begin yes[p] := true; state[p] := Prepared; end;
  rule "votes no" state[p] = Voting ==> begin no[p] := true; state[p] := VotedNo; end;
  rule "aborted no" state[p] = VotedNo ==> begin state[p] := AbortedP; end;
  rule "take commit" commit[p] & state[p] = Prepared ==> begin commit[p] := false; state[p] := Committed1; end;
  rule "committed" state[p] = Committed1 ==> begin state[p] := Committed; end;
  rule "take abort" abort[p] & state[p] = Prepared ==> begin abort[p] := false; state[p] := Aborted1; end;
  rule "aborted" state[p] = Aborted1 ==> begin state[p] := AbortedP; end;
  rule "ignore abort" abort[p] & state[p] = AbortedP ==> begin abort[p] := false; end;
end;
