package lsp

import "encoding/json"

// The structures of the Language Server Protocol 3.17 that are used, with the members that are used. Positions count
// lines and UTF-16 code units from 0.
type (
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	textRange struct {
		Start position `json:"start"`
		End   position `json:"end"` // behind it
	}
	location struct {
		URI   string    `json:"uri"`
		Range textRange `json:"range"`
	}
	textEdit struct {
		Range   textRange `json:"range"`
		NewText string    `json:"newText"`
	}
	workspaceEdit struct {
		Changes map[string][]textEdit `json:"changes"`
	}
	diagnostic struct {
		Range    textRange `json:"range"`
		Severity int       `json:"severity"`
		Code     string    `json:"code,omitempty"`
		Source   string    `json:"source"`
		Message  string    `json:"message"`
	}
	diagnostics struct {
		URI         string       `json:"uri"`
		Version     int          `json:"version"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}
	hover struct {
		Contents markup    `json:"contents"`
		Range    textRange `json:"range"`
	}
	symbol struct { // a DocumentSymbol, or a SymbolInformation, which has a location instead of ranges
		Name           string     `json:"name"`
		Detail         string     `json:"detail,omitempty"`
		Kind           int        `json:"kind"`
		Range          *textRange `json:"range,omitempty"`
		SelectionRange *textRange `json:"selectionRange,omitempty"`
		Location       *location  `json:"location,omitempty"`
	}
	foldingRange struct {
		StartLine int    `json:"startLine"`
		EndLine   int    `json:"endLine"`
		Kind      string `json:"kind,omitempty"`
	}
	// A Completion is a word or a name that can stand at a place.
	Completion struct {
		Label  string `json:"label"`
		Kind   int    `json:"kind"`
		Detail string `json:"detail,omitempty"` // what a name is
	}
	command struct {
		Title     string `json:"title"`
		Command   string `json:"command"`
		Arguments []any  `json:"arguments,omitempty"`
	}
	codeLens struct {
		Range   textRange `json:"range"`
		Command command   `json:"command"`
	}
	codeAction struct {
		Title       string        `json:"title"`
		Kind        string        `json:"kind"`
		Diagnostics []diagnostic  `json:"diagnostics"`
		IsPreferred bool          `json:"isPreferred,omitempty"`
		Edit        workspaceEdit `json:"edit"`
	}

	// params are the parameters of requests; each has some of the members.
	params struct {
		TextDocument struct {
			URI     string `json:"uri"`
			Version int    `json:"version"`
			Text    string `json:"text"`
		} `json:"textDocument"`
		ContentChanges []struct {
			Range *textRange `json:"range"` // nil: the text is the whole document
			Text  string     `json:"text"`
		} `json:"contentChanges"`
		Position position   `json:"position"`
		Range    *textRange `json:"range"`
		NewName  string     `json:"newName"`
		Query    string     `json:"query"`
		Context  struct {
			IncludeDeclaration bool `json:"includeDeclaration"`
		} `json:"context"`
		Command          string          `json:"command"`
		Arguments        []string        `json:"arguments"`
		ID               json.RawMessage `json:"id"` // of a request to cancel
		WorkspaceFolders []struct {
			URI string `json:"uri"`
		} `json:"workspaceFolders"`
		Capabilities struct {
			Window struct {
				ShowDocument struct {
					Support bool `json:"support"`
				} `json:"showDocument"`
			} `json:"window"`
		} `json:"capabilities"`
	}
	showDocument struct {
		URI       string `json:"uri"`
		External  bool   `json:"external,omitempty"`
		TakeFocus bool   `json:"takeFocus,omitempty"`
	}
	message struct {
		Type    int    `json:"type"`
		Message string `json:"message"`
	}
)

// Severities of diagnostics, which are also the types of messages.
const (
	severityError = iota + 1
	severityWarning
	severityInformation
)

// capabilities are the capabilities that the server announces.
var capabilities = map[string]any{
	"textDocumentSync":                map[string]any{"openClose": true, "change": 2},
	"hoverProvider":                   true,
	"definitionProvider":              true,
	"referencesProvider":              true,
	"documentSymbolProvider":          true,
	"workspaceSymbolProvider":         true,
	"foldingRangeProvider":            true,
	"documentFormattingProvider":      true,
	"documentRangeFormattingProvider": true,
	"renameProvider":                  true,
	"completionProvider":              map[string]any{"triggerCharacters": []string{"."}},
	"codeActionProvider":              map[string]any{"codeActionKinds": []string{"quickfix"}},
	"codeLensProvider":                map[string]any{},
	"executeCommandProvider":          map[string]any{"commands": []string{checkCommand, runCommand, pageCommand}},
}

// The commands of code lenses. Their arguments are a document and the name of a property, or only the document.
const (
	checkCommand = "ringcheck.check"
	runCommand   = "ringcheck.counterexample"
	pageCommand  = "ringcheck.page"
)

// kinds are the numbers that the protocol has for symbols and completions, by the kind of a name.
var kinds = map[string]struct{ symbol, completion int }{
	"parameter": {14, 21}, "option": {14, 21}, "constant": {14, 21}, "type": {10, 13}, "assignment": {13, 6},
	"variable": {13, 6}, "process number": {13, 6}, "kind of process": {5, 7}, "definition": {12, 3},
	"bound name": {13, 6}, "reward": {16, 10}, "message": {23, 22}, "event": {24, 23}, "equation": {12, 3},
	"property": {7, 10}, "role": {5, 7}, "field": {8, 5}, "value": {22, 20},
}
