package view

import (
	"fmt"
	"strings"
)

// The tables of this file say how the parts of a plan look on white paper. Colours are in the notation of CSS.

// A dash has the lengths of the dashes of a line and of the gaps between them, in turn; nil is a solid line.
type dash []px

// String returns the value of the attribute stroke-dasharray of SVG.
func (d dash) String() string {
	lengths := make([]string, len(d))
	for i, length := range d {
		lengths[i] = length.String()
	}
	return strings.Join(lengths, " ")
}

// shades are the colours of a role. Widths and dashes tell roles apart in black and white.
type shades struct {
	Colour    string // of the role
	Band      string // its lifeline
	BandWidth px
	BandDash  dash
	Fill      string // its local states
	Edge      string
	EdgeWidth px
	EdgeDash  dash
}

// palette has the shades of all colours of roles. The last ones are for no role.
var palette = []shades{
	{"blue", "#9cc7ea", 6, nil, "#eaf4fc", "#0072b2", 1.4, nil},
	{"grey", "#9aa3ad", 1.5, dash{3, 4}, "#f4f5f6", "#8b949e", 1.4, dash{3, 2}},
	{"amber", "#e69f00", 9, nil, "#fff3d6", "#b87a00", 2.4, nil},
	{"green", "#3fa35c", 9, nil, "#e6f6ea", "#1a7f37", 2.4, nil},
	{"purple", "#b79be6", 6, nil, "#f3eefc", "#6f3fc4", 1.4, nil},
	{"red", "#e07a5f", 6, nil, "#fdece7", "#c0370a", 1.4, dash{6, 2}},
	{"teal", "#6cc3bd", 6, nil, "#e3f5f3", "#0f766e", 1.4, nil},
	{"plain", "#c3c9d0", 2, nil, "#ffffff", "#57606a", 1.4, nil},
}

// shadesOf returns the shades of a colour of a role.
func shadesOf(colour string) shades {
	for _, s := range palette {
		if s.Colour == colour {
			return s
		}
	}
	return palette[len(palette)-1]
}

// The colours of texts and lines.
const (
	inkColour    = "#1b1f24"
	mutedColour  = "#57606a"
	warmColour   = "#b03300"
	strongColour = "#d13c00"
)

// A textStyle is the style of a kind of text.
type textStyle struct {
	Selector string // in SVG
	Mono     bool   // all letters have one width
	Size     px
	Bold     bool
	Fill     string
	Anchor   string // what its position is: its start, middle or end; empty if the plan says it
}

// textStyles has the styles of all texts.
var textStyles = []textStyle{
	{".title", false, 18, true, inkColour, "start"},
	{".subtitle", false, textSize, false, mutedColour, "start"},
	{".finding", false, 14, true, inkColour, "start"},
	{".why", true, textSize, false, mutedColour, "start"},
	{".head", false, headSize, true, inkColour, "middle"},
	{".number", false, 10.5, false, "#8b949e", "end"},
	{".pill .name", true, nameSize, true, inkColour, "middle"},
	{".pill .vars", true, varSize, false, mutedColour, "middle"},
	{".pill .event", false, 13, true, "#8a5a00", "start"},
	{".label", true, labelSize, false, inkColour, ""},
	{".label.overtaken", true, labelSize, true, warmColour, ""},
	{".loop text", false, 11, false, mutedColour, "end"},
}

// changedColour is the colour of what a step has changed in a local state, which is bold.
const changedColour = "#0b5394"

// styleOf returns the style of a kind of text.
func styleOf(selector string) textStyle {
	for _, s := range textStyles {
		if s.Selector == selector {
			return s
		}
	}
	panic("there is no text " + selector)
}

// CSS returns the style in CSS. A viewer shows the first of the families that is installed.
func (s textStyle) CSS() string {
	families, weight, anchor := `"Helvetica Neue", Arial, "Liberation Sans", sans-serif`, "", ""
	if s.Mono {
		families = `ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace`
	}
	if s.Bold {
		weight = "700 "
	}
	if s.Anchor != "" {
		anchor = " text-anchor: " + s.Anchor + ";"
	}
	return fmt.Sprintf("font: %s%vpx %s; fill: %s;", weight, s.Size, families, s.Fill) + anchor
}

// A stroke is the style of a kind of line.
type stroke struct {
	Selector string // in SVG
	Colour   string
	Width    px
	Dash     dash
	Round    bool // its ends
}

// strokes has the styles of lines; those of lifelines are in palette.
var strokes = []stroke{
	{".guide", "#eceff2", 1, nil, false},
	{".seam", "#c3c9d0", 1, dash{1, 5}, true},
	{".head-box", inkColour, 1.5, nil, false},
	{".arrow line", "#24292f", 1.5, nil, false},
	{".arrow.open line", "#24292f", 1.5, dash{6, 4}, false},
	{".arrow.overtaken line", strongColour, 3, nil, false},
	{".arrow.overtaken.open line", strongColour, 3, dash{6, 4}, false},
	{".mark", warmColour, 2.4, nil, true},
	{".sign", inkColour, 1.5, nil, true},
	{".tick", mutedColour, 1, dash{2, 4}, false},
	{".loop path", mutedColour, 1.5, nil, false},
}

// strokeOf returns the style of a kind of line.
func strokeOf(selector string) stroke {
	for _, s := range strokes {
		if s.Selector == selector {
			return s
		}
	}
	panic("there is no line " + selector)
}

// CSS returns the style in CSS.
func (s stroke) CSS() string {
	css := fmt.Sprintf("fill: none; stroke: %s; stroke-width: %v;", s.Colour, s.Width)
	if s.Dash != nil {
		css += fmt.Sprintf(" stroke-dasharray: %v;", s.Dash)
	}
	if s.Round {
		css += " stroke-linecap: round;"
	}
	return css
}

// stroke returns the style of the lines of an arrow.
func (a arrow) stroke() stroke {
	selector := ".arrow"
	if a.Overtaken {
		selector += ".overtaken"
	}
	if a.Open {
		selector += ".open"
	}
	return strokeOf(selector + " line")
}
