// The colours of a spec, by the TextMate grammar that editors use, too. Its patterns are flat: the first one that
// matches at a place says what stands there.

let rules = [];

export async function loadGrammar() {
  const data = document.getElementById("grammar");
  const grammar = data ? JSON.parse(data.textContent) : await (await fetch("ring.tmLanguage.json")).json();
  rules = grammar.patterns.map(p => ({ kind: kindOf(p.name), match: new RegExp(p.match, "y") }));
}

const kinds = [["comment", "comment"], ["string", "string"], ["constant", "constant"], ["keyword.operator.ring", "sign"],
  ["keyword", "keyword"], ["storage", "type"], ["support", "call"], ["entity", "title"], ["variable", "name"]];

const kindOf = name => kinds.find(([prefix]) => name.startsWith(prefix))?.[1] ?? "sign";

// tokenAt returns the kind of what stands at a place in a line, and where it ends.
export function tokenAt(line, at) {
  for (const { kind, match } of rules) {
    match.lastIndex = at;
    const found = match.exec(line);
    if (found && found[0] !== "") return { kind, end: match.lastIndex };
  }
  return { kind: "", end: at + 1 };
}

// coloured returns a line as parts, each with its kind.
export function coloured(line) {
  /** @type {{ kind: string, text: string }[]} */
  const parts = [];
  for (let at = 0; at < line.length;) {
    const { kind, end } = tokenAt(line, at);
    const before = parts.at(-1);
    if (before && before.kind === kind) before.text += line.slice(at, end);
    else parts.push({ kind, text: line.slice(at, end) });
    at = end;
  }
  return parts;
}
