// Package syntax has the syntax tree of the language, a parser, a printer, and errors that show their source line.
//
//	Parse        text → *File
//	Print        *File → text in canonical layout; Parse(Print(f)) equals f except for positions
//	FormatExpr   one expression → text
//	Error        an error with its position; Parse and the checker return an ErrorList
//	Render       shows an error with its source line and a caret
//	DidYouMean   the hint for a misspelt name
//
// The syntax is defined in docs/language.md; package check assigns a meaning to a File.
package syntax
