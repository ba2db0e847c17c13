package record_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ringcheck/internal/printable"
	"ringcheck/results/experiment"
	"ringcheck/results/figure"
	"ringcheck/results/regress"
	"ringcheck/results/table"
)

// pageName is the file of the page.
const pageName = "README.md"

// Publish writes the page about a regression file, and the pictures that it shows. path is where the file is, and
// command what made the records.
func (a *Archive) Publish(file *regress.File, path, command string) error {
	pictures, err := a.pictures()
	if err != nil {
		return err
	}
	for _, p := range pictures {
		if err := a.write(filepath.FromSlash(p.file), p.svg); err != nil {
			return err
		}
	}
	text, err := a.page(file, path, command, pictures)
	if err != nil {
		return err
	}
	return a.write(pageName, text)
}

// page returns what the file expects, with what became of it in the archive. The tables of the papers are on it that
// the file claims to confirm.
func (a *Archive) page(file *regress.File, path, command string, pictures []picture) ([]byte, error) {
	tables, err := a.tables(file)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	about, numbers := "is expected", ""
	if len(tables) > 0 {
		about, numbers = "the papers report and claim", "; the numbers of the paper are in [published](published)"
	}
	fmt.Fprintf(&b, "# Results\n\nWhat %s, and what ringcheck finds. This page is written by\n\n    %s\n\n"+
		"and is not to be edited. Every number on it is from a record in [runs](runs), one JSON file for each run, "+
		"and what was\n"+
		"expected is in %s%s.\n\n", about, printable.Text(command), a.link(path), numbers)
	a.writeOrigin(&b)
	if len(tables) > 0 {
		b.WriteString("## The tables of Bakhshi, Fokkink, Pang and van de Pol (2008)\n\n")
		if err := table.Document(tables).Write(&b, ".md"); err != nil {
			return nil, err
		}
		b.WriteString("\nTime, rate and memory are those of the search; memory is all that it held at its peak.\n\n")
	}
	a.writeClaims(&b, file)
	writePictures(&b, pictures)
	return b.Bytes(), nil
}

// link returns a link from the page to a file.
func (a *Archive) link(path string) string {
	name := printable.Cell(filepath.Base(path))
	to, err := filepath.Rel(a.dir, path)
	if err != nil {
		return name
	}
	return fmt.Sprintf("[%s](%s)", name, (&url.URL{Path: filepath.ToSlash(to)}).EscapedPath())
}

// tables returns the published tables that a file claims to confirm, with what the archive knows of their rows.
func (a *Archive) tables(file *regress.File) ([]*table.Table, error) {
	tables, err := table.All()
	tables = slices.DeleteFunc(tables, func(t *table.Table) bool {
		_, ok := file.Claims[fmt.Sprintf("table-%d", t.Number)]
		return !ok
	})
	for _, t := range tables {
		for _, r := range t.Rows {
			if found := a.records[r.Name]; found != nil {
				r.Judge(&found.Outcome)
			}
		}
	}
	return tables, err
}

// writeOrigin says where, when and with what the records were made.
func (a *Archive) writeOrigin(b *bytes.Buffer) {
	count := make(map[string]int)
	for _, r := range a.records {
		count[fmt.Sprintf("%s, ringcheck %s, on %v", r.Date, r.Version, r.Machine)]++
	}
	for _, origin := range slices.Sorted(maps.Keys(count)) {
		runs := "runs"
		if count[origin] == 1 {
			runs = "run"
		}
		fmt.Fprintf(b, "- %d %s: %s\n", count[origin], runs, origin)
	}
	b.WriteString("\n")
}

// writeClaims lists the claims with what became of the entries about them, and then all entries.
func (a *Archive) writeClaims(b *bytes.Buffer, file *regress.File) {
	report := new(regress.Report)
	for _, e := range file.Entries {
		var o *experiment.Outcome
		if r := a.records[e.Name()]; r != nil {
			o = &r.Outcome
		}
		report.Results = append(report.Results, e.Judge(o))
	}
	if len(file.Claims) > 0 {
		writeClaimTable(b, file, report)
	}
	b.WriteString("## The instances\n\n| instance | claims | states | transitions | found | status " +
		"|\n|---|---|--:|--:|---|---|\n")
	for _, r := range report.Results {
		writeInstance(b, r)
	}
	b.WriteString("\n")
}

func writeClaimTable(b *bytes.Buffer, file *regress.File, report *regress.Report) {
	b.WriteString("## The claims\n\nConfirmed means: in the instances below. Nothing follows from that about larger " +
		"ones.\n\n| | claim | instances | status |\n|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(file.Claims)) {
		r := report.About(name)
		fmt.Fprintf(b, "| %s | %s | %d | %s |\n", printable.Cell(name), printable.Cell(file.Claims[name]),
			len(r.Results), verdict(r))
	}
	b.WriteString("\n")
}

// verdict says in a word or two what became of a claim.
func verdict(r *regress.Report) string {
	switch same := r.Count(regress.Same); {
	case r.Count(regress.Differs) > 0:
		return "**differs**"
	case same == 0:
		return "not run"
	case same < len(r.Results):
		return fmt.Sprintf("confirmed in %d of them", same)
	}
	return "confirmed"
}

func writeInstance(b *bytes.Buffer, r *regress.Result) {
	states, transitions, found := "", "", ""
	if o := r.Outcome; o != nil {
		states, transitions = o.States.Comma(), o.Transitions.Comma()
		found = strings.Join(o.Findings(), "; ")
	}
	status := string(r.Status)
	for _, d := range r.Differences {
		status += "; " + d.String()
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s |\n", printable.Cell(r.Name),
		printable.Cell(strings.Join(r.Claims, ", ")), states, transitions, found, printable.Cell(status))
}

func writePictures(b *bytes.Buffer, pictures []picture) {
	if len(pictures) == 0 {
		return
	}
	b.WriteString("## Growth\n\nStates, time and memory against the number of processes, on logarithmic scales.\n")
	for _, p := range pictures {
		fmt.Fprintf(b, "\n![%s](%s)\n", printable.Cell(p.spec), (&url.URL{Path: p.file}).EscapedPath())
	}
}

// A picture shows how a protocol grows.
type picture struct {
	spec string
	file string // relative to the archive, with slashes
	svg  []byte
}

// pictures draws how the complete records of each protocol grow.
func (a *Archive) pictures() ([]picture, error) {
	points, err := a.points()
	if err != nil {
		return nil, err
	}
	var all []picture
	for _, spec := range slices.Sorted(maps.Keys(points)) {
		var b bytes.Buffer
		drawn, err := figure.Growth(&b, spec, figure.Exploring, points[spec])
		if err != nil {
			return nil, err
		}
		if drawn {
			all = append(all, picture{spec, path.Join("growth", filepath.Base(spec)+".svg"), b.Bytes()})
		}
	}
	return all, nil
}

// points returns the points of each protocol.
func (a *Archive) points() (map[string][]figure.Instance, error) {
	points := make(map[string][]figure.Instance)
	for _, name := range slices.Sorted(maps.Keys(a.records)) {
		r := a.records[name]
		i, err := r.Instantiate()
		if err != nil {
			return nil, err
		}
		if !r.Complete || i.Size() == 0 {
			continue
		}
		points[r.Spec] = append(points[r.Spec], figure.Instance{
			Series: i.Series(), N: int(i.Size()), Values: figure.Explored(uint64(r.States), r.Seconds, r.Bytes),
		})
	}
	return points, nil
}
