/* Franklin's algorithm with random identities, where a process reads its left neighbour first, as in
 * specs/franklin.ring with order = left. Generate with -DN= and -DK=. No channel holds two messages with the same bit, so
 * a channel for each bit has the same states, and its only reader and writer can be declared for partial order reduction. */
chan rightward[2 * N] = [1] of { byte, byte }; /* from p to its right neighbour, by 2 * p + bit: identity, hops */
chan leftward[2 * N] = [1] of { byte, byte };

#define larger (i > id || j > id)

/* A round with bit b. The next one has bit c. */
#define ROUND(b, c) \
second##b: out_left##b!id, 1; \
end##b:	in_left##b?i, h; \
	if \
	:: d_step { h == N -> id = 0; i = 0; h = 0 } -> goto done \
	:: d_step { h < N && nempty(in_right##b) -> in_right##b?j, h } \
	fi; \
	if \
	:: d_step { h == N -> id = 0; i = 0; j = 0; h = 0 } -> goto done \
	:: d_step { h < N && larger && nempty(in_left0) -> in_left0?i, h; id = 0; j = 0 } -> goto right_on0 \
	:: d_step { h < N && larger && nempty(in_left1) -> in_left1?i, h; id = 0; j = 0 } -> goto right_on1 \
	:: d_step { h < N && larger && nempty(in_right0) -> in_right0?j, h; id = 0; i = 0 } -> goto left_on0 \
	:: d_step { h < N && larger && nempty(in_right1) -> in_right1?j, h; id = 0; i = 0 } -> goto left_on1 \
	:: atomic { h < N && !larger -> i = 0; j = 0; h = 0; select(id : 1 .. K); out_right##c!id, 1 } -> goto second##c \
	fi;

active [N] proctype node() {
	byte id, i, j, h;
	chan in_left0 = rightward[2 * ((_pid + N - 1) % N)];
	chan in_left1 = rightward[2 * ((_pid + N - 1) % N) + 1];
	chan in_right0 = leftward[2 * ((_pid + 1) % N)];
	chan in_right1 = leftward[2 * ((_pid + 1) % N) + 1];
	chan out_right0 = rightward[2 * _pid];
	chan out_right1 = rightward[2 * _pid + 1];
	chan out_left0 = leftward[2 * _pid];
	chan out_left1 = leftward[2 * _pid + 1];
	xr in_left0; xr in_left1; xr in_right0; xr in_right1;
	xs out_right0; xs out_right1; xs out_left0; xs out_left1;

	atomic { select(id : 1 .. K); out_right1!id, 1 };
	goto second1;
	ROUND(0, 1)
	ROUND(1, 0)

end2:	if
	:: in_left0?i, h -> goto right_on0
	:: in_left1?i, h -> goto right_on1
	:: in_right0?j, h -> goto left_on0
	:: in_right1?j, h -> goto left_on1
	fi;
right_on0: atomic { out_right0!i, h + 1; i = 0; h = 0 };
	goto end2;
right_on1: atomic { out_right1!i, h + 1; i = 0; h = 0 };
	goto end2;
left_on0: atomic { out_left0!j, h + 1; j = 0; h = 0 };
	goto end2;
left_on1: atomic { out_left1!j, h + 1; j = 0; h = 0 };
	goto end2;

done:	false
}
