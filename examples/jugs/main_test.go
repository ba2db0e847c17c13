package main

func Example() {
	main()
	// Output:
	// water jugs
	//
	// no four litres is violated after 6 steps
	//
	//    0  initial state
	//    1  fill the big jug
	//       (Small=0, Big=0) → (Small=0, Big=5)
	//    2  pour the big jug into the small one
	//       (Small=0, Big=5) → (Small=3, Big=2)
	//    3  empty the small jug
	//       (Small=3, Big=2) → (Small=0, Big=2)
	//    4  pour the big jug into the small one
	//       (Small=0, Big=2) → (Small=2, Big=0)
	//    5  fill the big jug
	//       (Small=2, Big=0) → (Small=2, Big=5)
	//    6  pour the big jug into the small one
	//       (Small=2, Big=5) → (Small=3, Big=4)
	//
	// it is false in {Small:3 Big:4}
}
