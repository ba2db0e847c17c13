// Command make writes the pages, tables and pictures below results. It runs in the root of the repository:
//
//	go run ./results/make                      list what it can write
//	go run ./results/make WHAT                 write it
//	go run ./results/make runs [-full] REGEXP  run the entries of results/regression.json with these names,
//	                                           and record their outcomes; -full: also long runs
//	go run ./results/make peers [REGEXP]       measure the jobs of results/peers with these names beside other
//	                                           model checkers that are installed, and write docs/peers.md
//
// The tests of the packages compare what is written with what they compute, where that is cheap.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ringcheck/internal/printable"
	"ringcheck/results/costs"
	"ringcheck/results/experiment"
	"ringcheck/results/randomized"
	"ringcheck/results/record"
	"ringcheck/results/regress"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, os.Args[1:], ".", os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "make:", err)
		os.Exit(1)
	}
}

// A page is a set of files that are written together.
type page struct {
	name, dir, what string
	files           func(ctx context.Context) (map[string][]byte, error) // by their paths below dir
}

// ours is the regression file with the expectations of the page about results.
const ours = "results/regression.json"

// pages returns all pages.
func pages() []page {
	all := []page{
		{"results", "results", "the tables and claims of the papers beside our records", results},
		{"costs", "results/costs", "what the papers say about messages and rounds; takes a minute",
			func(ctx context.Context) (map[string][]byte, error) {
				return costs.Page(ctx, os.DirFS("results/costs"))
			}},
		{"randomized", "results/randomized", "pictures of the randomized election",
			func(ctx context.Context) (map[string][]byte, error) {
				return randomized.Pictures(ctx, os.DirFS("results/randomized"))
			}},
	}
	for _, f := range costs.Figures {
		what := fmt.Sprintf("the probability of an election within t steps, for n = %d, k = %d", f.N, f.K)
		all = append(all, page{f.Name(), "results/costs", what, f.Files})
	}
	return all
}

// run writes what args name below root, which is the repository except in tests, or lists what can be written.
func run(ctx context.Context, args []string, root string, out io.Writer) error {
	all := pages()
	if len(args) == 0 {
		fmt.Fprintf(out, "go run ./results/make WHAT writes:\n\n")
		for _, p := range all {
			fmt.Fprintf(out, "  %-12s  %s\n", p.name, p.what)
		}
		fmt.Fprintf(out, "  %-12s  records of the entries of %s with these names\n", "runs REGEXP", ours)
		fmt.Fprintf(out, "  %-12s  what the jobs of results/peers with these names cost other tools; takes an hour\n",
			"peers REGEXP")
		return nil
	}
	if _, err := os.Stat(ours); err != nil {
		return errors.New("it runs in the root of the repository")
	}
	if args[0] == "runs" {
		return measure(ctx, args[1:], out)
	}
	if args[0] == "peers" {
		return compare(ctx, args[1:], out)
	}
	i := slices.IndexFunc(all, func(p page) bool { return p.name == args[0] })
	if i < 0 || len(args) > 1 {
		return fmt.Errorf("%s: no such page; without arguments it lists them", strings.Join(args, " "))
	}
	files, err := all[i].files(ctx)
	if err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(root, all[i].dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// results returns the page about our records.
func results(context.Context) (map[string][]byte, error) {
	file, archive, err := open()
	if err != nil {
		return nil, err
	}
	return archive.Page(file, ours)
}

// open reads our expectations and our records.
func open() (*regress.File, *record.Archive, error) {
	text, err := os.ReadFile(ours)
	if err != nil {
		return nil, nil, err
	}
	file, err := regress.Parse(ours, text)
	if err != nil {
		return nil, nil, err
	}
	archive, err := record.Open(filepath.Dir(ours))
	return file, archive, err
}

// measure runs entries of our regression file and records their outcomes.
func measure(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("runs", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	full := flags.Bool("full", false, "also run the entries that take long")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("runs takes one regular expression; . matches all entries")
	}
	chosen, err := regexp.Compile(flags.Arg(0))
	if err != nil {
		return err
	}
	file, archive, err := open()
	if err != nil {
		return err
	}
	return archive.Measure(ctx, file,
		func(e *regress.Entry) bool { return (*full || !e.Full) && chosen.MatchString(e.Name()) },
		func(e *regress.Entry, o *experiment.Result) {
			fmt.Fprintf(out, "%s: %s\n", e.Name(), printable.Count(o.States, "state"))
		})
}
