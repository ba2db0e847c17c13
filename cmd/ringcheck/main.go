// Command ringcheck explores leader-election protocols state by state.
package main

import (
	"os"

	"ringcheck/cmd/ringcheck/command"
)

func main() {
	os.Exit(command.Main(os.Args[1:], os.Stdout, os.Stderr))
}
