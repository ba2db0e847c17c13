package command

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/internal/textfile"
	"ringcheck/view/explorer"
)

// A site is the page sub-command.
type site struct {
	job
	out  string
	made string // where the folder is until it is complete
}

func (a *app) pageCommand() *cobra.Command {
	s := &site{job: a.job()}
	cmd := s.command("page", runE(s.run))
	cmd.Args = cobra.NoArgs
	cmd.Flags().StringVar(&s.out, "out", "", "write the page to the folder `DIR`, which is made if it does not exist")
	return cmd
}

// pagePolicy is the policy of the page, which runs the program that it loads from its own origin.
const pagePolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; " +
	"img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'"

func (s *site) run(cmd *cobra.Command) error {
	if s.out == "" {
		return wrongRequestf("page needs --out DIR: the folder to write")
	}
	source, err := sources(cmd)
	if err != nil {
		return err
	}
	out, err := filepath.Abs(s.out)
	if err != nil {
		return wrongRequestf("--out: %w", err)
	}
	s.made = fmt.Sprintf("%s.%s.tmp", out, rand.Text()[:8])
	defer os.RemoveAll(s.made)
	if err := os.MkdirAll(filepath.Join(s.made, "specs"), 0o777); err != nil {
		return wrongRequestf("--out: %w", err)
	}
	for _, step := range []func() error{s.files, func() error { return s.catalogue(source) }, s.alone,
		func() error { return s.program(cmd, source) }, s.publish} {
		if err := step(); err != nil {
			return err
		}
		if cmd.Context().Err() != nil {
			return stopped(ringcheck.ErrIncomplete)
		}
	}
	const told = "%s: serve this folder with any web server, such as python3 -m http.server -d %s\n"
	return s.print(fmt.Sprintf(told, s.out, s.out))
}

// sources returns the folder with the sources of this program: those from which it was built or, if they are gone,
// those of the module in the current folder.
func sources(cmd *cobra.Command) (string, error) {
	_, file, _, _ := runtime.Caller(0)
	built := filepath.Join(filepath.Dir(file), "..", "..", "..")
	if _, err := exec.LookPath("go"); err != nil {
		return "", wrongRequestf("page compiles ringcheck for the browser, which needs Go (https://go.dev/dl): %w", err)
	}
	for _, dir := range []string{built, "."} {
		list := exec.CommandContext(cmd.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "ringcheck")
		list.Dir = dir
		if found, err := list.Output(); err == nil && len(bytes.TrimSpace(found)) > 0 {
			return string(bytes.TrimSpace(found)), nil
		}
	}
	return "", wrongRequestf("page compiles ringcheck for the browser, which needs its sources: they are no longer in "+
		"%s; run it in a clone, as go run ./cmd/ringcheck page --out DIR", built)
}

// program compiles the program for the Web Worker, and copies what Go has to run it.
func (s *site) program(cmd *cobra.Command, source string) error {
	build := exec.CommandContext(cmd.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o",
		filepath.Join(s.made, programs[0]), "./cmd/playground")
	build.Dir = source
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		if cmd.Context().Err() != nil {
			return stopped(ringcheck.ErrIncomplete)
		}
		return wrongRequestf("go build in %s: %w\n%s", source, err, bytes.TrimSpace(text))
	}
	env := exec.CommandContext(cmd.Context(), "go", "env", "GOROOT")
	env.Dir = source
	root, err := env.Output()
	if err != nil {
		return wrongRequestf("go env GOROOT: %w", err)
	}
	text, err := textfile.Read(filepath.Join(string(bytes.TrimSpace(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return wrongRequestf("what Go has to run programs in a browser: %w", err)
	}
	return s.write(programs[1], text)
}

// programs are the files that the page needs to run ringcheck.
var programs = []string{"ringcheck.wasm", "wasm_exec.js"}

// alone returns an error if there is something else in the folder than an earlier page.
func (s *site) alone() error {
	return filepath.WalkDir(s.out, func(path string, entry fs.DirEntry, err error) error {
		switch name, _ := filepath.Rel(s.out, path); {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return wrongRequestf("--out: %w", err)
		case slices.Contains(programs, name):
			return nil
		default:
			info, err := os.Lstat(filepath.Join(s.made, name))
			if err != nil || info.IsDir() != entry.IsDir() {
				return wrongRequestf("--out %s: there is something else, %s: choose a new folder", s.out, path)
			}
			return nil
		}
	})
}

// publish gives the complete folder its name, or puts its files into the folder of that name.
func (s *site) publish() error {
	if err := os.Rename(s.made, s.out); err == nil {
		return nil
	}
	err := fs.WalkDir(os.DirFS(s.made), ".", func(name string, entry fs.DirEntry, err error) error {
		to := filepath.Join(s.out, filepath.FromSlash(name))
		if err != nil || entry.IsDir() {
			return cmp.Or(err, os.MkdirAll(to, 0o777))
		}
		return os.Rename(filepath.Join(s.made, filepath.FromSlash(name)), to)
	})
	if err != nil {
		return writeError("--out", err)
	}
	return nil
}

func (s *site) write(name string, data []byte) error {
	return saveBytes("--out", filepath.Join(s.made, filepath.FromSlash(name)), data)
}

// files writes the files of the page. Its head says that the program runs in the browser.
func (s *site) files() error {
	return fs.WalkDir(explorer.Files(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return cmp.Or(err, os.MkdirAll(filepath.Join(s.made, filepath.FromSlash(name)), 0o777))
		}
		text, err := fs.ReadFile(explorer.Files(), name)
		if err != nil {
			return err
		}
		if name == "index.html" {
			const title = "<title>"
			head := "<meta http-equiv=\"Content-Security-Policy\" content=\"" + pagePolicy + "\">\n" +
				"<meta name=\"referrer\" content=\"no-referrer\">\n" +
				"<meta name=\"program\" content=\"ringcheck.wasm\">\n" + title
			text = bytes.Replace(text, []byte(title), []byte(head), 1)
		}
		return s.write(name, text)
	})
}

// An entry is a protocol in the list of the page, of which specs/catalogue.json has those to begin with.
type entry struct {
	File     string          `json:"file"`
	Title    string          `json:"title"`
	About    string          `json:"about"`
	Look     string          `json:"look,omitempty"` // what to look at
	Settings ringcheck.Set   `json:"settings,omitempty"`
	Try      json.RawMessage `json:"try,omitempty"` // see view/explorer/page/desk.js
}

// catalogue writes the specs and examples, and a list of them.
func (s *site) catalogue(source string) error {
	text, err := textfile.Read(filepath.Join(source, "specs", "catalogue.json"))
	if err != nil {
		return wrongRequest(err)
	}
	var list []entry
	if err := json.Unmarshal(text, &list); err != nil {
		return wrongRequestf("specs/catalogue.json: %w", err)
	}
	var paths []string
	for _, folder := range []string{"specs", "examples"} {
		found, err := filepath.Glob(filepath.Join(source, folder, "*.ring"))
		if err != nil {
			return err
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		text, err := textfile.Read(path)
		if err != nil {
			return wrongRequest(err)
		}
		name := filepath.Base(path)
		spec, err := ringcheck.Parse(name, text)
		if err != nil {
			return specError(text, err)
		}
		i := slices.IndexFunc(list, func(e entry) bool { return e.File == name })
		if i < 0 {
			i, list = len(list), append(list, entry{File: name, Title: strings.TrimSuffix(name, ".ring")})
		}
		list[i].About = spec.Doc
		if err := s.write("specs/"+name, text); err != nil {
			return err
		}
	}
	if i := slices.IndexFunc(list, func(e entry) bool { return e.About == "" }); i >= 0 {
		return errors.New("specs/catalogue.json: there is no " + list[i].File)
	}
	data, err := json.Marshal(list)
	return cmp.Or(err, s.write("catalogue.json", data))
}
