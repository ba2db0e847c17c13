package view

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Format is a form in which a trace can be written.
type Format struct {
	Name  string // as users call it
	About string // in a few words
	Write func(t *Trace, w io.Writer) error
}

// Formats returns all formats.
func Formats() []Format {
	return []Format{
		{"msc", "message sequence chart in Unicode", (*Trace).MSC},
		{"mermaid", "sequence diagram for documents that render Mermaid", (*Trace).Mermaid},
		{"svg", "message sequence chart for slides and papers", (*Trace).SVG},
		{"html", "one page to step through the run", (*Trace).HTML},
		{"json", "one object for programs", (*Trace).JSON},
	}
}

// Lookup returns the format with a name. The error lists the names there are.
func Lookup(name string) (Format, error) {
	all := Formats()
	i := slices.IndexFunc(all, func(f Format) bool { return f.Name == name })
	if i >= 0 {
		return all[i], nil
	}
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.Name
	}
	return Format{}, fmt.Errorf("there is no format %q; there are %s", name, strings.Join(names, ", "))
}
