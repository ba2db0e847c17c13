package symbolic
