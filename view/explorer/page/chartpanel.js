import { byId, h, visible } from "./dom.js";
import { drawChart, drawHeads, stepList } from "./chart.js";

// The ChartPanel shows the run as a chart beside a list of its steps.
export class ChartPanel {
  constructor(exploration, go) {
    Object.assign(this, { exploration, go });
  }

  reset() { byId("chart").replaceChildren(); }

  show() {
    const { system, run } = this.exploration, panel = byId("chart"), width = chartWidth(panel);
    byId("finding").replaceChildren(visible(run.finding), ...run.why.map(line => h("span", { class: "why" }, line)));
    panel.replaceChildren(h("div", { class: "steps" }, h("div", { class: "corner" }), stepList(run, this.go)),
      h("div", { class: "lanes" }, drawHeads(system, run, width), drawChart(system, run, width, false)));
    panel.scrollTop = panel.scrollHeight;
  }
}

// chartWidth returns the width that a panel has for the chart: the list of steps takes a third.
const chartWidth = ({ clientWidth }) => clientWidth - Math.max(130, clientWidth / 3) - 4;
