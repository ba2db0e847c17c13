package view

import (
	"fmt"
	"io"
	"strings"
)

// PlantUML writes a sequence diagram in the language of PlantUML (https://plantuml.com). An error comes from w.
func (t *Trace) PlantUML(w io.Writer) error {
	return t.sequence(w, &sequenceLanguage{
		begin: "@startuml\n", end: "@enduml\n", title: "title %s\n", participant: "participant \"%[2]s\" as p%[1]d\n",
		over: ", ", note: "    note over %s: %s\n", arrow: "    p%d %s p%d: %s\n", sentHead: "->>", lostHead: "->x",
		escape: plantUMLText,
	})
}

// plantUMLText escapes everything that has a meaning in PlantUML's text. It separates lines by \n.
func plantUMLText(text string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case c == '\n':
			b.WriteString(`\n`)
		case c < ' ' || strings.ContainsRune("<>&\"'`\\~*_/[]{}%#|-", c):
			fmt.Fprintf(&b, "<U+%04X>", c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}
