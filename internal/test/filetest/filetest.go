// Package filetest reads and writes files for tests, which fail where that does not work.
package filetest

import (
	"os"
	"testing"
)

// Read returns what is in a file.
func Read(tb testing.TB, path string) []byte {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// Write writes a file, in the place of one that there is, and returns its path.
func Write[T string | []byte](tb testing.TB, path string, data T) string {
	tb.Helper()
	if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
		tb.Fatal(err)
	}
	return path
}
