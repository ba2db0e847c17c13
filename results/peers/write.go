package peers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"ringcheck"
	"ringcheck/internal/document"
)

// Places below the root of the repository: the page, and the folder with a record for each job.
const (
	PagePath = "docs/peers.md"
	folder   = "results/peers/runs"
)

// The text of the page between these lines is generated.
const (
	first = "<!-- written by go run ./results/make peers -->\n"
	last  = "<!-- end -->\n"
)

// file returns the path of the record of a job, below the root of the repository.
func (j *Job) file() string {
	name := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(j.Name), "_")
	return filepath.Join(folder, strings.Trim(name, "_")+".json")
}

// Keep writes the record of a job to its file in the repository below root, in place of an older one.
func (r *Record) Keep(root string, j *Job) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(root, j.file())
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o666)
}

// Page returns the page, with the records in the repository below root. Its text around the generated part stays.
func Page(root string) ([]byte, error) {
	page, err := os.ReadFile(filepath.Join(root, PagePath))
	if err != nil {
		return nil, err
	}
	before, rest, begins := strings.Cut(string(page), first)
	_, after, ends := strings.Cut(rest, last)
	if !begins || !ends {
		return nil, fmt.Errorf("%s: the lines around the generated part are missing", PagePath)
	}
	table, reductions := newTable(), newTable()
	var conditions, loads []string // lines of a list
	for _, j := range Jobs {
		r, err := read(root, j)
		if errors.Is(err, fs.ErrNotExist) {
			loads = append(loads, fmt.Sprintf("- %s: not measured yet", j.Name))
			continue
		}
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, r.conditions()...)
		loads = append(loads, fmt.Sprintf("- %s: load average of a minute %s before, %s after", r.Job, r.Load[0],
			r.Load[1]))
		r.add(table, r.Rows)
		if len(r.Reductions) > 0 {
			r.add(reductions, append([]*Row{r.Rows[0]}, r.Reductions...))
		}
	}
	text := "\n" + table.Markdown()
	if len(reductions.Rows) > 0 {
		text += "\nWith reductions, so that the counts differ:\n\n" + reductions.Markdown()
	}
	text += "\nConditions:\n\n" + strings.Join(append(unique(conditions), loads...), "\n") + "\n\n"
	return []byte(before + first + text + last + after), nil
}

// newTable returns a table of rows.
func newTable() *document.Table {
	return &document.Table{
		Head:  []string{"system", "tool", "model", "lines", "states", "CPU", "memory", "to compile"},
		Align: "lllrrrrr",
	}
}

// add adds rows to a table. The first of them is of ringcheck.
func (r *Record) add(t *document.Table, rows []*Row) {
	name := r.Job
	for _, row := range rows {
		t.Add(append([]string{name}, row.cells(rows[0])...)...)
		name = ""
	}
}

// read returns the record of a job.
func read(root string, j *Job) (*Record, error) {
	text, err := os.ReadFile(filepath.Join(root, j.file()))
	if err != nil {
		return nil, err
	}
	r := new(Record)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", j.file(), err)
	}
	if len(r.Rows) == 0 {
		return nil, fmt.Errorf("%s: no rows", j.file())
	}
	return r, nil
}

// unique returns the lines, each once, in the order in which they first occur.
func unique(lines []string) []string {
	var all []string
	for _, line := range lines {
		if !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	return all
}

// conditions returns lines with the conditions under which a record was measured, and the peers that were missing.
func (r *Record) conditions() []string {
	lines := []string{fmt.Sprintf("- %s, on %v", r.Date, r.Machine)}
	for _, version := range r.Versions {
		lines = append(lines, "- "+version)
	}
	for _, p := range r.Missing {
		lines = append(lines, fmt.Sprintf("- %s: %s was not installed", r.Job, p))
	}
	return lines
}

// cells returns the fields of a row after the name of the job; ours is the row of ringcheck.
func (r *Row) cells(ours *Row) []string {
	states, cpu, memory, build := ringcheck.Count(r.States).Comma(), seconds(r.Run), size(r.Run.Memory), ""
	switch {
	case r.Exceeded:
		states, cpu, memory = "", fmt.Sprintf("more than %.0f s", Limit.Seconds()), ""
	case r.Tool != ours.Tool && r.Run.CPU < ours.Run.CPU:
		cpu = "**" + cpu + "**"
	}
	if r.Build.CPU > 0 {
		build = seconds(r.Build)
	}
	return []string{r.Tool, r.Model, fmt.Sprint(r.Lines), states, cpu, memory, build}
}

func seconds(c Cost) string { return fmt.Sprintf("%.2f s", c.CPU.Seconds()) }

// floor is the memory below which a cost says little: a child is counted with what its parent held when it began.
const floor = 32 << 20

func size(bytes uint64) string {
	switch {
	case bytes == 0:
		return ""
	case bytes < floor:
		return "< " + humanize.IBytes(floor)
	}
	return humanize.IBytes(bytes)
}

// loadAverage returns the load average of the last minute, "unknown" if the system does not say.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	load, _, _ := strings.Cut(string(text), " ")
	return load
}
