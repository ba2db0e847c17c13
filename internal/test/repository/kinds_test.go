package repository

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"ringcheck/internal/test/testlevel"
)

// TestKinds checks that an array literal whose keys are constants of one type has an element for all constants of that
// type, and that an array which is indexed by values of such a type is long enough for all of them. Switches and maps
// are checked by exhaustive, which does not look at arrays.
func TestKinds(t *testing.T) {
	if !testlevel.Gate() {
		t.Skip("only with RINGCHECK_TEST")
	}
	k := loadKinds(t, "./...")
	literals, indexes := 0, 0
	k.each(func(p *packages.Package, n ast.Node) {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if missing, ok := k.missingKeys(p.TypesInfo, n); ok {
				literals++
				report(t, p.Fset, n.Pos(), missing)
			}
		case *ast.IndexExpr:
			if missing, ok := k.missingElements(p.TypesInfo, n); ok {
				indexes++
				report(t, p.Fset, n.Pos(), missing)
			}
		}
	})
	t.Logf("%d literals, %d indexes", literals, indexes)
	if literals < 5 || indexes < 10 {
		t.Errorf("only %d array literals and %d indexes have constants of one type", literals, indexes)
	}
}

// TestMissingKinds checks that forgotten constants are found.
func TestMissingKinds(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"go.mod": "module ringcheck/kinds\n\ngo 1.26\n", "kinds.go": `package kinds

type kind int

const (
	a kind = iota
	b
	c
	kinds
)

var (
	whole   = [...]string{a: "a", b: "b", c: "c"}
	partial = [kinds]string{a: "a", c: "c"}
	short   = [...]string{"a", "b"}
)

func names(k kind) []string { return []string{whole[k], partial[k], short[k], [...]string{a: "a"}[0]} }
`}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	k := loadKinds(t, dir)
	var got []string
	note := func(missing []string, _ bool) { got = append(got, missing...) }
	k.each(func(p *packages.Package, n ast.Node) {
		switch n := n.(type) {
		case *ast.CompositeLit:
			note(k.missingKeys(p.TypesInfo, n))
		case *ast.IndexExpr:
			note(k.missingElements(p.TypesInfo, n))
		}
	})
	if want := []string{"b", "c", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("%v are missing, want %v", got, want)
	}
}

// kinds are packages whose arrays are checked.
type kinds struct {
	packages []*packages.Package
	lengths  map[string]bool // the constants that are the length of an array: they count the others of their type
}

// loadKinds loads packages: those of a pattern, or in a folder with a module of its own.
func loadKinds(t *testing.T, from string) *kinds {
	t.Helper()
	cfg := &packages.Config{Mode: packages.LoadSyntax}
	if filepath.IsAbs(from) {
		cfg.Dir, from = from, "."
	}
	found, err := packages.Load(cfg, from)
	if err != nil || len(found) == 0 {
		t.Fatalf("%d packages, %v", len(found), err)
	}
	k := &kinds{packages: found, lengths: make(map[string]bool)}
	k.each(func(p *packages.Package, n ast.Node) {
		a, ok := n.(*ast.ArrayType)
		if !ok {
			return
		}
		name, _ := a.Len.(*ast.Ident)
		if s, ok := a.Len.(*ast.SelectorExpr); ok {
			name = s.Sel
		}
		if c, ok := p.TypesInfo.Uses[name].(*types.Const); ok {
			k.lengths[path(c)] = true
		}
	})
	for _, p := range found {
		for _, err := range p.Errors {
			t.Error(err)
		}
	}
	return k
}

// each calls visit for all nodes of the syntax trees.
func (k *kinds) each(visit func(p *packages.Package, n ast.Node)) {
	for _, p := range k.packages {
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool { visit(p, n); return true })
		}
	}
}

// path returns the name of a constant with its package.
func path(c *types.Const) string { return c.Pkg().Path() + "." + c.Name() }

// report is an error if names are missing.
func report(t *testing.T, files *token.FileSet, pos token.Pos, missing []string) {
	t.Helper()
	if len(missing) > 0 {
		t.Errorf("%v: no element for %s", files.Position(pos), strings.Join(missing, ", "))
	}
}

// missingKeys returns the constants that an array or slice literal has no key for; not ok if its keys are not constants
// of a type that has several.
func (k *kinds) missingKeys(info *types.Info, n *ast.CompositeLit) (missing []string, ok bool) {
	switch info.TypeOf(n).Underlying().(type) {
	case *types.Array, *types.Slice:
	default:
		return nil, false
	}
	present := make(map[string]bool)
	var kind types.Type
	for _, e := range n.Elts {
		if kv, keyed := e.(*ast.KeyValueExpr); keyed {
			kind = info.TypeOf(kv.Key)
			present[info.Types[kv.Key].Value.ExactString()] = true
		}
	}
	all := k.constants(kind)
	for _, c := range all {
		if !present[c.Val().ExactString()] {
			missing = append(missing, c.Name())
		}
	}
	return missing, len(all) > 1
}

// missingElements returns the constants of the type of an index for which an array is too short; not ok if it is no
// array or there are not several constants.
func (k *kinds) missingElements(info *types.Info, n *ast.IndexExpr) (missing []string, ok bool) {
	t := info.TypeOf(n.X)
	if t == nil {
		return nil, false
	}
	if p, pointer := t.Underlying().(*types.Pointer); pointer {
		t = p.Elem()
	}
	array, ok := t.Underlying().(*types.Array)
	if !ok || info.Types[n.Index].Value != nil {
		return nil, false
	}
	all := k.constants(info.TypeOf(n.Index))
	for _, c := range all {
		if v, exact := constant.Int64Val(c.Val()); !exact || v < 0 || v >= array.Len() {
			missing = append(missing, c.Name())
		}
	}
	return missing, len(all) > 1
}

// constants returns the constants of a type of this repository, without one that counts the others.
func (k *kinds) constants(t types.Type) (all []*types.Const) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || !strings.HasPrefix(named.Obj().Pkg().Path(), "ringcheck") {
		return nil
	}
	scope := named.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		c, ok := scope.Lookup(name).(*types.Const)
		if ok && types.Identical(c.Type(), named) && !k.lengths[path(c)] {
			all = append(all, c)
		}
	}
	return all
}
