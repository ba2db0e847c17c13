package replay

import "context"

// A Cause is who took a step, and which one sent the message that it took, counted from 1; 0 if there is none.
type Cause struct{ Process, Sender int32 }

// Causes takes the run again and returns the cause of each step, and the last state.
func (r *Run) Causes(ctx context.Context) ([]Cause, *State, error) {
	causes := make([]Cause, 0, len(r.Steps))
	last, err := r.Play(ctx, func(s *State, d *Step) error {
		if d != nil {
			causes = append(causes, Cause{int32(d.Process), int32(s.Handled().Sender)})
		}
		return nil
	})
	return causes, last, err
}

// A Past is the causal past of the last states of some processes (happened-before, Lamport 1978), without ticks.
type Past struct {
	Steps     []bool  // by number, from 0
	Processes [][]int // for each process: itself and those that influenced it, the latest first
}

// NewPast returns the past of some processes at the end of a run.
func NewPast(causes []Cause, n int, processes []int) *Past {
	p := &Past{Steps: make([]bool, len(causes)), Processes: make([][]int, len(processes))}
	until := make([]int32, n) // the number of the last step of a process that is in the past, from 1
	of := make([]int32, n)    // the process whose past it belongs to, from 1
	for i, process := range processes {
		until[process], of[process] = int32(len(causes)), int32(i+1)
		p.Processes[i] = []int{process}
	}
	for i := len(causes) - 1; i >= 0; i-- {
		c := causes[i]
		if c.Process < 0 || int32(i) >= until[c.Process] {
			continue
		}
		p.Steps[i] = true
		if c.Sender == 0 {
			continue
		}
		sender := causes[c.Sender-1].Process
		if sender < 0 { // it was duplicated
			continue
		}
		until[sender] = max(until[sender], c.Sender)
		if of[sender] == 0 {
			of[sender] = of[c.Process]
			p.Processes[of[sender]-1] = append(p.Processes[of[sender]-1], int(sender))
		}
	}
	return p
}

// Chosen returns at most so many processes: first those whose past it is, then round robin those that influenced them,
// the latest first.
func (p *Past) Chosen(most int) []int {
	var all []int
	for k, more := 0, true; more; k++ {
		more = false
		for _, list := range p.Processes {
			if k < len(list) && len(all) < most {
				all, more = append(all, list[k]), true
			}
		}
	}
	return all
}
