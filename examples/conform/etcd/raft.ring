protocol etcd-raft "election and replication as the library go.etcd.io/raft performs them, with crashes and restarts from storage"
source "D. Ongaro, J. Ousterhout: In search of an understandable consensus algorithm, USENIX ATC 2014; go.etcd.io/raft v3.7"

// An entry of a log is the term in which a leader appended it, which identifies it with its index. 0 is no entry.

param n: 2..7 = 3 "servers"
param terms: 1..63 = 10 "nobody starts an election for a later term"
param length: 1..63 = 15 "a log has room for so many entries"
option crashes: 0..1000000000 = 1000000000 "how often a server crashes"

type log = array 1..length of 0..terms
type rank = follower | candidate | leader

topology complete graph of n
channel unordered, lossy, duplicating
crash at most crashes of p recover Restart

// On disk. In the library, voted and lead are 0 for nobody, and q + 1 for server q.
register term: 0..terms = 0
register voted: 0..n = 0
register entries: log = all(0)
register commit: 0..length = 0

// In memory: Restart resets them.
register role: rank = follower
register lead: 0..n = 0
register votes, refused: set of node = {}
register match: array node of 0..length = all(0) // how many entries of the leader's log a server has

var q: node
var t, e, x: 0..terms
var i, c: 0..length
var granted, rejected, empty: bool

message RequestVote(t: 1..terms, i: 0..length, e: 0..terms), Vote(t: 1..terms, granted: bool)
message Append(t: 1..terms, i: 0..length, e: 0..terms, x: 0..terms, c: 0..length) // x is behind entry i, which is e
message Stored(t: 1..terms, i: 0..length, rejected: bool)
message Heartbeat(t: 1..terms, c: 0..length), Beat(t: 1..terms)
event campaign, propose, restart

define last(l: log) = count j in 1..length: l[j] > 0
define term_at(l: log, i: 0..length) = if i = 0 then 0 else l[i]
define upToDate(l: log, i: 0..length, e: 0..terms) = e > term_at(l, last(l)) or e = term_at(l, last(l)) and i >= last(l)
define with_entry(i: 0..length, x: 0..terms) = if x > 0 then i + 1 else i
define majority(k: 0..n) = 2 * k > n
define stored(p: node, l: log, m: array node of 0..length) =
    max({j in 0..length where j <= last(l) and majority(1 + (count q in node: q != p and m[q] >= j))})
define committed(p: node, l: log, m: array node of 0..length, c: 0..length, t: 0..terms) =
    if term_at(l, stored(p, l, m)) = t then max(c, stored(p, l, m)) else c

process p = Server

Server =
    Start
  | Lead
  | Vote
  | Follow
  | Old

Restart = let role = follower; let lead = 0; let votes = {}; let refused = {}; let match = all(0); restart; Server

Start =
    when role != leader and term < terms:
        let term = term + 1;
        let voted = self + 1;
        let role = candidate;
        let lead = 0;
        let votes = {self};
        let refused = {};
        campaign;
        for q in node where q != self: send q RequestVote(term, last(entries), term_at(entries, last(entries))); Server

// When a leader sends what to whom is its own choice. A message has at most one entry (MaxSizePerMsg is 0).
Lead =
    when role = leader and last(entries) < length:
        let entries = entries with [last(entries) + 1] = term; propose; Server
  | when role = leader:
        choose q in {p in node where p != self};
        choose i in 0..length;
        choose empty;
        when i <= last(entries):
            send q Append(term, i, term_at(entries, i), if empty or i = length then 0 else entries[i + 1], commit);
            Server
  | when role = leader: choose q in {p in node where p != self}; send q Heartbeat(term, min(commit, match[q])); Server

Vote =
    recv q RequestVote(t, i, e) where (t > term or t = term and (voted = q + 1 or voted = 0 and lead = 0)) and upToDate(entries, i, e) then role := if t > term then follower else role, lead := if t > term then 0 else lead, voted := q + 1, term := t;
    send q Vote(t, true); Server
  | recv q RequestVote(t, i, e) where t >= term and not ((t > term or voted = q + 1 or voted = 0 and lead = 0) and upToDate(entries, i, e)) then role := if t > term then follower else role, lead := if t > term then 0 else lead, voted := if t > term then 0 else voted, term := t;
    send q Vote(t, false); Server
  | recv q Vote(term, true) where role = candidate and not q in refused and not majority(size(votes union {q})) then votes := votes union {q};
    Server
  | recv q Vote(term, true) where role = candidate and not q in refused and majority(size(votes union {q})) and last(entries) < length then role := leader, lead := self + 1, match := all(0), entries := entries with [last(entries) + 1] = term;
    Server
  | recv q Vote(term, false) where role = candidate and not q in votes then refused := refused union {q}, role := if majority(n - size(refused)) then candidate else follower;
    Server

Follow =
    recv q Append(t, i, _, _, _) where t >= term and i < commit then voted := if t > term then 0 else voted, term := t, role := follower, lead := q + 1;
    send q Stored(t, commit, false); Server
  | recv q Append(t, i, e, x, c) where t >= term and i >= commit and i <= last(entries) and term_at(entries, i) = e then voted := if t > term then 0 else voted, term := t, role := follower, lead := q + 1, entries := if x = 0 or entries[i + 1] = x then entries else {j in 1..length: if j <= i then entries[j] else if j = i + 1 then x else 0}, commit := max(commit, min(c, with_entry(i, x)));
    send q Stored(t, with_entry(i, x), false); Server
  | recv q Append(t, i, e, x, c) where t >= term and i >= commit and not (i <= last(entries) and term_at(entries, i) = e) then voted := if t > term then 0 else voted, term := t, role := follower, lead := q + 1;
    send q Stored(t, i, true); Server
  | recv q Heartbeat(t, c) where t >= term then voted := if t > term then 0 else voted, term := t, role := follower, lead := q + 1, commit := max(commit, c);
    send q Beat(t); Server
  | recv q Stored(term, i, false) where role = leader then match := match with [q] = max(match[q], i), commit := committed(self, entries, match, commit, term);
    Server

// What is too late, what needs no reaction, and answers of servers in a later term.
Old =
    recv _ RequestVote(t, _, _) where t < term; Server
  | recv _ Append(t, _, _, _, _) where t < term; Server
  | recv _ Heartbeat(t, _) where t < term; Server
  | recv q Vote(t, granted) where t < term or t = term and (role != candidate or q in (if granted then refused else votes));
    Server
  | recv _ Stored(t, _, rejected) where t < term or t = term and (role != leader or rejected); Server
  | recv _ Beat(t) where t <= term; Server
  | recv _ Vote(t, _) where t > term then term := t, voted := 0, lead := 0, role := follower; Server
  | recv _ Stored(t, _, _) where t > term then term := t, voted := 0, lead := 0, role := follower; Server
  | recv _ Beat(t) where t > term then term := t, voted := 0, lead := 0, role := follower; Server

role crashed = p crashed "crashed" grey
role leader = p.role = leader "leader" green
role candidate = p.role = candidate "candidate" amber
role follower = true "follower" blue

invariant one "Election Safety: no two leaders of a term" =
    forall p in node, q in node: p.role = leader and q.role = leader and p.term = q.term => p = q
invariant agreement "State Machine Safety: no two servers commit different entries at the same place" =
    forall p in node, q in node, i in 1..length: i <= min(p.commit, q.commit) => p.entries[i] = q.entries[i]
