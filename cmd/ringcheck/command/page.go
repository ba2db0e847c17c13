package command

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/explore"
	"ringcheck/view/explorer"
)

// A site is the page sub-command.
type site struct {
	job
	out     string
	source  string // the folder with the sources of this program
	tempDir string // the folder of the files until all of them are complete
}

func (a *app) pageCommand() *cobra.Command {
	s := &site{job: a.job()}
	cmd := s.command("page", runE(s.run))
	cmd.Args = cobra.NoArgs
	cmd.Flags().StringVar(&s.out, "out", "", "write the page to the folder `DIR`, which is made if it does not exist")
	return cmd
}

func (s *site) run(cmd *cobra.Command) (err error) {
	if s.out == "" {
		return wrongRequestf("page needs --out DIR: the folder to write")
	}
	if s.source, err = sources(cmd); err != nil {
		return err
	}
	if err := refuseOthers("--out", s.out, programFile); err != nil {
		return err
	}
	err = saveFolder("--out", s.out, func(made string) error {
		s.tempDir = made
		if err := cmp.Or(s.files(), s.catalogue()); err != nil {
			return err
		}
		return cmp.Or(s.program(cmd), s.list())
	})
	if err != nil {
		return err
	}
	const summary = "%s: serve this folder with any web server, such as python3 -m http.server -d %s\n"
	return s.print(fmt.Sprintf(summary, s.out, s.out))
}

// sources returns the folder with the sources of this program: the folder from which it was built or, if it no longer
// exists, the folder of the module in the current folder.
func sources(cmd *cobra.Command) (string, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return "", wrongRequestf("page compiles ringcheck for the browser, which needs Go (https://go.dev/dl): %w", err)
	}
	_, file, _, _ := runtime.Caller(0)
	built := filepath.Join(filepath.Dir(file), "..", "..", "..")
	for _, dir := range []string{built, "."} {
		if source, err := goTool(cmd, dir, "list", "-m", "-f", "{{.Dir}}", "ringcheck"); err == nil && source != "" {
			return source, nil
		}
	}
	return "", wrongRequestf("page compiles ringcheck for the browser, which needs its sources: they are no longer in "+
		"%s; run it in a clone, as go run ./cmd/ringcheck page --out DIR", built)
}

// goTool runs go in a folder, for browsers, and returns the output.
func goTool(cmd *cobra.Command, dir string, args ...string) (string, error) {
	c := exec.CommandContext(cmd.Context(), "go", args...)
	c.Dir, c.Env = dir, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	text, err := c.CombinedOutput()
	switch {
	case cmd.Context().Err() != nil:
		err = earlyStop(&explore.StopError{Stop: explore.StopFor(cmd.Context())})
	case err != nil:
		err = wrongRequestf("go %s in %s: %w\n%s", args[0], dir, err, bytes.TrimSpace(text))
	}
	return string(bytes.TrimSpace(text)), err
}

const programFile = "ringcheck.wasm"

// pageHead allows the page to run a program from its own origin.
const pageHead = `<head>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; ` +
	`worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; ` +
	`manifest-src 'self'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="program" content="` + programFile + `">
<link rel="manifest" href="manifest.webmanifest">
<script type="module" src="register.js"></script>`

// siteFiles are the files that only the page without a server has.
//
//go:embed site
var siteFiles embed.FS

// files writes the files of the page.
func (s *site) files() error {
	index, err := fs.ReadFile(explorer.Files(), "index.html")
	own, failed := fs.Sub(siteFiles, "site")
	page := bytes.Replace(index, []byte("<head>"), []byte(pageHead), 1)
	page = bytes.Replace(page, []byte(`<link rel="icon" href="data:,">`), []byte(`<link rel="icon" href="icon.svg">`), 1)
	return cmp.Or(err, failed, os.CopyFS(s.tempDir, explorer.Files()), os.CopyFS(s.tempDir, own),
		s.write("index.html", page))
}

// list writes files.json: the addresses of all files, which a browser stores for visits without a network.
func (s *site) list() error {
	names := []string{"."}
	err := fs.WalkDir(os.DirFS(s.tempDir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && name != "index.html" {
			names = append(names, name)
		}
		return err
	})
	text, failed := json.Marshal(names)
	return cmp.Or(err, failed, s.write("files.json", text))
}

func (s *site) write(name string, text []byte) error {
	return os.WriteFile(filepath.Join(s.tempDir, name), text, 0o666)
}

// catalogue writes the specs and examples, the list of them (specs/catalogue.json, completed), and the description of
// the language.
func (s *site) catalogue() error {
	var list []map[string]any
	text, err := os.ReadFile(filepath.Join(s.source, "specs", "catalogue.json"))
	err = cmp.Or(err, json.Unmarshal(text, &list), os.Mkdir(filepath.Join(s.tempDir, "specs"), 0o777))
	entries := map[any]map[string]any{}
	for _, entry := range list {
		entries[entry["file"]] = entry
	}
	specs, _ := filepath.Glob(filepath.Join(s.source, "specs", "*.ring"))
	examples, _ := filepath.Glob(filepath.Join(s.source, "examples", "*.ring"))
	for _, path := range append(specs, examples...) {
		name := filepath.Base(path)
		if entries[name] == nil {
			entries[name] = map[string]any{"file": name, "title": strings.TrimSuffix(name, ".ring")}
			list = append(list, entries[name])
		}
		text, failed := os.ReadFile(path)
		spec, wrong := ringcheck.Parse(name, text)
		if err = cmp.Or(err, failed, wrong); err != nil {
			return err
		}
		entries[name]["about"] = spec.Doc
		err = s.write(filepath.Join("specs", name), text)
	}
	text, wrong := json.Marshal(list)
	language, failed := os.ReadFile(filepath.Join(s.source, "docs", "language.md"))
	return cmp.Or(err, wrong, failed, s.write("catalogue.json", text), s.write("language.txt", language))
}

// program compiles the program for the Web Worker, and copies Go's script that runs it.
func (s *site) program(cmd *cobra.Command) error {
	_, err := goTool(cmd, s.source, "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(s.tempDir, programFile),
		"./cmd/playground")
	if err != nil {
		return err
	}
	root, err := goTool(cmd, s.source, "env", "GOROOT")
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	return cmp.Or(err, s.write("wasm_exec.js", text))
}
