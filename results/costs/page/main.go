// Page writes results/costs: the page README.md, and its tables and pictures. It is run from the root of the
// repository.
//
//	go run ./results/costs/page -figure 3,2    the curves of Fig. 3 for n = 3, k = 2
//	go run ./results/costs/page                everything else, a minute; of the curves it shows those that there are
//
// Curves of large rings take time and memory.
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"ringcheck/results/costs"
)

const dir = "results/costs"

func main() {
	figure := flag.String("figure", "", "compute the curves for this `N,K`")
	last := flag.Int("last", 300, "the curves end after so many `STEPS`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := write(ctx, *figure, *last); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

// write writes the curves of a setting, or, if that is empty, all but the curves.
func write(ctx context.Context, setting string, last int) error {
	files, err := map[string][]byte(nil), error(nil)
	if setting == "" {
		files, err = costs.Page(ctx, os.DirFS(dir))
	} else {
		files, err = curves(ctx, setting, last)
	}
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// curves returns the files of the curves of a setting.
func curves(ctx context.Context, setting string, last int) (map[string][]byte, error) {
	var n, k int
	if _, err := fmt.Sscanf(setting, "%d,%d", &n, &k); err != nil {
		return nil, fmt.Errorf("-figure %s: want N,K", setting)
	}
	c, err := costs.Curves(ctx, n, k, last)
	if err != nil {
		return nil, err
	}
	var svg, csv bytes.Buffer
	name := costs.FigureName(n, k)
	err = cmp.Or(c.SVG(&svg), c.CSV(&csv))
	return map[string][]byte{name + ".svg": svg.Bytes(), name + ".csv": csv.Bytes()}, err
}
