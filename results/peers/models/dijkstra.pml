/* Dijkstra's K-state ring, as in examples/dijkstra.ring, from all values of the registers. Generate with -DN= and -DK=. */
byte x[N];

proctype bottom() {
	do
	:: d_step { x[N - 1] == x[0] -> x[0] = (x[0] + 1) % K }
	od
}

proctype other(byte p) {
	do
	:: d_step { x[p - 1] != x[p] -> x[p] = x[p - 1] }
	od
}

init {
	byte p, v;
	atomic {
		for (p : 0 .. N - 1) {
			select(v : 0 .. K - 1);
			x[p] = v
		};
		v = 0;
		run bottom();
		for (p : 1 .. N - 1) {
			run other(p)
		};
		p = 0
	}
}
