//go:build js

package view

// drawn is empty: templates, with the reflection that they need, would double the size of a program for a browser.
var drawn []Format
