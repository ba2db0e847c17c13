import { byId } from "./dom.js";

// A Selection says what the chart shows of a run, as view.Selection in Go: the user chooses it above the chart. On the
// page of a file there is no program to make such charts, so its controls are hidden.
export class Selection {
  // changed is called when the user has chosen something else.
  constructor(live, changed) {
    byId("selection-details").hidden = !live;
    for (const name of ["input", "change"]) byId("selection").addEventListener(name, changed);
    byId("selection").addEventListener("submit", event => event.preventDefault());
  }

  // value is what is selected, as programs read it. Numbers that are no numbers are left out.
  get value() {
    const on = id => byId(id).checked, words = id => byId(id).value.split(/[\s,]+/).filter(Boolean);
    return { fold: on("fold"), share: on("compact"), received: on("received"),
      processes: words("only-process").map(Number).filter(Number.isInteger), messages: words("only-message") };
  }
}

// A StepSearch finds steps of a run by their text, and goes to them.
export class StepSearch {
  /** @param {import("./exploration.js").Exploration} exploration */
  constructor(exploration, go) {
    this.exploration = exploration;
    this.go = go;
    byId("step-search").addEventListener("submit", event => {
      event.preventDefault();
      this.next();
    });
  }

  // next goes to the next step that has the text, after the last one to the first, and says how many there are.
  next() {
    const { run } = this.exploration, text = byId("step-text").value.trim().toLowerCase();
    if (!run || !text) return;
    const found = run.steps.flatMap((step, i) => (step.move.text.toLowerCase().includes(text) ? [i + 1] : []));
    const next = found.find(i => i > run.position) ?? found[0];
    byId("step-found").textContent = next ? `${found.indexOf(next) + 1} of ${found.length}` : "not found";
    if (next) this.go(next);
  }
}
