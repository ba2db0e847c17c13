package figure

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// Decades makes the vertical axis of a plot logarithmic, with the powers of ten as labels.
func Decades(p *plot.Plot) { p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades) }

// decades marks the multiples of powers of ten, and labels the powers.
func decades(from, to float64) []plot.Tick {
	ticks := plot.LogTicks{}.Ticks(from, to)
	for i, t := range ticks {
		exponent := math.Log10(t.Value)
		if whole := math.Round(exponent); t.Label != "" && math.Abs(exponent-whole) < 1e-9 {
			ticks[i].Label = "10" + superscript.Replace(strconv.Itoa(int(whole)))
		}
	}
	return ticks
}

var superscript = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶",
	"7", "⁷", "8", "⁸", "9", "⁹")
