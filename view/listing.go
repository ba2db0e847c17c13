//go:build !js

package view

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strings"
)

// A Listing is a text, such as a spec with its coverage, with coloured parts and with counts for lines.
type Listing struct {
	Title, Settings string
	Finding         string // a sentence above the text
	Text            []byte
	Marks           []Mark
}

// A Mark colours the text from its position to the next mark on the line.
type Mark struct {
	Line, Column int // from 1; columns are characters
	Tone         Tone
	Count        uint64
	Note         string // the tooltip
}

// A Tone grades how far the marked text was covered.
type Tone int

// The tones, the worst last.
const (
	Plain Tone = iota // unmarked
	Full              // taken; for a condition: both true and false
	Half              // a condition that was only true or only false
	None              // never taken
)

// String returns the class of the tone on the page.
func (t Tone) String() string { return [...]string{"plain", "full", "half", "none"}[t] }

// HTML writes the listing as a self-contained page without scripts. An error comes from w.
func (l *Listing) HTML(w io.Writer) error {
	style := read("page/listing.css")
	sum := sha256.Sum256([]byte(style))
	return render(w, "page/listing.tmpl", map[string]any{
		"Listing": l,
		"Lines":   l.lines(),
		"Style":   template.CSS(style),
		"Digest":  base64.StdEncoding.EncodeToString(sum[:]),
	})
}

// A listingLine is a line of the text in spans, with the largest count and the worst tone of its marks.
type listingLine struct {
	Number int
	Tone   Tone
	Count  uint64
	Spans  []listingSpan
}

type listingSpan struct {
	Text, Note string
	Tone       Tone
}

// lines divides the text into spans, each from a mark to the next one on its line. Marks at the same position are
// merged, with the worst tone.
func (l *Listing) lines() []listingLine {
	marks := make(map[int][]Mark)
	for _, m := range l.Marks {
		marks[m.Line] = append(marks[m.Line], m)
	}
	var lines []listingLine
	for i, text := range strings.Split(strings.TrimSuffix(string(l.Text), "\n"), "\n") {
		line := listingLine{Number: i + 1}
		here := marks[i+1]
		slices.SortStableFunc(here, func(a, b Mark) int { return a.Column - b.Column })
		runes := []rune(strings.TrimSuffix(text, "\r"))
		span, at := listingSpan{}, 0
		for _, m := range here {
			line.Count, line.Tone = max(line.Count, m.Count), max(line.Tone, m.Tone)
			if column := min(max(m.Column-1, 0), len(runes)); column > at || span.Note == "" {
				span.Text = string(runes[at:column])
				line.Spans = append(line.Spans, span)
				span, at = listingSpan{Note: m.Note, Tone: m.Tone}, column
				continue
			}
			span.Note, span.Tone = span.Note+"\n"+m.Note, max(span.Tone, m.Tone)
		}
		span.Text = string(runes[at:])
		line.Spans = append(line.Spans, span)
		lines = append(lines, line)
	}
	return lines
}
