protocol hashicorp-raft "elections as the library github.com/hashicorp/raft performs them, seen from its transport and its store"
source "D. Ongaro, J. Ousterhout: In search of an understandable consensus algorithm, USENIX ATC 2014; github.com/hashicorp/raft v1.8"

// A server has a main goroutine, which takes one request at a time, and goroutines that pass messages. So a request that
// was received waits in a slot until the main goroutine takes it, and its answer waits there until it is sent.

param n: 2..7 = 3 "servers"
param terms: 1..60 = 30 "the last term"
option crashes: 0..1000000 = 1000000 "how often a server crashes"

type request = none | vote | append
type rank = follower | candidate | leader

// What the main goroutine is doing: nothing, or between the lines about a new term and a vote.
type doing = idle | stands | asks | leaves | steps | decides

topology complete graph of n
channel unordered, lossy
crash at most crashes of p recover Start

// In the store.
register term: 1..terms = 1
register voted: 0..n = 0 // q + 1 for server q

// In memory.
register role: rank = follower
register pc: doing = idle
register next: 1..terms = 1 // the term that follows when a server leaves or steps down
register granted: set of node = {}
register higher: set of 1..terms = {}     // terms in refusals
register stood, led: set of 1..terms = {} // terms for which votes are asked, in which entries are sent: even later

// The slot.
register slot: request = none
register from: node = 0
register asked: 1..terms = 1
register answered: bool = false
register answer: 1..terms = 1
register yes: bool = false

var q: node
var t: 1..terms
var g: bool

message RequestVote(t: 1..terms), Vote(t: 1..terms, g: bool), Append(t: 1..terms), Stored(t: 1..terms)
event newTerm(t: 1..terms), newVote(t: 1..terms, q: node), follower, candidate, leader

define majority(k: 0..n) = 2 * k > n
define free(pc: doing) = pc = idle or pc = decides

process p = Start

Start =
    let role = follower;
    let pc = idle;
    let granted = {};
    let higher = {}; let stood = {}; let led = {}; let slot = none; let answered = false; newTerm(term); Server

Server =
    Receive
  | Send
  | Elect
  | StepDown
  | Take

Receive =
    recv q RequestVote(t) where slot = none then slot := vote, from := q, asked := t; Server
  | recv q Append(t) where slot = none then slot := append, from := q, asked := t; Server
  | recv q Vote(t, g) then granted := if g and t = term and role = candidate then granted union {q} else granted, higher := if t > term then higher union {t} else higher;
    Server
  | recv _ Stored(_); Server

Send =
    choose q in {p in node where p != self}; choose t in stood; send q RequestVote(t); Server
  | choose q in {p in node where p != self}; choose t in led; send q Append(t); Server
  | when slot = vote and answered: let slot = none; let answered = false; send from Vote(answer, yes); Server
  | when slot = append and answered: let slot = none; let answered = false; send from Stored(answer); Server

Elect =
    when pc = idle and role = follower: let role = candidate; let pc = stands; candidate; Server
  | when (pc = stands or pc = idle and role = candidate) and term < terms:
        let term = term + 1;
        let voted = 0;
        let granted = {};
        let higher = {};
        let stood = stood union {term};
        let pc = asks;
        newTerm(term);
        Server
  | when pc = asks: let voted = self + 1; let granted = granted union {self}; let pc = idle; newVote(term, self); Server
  | when pc = idle and role = candidate and majority(size(granted)):
        let role = leader; let led = led union {term}; leader; Server

// A leader gives up when it has not heard of a majority for some time; a candidate when it hears of a later term.
StepDown =
    when pc = idle and role = leader: let role = follower; follower; Server
  | when pc = idle and role = candidate:
        choose t in {u in higher where u > term}; let next = t; let role = follower; let pc = leaves; follower; Server
  | when pc = leaves or pc = steps:
        let voted = if next = term then voted else 0;
        let term = next;
        let granted = {};
        let higher = {};
        let pc = if pc = leaves then idle else decides;
        newTerm(term);
        Server

// The main goroutine takes the request in the slot.
Take =
    when pc = idle and slot != none and not answered and role != follower and (asked > term or asked = term and slot = append):
        let role = follower; let next = asked; let pc = steps; follower; Server
  | when pc = idle and slot != none and not answered and role = follower and asked > term:
        let term = asked; let voted = 0; let granted = {}; let higher = {}; let pc = decides; newTerm(term); Server
  | when free(pc) and slot = vote and not answered and asked = term and voted = 0:
        let voted = from + 1;
        let answered = true; let answer = term; let yes = true; let pc = idle; newVote(term, from); Server
  | when free(pc) and slot = vote and not answered:
        let answered = true;
        let answer = term; let yes = asked = term and voted = from + 1 and pc = idle; let pc = idle; skip; Server
  | when free(pc) and slot = vote and not answered and asked = term and voted = from + 1:
        let answered = true; let answer = term; let yes = false; let pc = idle; skip; Server
  | when free(pc) and slot = append and not answered and (asked < term or asked = term and role = follower):
        let answered = true; let answer = term; let pc = idle; skip; Server

role crashed = p crashed "crashed" grey
role leader = p.role = leader "leader" green
role candidate = p.role = candidate "candidate" amber
role follower = true "follower" blue

invariant one "Election Safety: no two leaders of a term" =
    forall p in node, q in node: p.role = leader and q.role = leader and p.term = q.term => p = q
