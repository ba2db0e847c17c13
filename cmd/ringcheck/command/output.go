package command

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/internal/printable"
	"ringcheck/internal/tabular"
	"ringcheck/lts"
	"ringcheck/prob"
	"ringcheck/prob/exchange"
)

// An outFile is a flag that names a file to be written.
type outFile struct {
	flag    string
	path    string   // "" if there is to be none
	endings []string // that its name can have; nil for any
}

func (f *outFile) register(cmd *cobra.Command, name, usage string, endings []string) {
	f.flag, f.endings = "--"+name, endings
	cmd.Flags().StringVar(&f.path, name, "", usage)
	if endings != nil {
		must(cmd.MarkFlagFilename(name, strings.Split(strings.Join(endings, "")[1:], ".")...))
	}
}

// ending returns the ending of the name.
func (f *outFile) ending() string {
	if ext := filepath.Ext(f.path); ext != ".htm" {
		return ext
	}
	return ".html"
}

// named returns an error for a name with another ending.
func (f *outFile) named() error {
	if f.path == "" || f.endings == nil || slices.Contains(f.endings, f.ending()) {
		return nil
	}
	if why, ok := removedFormats[f.ending()]; ok {
		return wrongRequestf("%s %s: %s", f.flag, f.path, why)
	}
	return wrongRequestf("%s %s: the file name must end in %s", f.flag, f.path, printable.Or(f.endings))
}

// removedFormats are the endings of files that earlier versions wrote, and why they are gone.
var removedFormats = map[string]string{
	".drn":   "Storm's direct encoding is no longer written or read: Storm reads UMB (.umb)",
	".prism": "PRISM's language is no longer written: PRISM reads UMB (.umb) and .tra",
}

// validate reports at once what would be in the way of the file in the end.
func (f *outFile) validate() error {
	if err := f.named(); err != nil || f.path == "" {
		return err
	}
	r, err := replaceFile(f.path)
	if err != nil {
		return wrongRequestf("%s: %w", f.flag, err)
	}
	r.discard()
	return nil
}

// save writes the file, if there is to be one.
func (f *outFile) save(write func(io.Writer) error) error {
	if f.path == "" {
		return nil
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return saveFile(f.flag, f.path, b.Bytes())
}

// saveSystem writes a transition system to the file, which gets its name only if make says that it is to be kept.
func (f *outFile) saveSystem(make func(w lts.Writer) (keep bool, err error)) error {
	file, err := replaceFile(f.path)
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return f.failed(err)
	case err != nil:
		return wrongRequestf("%s: %w", f.flag, err)
	}
	var w lts.Writer = lts.NewDotWriter(file)
	if f.ending() == ".aut" {
		w = lts.NewAutWriter(file)
	}
	keep, err := make(w)
	if !keep || err != nil {
		file.discard()
		return err
	}
	return file.commit()
}

// failed says that the file could not be written.
func (f *outFile) failed(err error) error { return stopped(fmt.Errorf("%s: %w", f.flag, err)) }

// systemFormats are the endings of files for transition systems, and what is said of them.
var systemFormats = []string{".aut", ".dot"}

const systemUsage = ", by its ending .aut (Aldebaran) or .dot (Graphviz)"

// A replacement is a file under construction: it has a temporary name beside its final one, and takes the
// final name, in the place of a file that had it before, only when it is complete.
type replacement struct {
	*os.File
	path string
}

// replaceFile begins the file that will have the given path. A link is followed, so that it stays a link.
// Anything but a regular file (a device, a directory) is refused.
func replaceFile(path string) (*replacement, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	temporary := fmt.Sprintf("%s.%s.tmp", path, rand.Text()[:8])
	f, err := os.OpenFile(temporary, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if failed := new(fs.PathError); errors.As(err, &failed) {
		failed.Path = path // the temporary name says nothing to the user
	}
	if err != nil {
		return nil, err
	}
	return &replacement{f, path}, nil
}

// commit gives the file its name.
func (r *replacement) commit() error {
	err := errors.Join(r.Sync(), r.Close())
	if err == nil {
		err = os.Rename(r.Name(), r.path)
	}
	if err != nil {
		os.Remove(r.Name())
	}
	return err
}

// discard removes the file.
func (r *replacement) discard() {
	r.Close()
	os.Remove(r.Name())
}

// saveFile writes a whole file that is the value of a flag or argument.
func saveFile(flag, path string, data []byte) error {
	r, err := replaceFile(path)
	if err != nil {
		return wrongRequestf("%s: %w", flag, err)
	}
	if _, err := r.Write(data); err != nil {
		r.discard()
		return stopped(fmt.Errorf("%s: %w", flag, err))
	}
	if err := r.commit(); err != nil {
		return stopped(fmt.Errorf("%s: %w", flag, err))
	}
	return nil
}

// writeProcess writes a process to the files that a flag asks for, all or none.
func writeProcess(ctx context.Context, flag, path string, m *prob.MDP, exact bool) error {
	base, files, err := exchange.Write(ctx, path, m, exact)
	if err != nil {
		return wrongRequestf("%s: %w", flag, err)
	}
	var made []*replacement
	defer func() {
		for _, f := range made {
			f.discard()
		}
	}()
	for _, f := range files {
		r, err := replaceFile(base + f.Suffix)
		if err != nil {
			return wrongRequestf("%s: %w", flag, err)
		}
		made = append(made, r)
		if err := f.Write(r); err != nil {
			return stopped(fmt.Errorf("%s: %w", flag, err))
		}
	}
	for len(made) > 0 {
		if err := made[0].commit(); err != nil {
			return stopped(fmt.Errorf("%s: %w", flag, err))
		}
		made = made[1:]
	}
	return nil
}

// comma writes a number with thousands separators.
func comma[T ~uint64 | ~int](n T) string { return ringcheck.Count(n).Comma() }

// countOf writes a number with its noun.
func countOf[T ~uint64 | ~int](n T, noun string) string {
	return comma(n) + " " + printable.Noun(n, noun)
}

// numberOf is countOf for a number of any size.
func numberOf(n ringcheck.Number, noun string) string {
	if n.IsUint64() {
		return countOf(n.Uint64(), noun)
	}
	return n.Comma() + " " + noun + "s"
}

// writeHead begins a report: what it is about and, if a search did not come to its end, what that means.
func writeHead(w io.Writer, title string, e *ringcheck.Ending, means string) {
	fmt.Fprintln(w, title)
	if !e.Complete {
		fmt.Fprintf(w, "incomplete (%s): %s\n", e.Stopped, means)
	}
	fmt.Fprintln(w)
}

// lowerBounds is what it means for counts.
const lowerBounds = "the numbers are lower bounds"

// A row of a table: a number with its unit.
type row struct{ name, value, unit string }

// writeRows aligns the names on the left and the values on the right.
func writeRows(w io.Writer, rows []row) {
	width := 0
	for _, r := range rows {
		width = max(width, utf8.RuneCountInString(r.value))
	}
	var t tabular.Table
	for _, r := range rows {
		t.Add(r.name, fmt.Sprintf("%*s %s", width, r.value, r.unit))
	}
	fmt.Fprint(w, t.Text(2, 2))
}

// countRows are the rows of the counts of a search.
func countRows(c *ringcheck.Counts) []row {
	rows := []row{{"states", c.States.Comma(), ""}}
	if c.Enumeration != nil && c.StatesWithoutGhosts != nil {
		rows = append(rows, row{"without ghosts", comma(*c.StatesWithoutGhosts), ""})
	}
	rows = append(rows, row{"transitions", c.Transitions.Comma(), ""},
		row{"terminal states", c.TerminalStates.Comma(), ""})
	if c.EnvironmentOnlyStates.Sign() > 0 {
		rows = append(rows, row{"environment only", c.EnvironmentOnlyStates.Comma(), ""})
	}
	if c.Enumeration != nil {
		rows = append(rows, row{"levels", comma(c.Levels), ""})
	}
	if d := c.Diagram; d != nil {
		rows = append(rows, row{"nodes", comma(uint64(d.Nodes)), ""}, row{"arcs", comma(uint64(d.Arcs)), ""},
			row{"peak nodes", comma(uint64(d.PeakNodes)), ""})
	}
	return rows
}

// spentRows are the rows of what the work has taken.
func spentRows(seconds float64, rss uint64) []row {
	return []row{
		{"time", fmt.Sprintf("%.3f", seconds), "s"},
		{"peak memory", comma(rss >> 20), "MiB"},
	}
}

// writeReduction says of which system the counts are, and how they were found.
func writeReduction(w io.Writer, r *ringcheck.Report) {
	s := &r.Subject
	of := "full"
	if s.Reduction != none {
		of = "reduced"
		fmt.Fprintf(w, "reduced by %s: branching bisimilar to the full system", s.Reduction)
		if s.Assumption != "" {
			fmt.Fprintf(w, " if the assumption %s holds there", s.Assumption)
		}
		fmt.Fprint(w, "\n\n")
	}
	if s.Symmetry == string(ringcheck.Rotation) {
		fmt.Fprintf(w, "counts of the %s system, from %s %s stored: one of those that differ by rotation\n\n",
			of, comma(r.StoredStates), printable.Noun(r.StoredStates, "state"))
	}
}

// labelName returns a label for people.
func labelName(label string) string {
	if label == lts.TauName {
		return "τ"
	}
	return printable.Text(label)
}
