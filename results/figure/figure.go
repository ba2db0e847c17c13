// Package figure is the look that all plots have in common.
//
//	New      an empty plot
//	AddLine  adds a line to one
//	Legend   an empty legend
//	SVG      writes a plot as SVG
//	Write    writes a picture of several plots as SVG
//	Histograms   draws how values are distributed
package figure

import (
	"bytes"
	"fmt"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// face is what texts are measured by; whoever has one of families sees that.
var face = font.Font{Typeface: "Liberation", Variant: "Sans"}

// families are the typefaces of the message charts and pages as well.
const families = `'Helvetica Neue', Arial, 'Liberation Sans', sans-serif`

// New returns an empty plot.
func New() *plot.Plot {
	p := plot.New()
	for _, f := range []*font.Font{
		&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font, &p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &p.Legend.TextStyle.Font,
	} {
		f.Typeface, f.Variant = face.Typeface, face.Variant
	}
	return p
}

// AddLine adds the i-th of several lines to a plot and its legend.
func AddLine(p *plot.Plot, i int, name string, points plotter.XYs) error {
	line, err := plotter.NewLine(points)
	if err != nil {
		return fmt.Errorf("plot of %s: %w", name, err)
	}
	line.Color, line.Dashes = plotutil.Color(i), plotutil.Dashes(i)
	p.Add(line)
	p.Legend.Add(name, line)
	return nil
}

// Legend returns an empty legend.
func Legend() plot.Legend {
	l := plot.NewLegend()
	l.TextStyle.Font.Typeface, l.TextStyle.Font.Variant = face.Typeface, face.Variant
	return l
}

// SVG writes a plot as SVG, in a size. The error is that of w.
func SVG(w io.Writer, p *plot.Plot, width, height vg.Length) error {
	canvas := vgsvg.New(width, height)
	p.Draw(draw.New(canvas))
	return Write(w, canvas)
}

// Write writes a picture as SVG. The error is that of w.
func Write(w io.Writer, c *vgsvg.Canvas) error {
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:"+families+";")))
	return err
}
