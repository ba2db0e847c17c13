//go:build !invariants

package model

// Invariants reports whether checks are on that are too expensive for production.
const Invariants = false

func checkValues([]Value) error { return nil }

func checkAnswer(System, int, []Value, *Successors) error { return nil }
