package command

import (
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A counter counts bytes.
type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// TestPlaygroundIsSmall: all files of the page, compressed as a server sends them, have at most five megabytes.
func TestPlaygroundIsSmall(t *testing.T) {
	newPlayground(t)
	var sent counter
	site := filepath.Join(sharedSite.dir, "site")
	err := filepath.WalkDir(site, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		w := gzip.NewWriter(&sent)
		if _, err := io.Copy(w, f); err != nil {
			return err
		}
		return w.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", sent)
	if sent < 1_000_000 || sent > 5_000_000 {
		t.Errorf("the page has %d bytes", sent)
	}
}
