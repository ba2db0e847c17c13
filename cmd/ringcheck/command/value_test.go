package command

import (
	"math"
	"strings"
	"testing"

	"ringcheck"
)

func TestValueText(t *testing.T) {
	inf := ringcheck.Real(math.Inf(1))
	for _, test := range []struct {
		value ringcheck.Value
		want  string
	}{
		{ringcheck.Value{Low: 0.5, High: 0.5, Exact: "1/2"}, "1/2"},
		{ringcheck.Value{Low: 0, High: 0}, "0"},
		{ringcheck.Value{Low: 0.375, High: 0.375}, "0.375"},
		{ringcheck.Value{Low: 0.1, High: 0.1}, "0.10000000000000001 ± 5e-18"},
		{ringcheck.Value{Low: 1, High: 2}, "1.5 ± 6e-1"},
		{ringcheck.Value{Low: 0.25, High: 0.2500000001}, "0.25000000005 ± 6e-11"},
		{ringcheck.Value{Low: 3e-20, High: 3.0000000001e-20}, "3.00000000005e-20 ± 5e-31"},
		{ringcheck.Value{Low: 0, High: 3e-271}, "at most 4e-271"},
		{ringcheck.Value{Low: 0, High: 5e-324, Exact: "1/1" + strings.Repeat("0", 480)}, "1e-480"},
		{ringcheck.Value{Low: 0, High: 5e-324, Exact: "1/3" + strings.Repeat("0", 480)},
			"3.33333333333333333e-481 ± 4e-499"},
		{ringcheck.Value{Low: 1e30, High: 2e30}, "1.5e30 ± 6e29"},
		{ringcheck.Value{Low: 1e21, High: 1e21, Exact: "1" + strings.Repeat("0", 21)}, "1" + strings.Repeat("0", 21)},
		{ringcheck.Value{Low: 1e308, High: inf, Exact: "12" + strings.Repeat("0", 399)}, "1.2e400"},
		{ringcheck.Value{Low: 3, High: inf}, "at least 3"},
		{ringcheck.Value{Low: inf, High: inf}, "∞"},
	} {
		if got := valueText(&test.value); got != test.want {
			t.Errorf("%+v: %q, want %q", test.value, got, test.want)
		}
	}
}
