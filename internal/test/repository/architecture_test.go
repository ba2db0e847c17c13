package repository

import (
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
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

// room returns the room that a package of this module belongs to: the first element of its path. It returns "root" for
// the library, "tests" for packages that only tests import, and "" for a package of another module.
func room(pkg string) string {
	path, ok := strings.CutPrefix(pkg+"/", module+"/")
	switch {
	case !ok:
		return ""
	case path == "":
		return "root"
	case strings.HasPrefix(pkg+"/", helpers):
		return "tests"
	}
	name, _, _ := strings.Cut(path, "/")
	return name
}

// floors reads the table of rooms in docs/architecture.md, and returns the floor of each room, from the ground up.
func floors(t *testing.T) map[string]int {
	t.Helper()
	text := filetest.Read(t, "docs/architecture.md")
	_, table, ok := strings.Cut(string(text), "| room | purpose | imports |\n")
	if !ok {
		t.Fatal("docs/architecture.md has no table of rooms")
	}
	rooms := make(map[string]int)
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(line, "| \n"), "|")
		if len(cells) < 3 {
			break
		}
		if name := strings.Trim(cells[0], " `"); !strings.HasPrefix(name, "-") {
			rooms[name] = len(rooms)
		}
	}
	return rooms
}

// TestImports checks that a package imports only its own room and rooms below it in the table of
// docs/architecture.md. So rooms form no cycle. Packages in internal import no room at all.
func TestImports(t *testing.T) {
	rooms := floors(t)
	for _, line := range goList(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...") {
		from := room(line[0])
		if _, ok := rooms[from]; !ok && from != "tests" {
			t.Errorf("docs/architecture.md does not list the room %s of %s", from, line[0])
		}
		for _, pkg := range line[1:] {
			to := room(pkg)
			switch {
			case to == "" || to == from || from == "tests":
			case to == "tests":
				t.Errorf("%s imports the test helpers %s", line[0], pkg)
			case rooms[to] >= rooms[from]:
				t.Errorf("%s imports %s: the room %s is not below %s", line[0], pkg, to, from)
			}
		}
	}
}

// maxFolders limits the folders at the top of the repository.
const maxFolders = 13

// TestTop checks how many folders there are at the top of the repository.
func TestTop(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			folders = append(folders, e.Name())
		}
	}
	if len(folders) > maxFolders {
		t.Errorf("%d folders, at most %d: %v", len(folders), maxFolders, folders)
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
			(room(from.Path()) == "internal" || strings.HasPrefix(from.Path(), module+"/model/language")) {
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
