//go:build !js

package explorer

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"strings"

	"ringcheck/explore"
	"ringcheck/view/internal/shared"
)

// Export writes the page, with all states, as one file that needs no server. The error wraps ErrManyStates if there are
// too many.
func Export(ctx context.Context, w io.Writer, x *Explorer, opt explore.Options) error {
	graph, err := x.Graph(ctx, opt)
	if err != nil {
		return err
	}
	about, err := x.Describe()
	if err != nil {
		return err
	}
	quotient, err := x.Quotient(ctx, opt)
	if err != nil {
		return err
	}
	all := &pageData{about, graph, quotient, quotient.classes, make(map[string]*State)}
	for _, node := range graph.Nodes {
		if all.States[node.Code], err = x.State(ctx, node.Code, nil); err != nil {
			return err
		}
	}
	return writeFile(w, all)
}

// pageData is the data that the page otherwise requests from a server.
type pageData struct {
	*Description
	Graph    *Graph            `json:"graph"`
	Quotient *Quotient         `json:"quotient"`
	Classes  map[string]int    `json:"classes"` // by code
	States   map[string]*State `json:"states"`  // by code
}

// writeFile writes the page, its style, its modules and the data as one file. The modules are concatenated into one
// script, since their top-level names are distinct.
func writeFile(w io.Writer, all *pageData) error {
	var failed error
	read := func(name string) string {
		text, err := fs.ReadFile(Files(), name)
		failed = cmp.Or(failed, err)
		return string(text)
	}
	script := shared.Script()
	for _, name := range modules {
		script += shared.Plain(read(name))
	}
	library, style, index := read(layoutLibrary), shared.Read("network.css")+read("style.css"), read("index.html")
	if failed != nil {
		return failed
	}
	data, err := json.Marshal(all) // escapes <, > and &
	if err != nil {
		return err
	}
	var grammar bytes.Buffer // without characters that would end the script element
	json.HTMLEscape(&grammar, []byte(read(grammarFile)))
	policy := fmt.Sprintf("default-src 'none'; script-src 'sha256-%s' 'sha256-%s'; style-src 'sha256-%s'; "+
		"img-src data: blob:; base-uri 'none'; form-action 'none'",
		digest(library), digest(script), digest(style))
	title := template.HTMLEscapeString(all.Title + ", " + all.Settings)
	text := strings.NewReplacer(
		"<title>ringcheck</title>",
		"<meta http-equiv=\"Content-Security-Policy\" content=\""+policy+"\">\n<title>"+title+"</title>",
		`<link rel="stylesheet" href="network.css">`+"\n"+`<link rel="stylesheet" href="style.css">`,
		"<style>"+style+"</style>",
		`<script src="`+layoutLibrary+`"></script>`, "<script>"+library+"</script>",
		`<script type="module" src="app.js"></script>`,
		"<script type=\"application/json\" id=\"data\">"+string(data)+"</script>\n"+
			"<script type=\"application/json\" id=\"grammar\">"+grammar.String()+"</script>\n"+
			"<script type=\"module\">"+script+"</script>",
	).Replace(index)
	_, err = io.WriteString(w, text)
	return err
}

// modules are the scripts of the page after the shared ones. Each follows the modules that it imports.
var modules = []string{
	"fileplan.js", "backend.js", "tasks.js", "run.js", "chart.js", "recording.js", "exploration.js", "link.js",
	"actions.js", "player.js", "address.js", "header.js", "stage.js", "toolbar.js", "moves.js", "properties.js",
	"selection.js", "chartpanel.js", "colour.js", "specpanel.js", "graph.js", "quotient.js", "graphpanel.js",
	"search.js", "tabs.js", "keyboard.js", "app.js",
}

// layoutLibrary is the script for the layout of graphs, not a module.
const layoutLibrary = "vendor/dagre.min.js"

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}
