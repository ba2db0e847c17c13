package examples

import "fmt"

// A window is the state of a sender, process 0, or of a receiver, process 1.
type window struct {
	at    string
	next  int    // the number of the next datum, to be sent or received
	data  [3]int // sent and not acknowledged, the oldest first
	open  int    // their number
	x     int    // the datum that is posted or delivered
	again int    // the place in data of the next datum that is repeated
	timer int
}

// goBackN has sequence numbers modulo m.
func goBackN(size, data, m, losses, patience int, resend bool) counted {
	d := &distributed[window]{n: 2, fifo: true, initial: make([]network[window], 1), losses: losses, delay: true, lo: 1,
		hi: 2}
	d.initial[0].at[0].at = "sender"
	d.initial[0].at[1].at = "receiver"
	d.tick = func(c window) window {
		c.timer = max(0, c.timer-1)
		return c
	}
	post := func(s network[window], c window, x, number int) network[window] {
		return d.send(s.goes(0, c), 0, 1, fmt.Sprintf("%d,%d,", x, number))
	}
	answer := func(s network[window], c window, number int) network[window] {
		return d.send(s.goes(1, c), 1, 0, fmt.Sprintf("%d,", number))
	}
	d.own = func(s network[window], p int, do func(string, network[window])) {
		c := s.at[p]
		switch c.at {
		case "sender":
			for x := 1; x <= data && c.open < size; x++ {
				accepted := c
				accepted.at, accepted.x = "post", x
				do(fmt.Sprint("accept ", x), s.goes(p, accepted))
			}
			if resend && c.timer == 0 && c.open > 0 {
				c.timer = patience
				if c.again = 1; c.open > 1 {
					c.at = "repeat"
				} else {
					c.again = 0
				}
				do("repeats", post(s, c, c.data[0], (c.next-c.open+m)%m))
			}
		case "post":
			x, number := c.x, c.next
			c.at, c.x, c.timer, c.next = "sender", 0, patience, (c.next+1)%m
			c.data[c.open] = x
			c.open++
			do("sends", post(s, c, x, number))
		case "repeat":
			x, number := c.data[c.again], (c.next-c.open+c.again+m)%m
			if c.again++; c.again == c.open {
				c.at, c.again = "sender", 0
			}
			do("repeats", post(s, c, x, number))
		case "deliver":
			x := c.x
			c.at, c.x = "answer", 0
			do(fmt.Sprint("delivers ", x), s.goes(p, c))
		case "answer":
			number := c.next
			do("answers", answer(s, window{at: "receiver", next: (number + 1) % m}, number))
		case "wrong":
			do("answers", answer(s, window{at: "receiver", next: c.next}, (c.next+m-1)%m))
		}
	}
	d.take = func(s network[window], p, _ int, word string, do func(network[window])) {
		c := s.at[p]
		var x, number int
		switch c.at {
		case "sender":
			fmt.Sscanf(word, "%d,", &number)
			for done := 1; done <= c.open; done++ {
				if (c.next-c.open+done-1+m)%m == number {
					var rest [3]int
					copy(rest[:], c.data[done:])
					c.data, c.open = rest, c.open-done
					break
				}
			}
		case "receiver":
			fmt.Sscanf(word, "%d,%d,", &x, &number)
			c = window{at: "wrong", next: c.next}
			if number == c.next {
				c = window{at: "deliver", next: c.next, x: x}
			}
		default:
			return
		}
		do(s.goes(p, c))
	}
	return d
}

// buffer holds up to size data.
func buffer(size, data int) counted {
	return machine[string]{[]string{""}, func(s string, to func(string, string)) {
		for x := '1'; x < '1'+rune(data) && len(s) < size; x++ {
			to("accept "+string(x), s+string(x))
		}
		if len(s) > 0 {
			to("deliver "+s[:1], s[1:])
		}
	}}
}
