package ringcheck_test

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"ringcheck/internal/test/filetest"
)

const (
	maxColumns       = 120 // a tab is 4
	maxFunctionLines = 60
	maxFileLines     = 500
	minFileLines     = 40
)

// sources returns the files of the repository, scale included, whose names end in a suffix.
func sources(t *testing.T, suffix string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, suffix):
			files = append(files, path)
		}
		return nil
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files end in %s: %v", len(files), suffix, err)
	}
	return files
}

// columns returns the width of a line.
func columns(line string) int { return utf8.RuneCountInString(line) + 3*strings.Count(line, "\t") }

// TestStyle: Go files and functions are as long, and their lines as wide, as CONTRIBUTING.md says.
func TestStyle(t *testing.T) {
	small := make(map[string]string) // short files by folder
	merge := make(map[string]int)    // files in a folder that could take one in
	for _, path := range sources(t, ".go") {
		text := string(filetest.Read(t, path))
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if ast.IsGenerated(file) {
			continue
		}
		quoted := quotedLines(files, file)
		for i, line := range strings.Split(text, "\n") {
			if n := columns(line); n > maxColumns && !quoted[i+1] {
				t.Errorf("%s:%d: %d columns, at most %d", path, i+1, n, maxColumns)
			}
		}
		lines := strings.Count(text, "\n")
		if lines > maxFileLines {
			t.Errorf("%s has %d lines, at most %d", path, lines, maxFileLines)
		}
		if strings.HasSuffix(path, "_test.go") {
			continue // a test may have a long table
		}
		for _, d := range file.Decls {
			begin, end := files.Position(d.Pos()), files.Position(d.End())
			if f, ok := d.(*ast.FuncDecl); ok && end.Line-begin.Line >= maxFunctionLines {
				t.Errorf("%v: %s has %d lines, at most %d", begin, f.Name.Name, end.Line-begin.Line+1, maxFunctionLines)
			}
		}
		if filepath.Base(path) == "doc.go" || constrained(path, file) {
			continue
		}
		folder := filepath.Dir(path)
		if merge[folder]++; lines < minFileLines {
			small[folder] = path
		}
	}
	for folder, path := range small {
		if merge[folder] > 1 {
			t.Errorf("%s has fewer than %d lines: merge it with another file", path, minFileLines)
		}
	}
}

// quotedLines returns the lines of a file that hold text of another language: raw strings, and what examples print.
func quotedLines(files *token.FileSet, file *ast.File) map[int]bool {
	quoted := make(map[int]bool)
	add := func(n ast.Node) {
		for i := files.Position(n.Pos()).Line; i <= files.Position(n.End()).Line; i++ {
			quoted[i] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(s.Value, "`") {
			add(s)
		}
		return true
	})
	for _, group := range file.Comments {
		if strings.HasPrefix(group.Text(), "Output:") || strings.HasPrefix(group.Text(), "Unordered output:") {
			add(group)
		}
	}
	return quoted
}

// constrained reports whether a file belongs to some systems or tags only, so that it cannot be merged with others.
func constrained(path string, file *ast.File) bool {
	for _, group := range file.Comments {
		if group.Pos() < file.Package && constraint.IsGoBuild(group.List[0].Text) {
			return true
		}
	}
	return strings.HasSuffix(path, "_linux.go")
}

// TestMarkdown: lines of text in Markdown are no wider than those of Go. Tables, code and links may be.
func TestMarkdown(t *testing.T) {
	for _, path := range sources(t, ".md") {
		page, code := string(filetest.Read(t, path)), false
		if strings.Contains(page, "This page is written by\n") {
			continue // a program wraps it
		}
		for i, line := range strings.Split(page, "\n") {
			text := strings.TrimSpace(line)
			if strings.HasPrefix(text, "```") {
				code = !code
			}
			if code || strings.HasPrefix(line, "    ") || strings.HasPrefix(text, "|") || strings.Contains(text, "](") {
				continue
			}
			if n := columns(line); n > maxColumns {
				t.Errorf("%s:%d: %d columns, at most %d", path, i+1, n, maxColumns)
			}
		}
	}
}
