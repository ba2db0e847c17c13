// Package specs is the catalogue of protocols: each is a file NAME.ring in the language of docs/language.md,
// close to the pseudo-code of the paper that it names, and embedded here.
//
//	Names    the built-in ones
//	Source   the text of a built-in one
//	Read     the text of a built-in one or of a user's file
//	Open     the same, parsed and checked
package specs
