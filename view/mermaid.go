package view

import (
	"fmt"
	"io"
	"strings"
)

// Mermaid writes a sequence diagram in the language of Mermaid (https://mermaid.js.org). An error comes from w.
func (t *Trace) Mermaid(w io.Writer) error {
	return t.sequence(w, &sequenceLanguage{
		begin: "sequenceDiagram\n", title: "    accTitle: %s\n", participant: "    participant p%d as %s\n",
		over: ",", note: "    Note over %s: %s\n", arrow: "    p%d-%sp%d: %s\n", sentHead: ")", lostHead: "x",
		escape: mermaidText,
	})
}

// mermaidText escapes everything that has a meaning in Mermaid or HTML. It separates lines by <br/>.
func mermaidText(text string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case c == '\n':
			b.WriteString("<br/>")
		case c < ' ' || strings.ContainsRune("#;%<>&\"'`\\", c):
			fmt.Fprintf(&b, "#%d;", c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}
