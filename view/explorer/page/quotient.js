import { number, plural, s } from "./dom.js";
import { arrowTip } from "./chart.js";

// QuotientGraph draws a minimised system: a box for each class of states, with the number of its states, and an arrow
// for each transition. The layout is dagre's (folder vendor).
export class QuotientGraph {
  constructor(svg, choose) {
    this.svg = svg;
    this.choose = choose;
    this.boxes = [];
  }

  show(quotient) {
    this.quotient = quotient;
    const layout = arrange(quotient);
    const { width, height } = layout.graph();
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.style.maxWidth = width * 1.3 + "px";
    this.boxes = quotient.nodes.map((node, i) => this.box(node, i, layout.node(i)));
    this.svg.replaceChildren(...layout.edges().flatMap(e => arrow(layout.edge(e))), ...this.boxes);
  }

  box(node, i, { x, y, width, height }) {
    const go = () => node.code && this.choose(node.code);
    const states = plural(this.quotient.sizes[i], "state");
    const kind = node.mark ? ", terminal" : "";
    return s("g",
      { class: "class " + (node.mark || ""), transform: `translate(${x} ${y})`, tabindex: 0, role: "button",
      onclick: go, onkeydown: event => { if (event.key === "Enter") { event.stopPropagation(); go(); } } },
      s("title", {}, `a class of ${states}${kind}`),
      s("rect", { x: -width / 2, y: -height / 2, width, height, rx: 12 }),
      s("text", { y: 5, "aria-hidden": "true" }, node.code ? number(this.quotient.sizes[i]) : "start"));
  }

  // mark marks the class of the current state; -1 marks none.
  mark(current) {
    this.boxes.forEach((box, i) => {
      box.classList.toggle("current", i === current);
      if (i === current) box.setAttribute("aria-current", "true");
      else box.removeAttribute("aria-current");
    });
  }
}

// arrange lays the graph out. Transitions between the same two classes are one arrow, with all their labels.
function arrange({ nodes, edges, sizes }) {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ nodesep: 34, ranksep: 46, edgesep: 18, marginx: 14, marginy: 14 });
  nodes.forEach((_, i) => graph.setNode(i, { width: Math.max(44, 9 * number(sizes[i]).length + 22), height: 32 }));
  for (const e of edges) {
    const lines = [...(graph.edge(e.from, e.to)?.lines || []), e.label];
    graph.setEdge(e.from, e.to,
      { lines, labelpos: "c", height: 17 * Math.min(lines.length, manyLabels + 1),
      width: 7.6 * Math.max(...lines.map(l => l.length)) + 12 });
  }
  dagre.layout(graph);
  return graph;
}

// The number of labels written at an arrow that has more.
const manyLabels = 4;

function arrow({ points, x, y, lines }) {
  const end = points.at(-1), before = points.at(-2);
  const labels = lines.length <= manyLabels + 1 ? lines
    : [...lines.slice(0, manyLabels), `and ${number(lines.length - manyLabels)} more`];
  return [
    s("path", { class: "transition", d: "M" + points.map(p => p.x + " " + p.y).join("L") }),
    arrowTip(before.x, before.y, end.x, end.y, ""),
    s("text", { class: "label" },
      ...labels.map((line, i) => s("tspan", { x, y: y + 5 + 17 * (i - (labels.length - 1) / 2) }, line)),
      s("title", {}, lines.join(", "))),
  ];
}
