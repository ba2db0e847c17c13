//go:build !js

package lsp

import (
	"cmp"
	"context"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"ringcheck/internal/textfile"
	"ringcheck/model/language/check"
	"ringcheck/model/language/syntax"
)

// hover describes the declaration of a name: its text, type and comments, and the number of states of an equation.
func (s *server) hover(d *document, p *params) (any, error) {
	n, t := d.nameAt(p.Position)
	if n == nil {
		return nil, nil
	}
	text := strings.TrimSuffix(n.Kind+" `"+n.Text+"`: "+n.Type, ": ")
	switch decl := n.Decl.(type) {
	case *syntax.Field:
		text += "\n\n```ring\n" + syntax.FormatField(decl) + "\n```"
	case syntax.Decl:
		text += "\n\n```ring\n" + syntax.FormatDecl(decl) + "\n```"
	}
	for _, c := range d.reading().File.Comments {
		if c.Before != nil && c.Before == n.Decl && !c.Apart || c.Beside != nil && c.Beside == n.Decl {
			text += "\n\n" + strings.Join(c.Lines, "\n")
		}
	}
	s.mu.Lock()
	if q := s.quickChecks[d.uri]; q != nil && q.of == d && n.Kind == "equation" && q.states[n.Text] != "" {
		text += "\n\ntaken in " + q.states[n.Text]
	}
	s.mu.Unlock()
	return hover{markup{"markdown", text}, d.span(t.Pos, t.End)}, nil
}

func (s *server) definition(d *document, p *params) (any, error) {
	return d.locations(p, func(n *check.Name) []syntax.Pos { return n.Declarations }), nil
}

func (s *server) references(d *document, p *params) (any, error) {
	return d.locations(p, func(n *check.Name) []syntax.Pos {
		return slices.DeleteFunc(slices.Clone(n.At), func(at syntax.Pos) bool {
			return !p.Context.IncludeDeclaration && slices.Contains(n.Declarations, at)
		})
	}), nil
}

// symbols lists what the document declares.
func (s *server) symbols(d *document, _ *params) (any, error) {
	list := []symbol{}
	whole := map[any]textRange{}
	for _, x := range d.reading().File.Extents {
		whole[x.Decl] = textRange{d.position(x.Start), d.position(d.tokenEnd(x.End))}
	}
	names, _ := d.names()
	for _, n := range names {
		if r, ok := whole[n.Decl]; ok && len(n.Declarations) > 0 && n.Kind != "bound name" && n.Kind != "field" {
			own := d.ranges(n.Declarations)[0]
			list = append(list, symbol{n.Text, n.Kind, kinds[n.Kind].symbol, &r, &own, nil})
		}
	}
	return list, nil
}

// folding offers to hide all but the first line of declarations and comments.
func (s *server) folding(d *document, _ *params) (any, error) {
	list := []foldingRange{}
	f := d.reading().File
	for _, x := range f.Extents {
		if x.End.Line > x.Start.Line {
			list = append(list, foldingRange{x.Start.Line - 1, x.End.Line - 1, ""})
		}
	}
	for _, c := range f.Comments {
		if n := len(c.Lines); n > 1 {
			list = append(list, foldingRange{c.Pos.Line - 1, c.Pos.Line + n - 2, "comment"})
		}
	}
	return list, nil
}

// mostFiles bounds the number of files of an editor's folders that the server looks at.
const mostFiles = 2000

// fileURI returns the address of a file. A path on a drive of Windows gets a slash in front.
func fileURI(path string) string {
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}).String()
}

// workspaceSymbols finds declarations in all specs of the folders that the editor shows.
func (s *server) workspaceSymbols(ctx context.Context, p *params) (any, error) {
	list := []symbol{}
	for _, d := range s.everywhere(ctx) {
		names, _ := d.names()
		for _, n := range names {
			part := strings.Contains(strings.ToLower(n.Text), strings.ToLower(p.Query))
			_, declares := n.Decl.(syntax.Decl)
			if part && declares && len(n.Declarations) > 0 && n.Kind != "bound name" {
				at := location{d.uri, d.ranges(n.Declarations)[0]}
				list = append(list, symbol{n.Text, "", kinds[n.Kind].symbol, nil, nil, &at})
			}
		}
	}
	return list, nil
}

// everywhere returns the open documents, and the specs in the folders.
func (s *server) everywhere(ctx context.Context) (docs []*document) {
	s.mu.Lock()
	open := map[string]bool{}
	for _, d := range s.docs {
		docs = append(docs, d)
		open[d.uri] = true
	}
	roots := s.roots
	s.mu.Unlock()
	files := 0
	for _, root := range roots {
		u, err := url.Parse(root)
		if err != nil || u.Scheme != "file" {
			continue
		}
		folder := filepath.FromSlash(u.Path)
		if drive := strings.TrimPrefix(folder, `\`); filepath.VolumeName(drive) != "" {
			folder = drive
		}
		filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
			if files++; err != nil || files > mostFiles || ctx.Err() != nil {
				return cmp.Or(err, ctx.Err(), fs.SkipAll)
			}
			if uri := fileURI(path); filepath.Ext(path) == ".ring" && e.Type().IsRegular() && !open[uri] {
				if text, err := textfile.Read(path); err == nil {
					docs = append(docs, newDocument(uri, 0, string(text)))
				}
			}
			return nil
		})
	}
	slices.SortFunc(docs, func(a, b *document) int { return strings.Compare(a.uri, b.uri) })
	return docs
}

// rename gives a name another spelling wherever it occurs, if all names then still refer to the same declarations.
func (s *server) rename(d *document, p *params) (any, error) {
	n, t := d.nameAt(p.Position)
	if n == nil || len(n.Declarations) == 0 || !t.Name() {
		return nil, requestError("nothing here can be renamed")
	}
	if words, _ := syntax.Parse("", []byte(p.NewName)); !words.Token(0).Name() || words.Token(0).Text != p.NewName {
		return nil, requestError("%q is not a name", p.NewName)
	}
	after := d
	edits := []textEdit{}
	for _, r := range d.ranges(n.At) {
		edits = append(edits, textEdit{r, p.NewName})
	}
	for _, e := range slices.Backward(edits) {
		after = after.withEdit(d.version, &e.Range, e.NewText)
	}
	if !slices.Equal(bindings(d), bindings(after)) || len(after.reading().Errors) > len(d.reading().Errors) {
		return nil, requestError("%s would refer to another declaration somewhere", p.NewName)
	}
	return workspaceEdit{map[string][]textEdit{d.uri: edits}}, nil
}

// bindings returns for each token of a document the first token that refers to the same declaration.
func bindings(d *document) []int {
	f := d.reading().File
	list := make([]int, f.TokenAt(syntax.Pos{Line: len(d.lines) + 1})+1)
	names, _ := d.names()
	for _, n := range names {
		first := f.TokenAt(n.At[0]) + 1
		for _, pos := range n.At {
			list[f.TokenAt(pos)] = first
		}
	}
	return list
}

// completion offers what can stand at the cursor.
func (s *server) completion(d *document, p *params) (any, error) {
	return d.completion(p.Position), nil
}
