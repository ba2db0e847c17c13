// Package lsp is the language server: it reports the errors in a spec to an editor, resolves names and their uses, and
// runs checks.
//
//	Serve        answers requests until the editor ends the session
//	document     a version of an open text, with positions as editors count them
//	navigate     hover, definitions, references, symbols, folding, rename
//	complete     what can stand at the cursor
//	edit         formatting, and edits that follow the hints of errors
//	background   quick checks that warn of properties that say nothing; code lenses, and what they run
//
// In a browser there is only complete: JSON-RPC would make the program much larger.
//
// All information about a text comes from check.Text; this package has no parser or resolver of its own.
package lsp
