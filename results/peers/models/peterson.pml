/* Peterson's mutual exclusion for N processes. At each level a process waits until it is not the one that came there last,
 * or no other process is as far. A condition is read in one step. Generate with -DN=, from 2 to 6. */
byte level[N], last[N];

#define below(q) (_pid == q || level[q] < l)
#if N > 2
#define below2 && below(2)
#else
#define below2
#endif
#if N > 3
#define below3 && below(3)
#else
#define below3
#endif
#if N > 4
#define below4 && below(4)
#else
#define below4
#endif
#if N > 5
#define below5 && below(5)
#else
#define below5
#endif
#define others_below (below(0) && below(1) below2 below3 below4 below5)

active [N] proctype node() {
	byte l = 1;

advance: level[_pid] = l;
	last[l] = _pid;
	if
	:: d_step { l < N - 1 && (last[l] != _pid || others_below) -> l++ } -> goto advance
	:: d_step { l == N - 1 && (last[l] != _pid || others_below) -> l = 1 }
	fi;
critical: level[_pid] = 0;
	goto advance
}
