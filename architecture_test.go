package ringcheck_test

import (
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/filetest"
)

const (
	module  = "ringcheck"
	helpers = module + "/internal/test/" // packages that only tests import
)

// goList runs go list and returns the words of each line.
func goList(t *testing.T, args ...string) [][]string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	var lines [][]string
	for line := range strings.Lines(string(out)) {
		lines = append(lines, strings.Fields(line))
	}
	return lines
}

// room returns the room of docs/architecture.md that a package belongs to, "" if it is not of this module.
func room(pkg string) string {
	path, ok := strings.CutPrefix(pkg+"/", module+"/")
	switch {
	case !ok:
		return ""
	case path == "":
		return "root"
	case strings.HasPrefix(path, "model/language/"):
		return "model/language"
	}
	name, _, _ := strings.Cut(path, "/")
	return name
}

// allowed reads the table of docs/architecture.md: the rooms that each room may import.
func allowed(t *testing.T) map[string][]string {
	t.Helper()
	text := filetest.Read(t, "docs/architecture.md")
	_, table, ok := strings.Cut(string(text), "| room | what it is | may import |\n")
	if !ok {
		t.Fatal("docs/architecture.md has no table of what rooms may import")
	}
	rooms := make(map[string][]string)
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(line, "| \n"), "|")
		if len(cells) < 2 {
			break
		}
		name := strings.Trim(cells[0], " `")
		rooms[name] = []string{name, "internal"}
		for _, to := range strings.Split(strings.Join(cells[2:], ""), ",") {
			rooms[name] = append(rooms[name], strings.TrimSpace(to))
		}
	}
	return rooms
}

// TestImports checks that a room imports only what docs/architecture.md allows, and that only tests import test
// helpers.
func TestImports(t *testing.T) {
	rooms := allowed(t)
	for _, line := range goList(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...") {
		from := room(line[0])
		for _, pkg := range line[1:] {
			if strings.HasPrefix(pkg, helpers) && !strings.HasPrefix(line[0], helpers) {
				t.Errorf("%s imports the test helpers %s", line[0], pkg)
			}
		}
		if from == "internal" || from == "cmd" {
			continue // internal may be imported by all rooms, and cmd may import all
		}
		if rooms[from] == nil {
			t.Errorf("docs/architecture.md does not list the room %s of %s", from, line[0])
			continue
		}
		for _, pkg := range line[1:] {
			if to := room(pkg); to != "" && !slices.Contains(rooms[from], to) {
				t.Errorf("%s imports %s, and %s may not import %s", line[0], pkg, from, to)
			}
		}
	}
}

// TestLightLibrary checks that explore links neither plotting, pictures nor the command line, and the library neither
// plotting nor the command line.
func TestLightLibrary(t *testing.T) {
	for pkg, banned := range map[string][]string{
		"./explore": {"gonum.org", "github.com/spf13", module + "/view", module + "/model/language", module + "/cmd"},
		".":         {"gonum.org/v1/plot", "github.com/spf13", module + "/cmd", module + "/results"},
	} {
		for _, line := range goList(t, "-deps", pkg) {
			for _, b := range banned {
				if strings.HasPrefix(line[0], b) {
					t.Errorf("%s links %s", pkg, line[0])
				}
			}
		}
	}
}

// TestExportedTypes checks that the exported API of the library mentions no type of an internal package or the
// language.
func TestExportedTypes(t *testing.T) {
	exports := make(map[string]string)
	for _, line := range goList(t, "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".") {
		exports[line[0]] = line[len(line)-1]
	}
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	pkg, err := importer.ForCompiler(token.NewFileSet(), "gc", lookup).Import(module)
	if err != nil {
		t.Fatal(err)
	}
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		object := scope.Lookup(name)
		if !object.Exported() {
			continue
		}
		mentions(t, pkg, name, object.Type())
		named, ok := object.Type().(*types.Named)
		if _, declares := object.(*types.TypeName); !ok || !declares {
			continue
		}
		mentions(t, pkg, name, named.Underlying())
		for method := range named.Methods() {
			if method.Exported() {
				mentions(t, pkg, name+"."+method.Name(), method.Type())
			}
		}
	}
}

// mentions reports types of internal packages and of the language in the exported parts of a type of pkg.
func mentions(t *testing.T, pkg *types.Package, where string, of types.Type) {
	t.Helper()
	of = types.Unalias(of)
	if named, ok := of.(*types.Named); ok {
		if from := named.Obj().Pkg(); from != nil && from != pkg &&
			(room(from.Path()) == "internal" || room(from.Path()) == "model/language") {
			t.Errorf("%s mentions %v", where, named)
		}
		return
	}
	switch of := of.(type) {
	case *types.Struct:
		for field := range of.Fields() {
			if field.Exported() {
				mentions(t, pkg, where+"."+field.Name(), field.Type())
			}
		}
	case *types.Signature:
		mentions(t, pkg, where, of.Params())
		mentions(t, pkg, where, of.Results())
	case *types.Tuple:
		for v := range of.Variables() {
			mentions(t, pkg, where, v.Type())
		}
	case *types.Map:
		mentions(t, pkg, where, of.Key())
		mentions(t, pkg, where, of.Elem())
	case interface{ Elem() types.Type }: // a pointer, slice, array or channel
		mentions(t, pkg, where, of.Elem())
	}
}

// layers are the files of the package in order: request, system, report, prepared system, operations.
var layers = []string{
	"settings", "options", "system", "report", "task", "result", "explore", "check", "counterexample", "hunt",
	"external", "process", "graph",
	"quantify", "simulate", "simulate_run",
}

// TestLayers checks that a file uses only functions, types and values of files before it.
func TestLayers(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	declaredIn := make(map[string]int)
	used := make(map[int]map[string]bool)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || name == "doc.go" {
			continue
		}
		layer := slices.Index(layers, strings.TrimSuffix(name, ".go"))
		if layer < 0 {
			t.Fatalf("%s is not listed in layers", name)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for declared := range file.Scope.Objects {
			declaredIn[declared] = layer
		}
		used[layer] = make(map[string]bool)
		for _, id := range file.Unresolved {
			used[layer][id.Name] = true
		}
	}
	for layer, all := range used {
		for name := range all {
			if of, ok := declaredIn[name]; ok && of > layer {
				t.Errorf("%s.go uses %s of %s.go", layers[layer], name, layers[of])
			}
		}
	}
}
