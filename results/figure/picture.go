package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"codeberg.org/go-fonts/dejavu/dejavusansmono"
	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot"
	gonum "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Picture is a grid of plots of one size.
type Picture struct {
	rows          [][]*plot.Plot
	width, height vg.Length // of a plot
	margin        vg.Length // on the right
}

// Of returns a picture of size Width × Height.
func Of(p *plot.Plot) *Picture {
	return &Picture{rows: [][]*plot.Plot{{p}}, width: Width, height: Height}
}

// Writers returns functions that write the picture, by the endings of their files.
func (p *Picture) Writers() map[string]func(io.Writer) error {
	return map[string]func(io.Writer) error{".svg": p.SVG, ".pdf": p.PDF}
}

// Endings are the keys of Writers.
var Endings = []string{".svg", ".pdf"}

func (p *Picture) size() (width, height vg.Length) {
	return p.width*vg.Length(len(p.rows[0])) + p.margin, p.height * vg.Length(len(p.rows))
}

func (p *Picture) draw(c vg.CanvasSizer) {
	const gap = vg.Centimeter / 3
	tiles := draw.Tiles{Rows: len(p.rows), Cols: len(p.rows[0]), PadX: gap, PadY: gap}
	for i, row := range plot.Align(p.rows, tiles, draw.Crop(draw.New(c), 0, -p.margin, 0, 0)) {
		for k, part := range row {
			p.rows[i][k].Draw(part)
		}
	}
}

// face is the typeface with whose widths text is laid out; a viewer of SVG shows the first of families that is
// installed, as wide as face.
var face = gonum.Font{Typeface: "Liberation", Variant: "Sans"}

// families are the typefaces of SVG files, as in message charts and pages.
const families = `'Helvetica Neue', Arial, 'Liberation Sans', sans-serif`

// SVG writes the picture as SVG. An error comes from w.
func (p *Picture) SVG(w io.Writer) error {
	canvas := vgsvg.New(p.size())
	p.draw(canvas)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	text := svgText.ReplaceAllStringFunc(b.String(), withLength)
	_, err := io.WriteString(w, strings.ReplaceAll(text, "font-family:Liberation Sans;", "font-family:"+families+";"))
	return err
}

// svgText is a text in an SVG file: the beginning of its element, the size of its letters, the text, and its end.
var svgText = regexp.MustCompile(`(<text [^>]*font-size:([0-9.]+)px[^>]*)(>)([^<]+)(</text>)`)

// withLength returns the element of a text with its length, so that it overlaps nothing in any typeface.
func withLength(element string) string {
	parts := svgText.FindStringSubmatch(element)
	size, err := strconv.ParseFloat(parts[2], 64)
	if err != nil {
		return element
	}
	f := face
	f.Size = vg.Points(size)
	length := gonum.DefaultCache.Lookup(f, f.Size)
	width := length.Width(unescaped.Replace(parts[4])).Points()
	return fmt.Sprintf("%s textLength=\"%.5g\" lengthAdjust=\"spacingAndGlyphs\">%s</text>", parts[1], width, parts[4])
}

// unescaped turns the text of an XML file into the letters whose widths face knows.
var unescaped = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'", "&amp;", "&")

// PDF writes the picture as PDF, with letters as outlines. The file depends on the picture alone, not on the time. An
// error comes from w.
func (p *Picture) PDF(w io.Writer) error {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
	canvas := vgpdf.New(p.size())
	p.draw(outlines{canvas})
	_, err := canvas.WriteTo(w)
	return err
}

// outlines is a canvas that draws letters as areas, since PDF files of vgpdf have letters of Western Europe only. It
// mixes colours with white, since these files have no transparent ones.
type outlines struct{ vg.CanvasSizer }

// SetColor implements vg.Canvas.
func (o outlines) SetColor(c color.Color) {
	if c != nil {
		r, g, b, a := c.RGBA()
		mixed := func(part uint32) uint16 { return uint16(part + math.MaxUint16 - a) }
		c = color.RGBA64{mixed(r), mixed(g), mixed(b), math.MaxUint16}
	}
	o.CanvasSizer.SetColor(c)
}

// FillString implements vg.Canvas.
func (o outlines) FillString(f gonum.Face, at vg.Point, text string) {
	var b sfnt.Buffer
	const scale = 64 // of fixed-point numbers
	size := fixed.Int26_6(f.Font.Size.Points() * scale)
	for _, r := range text {
		typeface := f.Face
		glyph, err := typeface.GlyphIndex(&b, r)
		if glyph == 0 {
			typeface = signs()
			glyph, err = typeface.GlyphIndex(&b, r)
		}
		if err != nil {
			continue
		}
		segments, err := typeface.LoadGlyph(&b, glyph, size, nil)
		if err != nil {
			continue
		}
		if path := outline(segments, at); len(path) > 0 {
			o.Fill(path)
		}
		advance, err := typeface.GlyphAdvance(&b, glyph, size, font.HintingNone)
		if err == nil {
			at.X += vg.Points(float64(advance) / scale)
		}
	}
}

// signs is a typeface with signs that face lacks.
var signs = sync.OnceValue(func() *sfnt.Font {
	f, err := sfnt.Parse(dejavusansmono.TTF)
	if err != nil {
		panic(err) // impossible: the typeface is constant
	}
	return f
})

// outline returns the path of a letter at a point.
func outline(segments sfnt.Segments, at vg.Point) (path vg.Path) {
	point := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: at.X + vg.Points(float64(p.X)/64), Y: at.Y - vg.Points(float64(p.Y)/64)}
	}
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if len(path) > 0 {
				path.Close()
			}
			path.Move(point(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(point(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(point(s.Args[0]), point(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(point(s.Args[0]), point(s.Args[1]), point(s.Args[2]))
		}
	}
	if len(path) > 0 {
		path.Close()
	}
	return path
}
