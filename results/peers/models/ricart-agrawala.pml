/* Mutual exclusion by Ricart and Agrawala, as in examples/ricart-agrawala.ring with rounds = 1. Generate with -DN=, from
 * 2 to 4. A process has one inbox, a multiset of requests and replies with their senders: sends are sorted. With one
 * round it never holds two requests, or two replies, of one process. */
mtype = { request, reply };
mtype = { idle, asking, answering, waiting, critical, releasing };
chan inbox[N] = [2 * (N - 1)] of { mtype, byte, byte }; /* kind, sender, time */

#define others ((1 << N) - 1 - (1 << _pid))

/* Moves q to the next member of a set after q, or to N. */
inline advance(set) {
	do
	:: q < N && !(set >> q & 1) -> q++
	:: else -> break
	od
}

#define RECEIVE(s) \
	:: d_step { (at == idle || at == waiting && awaited || at == critical) && inbox[_pid]??[request, s, theirs] -> \
		inbox[_pid]??request, s, theirs; \
		if \
		:: at == idle || at == waiting && (theirs < ours || theirs == ours && s < _pid) -> \
			q = s; at = answering \
		:: else -> \
			clock = (clock > theirs -> clock : theirs); deferred = deferred | 1 << s; theirs = 0 \
		fi } \
	:: d_step { at == waiting && awaited && inbox[_pid]??[reply, s, 0] -> \
		inbox[_pid]??reply, s, 0; awaited = awaited & ~(1 << s) }

active [N] proctype node() {
	mtype at = idle;
	byte clock, ours, theirs, q, deferred, awaited, r = 1;

end:	do
	RECEIVE(0)
	RECEIVE(1)
#if N > 2
	RECEIVE(2)
#endif
#if N > 3
	RECEIVE(3)
#endif
	:: d_step { at == answering ->
		inbox[q]!!reply, _pid, 0;
		clock = (clock > theirs -> clock : theirs); theirs = 0; q = 0;
		at = (ours -> waiting : idle) }
	:: d_step { at == asking || at == idle && r ->
		if
		:: at == idle -> clock++; ours = clock; q = 0; advance(others)
		:: else
		fi;
		inbox[q]!!request, _pid, ours;
		q++; advance(others);
		if
		:: q < N -> at = asking
		:: else -> q = 0; awaited = others; at = waiting
		fi }
	:: d_step { at == waiting && !awaited -> ours = 0; at = critical }
	:: d_step { at == critical || at == releasing ->
		if
		:: at == critical -> at = releasing
		:: else -> inbox[q]!!reply, _pid, 0; q++
		fi;
		advance(deferred);
		if
		:: q < N
		:: else -> q = 0; deferred = 0; r--; at = idle
		fi }
	od
}
