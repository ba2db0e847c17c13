/* Franklin's algorithm with random identities, as in specs/franklin.ring. Generate with -DN= and -DK=, and with -DLEFT
 * for the variant in which a process reads its left neighbour first. Channels are multisets: sends are sorted. No
 * channel holds two messages with the same bit, so that a receive with each bit finds every message. */
chan rightward[N] = [2] of { byte, byte, bit }; /* from p to its right neighbour: identity, hops, bit */
chan leftward[N] = [2] of { byte, byte, bit };

#define in_left rightward[(_pid + N - 1) % N]
#define in_right leftward[(_pid + 1) % N]
#define out_right rightward[_pid]
#define out_left leftward[_pid]

/* What a process does after both messages: it is the leader, withdraws, or begins the next round. */
#define AFTER \
	:: d_step { h == N -> id = 0; i = 0; j = 0; h = 0; b = 0 } -> goto done \
	:: d_step { h < N && (i > id || j > id) && in_left??[i, h, 0] -> \
		in_left??i, h, 0; id = 0; j = 0; b = 0; c = 0 } -> goto right_on \
	:: d_step { h < N && (i > id || j > id) && in_left??[i, h, 1] -> \
		in_left??i, h, 1; id = 0; j = 0; b = 0; c = 1 } -> goto right_on \
	:: d_step { h < N && (i > id || j > id) && in_right??[i, h, 0] -> \
		in_right??j, h, 0; id = 0; i = 0; b = 0; c = 0 } -> goto left_on \
	:: d_step { h < N && (i > id || j > id) && in_right??[i, h, 1] -> \
		in_right??j, h, 1; id = 0; i = 0; b = 0; c = 1 } -> goto left_on \
	:: atomic { h < N && i <= id && j <= id -> i = 0; j = 0; h = 0; b = !b; \
		select(id : 1 .. K); out_right!!id, 1, b } -> goto second

active [N] proctype node() {
	byte id, i, j, h;
	bit b = 1, c;

	atomic { select(id : 1 .. K); out_right!!id, 1, b };
second:	out_left!!id, 1, b;

end1:	if
	:: in_left??i, h, eval(b) -> goto has_left
#ifndef LEFT
	:: in_right??j, h, eval(b) -> goto has_right
#endif
	fi;

has_left: if
	:: d_step { h == N -> id = 0; i = 0; h = 0; b = 0 } -> goto done
	:: d_step { h < N && in_right??[i, h, eval(b)] -> in_right??j, h, eval(b) } -> goto left_first
	fi;
left_first: if
	AFTER
	fi;

#ifndef LEFT
has_right: if
	:: d_step { h == N -> id = 0; j = 0; h = 0; b = 0 } -> goto done
	:: d_step { h < N && in_left??[i, h, eval(b)] -> in_left??i, h, eval(b) } -> goto right_first
	fi;
right_first: if
	AFTER
	fi;
#endif

end2:	if
	:: d_step { in_left??i, h, 0; c = 0 } -> goto right_on
	:: d_step { in_left??i, h, 1; c = 1 } -> goto right_on
	:: d_step { in_right??j, h, 0; c = 0 } -> goto left_on
	:: d_step { in_right??j, h, 1; c = 1 } -> goto left_on
	fi;
right_on: if
	:: d_step { out_right!!i, h + 1, c; i = 0; h = 0; c = 0 } -> goto end2
	fi;
left_on: if
	:: d_step { out_left!!j, h + 1, c; j = 0; h = 0; c = 0 } -> goto end2
	fi;

done:	false
}
