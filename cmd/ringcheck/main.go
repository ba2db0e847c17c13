// Command ringcheck checks leader election and other protocols on small networks, state by state.
package main

import (
	"os"

	"ringcheck/cmd/ringcheck/command"
)

func main() {
	os.Exit(command.Main(os.Args[1:], os.Stdout, os.Stderr))
}
