-- Mutual exclusion by Ricart and Agrawala, as in examples/ricart-agrawala.ring with rounds = 1. With one round no process
-- has two requests, or two replies, on the way to another.
const
  N: 4;
type
  Node: 0 .. N - 1;
  Set: array [Node] of boolean;
  Time: 0 .. N + 1;
  Control: enum { Idle, Asking, Answering, Waiting, Critical, Releasing };
  Process: record
    at: Control;
    clock: Time;
    ours: Time; -- 0 if it does not ask
    theirs: Time;
    q: 0 .. N;
    r: 0 .. 1; -- how often it still enters
    deferred: Set;
    awaited: Set;
  end;
var
  process: array [Node] of Process;
  request: array [Node] of array [Node] of Time; -- from, to; 0 if there is none
  reply: array [Node] of array [Node] of boolean;

function none(var s: Set): boolean; begin
  return forall q: Node do !s[q] end;
end;

procedure answer(p: Node; q: Node); begin
  assert !reply[p][q];
  reply[p][q] := true;
end;

procedure see(p: Node; t: Time); begin
  if t > process[p].clock then process[p].clock := t; end;
end;

startstate
  for p: Node do
    process[p].at := Idle;
    process[p].clock := 0; process[p].ours := 0; process[p].theirs := 0;
    process[p].q := 0; process[p].r := 1;
    for q: Node do
      process[p].deferred[q] := false; process[p].awaited[q] := false;
      request[p][q] := 0; reply[p][q] := false;
    end;
  end;
end;

ruleset p: Node do
  alias me: process[p] do
    ruleset q: Node do
      rule "receive a request"
        request[q][p] > 0 & (me.at = Idle | me.at = Waiting & !none(me.awaited) | me.at = Critical)
      ==>
        if me.at = Idle
          | me.at = Waiting & (request[q][p] < me.ours | request[q][p] = me.ours & q < p) then
          me.theirs := request[q][p]; me.q := q; me.at := Answering;
        else
          see(p, request[q][p]); me.deferred[q] := true;
        end;
        request[q][p] := 0;
      end;
      rule "receive a reply" me.at = Waiting & me.awaited[q] & reply[q][p] ==>
        reply[q][p] := false;
        me.awaited[q] := false;
      end;
    end;

    rule "answer" me.at = Answering ==>
      answer(p, me.q);
      see(p, me.theirs);
      me.theirs := 0; me.q := 0;
      if me.ours > 0 then me.at := Waiting; else me.at := Idle; end;
    end;

    rule "ask" me.at = Asking | me.at = Idle & me.r > 0 ==>
      if me.at = Idle then
        me.clock := me.clock + 1; me.ours := me.clock;
        me.q := 0;
        if p = 0 then me.q := 1; end;
      end;
      assert request[p][me.q] = 0;
      request[p][me.q] := me.ours;
      me.q := me.q + 1;
      if me.q = p then me.q := me.q + 1; end;
      if me.q < N then
        me.at := Asking;
      else
        me.q := 0; me.at := Waiting;
        for q: Node do me.awaited[q] := q != p; end;
      end;
    end;

    rule "enter" me.at = Waiting & none(me.awaited) ==>
      me.ours := 0; me.at := Critical;
    end;

    rule "leave, and answer" me.at = Critical | me.at = Releasing ==>
      if me.at = Critical then
        me.at := Releasing;
      else
        answer(p, me.q);
        me.q := me.q + 1;
      end;
      while me.q < N & !me.deferred[me.q] do me.q := me.q + 1; end;
      if me.q = N then
        me.q := 0; me.r := me.r - 1; me.at := Idle;
        for q: Node do me.deferred[q] := false; end;
      end;
    end;
  end;
end;
