package view

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Format is a form in which a trace can be written.
type Format struct {
	Name    string   // as users call it
	About   string   // in a few words
	Endings []string // of the names of its files, the usual one first
	Write   func(t *Trace, w io.Writer) error
	Binary  bool // it is no text, and belongs into a file
}

// Formats returns all formats.
func Formats() []Format {
	const mermaid = "sequence diagram for documents that render Mermaid"
	written := []Format{
		{"text", "text to read", []string{".txt"}, (*Trace).Text, false},
		{"msc", "message sequence chart in Unicode", []string{".msc"}, (*Trace).MSC, false},
		{"mermaid", mermaid, []string{".mmd", ".mermaid"}, (*Trace).Mermaid, false},
		{"plantuml", "sequence diagram for PlantUML", []string{".puml", ".plantuml"}, (*Trace).PlantUML, false},
	}
	object := Format{"json", "one object for programs", []string{".json"}, (*Trace).JSON, false}
	return append(append(written, drawn...), object)
}

// FormatNames returns the names of all formats.
func FormatNames() (names []string) {
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return names
}

// Lookup returns the format with a name. The error lists the names.
func Lookup(name string) (Format, error) {
	all := Formats()
	if i := slices.IndexFunc(all, func(f Format) bool { return f.Name == name }); i >= 0 {
		return all[i], nil
	}
	return Format{}, fmt.Errorf("there is no format %q; there are %s", name, strings.Join(FormatNames(), ", "))
}

// ByEnding returns the name of the format of files with an ending, such as ".svg"; "" for an unknown ending.
func ByEnding(ending string) string {
	for _, f := range Formats() {
		if slices.Contains(f.Endings, ending) {
			return f.Name
		}
	}
	return ""
}

// Endings returns the endings of all formats.
func Endings() (all []string) {
	for _, f := range Formats() {
		all = append(all, f.Endings...)
	}
	return all
}
