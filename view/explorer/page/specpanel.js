import { byId, h } from "./dom.js";
import { coloured } from "./colour.js";

// The SpecPanel shows the spec, in the editor if the page has one, and marks the lines of the actions that processes
// may take next.
export class SpecPanel {
  /** @param {import("./exploration.js").Exploration} exploration */
  constructor(exploration) {
    this.exploration = exploration;
  }

  show() {
    const { run, editor } = this.exploration;
    const enabled = new Map(); // the processes, by line
    run.state.processes.forEach((process, p) => {
      for (const line of process.lines) enabled.set(line, [...(enabled.get(line) || []), p]);
    });
    const last = run.position > 0 ? run.here.move.process : -1;
    if (editor) editor.mark(enabled, last);
    else this.mark(enabled, last);
  }

  // mark marks lines of a spec without an editor. Last is the process that has acted.
  mark(enabled, last) {
    const panel = byId("spec");
    if (!panel.firstChild) panel.append(this.listing());
    [...panel.firstChild.children].forEach((item, i) => {
      const here = enabled.get(i + 1) || [];
      item.className = here.length ? "next" : "";
      item.firstChild.replaceChildren(...(here.length > 8 ? [h("b", {}, here.length + "×")]
        : here.map(p => h("b", { class: p === last ? "acting" : null, title: `process ${p} may do this next` }, p))));
    });
    const first = panel.querySelector(".next");
    if (!first) return;
    const below = first.offsetTop - panel.scrollTop;
    if (below < 0 || below > panel.clientHeight - 40) panel.scrollTop = first.offsetTop - panel.clientHeight / 3;
  }

  listing() {
    return h("ol", {}, this.exploration.system.source.map((line, i) =>
      h("li", {}, h("span", { class: "at" }), h("span", { class: "line" }, i + 1),
        h("code", {}, coloured(line || " ").map(p => h("span", { class: p.kind || null }, p.text))))));
  }
}
