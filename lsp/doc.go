// Package lsp is the language server: it tells an editor what is wrong with a spec while it is typed, what its names
// stand for and where they are used, and runs checks.
//
//	Serve        answers requests until the editor ends the session
//	document     a version of an open text, with positions as editors count them
//	navigate     hover, definitions, references, symbols, folding, rename
//	complete     what can stand at the cursor
//	edit         formatting, and edits that follow the hints of errors
//	background   quick checks that warn of properties that say nothing; code lenses, and what they run
//
// Everything about a text is found by check.Text; there is no second parser or resolver here.
package lsp
