import * as cm from "./vendor/codemirror.js";
import { h } from "./dom.js";
import { tokenAt } from "./colour.js";

// The editor of the spec: CodeMirror (folder vendor), in a shadow tree, where its styles need no permission of the
// page's policy.

const language = cm.StreamLanguage.define({
  token(stream) {
    const { kind, end } = tokenAt(stream.string, stream.pos);
    stream.pos = end;
    return kind || null;
  },
  tokenTable: { comment: cm.tags.comment, string: cm.tags.string, constant: cm.tags.literal, sign: cm.tags.punctuation,
    keyword: cm.tags.keyword, type: cm.tags.typeName, call: cm.tags.labelName, title: cm.tags.className,
    name: cm.tags.variableName },
  languageData: { commentTokens: { line: "//" } },
});

const colours = cm.HighlightStyle.define([
  { tag: cm.tags.comment, color: "var(--muted)", fontStyle: "italic" }, { tag: cm.tags.string, color: "var(--good)" },
  { tag: cm.tags.literal, color: "var(--amber)" }, { tag: cm.tags.keyword, color: "var(--accent)", fontWeight: "600" },
  { tag: cm.tags.typeName, color: "var(--accent)" }, { tag: cm.tags.labelName, color: "var(--blue)" },
  { tag: cm.tags.className, color: "var(--blue)" },
]);

const theme = cm.EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "13px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  "&.cm-focused": { outline: "2px solid var(--blue)", outlineOffset: "-2px" },
  ".cm-gutters": { backgroundColor: "var(--wash)", color: "var(--muted)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--blue) 7%, transparent)" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--blue) 25%, transparent) !important" },
  ".cm-tooltip": { background: "var(--paper)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--blue)", color: "var(--on)" },
  ".cm-completionDetail": { color: "inherit", opacity: ".75", fontStyle: "normal" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap", maxWidth: "46ch" },
  ".cm-panels": { background: "var(--wash)", color: "var(--ink)" },
  ".cm-next": { backgroundColor: "var(--accent-wash)" },
  ".cm-at": { minWidth: "20px", textAlign: "right" },
  ".cm-line": { paddingLeft: "32px", textIndent: "-28px" },
  ".cm-gutter-lint": { width: "15px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "22px", padding: "0 2px" },
  ".cm-at b": { display: "inline-block", minWidth: "15px", marginLeft: "1px", padding: "0 3px", borderRadius: "7px",
    background: "var(--blue)", color: "var(--on)", font: "11px/1.4 var(--sans)", textAlign: "center" },
  "@media (max-width: 700px)": { // a phone, where the text of a problem is above the editor
    ".cm-gutter-lint": { display: "none" },
    ".cm-lineNumbers .cm-gutterElement": { minWidth: "16px", padding: "0 1px" },
    ".cm-at": { minWidth: "17px" },
    ".cm-line": { paddingLeft: "14px", textIndent: "-10px" },
  },
  ".cm-at b.acting": { background: "var(--accent)" },
});

// A Marker shows the processes that may do a line next.
class Marker extends cm.GutterMarker {
  constructor(here, last) {
    super();
    this.here = here;
    this.last = last;
  }
  eq(other) { return String(other.here) === String(this.here) && other.last === this.last; }
  toDOM() {
    return h("span", {}, this.here.length > 4 ? h("b", {}, this.here.length + "×")
      : this.here.map(p => h("b", { class: p === this.last ? "acting" : null, title: `process ${p} may do this next` }, p)));
  }
}

const mark = cm.StateEffect.define();
const marks = cm.StateField.define({
  create: () => ({ at: new Map(), last: -1 }),
  update: (value, tr) => tr.effects.find(e => e.is(mark))?.value ?? (tr.docChanged ? { at: new Map(), last: -1 } : value),
  provide: field => cm.EditorView.decorations.from(field, ({ at }) => view => cm.Decoration.set([...at.keys()]
    .filter(n => n <= view.state.doc.lines).sort((a, b) => a - b)
    .map(n => cm.Decoration.line({ class: "cm-next" }).range(view.state.doc.line(n).from)))),
});

const markers = cm.gutter({
  class: "cm-at",
  lineMarker(view, line) {
    const { at, last } = view.state.field(marks), here = at.get(view.state.doc.lineAt(line.from).number);
    return here ? new Marker(here, last) : null;
  },
  lineMarkerChange: update => update.transactions.some(tr => tr.effects.some(e => e.is(mark))),
});

// An Editor holds a text. It calls changed when the text has changed, and asks complete for what can stand at a place.
export class Editor {
  constructor(host, { changed, complete, save, run }) {
    const root = host.attachShadow({ mode: "open" });
    const command = action => ({ run: () => { action(); return true; } });
    this.extensions = [
      cm.lineNumbers(), markers, marks, cm.lintGutter(), cm.EditorView.lineWrapping, cm.history(), cm.drawSelection(),
      cm.highlightActiveLine(), cm.bracketMatching(), cm.highlightSelectionMatches(), language, cm.syntaxHighlighting(colours), theme,
      cm.EditorState.tabSize.of(4), cm.indentUnit.of("    "),
      cm.EditorView.contentAttributes.of({ "aria-label": "The spec", spellcheck: "false", tabindex: "0" }),
      cm.autocompletion({ override: [context => this.offers(context, complete)] }),
      cm.keymap.of([{ key: "Mod-s", ...command(save) }, { key: "Mod-Enter", ...command(run) },
        ...cm.completionKeymap, ...cm.lintKeymap, ...cm.searchKeymap, ...cm.historyKeymap, ...cm.defaultKeymap]),
      cm.EditorView.updateListener.of(update => { if (update.docChanged) changed(); }),
    ];
    this.view = new cm.EditorView({ root, parent: root, extensions: this.extensions });
  }

  get text() { return this.view.state.doc.toString(); }

  // load puts another text into the editor, with a history of its own.
  load(text) {
    this.view.setState(cm.EditorState.create({ doc: text, extensions: this.extensions }));
    this.view.dispatch({ effects: cm.EditorView.scrollIntoView(0) });
  }

  // replace makes the text another, as an edit that can be undone; what is equal at both ends stays.
  replace(text) {
    const old = this.text;
    let from = 0, end = 0;
    while (from < old.length && from < text.length && old[from] === text[from]) from++;
    while (end < Math.min(old.length, text.length) - from && old.at(-1 - end) === text.at(-1 - end)) end++;
    this.view.dispatch({ changes: { from, to: old.length - end, insert: text.slice(from, text.length - end) },
      selection: { anchor: from }, effects: cm.EditorView.scrollIntoView(from, { y: "center" }) });
  }

  async offers(context, complete) {
    const word = context.matchBefore(/\w*/);
    if (word.from === word.to && !context.explicit) return null;
    const line = context.state.doc.lineAt(context.pos);
    const list = await complete(this.text, line.number - 1, context.pos - line.from);
    return { from: word.from, options: list.map(({ label, detail }) => ({ label, detail })), validFor: /^\w*$/ };
  }

  // go moves the cursor to a place.
  go(place) {
    const anchor = this.offset(place);
    this.view.dispatch({ selection: { anchor }, effects: cm.EditorView.scrollIntoView(anchor, { y: "center" }) });
    this.view.focus();
  }

  // offset returns the offset of a line and a column, which counts characters.
  offset({ line, column }) {
    const { doc } = this.view.state;
    if (line > doc.lines) return doc.length;
    const { from, text } = doc.line(Math.max(1, line));
    return from + [...text].slice(0, Math.max(0, column - 1)).join("").length;
  }

  diagnose(problems) {
    const found = problems.map(p => {
      const from = this.offset(p.pos);
      const to = Math.max(from, this.offset(p.end.line ? p.end : { ...p.pos, column: p.pos.column + 1 }));
      return { from, to, severity: p.warning ? "warning" : "error", message: p.message + (p.hint ? "\n" + p.hint : "") };
    });
    this.view.dispatch(cm.setDiagnostics(this.view.state, found));
  }

  // mark marks the lines that processes may do next, of which last has acted.
  mark(at, last) {
    const { doc } = this.view.state, first = Math.min(...at.keys());
    const effects = [mark.of({ at, last })];
    if (!this.view.hasFocus && last >= 0 && first <= doc.lines) {
      effects.push(cm.EditorView.scrollIntoView(doc.line(first).from, { y: "nearest", yMargin: 40 }));
    }
    this.view.dispatch({ effects });
  }

  focus() { this.view.focus(); }
}
