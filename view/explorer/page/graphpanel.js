import { byId, capitalised, h, number, plural, visible } from "./dom.js";
import { StateGraph } from "./graph.js";
import { QuotientGraph } from "./quotient.js";
import { showAlert } from "./tasks.js";

const manyClasses = 150, manyTransitions = 400; // of a quotient that is drawn

// The GraphPanel shows one of two graphs of the system: all states, or the quotient. A graph is requested when it is
// first shown; until then, and if there is none, a text says why.
export class GraphPanel {
  /** @param {import("./exploration.js").Exploration} exploration */
  constructor(exploration, visit) {
    this.exploration = exploration;
    this.selected = "all";
    /** @type {Record<string, { text: any, drawn: boolean }>} */
    this.graphs = {};
    this.drawings = { all: new StateGraph(byId("graph"), visit), quotient: new QuotientGraph(byId("quotient"), visit) };
  }

  // reset drops the graphs of an earlier system. A request for one of them may be under way.
  reset() { this.graphs = {}; }

  select(name) {
    this.selected = name;
    for (const other of Object.keys(this.drawings)) {
      byId("graph-" + other).setAttribute("aria-pressed", String(other === name));
    }
  }

  async show() {
    const name = this.selected;
    if (!this.graphs[name]) await this.load(name);
    this.draw();
    if (this.graphs[name]?.drawn) await this.mark(name).catch(error => showAlert(error.message));
  }

  async load(name) {
    /** @type {{ text: any, drawn: boolean }} */
    const graph = this.graphs[name] = { text: "Making the graph …", drawn: false };
    this.draw();
    try {
      const { backend } = this.exploration;
      const answer = await (name === "all" ? backend.graph() : backend.quotient());
      if (answer.large) throw new Error(capitalised(answer.large));
      if (this.graphs[name] !== graph) return; // the answer is about an earlier system
      graph.text = name === "all" ? describeStates(answer) : describeQuotient(answer);
      this.drawings[name].show(answer);
      graph.drawn = true;
    } catch (error) {
      graph.text = visible(error.message);
    }
  }

  // draw shows the selected graph, or only its text.
  draw() {
    const graph = this.graphs[this.selected];
    if (!graph) return;
    byId("graph-text").replaceChildren(...[graph.text].flat());
    byId("graph").toggleAttribute("hidden", this.selected !== "all" || !graph.drawn);
    byId("quotient").toggleAttribute("hidden", this.selected !== "quotient" || !graph.drawn);
  }

  // mark marks the state of the run.
  async mark(name) {
    const { backend, run } = this.exploration, { code } = run.state;
    this.drawings[name].mark(name === "all" ? code : await backend.classOf(code));
  }
}

function describeStates({ nodes, edges }) {
  const count = mark => number(nodes.filter(n => n.mark === mark).length);
  const levels = new Set(nodes.map(n => n.level)).size;
  const sizes = [plural(nodes.length, "state"), plural(edges.length, "transition"), plural(levels, "level")];
  return [sizes.join(", ") + ". ",
    h("span", { class: "dot terminal" }), `${count("terminal")} terminal `, h("span", { class: "dot violated" }),
    `${count("violated")} violate an invariant. Click a state to go there.`];
}

// describeQuotient fails if the quotient is too large for a drawing.
function describeQuotient({ nodes, edges }) {
  const classes = plural(nodes.length, "class").replace("classs", "classes");
  const size = `${classes} of states, ${plural(edges.length, "transition")} modulo branching bisimilarity`;
  if (nodes.length > manyClasses || edges.length > manyTransitions) {
    throw new Error(`${size}: too many to draw. ringcheck minimize --out writes them to a file.`);
  }
  return [size + ", where only events are visible: all that can be observed. ",
    h("span", { class: "dot terminal" }), "terminal. Click a class to go to the first of its states."];
}
