package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"ringcheck/results/peers"
)

// compare measures the jobs whose names match a regular expression, all without one, with the peers that are installed.
// It keeps their records and writes the page with all records.
func compare(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 1 {
		return errors.New("peers takes one regular expression at most")
	}
	chosen, err := regexp.Compile(append(args, "")[0])
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bench, err := peers.NewBench(ctx, ".", dir)
	if err != nil {
		return err
	}
	for _, j := range peers.Jobs {
		if !chosen.MatchString(j.Name) {
			continue
		}
		r, err := bench.Record(ctx, j)
		if err != nil {
			return err
		}
		if err := r.Keep(".", j); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %d rows\n", j.Name, len(r.Rows))
	}
	page, err := peers.Page(".")
	if err != nil {
		return err
	}
	return os.WriteFile(peers.PagePath, page, 0o666)
}
