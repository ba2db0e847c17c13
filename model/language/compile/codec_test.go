package compile_test

import (
	"bytes"
	"slices"
	"testing"

	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/step"
)

// TestCodec checks that systems with different numberings encode equal states equally and different ones differently,
// and decode each other's bytes. Damaged bytes are refused or are the encoding of another state.
func TestCodec(t *testing.T) {
	p := election(t, 3, 2)
	graph, _ := spectest.Explore(step.New(p, step.Options{}), 2000)
	forward, backward := spectest.Compile(t, p), spectest.Compile(t, p)
	for _, s := range slices.Backward(graph.States) {
		backward.Encode(nil, s)
	}
	seen := make(map[string]bool)
	for _, s := range graph.States {
		mine, theirs := forward.Encode(nil, s), backward.Encode(nil, s)
		data := model.AppendState(forward, nil, mine)
		if !bytes.Equal(data, model.AppendState(backward, nil, theirs)) {
			t.Fatalf("%s: two systems write different bytes", format(forward, mine))
		}
		if seen[string(data)] {
			t.Fatalf("%s: two states have the same encoding", format(forward, mine))
		}
		seen[string(data)] = true
		back := make([]model.Value, len(theirs))
		if err := model.DecodeState(backward, data, back); err != nil || !slices.Equal(back, theirs) {
			t.Fatalf("%s: read back as %s, error %v", format(forward, mine), format(backward, back), err)
		}
	}
	damage(t, forward, graph.States[len(graph.States)-1])
}

// damage changes and cuts the bytes of a state.
func damage(t *testing.T, sys model.Codec, s *step.State) {
	t.Helper()
	whole := sys.(interface {
		Encode([]model.Value, *step.State) []model.Value
	}).Encode(nil, s)
	data := model.AppendState(sys, nil, whole)
	state := make([]model.Value, len(whole))
	for i := range data {
		if err := model.DecodeState(sys, data[:i], state); err == nil {
			t.Errorf("%d of %d bytes are taken for a state", i, len(data))
		}
		for _, b := range []byte{0, 1, 0x7f, 0xff} {
			bad := slices.Clone(data)
			bad[i] = b
			if err := model.DecodeState(sys, bad, state); err == nil && !bytes.Equal(model.AppendState(sys, nil, state),
				bad) {
				t.Errorf("byte %d as %#x: read as another state", i, b)
			}
		}
	}
}
