protocol raft-log "Raft's replicated log: a leader appends what clients ask for, and commits what a majority of servers has stored"
source "D. Ongaro, J. Ousterhout: In search of an understandable consensus algorithm, USENIX ATC 2014, Sect. 5.2 to 5.4"

// An entry is the term in which a leader appended it: with its index, that identifies it. 0 is no entry.

param n: 2..5 = 3 "servers"
param terms: 1..6 = 2 "nobody starts an election for a later term"
param length: 1..3 = 1 "a log has room for so many entries"
option losses: 0..9 = 0 "how many messages get lost"
option crashes: 0..9 = 0 "how often a server crashes"
option earlier: bool = false "the bug of Fig. 8: a leader commits entries of earlier terms by counting, too"

type log = array 1..length of 0..terms

topology complete graph of n
channel unordered, lossy at most losses
crash at most crashes of p recover Follower(p)

// On disk: the latest term, for whom the server voted in it (0 for nobody, q + 1 for q), and the log.
register term: 0..terms = 0
register voted: 0..n = 0
register entries: log = all(0)

ghost committed: log = all(0) // what the server has committed as a leader
ghost since: log = all(0)     // and in which terms

var me, q: node
var t, last, e: 0..terms
var i, len, commit: 0..length
var votes, busy: set of node
var next: array node of 1..length + 1 // by server: the index of the entry to be sent to it
var match: array node of 0..length    // by server: how many entries of the leader's log it is known to have
message RequestVote(t: 1..terms, last: 0..terms, len: 0..length), Vote(t: 1..terms)
message Append(t: 1..terms, i: 1..length, last: 0..terms, e: 1..terms)
message Stored(t: 1..terms, i: 1..length), Refused(t: 1..terms, i: 1..length)
event timeout, leader(t: 1..terms), append(i: 1..length), commits(i: 1..length)

define entries_in(l: log) = count i in 1..length: l[i] > 0
define term_at(l: log, i: 0..length) = if i = 0 then 0 else l[i]
define majority(k: 0..n) = 2 * k > n

process p = Follower(p)

Follower(me) =
    Listen(me)
  | Stand(me)

// A server votes for one whose log is at least as up-to-date as its own, and accepts entries from a leader behind one
// that they both have. What it has behind them is dropped if it differs.
Listen(me) =
    recv q RequestVote(t, last, len) where (t > term or t = term and voted in {0, q + 1}) and UpToDate(entries, last, len);
    let term = t; let voted = q + 1; send q Vote(t); Follower(me)
  | recv _ RequestVote(t, last, len) where t > term and not UpToDate(entries, last, len) then term := t, voted := 0;
    Follower(me)
  | recv q Append(t, i, last, e) where t >= term and term_at(entries, i - 1) = last;
    let voted = if t > term then 0 else voted;
    let term = t;
    let entries = if entries[i] = e then entries else {j in 1..length: if j < i then entries[j] else if j = i then e else 0};
    send q Stored(t, i); Follower(me)
  | recv q Append(t, i, last, _) where t >= term and term_at(entries, i - 1) != last;
    let voted = if t > term then 0 else voted; let term = t; send q Refused(t, i); Follower(me)

define UpToDate(l: log, last: 0..terms, len: 0..length) =
    last > term_at(l, entries_in(l)) or last = term_at(l, entries_in(l)) and len >= entries_in(l)

Stand(me) =
    when term < terms:
        let term = term + 1;
        let voted = me + 1;
        timeout;
        for q in node where q != me: send q RequestVote(term, term_at(entries, entries_in(entries)), entries_in(entries));
        Candidate(me, {me})

Candidate(me, votes) =
    if majority(size(votes)) then leader(term); Leader(me, all(entries_in(entries) + 1), all(0), 0, {})
    else (recv q Vote(term); Candidate(me, votes union {q}) | Listen(me) | Stand(me))

// To each of the others a leader sends one entry at a time.
Leader(me, next, match, commit, busy) =
    Listen(me)
  | when entries_in(entries) < length:
        let i = entries_in(entries) + 1;
        let entries = entries with [i] = term; append(i); Leader(me, next, match, commit, busy)
  | choose q in 0..n - 1;
    when q != me and not q in busy and next[q] <= entries_in(entries):
        send q Append(term, next[q], term_at(entries, next[q] - 1), entries[next[q]]);
        Leader(me, next, match, commit, busy union {q})
  | recv q Stored(term, i); Leader(me, next with [q] = i + 1, match with [q] = i, commit, busy minus {q})
  | recv q Refused(term, i); Leader(me, next with [q] = i - 1, match, commit, busy minus {q})
  | choose i in 1..length;
    when i > commit and i <= entries_in(entries) and (earlier or entries[i] = term) and majority(1 + (count q in node: q != me and match[q] >= i)):
        let committed = {j in 1..length: if j <= i then entries[j] else committed[j]};
        let since = {j in 1..length: if j <= i and since[j] = 0 then term else since[j]};
        commits(i); Leader(me, next, match, i, busy)

role crashed = p crashed "crashed" grey
role leader = p at Leader "leader" green
role candidate = p at Candidate or p at Stand "candidate" amber
role follower = true "follower" blue

invariant one "Election Safety: no two leaders of a term" =
    forall p in node, q in node: p at Leader and q at Leader and p.term = q.term => p = q
invariant agreement "State Machine Safety: no two servers commit different entries at the same place" =
    forall p in node, q in node, i in 1..length:
        p.committed[i] > 0 and q.committed[i] > 0 => p.committed[i] = q.committed[i]
invariant complete "Leader Completeness: a leader has all entries that were committed in earlier terms" =
    forall p in node, q in node, i in 1..length:
        p at Leader and q.committed[i] > 0 and q.since[i] < p.term => p.entries[i] = q.committed[i]
reachable replicated "a log can become full of committed entries" =
    exists p in node: forall i in 1..length: p.committed[i] > 0
