package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/klauspost/cpuid/v2"

	"ringcheck/internal/printable"
	"ringcheck/internal/textfile"
	"ringcheck/results/experiment"
)

// A Record is one experiment with its outcome.
type Record struct {
	Name    string  `json:"name"`
	Version string  `json:"version"` // of ringcheck and Go
	Date    string  `json:"date"`    // 2006-01-02, UTC
	Machine Machine `json:"machine"`
	experiment.Experiment
	experiment.Result
}

// An Archive is a directory of records, one file for each experiment.
type Archive struct {
	dir     string
	records map[string]*Record // by name
}

// runs is the directory of the records.
const runs = "runs"

// Open reads the records below a directory; there may be none yet.
func Open(dir string) (*Archive, error) {
	a := &Archive{dir: dir, records: make(map[string]*Record)}
	entries, err := os.ReadDir(filepath.Join(dir, runs))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the records: %w", err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" {
			continue
		}
		r, err := read(filepath.Join(dir, runs, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("reading the records: %w", err)
		}
		a.records[r.Name] = r
	}
	return a, nil
}

func read(path string) (*Record, error) {
	text, err := textfile.Read(path)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	r := new(Record)
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if filepath.Base(path) != r.file() {
		return nil, fmt.Errorf("%s: the record of %q belongs in %s", path, r.Name, r.file())
	}
	return r, nil
}

// Keep writes a record; it replaces an older one of the same experiment.
func (a *Archive) Keep(r *Record) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("record of %s: %w", r.Name, err)
	}
	a.records[r.Name] = r
	return a.write(filepath.Join(runs, r.file()), append(text, '\n'))
}

// file returns the name of the record's file.
func (r *Record) file() string {
	return strings.NewReplacer(" ", "_", "/", "_", `\`, "_").Replace(r.Name) + ".json"
}

// write writes a file of the archive, whole or not at all.
func (a *Archive) write(name string, text []byte) error {
	path := filepath.Join(a.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("keeping records: %w", err)
	}
	temporary := path + ".tmp"
	err := os.WriteFile(temporary, text, 0o666)
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		os.Remove(temporary)
		return fmt.Errorf("keeping records: %w", err)
	}
	return nil
}

// A Machine is the computer on which a run was measured.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"` // that Go uses
	Memory uint64 `json:"memory_bytes"`
	OS     string `json:"os"`
	Arch   string `json:"arch"`
}

// ThisMachine describes the machine that this program runs on; memory is the limit in bytes that the program may use.
func ThisMachine(memory uint64) Machine {
	return Machine{
		CPU:    cmp.Or(cpuid.CPU.BrandName, "unknown processor"),
		Cores:  runtime.GOMAXPROCS(0),
		Memory: memory,
		OS:     runtime.GOOS,
		Arch:   runtime.GOARCH,
	}
}

func (m Machine) String() string {
	return fmt.Sprintf("%s, %s, %s, %s/%s", m.CPU, printable.Count(m.Cores, "core"), humanize.IBytes(m.Memory), m.OS,
		m.Arch)
}
