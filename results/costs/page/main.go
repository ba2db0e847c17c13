// Page writes results/costs: the page README.md, and its tables and pictures. It is run from the root of the repository.
//
//	go run ./results/costs/page -figure 3,2    the curves of Fig. 3 for n = 3, k = 2
//	go run ./results/costs/page                everything else, a minute; of the curves it shows those that there are
//
// Curves of large rings take time and memory.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"ringcheck/results/costs"
)

const dir = "results/costs"

func main() {
	figure := flag.String("figure", "", "work out the curves for this `N,K`")
	last := flag.Int("last", 300, "the curves end after so many `STEPS`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	do := write
	if *figure != "" {
		do = func(ctx context.Context) error { return draw(ctx, *figure, *last) }
	}
	if err := do(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

// draw writes the curves of a setting.
func draw(ctx context.Context, setting string, last int) error {
	var n, k int
	if _, err := fmt.Sscanf(setting, "%d,%d", &n, &k); err != nil {
		return fmt.Errorf("-figure %s: want N,K", setting)
	}
	c, err := costs.Curves(ctx, n, k, last)
	if err != nil {
		return err
	}
	var svg, csv bytes.Buffer
	if err := c.SVG(&svg); err != nil {
		return err
	}
	if err := c.CSV(&csv); err != nil {
		return err
	}
	name := costs.FigureName(n, k)
	if err := save(name+".svg", svg.Bytes()); err != nil {
		return err
	}
	return save(name+".csv", csv.Bytes())
}

// write writes all but the curves.
func write(ctx context.Context) error {
	files, err := costs.Page(ctx, os.DirFS(dir))
	if err != nil {
		return err
	}
	for name, content := range files {
		if strings.Contains(name, "/") {
			return fmt.Errorf("%s is not a file of %s", name, dir)
		}
		if err := save(name, content); err != nil {
			return err
		}
	}
	return nil
}

func save(name string, content []byte) error {
	return os.WriteFile(filepath.Join(dir, name), content, 0o666)
}
