package repository

import (
	"fmt"
	"os"
	"testing"
)

// TestMain runs the tests in the folder of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	m.Run()
}
