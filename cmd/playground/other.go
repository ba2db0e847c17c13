//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "playground is for browsers: ringcheck page --out DIR builds it for them")
	os.Exit(2)
}
