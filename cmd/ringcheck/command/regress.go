package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"ringcheck/internal/machine"
	"ringcheck/internal/textfile"
	"ringcheck/results/experiment"
	"ringcheck/results/record"
	"ringcheck/results/regress"
)

// regression is the sub-command regress.
type regression struct {
	job
	full   bool
	update bool
	only   string
	junit  outFile
	record string
}

func (a *app) regressCommand() *cobra.Command {
	r := &regression{job: a.job()}
	cmd := a.command("regress", r.work(r.run))
	cmd.Args = between(1, 1, "one FILE")
	r.search.registerMeans(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&r.full, "full", false, "run the entries that take long, too")
	flags.BoolVar(&r.update, "update", false, "replace what FILE expects by what is found")
	flags.StringVar(&r.only, "only", "", "leave out the entries whose name does not match `REGEXP`")
	flags.StringVar(&r.record, "record", "", "keep what is found in `DIR`: runs/*.json, growth/*.svg, and README.md "+
		"about it (with --only '^$' only the page is written again)")
	r.file(cmd, &r.junit, "junit", "write the results to `FILE` as JUnit XML too")
	r.form.register(cmd)
	return cmd
}

func (r *regression) run(cmd *cobra.Command) error {
	path := cmd.Flags().Arg(0)
	text, err := textfile.Read(path)
	if err != nil {
		return wrongRequest(err)
	}
	file, err := regress.Parse(path, text)
	if err != nil {
		return wrongRequest(err)
	}
	archive, err := r.archive()
	if err != nil {
		return err
	}
	report, err := r.runAll(cmd.Context(), file, archive)
	if err != nil {
		return err
	}
	if err := r.publish(path, report); err != nil {
		return err
	}
	verdict := regressionVerdict(path, report)
	if r.update {
		verdict = r.save(path, file, report)
	}
	if archive == nil {
		return verdict
	}
	if err := archive.Publish(file, path, r.command(path)); err != nil {
		return stopped(fmt.Errorf("--record: %w", err))
	}
	return verdict
}

// onlyPage is the value of --only that no name matches: with it --record writes the page again and runs nothing.
const onlyPage = "^$"

// command returns what makes the records: what was called, but for means and outputs.
func (r *regression) command(path string) string {
	text := "ringcheck regress " + path
	if r.full {
		text += " --full"
	}
	if r.only != "" && r.only != onlyPage {
		text += " --only " + shellWord(r.only)
	}
	return text + " --record " + r.record
}

// archive opens the records of --record, nil if there is none.
func (r *regression) archive() (*record.Archive, error) {
	if r.record == "" {
		return nil, nil
	}
	archive, err := record.Open(r.record)
	if err != nil {
		return nil, wrongRequestf("--record: %w", err)
	}
	return archive, nil
}

// runAll runs the entries that are wanted, and keeps what they find.
func (r *regression) runAll(ctx context.Context, file *regress.File, archive *record.Archive) (*regress.Report, error) {
	only, err := regexp.Compile(r.only)
	if err != nil {
		return nil, wrongRequestf("--only: %w", err)
	}
	watch := newProgress(r.app)
	opt := regress.Options{
		Search:  r.search.options(watch),
		Wanted:  func(e *regress.Entry) bool { return (r.full || !e.Full) && only.MatchString(e.Name()) },
		Update:  r.update,
		None:    archive != nil && r.only == onlyPage,
		Started: func(e *regress.Entry) { watch.begin(e.Name()) },
	}
	if archive != nil {
		opt.Finished = keeper(archive)
	}
	report, err := file.Run(ctx, opt)
	watch.clear()
	if err != nil {
		return nil, runError(err)
	}
	return report, nil
}

// runError gives an error for which an entry could not be run its exit status: most are about what the entry asks for.
func runError(err error) error {
	if classify(err) != nil {
		return err
	}
	return wrongRequest(err)
}

// keeper returns a function that keeps what entries find.
func keeper(archive *record.Archive) func(*regress.Entry, *experiment.Outcome) error {
	machine := record.ThisMachine(machine.Memory())
	return func(e *regress.Entry, o *experiment.Outcome) error {
		if !o.Complete {
			return nil
		}
		err := archive.Keep(&record.Record{
			Name: e.Name(), Version: version(), Date: time.Now().UTC().Format(time.DateOnly), Machine: machine,
			Experiment: e.Experiment, Outcome: *o,
		})
		if err != nil {
			return stopped(fmt.Errorf("--record: %w", err))
		}
		return nil
	}
}

// publish prints the report and writes it to --junit.
func (r *regression) publish(path string, report *regress.Report) error {
	return cmp.Or(r.form.publish(report, report.Text()), r.junit.save(report.JUnit(path).Write))
}

// save writes the file with what was found.
func (r *regression) save(path string, file *regress.File, report *regress.Report) error {
	file.Update(report)
	text, err := file.Format()
	if err != nil {
		return err
	}
	if err := saveFile(path, path, text); err != nil {
		return err
	}
	if report.Interrupted || report.Count(regress.Incomplete) > 0 {
		return stopped(errors.New("what did not come to its end is as it was"))
	}
	return nil
}

// regressionVerdict returns nil if all entries that were to be run found what was expected, else why not.
func regressionVerdict(path string, report *regress.Report) error {
	switch differ := report.Count(regress.Differs); {
	case differ > 0:
		return violated(fmt.Errorf("%s: %s", path, report.Summary()))
	case report.Interrupted || report.Count(regress.Incomplete) > 0:
		return stopped(fmt.Errorf("%s: stopped before the end: %s", path, report.Summary()))
	}
	return nil
}
