// Package shared has the files that the page of a run and the explorer share: the picture of a network, as JavaScript
// modules and a style sheet.
package shared

import (
	"embed"
	"regexp"
)

// Files are the modules, each after the modules that it imports, and the style sheet.
//
//go:embed dom.js zoom.js network.js network.css
var Files embed.FS

// Read returns the text of one of Files.
func Read(name string) string {
	text, err := Files.ReadFile(name)
	if err != nil {
		panic(err) // a programming error: the name is not in Files
	}
	return string(text)
}

// scripts are the names of the modules, in their order.
var scripts = []string{"dom.js", "zoom.js", "network.js"}

var modular = regexp.MustCompile(`(?m)^import .*\n|^export `)

// Script returns all modules as one plain script.
func Script() string {
	var script string
	for _, name := range scripts {
		script += Plain(Read(name))
	}
	return script
}

// Plain returns a module without its import and export keywords, for concatenation with the modules that it imports.
// The top-level names of all modules are distinct.
func Plain(module string) string { return modular.ReplaceAllString(module, "") }
