package main

func Example() {
	main()
	// Output:
	// agreement holds
	// nobody waits violated
	// committed holds
}
