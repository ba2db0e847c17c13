//go:build !js

package explorer

import (
	"embed"
	"io/fs"

	"ringcheck/view/editors"
	"ringcheck/view/internal/shared"
)

//go:embed page
var page embed.FS

// grammarFile is the TextMate grammar of the language, for its colours.
const grammarFile = "ring.tmLanguage.json"

// Files returns the files of the page.
func Files() fs.FS {
	own, _ := fs.Sub(page, "page")
	return overlay{own, shared.Files, editors.Files}
}

// An overlay has the files of several file systems.
type overlay []fs.FS

// Open implements fs.FS.
func (o overlay) Open(name string) (file fs.File, err error) {
	for _, f := range o {
		if file, err = f.Open(name); err == nil {
			break
		}
	}
	return file, err
}

// ReadDir implements fs.ReadDirFS.
func (o overlay) ReadDir(name string) (all []fs.DirEntry, _ error) {
	for _, f := range o {
		list, _ := fs.ReadDir(f, name) // not every file system has the folder
		all = append(all, list...)
	}
	return all, nil
}
