package view

import "testing"

// TestLabelsApart: in a narrow chart with several messages in a row, no label covers another one.
func TestLabelsApart(t *testing.T) {
	trace := modulo2(t)
	trace.Selection.Share = true
	for _, room := range []float64{300, 340, 380, 420, 460} {
		layout := trace.Selection.layout()
		layout.Compact, layout.Bare, layout.Room = true, true, room
		var placed []label
		for _, a := range NewPlan(trace, layout).Arrows {
			for _, l := range a.Labels {
				for _, o := range placed {
					if l.bounds().meets(o.bounds()) {
						t.Errorf("in %.0f px, %s at (%.0f, %.0f) covers %s", room, l.Text, l.X, l.Y, o.Text)
					}
				}
				placed = append(placed, l)
			}
		}
		if len(placed) < 20 {
			t.Errorf("in %.0f px, there are only %d labels", room, len(placed))
		}
	}
}
