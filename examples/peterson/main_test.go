package main

func Example() {
	main()
	// Output:
	// turn true: 20 states, 34 transitions
	//   exclusion holds
	//   progress holds
	//   no deadlock holds
	// turn false: 20 states, 32 transitions
	//   exclusion holds
	//   progress violated
	//   no deadlock violated
	// peterson
	//
	//   ╭─╮ ╭─╮
	//   │0│ │1│
	//   ╰┬╯ ╰┬╯
	// 0  │   │  all: (at=idle, flag=false)
	// 1  ●   │  0: raise flag → (at=asking, flag=true)
	// 2  │   ●  1: raise flag → (at=asking, flag=true)
	// 3  ●   │  0: give turn away → (at=waiting, flag=true)
	// 4  │   ●  1: give turn away → (at=waiting, flag=true)
	//
	// no deadlock is violated after 4 steps, in a terminal state
	// it is false in {at:[waiting waiting] flag:[true true] turn:0}
}
