package model

// A Move is one step of a run and the state after it. The first Move of a run has no step: its state is an
// initial state.
type Move struct {
	Step  Step
	State []Value
}
