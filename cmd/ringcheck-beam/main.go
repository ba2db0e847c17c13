// Command ringcheck-beam explores protocols on the runners of Apache Beam: with the counts, the flags and the reports
// of ringcheck.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"ringcheck/cmd/ringcheck-beam/cluster"
	"ringcheck/cmd/ringcheck/command"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) (status int) {
	if cluster.IsWorker(args) {
		beam.Init()
		if err := cluster.Work(context.Background(), args); err != nil {
			fmt.Fprintln(os.Stderr, "ringcheck-beam:", err)
			return 3
		}
		return 0
	}
	if slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--worker") }) {
		flag.Parse() // Beam's own way to begin a worker: Init does not return
	}
	beam.Init()
	return command.ClusterMain("ringcheck-beam", new(cluster.Engine), args, os.Stdout, os.Stderr)
}
