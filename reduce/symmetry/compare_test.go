package symmetry_test

import (
	"errors"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
	"ringcheck/reduce/symmetry"
)

// A biased system differs from another one in one group.
type biased struct {
	model.System
	group int
	bias  func(out *model.Successors)
}

func (b *biased) Next(g int, in []model.Value, out *model.Successors) error {
	err := b.System.Next(g, in, out)
	if g == b.group && out.Len() > 0 {
		b.bias(out)
	}
	return err
}

// TestBiased checks that processes that behave differently are found during the search, although shape and initial
// states are symmetric.
func TestBiased(t *testing.T) {
	for name, bias := range map[string]func(out *model.Successors){
		"value":      func(out *model.Successors) { out.Values(0)[0] = 0 },
		"transition": func(out *model.Successors) { copy(out.Add(out.Step(0)), out.Values(0)) },
		"label": func(out *model.Successors) {
			step := out.Step(0)
			step.Label ^= 1
			values := out.Values(0)
			out.Reset(len(values))
			copy(out.Add(step), values)
		},
	} {
		t.Run(name, func(t *testing.T) {
			sys := open(t, "franklin", "n=4 k=2")
			group := len(sys.Groups()) - 2
			if !strings.Contains(sys.Groups()[group].Name, "process 3 receives") {
				t.Fatalf("group %d is %q", group, sys.Groups()[group].Name)
			}
			q := rotation(t, &biased{sys, group, bias})
			r := systemtest.Run(t, q, explore.Options{})
			if r.Stop != explore.ModelFailure || !strings.HasPrefix(r.ModelError.Message,
				"rotation is "+symmetry.ErrAsymmetric.Error()) {
				t.Errorf("the search ended because: %v, %v", r.Stop, r.ModelError)
			}
		})
	}
}

// TestModelErrors checks that a model error is found by orbits too.
func TestModelErrors(t *testing.T) {
	const grows = "protocol test\nparam n: 2..9 = 3\ntopology directed ring of n\nchannel fifo\nmessage M\n" +
		"process p = A\nA = send right M; A\n"
	q := rotation(t, compiled(t, grows, nil))
	r := systemtest.Run(t, q, explore.Options{})
	var modelError *model.Error
	if r.Stop != explore.ModelFailure || !errors.As(r.ModelError, &modelError) || !modelError.Growth {
		t.Errorf("the search ended because: %v, %v", r.Stop, r.ModelError)
	}
}
