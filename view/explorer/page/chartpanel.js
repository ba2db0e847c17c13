import { byId, h, visible } from "./dom.js";
import { paintChart, paintHeads, stepList } from "./chart.js";
import { showAlert } from "./tasks.js";

// The ChartPanel shows the run as a chart beside a list of its steps.
export class ChartPanel {
  /** @param {import("./exploration.js").Exploration} exploration */
  constructor(exploration, selection, go) {
    this.exploration = exploration;
    this.selection = selection;
    this.go = go;
    this.list = h("div", { class: "steps" });
    this.lanes = h("div", { class: "lanes" });
    this.turn = 0;
  }

  reset() {
    this.turn++;
    this.lanes.replaceChildren();
    this.list.replaceChildren();
    byId("chart").replaceChildren();
    byId("chart").removeAttribute("aria-busy");
  }

  show() {
    const { run } = this.exploration, panel = byId("chart");
    byId("finding").replaceChildren(visible(run.finding), ...run.why.map(line => h("span", { class: "why" }, line)));
    const { processes, messages, ...flags } = this.selection.value;
    const all = processes.length === 0 && messages.length === 0 && !Object.values(flags).some(Boolean);
    if (all) this.showSteps(singleRows(run)); // at once
    panel.replaceChildren(this.list, this.lanes);
    panel.scrollTop = panel.scrollHeight;
    return this.paint(panel, ++this.turn);
  }

  showSteps(rows) {
    this.list.replaceChildren(h("div", { class: "corner" }), stepList(this.exploration.run, rows, this.go));
  }

  // paint asks for the plan of the run and paints it, unless another one is to be painted by then.
  async paint(panel, turn) {
    const { backend, system, run } = this.exploration;
    panel.setAttribute("aria-busy", "true");
    try {
      const plan = await backend.plan(system, run, chartWidth(panel), this.selection.value);
      if (turn !== this.turn) return;
      this.showSteps(plan);
      this.lanes.replaceChildren(paintHeads(plan), paintChart(plan, false));
      panel.scrollTop = panel.scrollHeight;
    } catch (error) {
      if (turn === this.turn) showAlert(error.message);
    } finally {
      if (turn === this.turn) panel.removeAttribute("aria-busy");
    }
  }
}

// singleRows returns the rows of a chart in which each step of a run, up to its position, has a row.
function singleRows(run) {
  const steps = Array.from({ length: run.position + 1 }, (_, i) => [i]);
  return { steps, numbers: steps.map(String) };
}

// chartWidth returns the width that a panel has for the chart: the list of steps takes a third.
const chartWidth = ({ clientWidth }) => clientWidth - Math.max(130, clientWidth / 3) - 4;
