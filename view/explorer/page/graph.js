import { number, s } from "./dom.js";

// The number of arrows up to which a graph has tips at them.
const manyTips = 2000;

// StateGraph draws all states of a small system on a canvas, a row for each level of a breadth-first search.
export class StateGraph {
  constructor(canvas, choose) {
    this.canvas = canvas;
    this.choose = choose;
    /** @type {any} */
    this.graph = null;
    this.index = new Map(); // by code of a state: its number
    /** @type {number[][]} */
    this.levels = [];
    this.share = new Float64Array(0); // by state: its place in its level, from 0 to 1
    this.size = { width: 0, height: 0 };
    this.current = -1;
    this.cursor = -1;
    canvas.addEventListener("click", event => this.pick(this.nearest(event.offsetX, event.offsetY)));
    canvas.addEventListener("keydown", event => this.key(event));
    canvas.addEventListener("blur", () => { this.cursor = -1; this.draw(); });
    new ResizeObserver(() => this.draw()).observe(canvas.parentElement);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  show(graph) {
    this.graph = graph;
    this.cursor = -1;
    this.index = new Map(graph.nodes.map((n, i) => [n.code, i]));
    this.levels = [];
    graph.nodes.forEach((n, i) => (this.levels[n.level] ||= []).push(i));
    this.order();
  }

  // order places the states of a level near their predecessors in the level before.
  order() {
    const sum = new Float64Array(this.graph.nodes.length), count = new Float64Array(this.graph.nodes.length);
    this.share = new Float64Array(this.graph.nodes.length);
    const out = this.graph.nodes.map(() => []);
    for (const e of this.graph.edges) out[e.from].push(e.to);
    for (const level of this.levels) {
      const key = i => (count[i] ? sum[i] / count[i] : .5);
      level.sort((a, b) => key(a) - key(b) || a - b);
      level.forEach((node, i) => {
        this.share[node] = (i + .5) / level.length;
        for (const to of out[node]) {
          if (this.graph.nodes[to].level === this.graph.nodes[node].level + 1) {
            sum[to] += this.share[node];
            count[to]++;
          }
        }
      });
    }
  }

  mark(code) {
    this.current = this.graph ? this.index.get(code) ?? -1 : -1;
    this.draw();
  }

  place(i) {
    const { width, height } = this.size;
    const wide = Math.min(1,
      .25 + this.levels[this.graph.nodes[i].level].length / Math.max(...this.levels.map(l => l.length)));
    return { x: width / 2 + (this.share[i] - .5) * (width - 30) * wide,
      y: 18 + (height - 36) * (this.levels.length > 1 ? this.graph.nodes[i].level / (this.levels.length - 1) : .5) };
  }

  draw() {
    const { canvas, graph } = this;
    if (!graph || canvas.clientWidth === 0) return;
    const style = getComputedStyle(canvas), colour = name => style.getPropertyValue(name).trim();
    const scale = devicePixelRatio || 1;
    this.size = { width: canvas.clientWidth, height: canvas.clientHeight };
    canvas.width = this.size.width * scale;
    canvas.height = this.size.height * scale;
    const c = canvas.getContext("2d");
    c.scale(scale, scale);
    const places = graph.nodes.map((_, i) => this.place(i));
    c.lineWidth = 1;
    c.strokeStyle = colour("--muted");
    c.globalAlpha = Math.max(.06, Math.min(.5, 60 / graph.edges.length ** .7));
    c.beginPath();
    for (const e of graph.edges) {
      const a = places[e.from], b = places[e.to];
      c.moveTo(a.x, a.y);
      if (graph.nodes[e.to].level > graph.nodes[e.from].level) c.lineTo(b.x, b.y);
      else c.quadraticCurveTo((a.x + b.x) / 2 + 24, (a.y + b.y) / 2, b.x, b.y);
    }
    c.stroke();
    const r = Math.max(1.6, Math.min(7, 90 / graph.nodes.length ** .55));
    if (graph.edges.length <= manyTips) this.tips(c, places, r, colour("--muted"));
    c.globalAlpha = 1;
    graph.nodes.forEach((n, i) => {
      c.fillStyle = colour(n.mark === "violated" ? "--overtaken" : n.mark === "terminal" ? "--amber" : "--blue");
      c.beginPath();
      if (!n.mark) c.arc(places[i].x, places[i].y, r, 0, 7);
      else c.rect(places[i].x - r, places[i].y - r, 2 * r, 2 * r);
      c.fill();
    });
    this.ring(c, places[this.current], r + 4, colour("--accent"), 3);
    if (this.cursor !== this.current) this.ring(c, places[this.cursor], r + 4, colour("--ink"), 1.5);
  }

  // tips draws the tips of the arrows, at the border of the states to which they lead.
  tips(c, places, r, colour) {
    const { nodes, edges } = this.graph, size = Math.min(8, r + 3);
    c.globalAlpha = .8;
    c.fillStyle = colour;
    c.beginPath();
    for (const e of edges) {
      const a = places[e.from], b = places[e.to], bent = nodes[e.to].level <= nodes[e.from].level ? 12 : 0;
      if (a === b) continue;
      const angle = Math.atan2((b.y - a.y) / 2, (b.x - a.x) / 2 - 2 * bent);
      const at = (back, aside) => [b.x - back * Math.cos(angle) - aside * Math.sin(angle),
        b.y - back * Math.sin(angle) + aside * Math.cos(angle)];
      c.moveTo(...at(r, 0));
      c.lineTo(...at(r + size, size * .4));
      c.lineTo(...at(r + size, -size * .4));
    }
    c.fill();
  }

  ring(c, place, radius, colour, width) {
    if (!place) return;
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.beginPath();
    c.arc(place.x, place.y, radius, 0, 7);
    c.stroke();
  }

  nearest(x, y) {
    let best = -1, distance = 18 ** 2;
    this.graph?.nodes.forEach((_, i) => {
      const p = this.place(i), d = (p.x - x) ** 2 + (p.y - y) ** 2;
      if (d < distance) [best, distance] = [i, d];
    });
    return best;
  }

  pick(i) {
    if (i >= 0) this.choose(this.graph.nodes[i].code);
  }

  // key moves a cursor by the arrow keys; Enter goes to its state.
  key(event) {
    if (!this.graph || !["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Enter"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (this.cursor < 0) this.cursor = Math.max(0, this.current);
    if (event.key === "Enter") return this.pick(this.cursor);
    const node = this.graph.nodes[this.cursor], level = this.levels[node.level], at = level.indexOf(this.cursor);
    if (event.key === "ArrowLeft") this.cursor = level[Math.max(0, at - 1)];
    if (event.key === "ArrowRight") this.cursor = level[Math.min(level.length - 1, at + 1)];
    const other = this.levels[node.level + ({ ArrowUp: -1, ArrowDown: 1 }[event.key] ?? Infinity)];
    if (other) this.cursor = other[Math.min(other.length - 1, Math.floor((at + .5) / level.length * other.length))];
    this.draw();
  }
}

// drawLevels draws the number of states of each level.
export function drawLevels(svg, levels) {
  const width = 560, bar = Math.min(22, (width - 90) / levels.length), top = Math.max(...levels), height = 240;
  svg.setAttribute("viewBox", `0 0 ${width} ${height + 52}`);
  svg.replaceChildren(
    s("line", { class: "axis", x1: 80, y1: height + 10, x2: 84 + bar * levels.length, y2: height + 10 }),
    s("text", { x: 74, y: 20, "text-anchor": "end" }, number(top)),
    s("text", { x: 74, y: height + 12, "text-anchor": "end" }, 0),
    s("text", { x: 82, y: height + 28 }, 0),
    s("text", { x: 80 + bar * levels.length, y: height + 28, "text-anchor": "end" }, levels.length - 1),
    s("text", { x: 80 + bar * levels.length / 2, y: height + 46, "text-anchor": "middle" },
      "level: the length of a shortest run"),
    ...levels.map((n, i) => s("rect",
      { class: "bar-of", x: 82 + bar * i, y: height + 10 - height * n / top, width: Math.max(1, bar - 1.5),
      height: height * n / top },
      s("title", {}, `level ${i}: ${number(n)} states`))));
  svg.removeAttribute("hidden");
}
