//go:build !js

package explorer

import (
	"embed"
	"io/fs"
	"path"
	"slices"

	"ringcheck/editors"
	"ringcheck/view/internal/shared"
)

//go:embed page
var page embed.FS

// Files returns the files of the page.
func Files() fs.FS { return files{} }

// grammarFile has the colours of the language.
const grammarFile = "ring.tmLanguage.json"

// others are files of the page that are not in its folder.
var others = append(slices.Clone(shared.Names), grammarFile)

type files struct{}

// Open implements fs.FS.
func (files) Open(name string) (fs.File, error) {
	switch {
	case slices.Contains(shared.Names, name):
		return shared.Files.Open(name)
	case name == grammarFile:
		return editors.Files.Open(name)
	}
	return page.Open(path.Join("page", name))
}

// ReadDir implements fs.ReadDirFS.
func (f files) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := page.ReadDir(path.Join("page", name))
	if name == "." {
		for _, other := range others {
			info, err := fs.Stat(f, other)
			if err != nil {
				return nil, err
			}
			list = append(list, fs.FileInfoToDirEntry(info))
		}
	}
	return list, err
}
