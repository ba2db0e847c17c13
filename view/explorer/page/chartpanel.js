import { byId, h, visible } from "./dom.js";
import { paintChart, paintHeads, stepList } from "./chart.js";
import { showAlert } from "./tasks.js";

// The ChartPanel shows the run as a chart beside a list of its steps.
export class ChartPanel {
  constructor(exploration, go) {
    Object.assign(this, { exploration, go, lanes: h("div", { class: "lanes" }), turn: 0 });
  }

  reset() {
    this.turn++;
    this.lanes.replaceChildren();
    byId("chart").replaceChildren();
    byId("chart").removeAttribute("aria-busy");
  }

  show() {
    const { run } = this.exploration, panel = byId("chart");
    byId("finding").replaceChildren(visible(run.finding), ...run.why.map(line => h("span", { class: "why" }, line)));
    panel.replaceChildren(h("div", { class: "steps" }, h("div", { class: "corner" }), stepList(run, this.go)), this.lanes);
    panel.scrollTop = panel.scrollHeight;
    return this.paint(panel, ++this.turn);
  }

  // paint asks for the plan of the run and paints it, unless another one is to be painted by then.
  async paint(panel, turn) {
    const { backend, system, run } = this.exploration;
    panel.setAttribute("aria-busy", "true");
    try {
      const plan = await backend.plan(system, run, chartWidth(panel));
      if (turn !== this.turn) return;
      this.lanes.replaceChildren(paintHeads(plan), paintChart(plan, false));
      panel.scrollTop = panel.scrollHeight;
    } catch (error) {
      if (turn === this.turn) showAlert(error.message);
    } finally {
      if (turn === this.turn) panel.removeAttribute("aria-busy");
    }
  }
}

// chartWidth returns the width that a panel has for the chart: the list of steps takes a third.
const chartWidth = ({ clientWidth }) => clientWidth - Math.max(130, clientWidth / 3) - 4;
