package exchange

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ringcheck/prob"
)

// Write returns the files to be written for a process to be at a path, in the format that the name ends with. Suffix is what comes behind
// the path without its ending.
func Write(path string, m *prob.MDP, exact bool) (base string, files []File, err error) {
	ext := filepath.Ext(path)
	base = strings.TrimSuffix(path, ext)
	switch ext {
	case ".umb":
		return base, []File{{ext, func(w io.Writer) error { return WriteUMB(w, m, exact) }}}, nil
	case ".drn":
		return base, []File{{ext, func(w io.Writer) error { return WriteDRN(w, m, exact) }}}, nil
	case ".tra":
		return base, PRISM(m, exact), nil
	}
	return "", nil, fmt.Errorf("the file name must end in %s", strings.Join(Formats(), ", "))
}
