-- Franklin's algorithm with random identities, as in specs/franklin.ring.
const
  N: 4;
  K: 3;
type
  Node: 0 .. N - 1;
  Ident: 1 .. K;
  Hop: 1 .. N;
  Dir: enum { Left, Right };
  Control: enum { Start, Second, Wait, HasLeft, HasRight, LeftFirst, RightFirst, Passive, RightOn, LeftOn, Done };
  Process: record
    at: Control;
    id: 0 .. K;
    i: 0 .. K; -- the identity from the left
    j: 0 .. K; -- the identity from the right
    h: 0 .. N;
    b: boolean; -- its own bit
    c: boolean; -- the bit of the message that a passive process forwards
  end;
  -- What is in a channel, by bit. No channel holds two messages with the same bit.
  Message: record
    id: 0 .. K; -- 0 if there is none
    h: 0 .. N;
  end;
var
  process: array [Node] of Process;
  channel: array [Node] of array [Dir] of array [boolean] of Message; -- by receiver and side

function left(p: Node): Node; begin return (p + N - 1) % N; end;
function right(p: Node): Node; begin return (p + 1) % N; end;

procedure become(p: Node; at: Control); begin
  process[p].id := 0; process[p].i := 0; process[p].j := 0; process[p].h := 0;
  process[p].b := false; process[p].c := false;
  process[p].at := at;
end;

procedure place(p: Node; d: Dir; b: boolean; id: Ident; h: Hop); begin
  assert channel[p][d][b].id = 0;
  channel[p][d][b].id := id; channel[p][d][b].h := h;
end;

procedure send(p: Node; d: Dir; id: Ident; h: Hop; b: boolean); begin
  if d = Right then place(right(p), Left, b, id, h); else place(left(p), Right, b, id, h); end;
end;

procedure receive(p: Node; d: Dir; b: boolean); begin
  if d = Left then process[p].i := channel[p][d][b].id; else process[p].j := channel[p][d][b].id; end;
  process[p].h := channel[p][d][b].h;
  channel[p][d][b].id := 0; channel[p][d][b].h := 0;
end;

function read(p: Node): boolean; begin
  return process[p].at = HasLeft | process[p].at = HasRight | process[p].at = LeftFirst | process[p].at = RightFirst;
end;

-- Has both messages and is not the leader.
function both(p: Node): boolean; begin
  return (process[p].at = LeftFirst | process[p].at = RightFirst) & process[p].h < N;
end;

function larger(p: Node): boolean; begin
  return process[p].i > process[p].id | process[p].j > process[p].id;
end;

startstate
  for p: Node do
    become(p, Start);
    process[p].b := true;
    for d: Dir do for b: boolean do
      channel[p][d][b].id := 0; channel[p][d][b].h := 0;
    end; end;
  end;
end;

ruleset p: Node do
  alias me: process[p] do
    ruleset id: Ident do
      rule "draw, and send to the right" me.at = Start ==>
        me.id := id; me.at := Second;
        send(p, Right, id, 1, me.b);
      end;
      rule "next round" both(p) & !larger(p) ==>
        me.id := id; me.i := 0; me.j := 0; me.h := 0; me.b := !me.b; me.at := Second;
        send(p, Right, id, 1, me.b);
      end;
    end;

    rule "send to the left" me.at = Second ==>
      send(p, Left, me.id, 1, me.b);
      me.at := Wait;
    end;

    rule "leader" read(p) & me.h = N ==>
      become(p, Done);
    end;

    rule "forward to the right" me.at = RightOn ==>
      send(p, Right, me.i, me.h + 1, me.c);
      become(p, Passive);
    end;
    rule "forward to the left" me.at = LeftOn ==>
      send(p, Left, me.j, me.h + 1, me.c);
      become(p, Passive);
    end;

    rule "first, from the left" me.at = Wait & channel[p][Left][me.b].id > 0 ==>
      receive(p, Left, me.b);
      me.at := HasLeft;
    end;
    rule "first, from the right" me.at = Wait & channel[p][Right][me.b].id > 0 ==>
      receive(p, Right, me.b);
      me.at := HasRight;
    end;
    rule "second, from the right" me.at = HasLeft & me.h < N & channel[p][Right][me.b].id > 0 ==>
      receive(p, Right, me.b);
      me.at := LeftFirst;
    end;
    rule "second, from the left" me.at = HasRight & me.h < N & channel[p][Left][me.b].id > 0 ==>
      receive(p, Left, me.b);
      me.at := RightFirst;
    end;

    ruleset b: boolean; d: Dir do
      rule "passive" (me.at = Passive | both(p) & larger(p)) & channel[p][d][b].id > 0 ==>
        if d = Left then become(p, RightOn); else become(p, LeftOn); end;
        receive(p, d, b);
        me.c := b;
      end;
    end;
  end;
end;
