// Package editors holds what editors need to know about the language.
package editors

import "embed"

// Files has a TextMate grammar, ring.tmLanguage.json.
//
//go:embed ring.tmLanguage.json
var Files embed.FS
