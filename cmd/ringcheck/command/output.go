package command

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/bisim/lts"
	"ringcheck/internal/document"
	"ringcheck/internal/printable"
	"ringcheck/verify/prob"
	"ringcheck/verify/prob/exchange"
	"ringcheck/view"
)

// An outFile is a flag that names a file to write.
type outFile struct {
	flag    string
	short   string   // the short form of the flag; "" for none
	path    string   // "" for no file
	endings []string // extensions that the name can have; nil for any
	format  string   // the extension that determines the format; "" for the extension of path

	selection view.Selection // what a run in the file shows
	drawn     bool           // without a path, the run is printed
}

// file adds to cmd a flag that names a file to be written.
func (j *job) file(cmd *cobra.Command, f *outFile, name, usage string, endings ...string) {
	f.flag, f.endings = "--"+name, endings
	cmd.Flags().StringVarP(&f.path, name, f.short, "", usage)
	if endings != nil {
		must(cmd.MarkFlagFilename(name, strings.Split(strings.Join(endings, "")[1:], ".")...))
	}
	j.files = append(j.files, f)
}

// ending returns the extension of the name, in its usual form; .txt if it has none.
func (f *outFile) ending() string {
	ext := filepath.Ext(f.path)
	return cmp.Or(map[string]string{"": ".txt", ".htm": ".html"}[ext], ext)
}

// checkName returns an error for a name with another extension.
func (f *outFile) checkName() error {
	if f.path == "" || f.endings == nil || slices.Contains(f.endings, f.ending()) {
		return nil
	}
	return wrongRequestf("%s %s: the file name must end in %s", f.flag, f.path, printable.Or(f.endings))
}

// validate reports before the work begins that the file could not be written.
func (f *outFile) validate() error {
	if f.path == "" && !f.drawn && !f.selection.Whole() {
		return wrongRequestf("the flags that say what a picture of a run shows need %s FILE", f.flag)
	}
	if err := f.checkName(); err != nil || f.path == "" {
		return err
	}
	r, err := replaceFile(f.path)
	if err != nil {
		return wrongRequestf("%s: %w", f.flag, err)
	}
	r.discard()
	return nil
}

// save replaces the file, if there is one, with the output of write, unless that fails.
func (f *outFile) save(write func(*os.File) error) error {
	if f.path == "" {
		return nil
	}
	return saveFile(f.flag, f.path, write)
}

// saveRun is save for a run, in the format of the extension.
func (f *outFile) saveRun(run *ringcheck.Run) error {
	run.Selection = f.selection
	return f.save(func(w *os.File) error { return run.Write(w, view.ByEnding(f.ending())) })
}

// saveSystem is save for a transition system.
func (f *outFile) saveSystem(write func(lts.Writer) error) error {
	return f.save(func(w *os.File) error {
		if f.ending() == ".aut" {
			return write(lts.NewAutWriter(w))
		}
		return write(lts.NewDotWriter(w))
	})
}

// textFormat is the format of runs for people at a terminal.
const textFormat = "text"

// runFile adds to cmd a flag that names a file for a run, whose ending chooses the format, and flags that say what its
// pictures show.
func (j *job) runFile(cmd *cobra.Command, f *outFile, name, usage string) {
	j.file(cmd, f, name, usage+", by its ending "+runEndings(), view.Endings()...)
	flags, s := cmd.Flags(), &f.selection
	flags.BoolVar(&s.Fold, "fold", false, "draw consecutive internal steps and events of a process in one row")
	flags.BoolVar(&s.Share, "compact", false, "draw steps that do not depend on each other in the same row")
	flags.BoolVar(&s.HideStates, "hide-states", false, "draw signs of the actions in place of local states")
	flags.IntSliceVar(&s.Processes, "only-process", nil, "draw only the processes with the numbers in `LIST`")
	flags.StringSliceVar(&s.Messages, "only-message", nil, "draw only the messages with the names in `LIST`")
	flags.BoolVar(&s.Received, "hide-unreceived", false, "do not draw messages that are never received")
}

// runEndings lists the usual endings of files for runs.
func runEndings() string {
	var usual []string
	for _, f := range view.Formats() {
		usual = append(usual, f.Endings[0])
	}
	return printable.Or(usual)
}

// systemFormats are the extensions of files for transition systems; systemUsage describes them.
var systemFormats = []string{".aut", ".dot"}

const systemUsage = ", by its ending .aut (Aldebaran) or .dot (Graphviz)"

// A replacement is a file under construction. It has a temporary name in the folder of its final one, and replaces a
// file of that name only when it is complete.
type replacement struct {
	*os.File
	path string
}

// unfinished are the names of replacements, which the process removes if it ends before them.
var unfinished sync.Map

// replaceFile begins a replacement of the file at path, whose permissions are kept. A link is followed, so that it
// stays a link. Anything but a regular file (a device, a directory) is refused.
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
		failed.Path = path // the user does not know the temporary name
	}
	if err != nil {
		return nil, err
	}
	unfinished.Store(temporary, nil)
	r := &replacement{f, path}
	if info != nil {
		if err := f.Chmod(info.Mode().Perm()); err != nil {
			r.discard()
			return nil, err
		}
	}
	return r, nil
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
	unfinished.Delete(r.Name())
	return err
}

// discard removes the file.
func (r *replacement) discard() {
	r.Close()
	os.Remove(r.Name())
	unfinished.Delete(r.Name())
}

// openError returns the failure to create the file that a flag or argument names.
func openError(flag string, err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return writeError(flag, err)
	}
	return wrongRequestf("%s: %w", flag, err)
}

// writeError returns the failure to write the file that a flag or argument names. Other errors stay as they are.
func writeError(flag string, err error) error {
	if errors.As(err, new(*failure)) {
		return err
	}
	if errors.As(err, new(*fs.PathError)) || errors.As(err, new(*os.LinkError)) {
		return earlyStop(fmt.Errorf("%s: %w", flag, err))
	}
	return err
}

// saveFile replaces the file that a flag or argument names with the output of write, unless that fails.
func saveFile(flag, path string, write func(*os.File) error) error {
	r, err := replaceFile(path)
	if err != nil {
		return openError(flag, err)
	}
	if err := write(r.File); err != nil {
		r.discard()
		return writeError(flag, err)
	}
	return writeError(flag, r.commit())
}

// saveBytes is saveFile for data in memory.
func saveBytes(flag, path string, data []byte) error {
	return saveFile(flag, path, func(w *os.File) error {
		_, err := w.Write(data)
		return err
	})
}

// refuseOthers refuses a folder that has files, unless it has the file that each folder of this kind has.
func refuseOthers(flag, path, file string) error {
	there, _ := os.ReadDir(path)
	if _, err := os.Stat(filepath.Join(path, file)); err != nil && len(there) > 0 {
		return wrongRequestf("%s %s: it contains other files, such as %s; use a new folder", flag, path,
			there[0].Name())
	}
	return nil
}

// saveFolder puts the files that write creates into the folder that a flag names, which is created if it does not
// exist. They are created in a new folder inside it, and moved after all of them are complete.
func saveFolder(flag, path string, write func(made string) error) error {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return openError(flag, err)
	}
	defer os.Remove(path)             // fails unless the folder is empty
	folder, err := filepath.Abs(path) // write may run a program in another folder
	if err != nil {
		return openError(flag, err)
	}
	made, err := os.MkdirTemp(folder, ".new-")
	if err != nil {
		return openError(flag, err)
	}
	defer os.RemoveAll(made)
	err = write(made)
	if err == nil {
		err = moveAll(made, folder)
	}
	return writeError(flag, err)
}

// moveAll moves the files below one folder to their places below another.
func moveAll(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(from, path)
		place := filepath.Join(to, name)
		if err != nil || entry.IsDir() {
			return cmp.Or(err, os.MkdirAll(place, 0o777))
		}
		return os.Rename(path, place)
	})
}

// saveProcess writes a process to the files of its format, all or none.
func saveProcess(ctx context.Context, flag, path string, m *prob.MDP, exact bool) error {
	base, files, err := exchange.Write(ctx, path, m, exact)
	if err != nil {
		return wrongRequestf("%s: %w", flag, err)
	}
	return saveAll(flag, base, files)
}

// saveAll writes files and gives them their names after all are complete.
func saveAll(flag, base string, files []exchange.File) error {
	if len(files) == 0 {
		return nil
	}
	return saveFile(flag, base+files[0].Suffix, func(w *os.File) error {
		if err := files[0].Write(w); err != nil {
			return err
		}
		return saveAll(flag, base, files[1:])
	})
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

// newReport returns a report whose JSON is v, with a title and, if the work is incomplete, what that means. The
// evidence for a model error is a reference to explore.
func newReport(v any, title string, e *ringcheck.Ending, means string) *report {
	r := &report{Document: document.Document{Data: v}, stopErr: e.Err()}
	if e.ModelError != nil {
		r.evidence = explorePointer
	}
	r.Line("%s", title)
	if !e.Complete {
		r.Line("incomplete (%s)%s", reasonOf(e), means)
	}
	return r
}

// reasonOf returns the reason why work is not complete.
func reasonOf(e *ringcheck.Ending) string {
	if e.ModelError != nil && !e.ModelError.Growth {
		return "model error"
	}
	return e.Stopped
}

// lowerBounds explains the counts of an incomplete search.
const lowerBounds = ": the numbers are lower bounds"

// counts adds the counts of a search, and the number of internal states unless it is nil.
func (r *report) counts(of *ringcheck.Report, internal *ringcheck.Count) {
	c, e := &of.Counts, of.Enumeration
	r.Row("states", c.States.Comma())
	if internal != nil {
		r.Row("internal states", comma(*internal))
	}
	if e != nil && e.StatesWithoutGhosts != nil {
		r.Row("without ghosts", comma(*e.StatesWithoutGhosts))
	}
	r.Row("transitions", c.Transitions.Comma())
	r.Row("terminal states", c.TerminalStates.Comma())
	if c.EnvironmentOnlyStates.Sign() > 0 {
		r.Row("environment only", c.EnvironmentOnlyStates.Comma())
	}
	if e != nil {
		r.Row("levels", comma(e.Levels))
	}
	if d := of.Diagram; d != nil {
		r.Row("nodes", comma(uint64(d.Nodes)))
		r.Row("arcs", comma(uint64(d.Arcs)))
		r.Row("peak nodes", comma(uint64(d.PeakNodes)))
	}
}

// cost adds the time and memory of the work.
func (r *report) cost(seconds float64, rss uint64) {
	r.Row("time", fmt.Sprintf("%.3f", seconds), "s")
	r.Row("peak memory", comma(rss>>20), "MiB")
}

// reduction adds the reduction of the system that was explored and, under symmetry, the number of stored states.
func (r *report) reduction(s *ringcheck.Report) {
	of := "full"
	if s.Reduction != none {
		of = "reduced"
		assumed := ""
		if s.Assumption != "" {
			assumed = fmt.Sprintf(" if the assumption %s holds there", s.Assumption)
		}
		r.Gap()
		r.Line("reduced by %s: branching bisimilar to the full system%s", s.Reduction, assumed)
	}
	if s.Symmetry != none {
		r.Gap()
		r.Line("counts of the %s system, from %s stored, one of each orbit", of,
			countOf(s.Enumeration.StoredStates, "state"))
	}
}

// warnings adds the warnings about a file.
func (r *report) warnings(list []ringcheck.Warning) {
	for _, w := range list {
		r.Gap()
		r.Line("%s: warning: %s", w.Place, w.Text)
	}
}

// labelName returns a label as text for users.
func labelName(label string) string {
	if label == lts.TauName {
		return "τ"
	}
	return printable.Text(label)
}
