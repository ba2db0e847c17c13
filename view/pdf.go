//go:build !js

package view

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"codeberg.org/go-fonts/dejavu/dejavusansmono"
	"codeberg.org/go-fonts/dejavu/dejavusansmonobold"
	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
)

// PDF writes the chart of SVG as a page of its size, a pixel as a point. The file has the letters that it needs, so it
// looks the same everywhere. An error comes from w.
func (t *Trace) PDF(w io.Writer) error {
	return newPainting(NewPlan(t, t.Selection.layout())).Output(w)
}

// newPainting returns a sheet that shows a plan.
func newPainting(p *Plan) sheet {
	s := newSheet(p)
	s.write(styleOf(".title"), border, 40, p.Caption.Title)
	for _, e := range append(p.Subtitle, p.Finding...) {
		s.write(styleOf("."+e.Class), e.X, e.Y, e.Text)
	}
	s.rows(p)
	for _, h := range p.Heads {
		s.pen(strokeOf(".head-box"))
		s.box(h.X+h.Left(), p.Top-28, h.W, 28, 6, "#ffffff")
		s.write(styleOf(".head"), h.X, p.Top-9.5, h.Text)
	}
	for _, a := range p.Arrows {
		s.arrow(a)
	}
	for _, a := range p.Arrows {
		s.labels(a)
	}
	for _, b := range p.Pills {
		s.pill(b)
	}
	for _, b := range p.Signs {
		s.sign(b)
	}
	for _, e := range p.Legend {
		s.pen(legendStroke(e.Class))
		s.Line(float64(e.X), float64(e.Y), float64(e.X+28), float64(e.Y))
		s.write(styleOf(".subtitle"), e.X+36, e.Y+4, e.Text)
	}
	return s
}

// A sheet is a page of a PDF file, in pixels from the upper left corner.
type sheet struct{ *fpdf.Fpdf }

// The families of letters of a sheet.
const (
	sansFamily = "sans"
	monoFamily = "mono" // has the signs of plans, too
)

// newSheet returns an empty sheet for a plan. The file depends on the plan alone, not on the time.
func newSheet(p *Plan) sheet {
	s := sheet{fpdf.NewCustom(&fpdf.InitType{
		UnitStr: "pt", Size: fpdf.SizeType{Wd: float64(p.Width), Ht: float64(p.Height)},
	})}
	s.SetCreationDate(time.Unix(0, 0).UTC())
	s.SetModificationDate(time.Unix(0, 0).UTC())
	s.SetCatalogSort(true)
	s.SetTitle(p.Caption.Title, true)
	s.SetSubject(p.About, true)
	s.SetCreator("ringcheck", true)
	// The library writes into the fonts (fpdf 0.11.1, getMetrics), so it gets copies.
	s.AddUTF8FontFromBytes(sansFamily, "", bytes.Clone(liberationsansregular.TTF))
	s.AddUTF8FontFromBytes(sansFamily, "B", bytes.Clone(liberationsansbold.TTF))
	s.AddUTF8FontFromBytes(monoFamily, "", bytes.Clone(dejavusansmono.TTF))
	s.AddUTF8FontFromBytes(monoFamily, "B", bytes.Clone(dejavusansmonobold.TTF))
	s.SetAutoPageBreak(false, 0)
	s.AddPage()
	return s
}

// pen sets the style of lines.
func (s sheet) pen(line stroke) {
	s.SetDrawColor(rgb(line.Colour))
	s.SetLineWidth(float64(line.Width))
	dashes := []float64{}
	for _, length := range line.Dash {
		dashes = append(dashes, float64(length))
	}
	s.SetDashPattern(dashes, 0)
	ends := "butt"
	if line.Round {
		ends = "round"
	}
	s.SetLineCapStyle(ends)
}

// rgb returns the parts of a colour in the notation #rrggbb.
func rgb(colour string) (r, g, b int) {
	if _, err := fmt.Sscanf(colour, "#%02x%02x%02x", &r, &g, &b); err != nil {
		panic(err) // impossible: the tables of styles are constant
	}
	return r, g, b
}

// write writes a text at an anchor, and returns its end.
func (s sheet) write(style textStyle, x, y px, text string) px {
	family, weight := sansFamily, ""
	if style.Mono {
		family = monoFamily
	}
	if style.Bold {
		weight = "B"
	}
	text = strings.Map(func(r rune) rune { // what the fonts lack
		if r > math.MaxUint16 {
			return '□'
		}
		return r
	}, text)
	s.SetFont(family, weight, float64(style.Size))
	s.SetTextColor(rgb(style.Fill))
	width := px(s.GetStringWidth(text))
	switch style.Anchor {
	case "middle":
		x -= width / 2
	case "end":
		x -= width
	}
	s.Text(float64(x), float64(y), text)
	return x + width
}

// box draws a rectangle with round corners.
func (s sheet) box(x, y, w, h, radius px, fill string) {
	s.SetFillColor(rgb(fill))
	s.RoundedRect(float64(x), float64(y), float64(w), float64(h), float64(radius), "1234", "FD")
}

// segment draws a line.
func (s sheet) segment(style stroke, x1, y1, x2, y2 px) {
	s.pen(style)
	s.Line(float64(x1), float64(y1), float64(x2), float64(y2))
}

// rows draws what is behind the run: the steps with their numbers, the seams, the lifelines, the ticks and the cycle.
func (s sheet) rows(p *Plan) {
	for row, y := range p.Rows {
		s.segment(strokeOf(".guide"), p.Left, y, p.Right, y)
		s.write(styleOf(".number"), p.NumberAt(), y+4, p.Numbers[row])
	}
	if p.Seam {
		s.segment(strokeOf(".seam"), p.Left, p.Top, p.Left, p.Bottom)
		s.segment(strokeOf(".seam"), p.Right, p.Top, p.Right, p.Bottom)
	}
	for _, b := range p.Bands {
		s.segment(shadesOf(b.Role.Colour).band(), b.X, b.Y, b.X, b.Z)
	}
	for _, y := range p.Ticks {
		s.segment(strokeOf(".tick"), p.Left, y, p.Right, y)
		s.write(styleOf(".number"), p.Right, y-3, "tick")
	}
	if p.Loop == nil {
		return
	}
	for _, y := range []px{p.Loop.Y, p.Loop.Z} {
		s.segment(strokeOf(".loop path"), 14, y, 22, y)
	}
	s.segment(strokeOf(".loop path"), 14, p.Loop.Y, 14, p.Loop.Z)
	s.TransformBegin()
	s.TransformRotate(90, 10, float64(p.Loop.Y))
	s.write(styleOf(".loop text"), 10, p.Loop.Y, "for ever")
	s.TransformEnd()
}

// arrow draws the lines of a message and its marks.
func (s sheet) arrow(a arrow) {
	style, tip := a.stroke(), px(11)
	if a.Overtaken {
		tip = 14
	}
	for _, l := range a.Lines {
		s.segment(style, l.X1, l.Y1, l.X2, l.Y2)
		if l.Tip {
			s.tip(l, tip, style.Colour)
		}
	}
	for _, m := range a.Marks {
		s.pen(strokeOf(".mark"))
		s.mark(m)
	}
}

// tip draws the tip of a line, as long and wide as size allows.
func (s sheet) tip(l line, size px, colour string) {
	angle := math.Atan2(float64(l.Y2-l.Y1), float64(l.X2-l.X1))
	sin, cos := math.Sincos(angle)
	var corners []fpdf.PointType
	for _, c := range [][2]float64{{.05, 0}, {-.95, -.4}, {-.95, .4}} {
		along, aside := c[0]*float64(size), c[1]*float64(size)
		corners = append(corners,
			fpdf.PointType{X: float64(l.X2) + along*cos - aside*sin, Y: float64(l.Y2) + along*sin + aside*cos})
	}
	s.SetFillColor(rgb(colour))
	s.Polygon(corners, "F")
}

// mark draws the path of a mark, which has the commands M, L, H and V.
func (s sheet) mark(m mark) {
	x, y := 0.0, 0.0
	for path := m.Path; path != ""; {
		command := path[0]
		end := strings.IndexAny(path[1:], "MLHV") + 1
		if end == 0 {
			end = len(path)
		}
		numbers := strings.Fields(path[1:end])
		path = path[end:]
		toX, toY := x, y
		switch command {
		case 'H':
			fmt.Sscan(numbers[0], &toX)
		case 'V':
			fmt.Sscan(numbers[0], &toY)
		default:
			fmt.Sscan(numbers[0], &toX)
			fmt.Sscan(numbers[1], &toY)
		}
		if command != 'M' {
			s.Line(float64(m.X)+x, float64(m.Y)+y, float64(m.X)+toX, float64(m.Y)+toY)
		}
		x, y = toX, toY
	}
}

// labels writes the texts of a message.
func (s sheet) labels(a arrow) {
	style := styleOf(".label")
	if a.Overtaken {
		style = styleOf(".label.overtaken")
	}
	for _, l := range a.Labels {
		s.label(style, l)
	}
}

// label writes a text on white.
func (s sheet) label(style textStyle, l label) {
	style.Anchor = l.Anchor
	s.pen(stroke{Colour: "#ffffff", Width: 4})
	const outline, filled = 1, 0 // text rendering modes of PDF
	s.SetTextRenderingMode(outline)
	s.write(style, l.X, l.Y, l.Text)
	s.SetTextRenderingMode(filled)
	s.write(style, l.X, l.Y, l.Text)
}

// sign draws the sign of an action, and the text beside it.
func (s sheet) sign(b sign) {
	shape := b.Shape()
	s.pen(strokeOf(".sign"))
	s.SetFillColor(rgb(inkColour))
	switch {
	case shape.Path != "":
		s.mark(mark{b.X, b.Y, shape.Path})
	case shape.Filled:
		s.Circle(float64(b.X), float64(b.Y), float64(shape.Radius), "F")
	default:
		s.SetFillColor(rgb("#ffffff"))
		s.Circle(float64(b.X), float64(b.Y), float64(shape.Radius), "FD")
	}
	if b.Label != nil {
		s.label(styleOf(".label"), *b.Label)
	}
}

// pill draws a local state, and the event beside it.
func (s sheet) pill(b pill) {
	if b.Unlogged {
		s.SetAlpha(.5, "Normal")
		defer s.SetAlpha(1, "Normal")
	}
	shade := shadesOf(b.Role.Colour)
	s.pen(stroke{Colour: shade.Edge, Width: shade.EdgeWidth, Dash: shade.EdgeDash})
	s.box(b.X+b.Left(), b.Y+b.Top(), b.W, b.H(), 9, shade.Fill)
	name := stepStyle(styleOf(".pill .name"), b.Changed)
	if len(b.Vars) == 0 {
		s.write(name, b.X, b.Y+4, b.Name)
	} else {
		s.write(name, b.X, b.Y-2, b.Name)
		s.vars(b)
	}
	if b.Event != "" {
		event := styleOf(".pill .event")
		sign := event
		sign.Mono = true
		end := b.X + b.Right()
		if b.Sign != "" {
			end = s.write(sign, end, b.Y+5, b.Sign+" ")
		}
		s.write(event, end, b.Y+5, b.Event)
	}
}

// vars writes the variables of a local state in one line.
func (s sheet) vars(b pill) {
	style := styleOf(".pill .vars")
	s.SetFont(monoFamily, "", float64(style.Size))
	width := px(0)
	for i, v := range b.Vars {
		width += px(s.GetStringWidth(choose(i > 0, " ", "") + v.Text))
	}
	style.Anchor = "start"
	x := b.X - width/2
	for i, v := range b.Vars {
		x = s.write(stepStyle(style, v.Changed), x, b.Y+11, choose(i > 0, " ", "")+v.Text)
	}
}

// stepStyle returns the style of a part of a local state, which a step has changed or not.
func stepStyle(style textStyle, changed bool) textStyle {
	if changed {
		style.Fill, style.Bold = changedColour, true
	}
	return style
}

// band returns the style of a lifeline.
func (s shades) band() stroke { return stroke{Colour: s.Band, Width: s.BandWidth, Dash: s.BandDash} }

// legendStroke returns the style of the line in the legend that a class describes, such as "band blue".
func legendStroke(class string) stroke {
	kind, which, _ := strings.Cut(class, " ")
	if kind == "band" {
		return shadesOf(which).band()
	}
	return strokeOf("." + kind + "." + which + " line")
}
