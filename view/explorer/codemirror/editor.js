export { EditorState, StateEffect, StateField, RangeSetBuilder, Compartment } from "@codemirror/state";
export { EditorView, keymap, Decoration, ViewPlugin, lineNumbers, drawSelection, highlightActiveLine, highlightActiveLineGutter, gutter, GutterMarker, hoverTooltip } from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab, toggleComment } from "@codemirror/commands";
export { StreamLanguage, syntaxHighlighting, HighlightStyle, bracketMatching, indentUnit } from "@codemirror/language";
export { autocompletion, completionKeymap } from "@codemirror/autocomplete";
export { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
export { searchKeymap, highlightSelectionMatches } from "@codemirror/search";
export { tags } from "@lezer/highlight";
