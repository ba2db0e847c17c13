import { s, visible } from "./dom.js";
import { Zoom } from "./zoom.js";

const manyProcesses = 12; // a picture of more processes has no text in messages, and little in processes

const pillHeight = 28;
const mostBent = 2000; // links of larger networks do not bend
const fractions = Array.from({ length: 19 }, (_, i) => (i + 1) / 20);
const bends = [0, 35, -35, 50, -50, 100, -100, 150, -150, 200, -200, 300, -300];

// Network draws the processes at the positions of the system's layout, or on a circle, clockwise, with their links. In a
// ring on a circle, links to the right lie outside, and those to the left inside. Otherwise each link is a line of its
// own, to the right of its direction, and bends around processes that are in its way. If there are many processes, each
// is a small circle with its number and the first letter of its state, messages are dots, and the links between two
// processes are one line; a click on a process shows all of its state. At most `most` letters of a process or a message
// are shown.
export class Network {
  constructor(svg, system, { most = Infinity } = {}) {
    this.svg = svg;
    this.n = system.processes;
    this.detailed = system.processes <= manyProcesses;
    this.most = most;
    this.chosen = -1;
    this.system = { ...system, links: system.links.map((l, index) => ({ ...l, index })) };
    this.both = system.links.length > this.n;
    this.curved = system.ring && !system.layout;
    this.places = system.layout ?? Array.from({ length: this.n }, (_, p) => this.polar(this.angle(p), 1));
    // What layout determines: the size of a box, the part of each process, and the space from the centre to the margins.
    this.node = { width: 0, height: 0 };
    this.radius = 0;
    /** @type {any[]} */
    this.parts = [];
    this.margin = { x: 0, y: 0 };
    this.fit = { letters: 10, lines: 1, pill: 0 };
    this.pills = new Map();
    this.zoom = new Zoom(svg, !this.detailed);
    svg.onclick = event => this.choose(Number(event.target.closest(".process")?.dataset.process ?? -1));
    this.layout();
  }

  // layout draws what all states share, with boxes for the longest texts so far.
  layout() {
    const { n, fit, detailed, system } = this;
    this.node = detailed ? { width: 8 * fit.letters + 22, height: 36 + 17 * fit.lines } : { width: 34, height: 34 };
    const spread = detailed ? this.node.width + 1.5 * Math.min(fit.pill, 200) : 45;
    for (const room of [1, 1.6]) { // more where some link finds no way
      this.radius = Math.max(detailed ? 165 : 110, n > 2 ? room * spread / this.gap() : 0);
      this.bends = system.links.map(l => system.layout && system.links.length <= mostBent ? this.bend(l) : 0);
      if (!this.bends.includes(undefined)) break;
    }
    const side = detailed ? (this.curved ? 66 : 34) : 40;
    const reach = axis => this.radius * (system.layout ? Math.max(...this.places.map(p => Math.abs(p[axis]))) : 1);
    this.margin = { x: reach("x") + this.node.width / 2 + side,
      y: reach("y") + this.node.height / 2 + (detailed ? 40 : side) };
    system.links.filter((_, l) => this.bends[l]).forEach(l => {
      const middle = this.at(l, .5, 0);
      for (const axis of ["x", "y"]) this.margin[axis] = Math.max(this.margin[axis], Math.abs(middle[axis]) + 24);
    });
    this.zoom.show({ width: 2 * this.margin.x, height: 2 * this.margin.y });
    this.svg.replaceChildren();
    this.links = this.svg.appendChild(s("g"));
    this.processes = this.svg.appendChild(s("g"));
    this.messages = this.svg.appendChild(s("g"));
    this.card = this.svg.appendChild(s("g", { class: "card" }));
    this.pills.clear();
    this.linkParts = system.links.map(l => this.drawLink(l));
    this.parts = Array.from({ length: n }, (_, p) => this.drawProcess(p));
  }

  angle(p) { return 2 * Math.PI * p / this.n - Math.PI / 2; }
  polar(a, r) { return { x: r * Math.cos(a), y: r * Math.sin(a) }; }
  centre(p) { return { x: this.places[p].x * this.radius, y: this.places[p].y * this.radius }; }

  // gap returns the least distance between two places.
  gap() {
    let least = 2;
    this.places.forEach((a, p) => this.places.slice(p + 1).forEach(b => {
      least = Math.min(least, Math.hypot(a.x - b.x, a.y - b.y));
    }));
    return least;
  }

  // at returns the point of a link at fraction f of its length, moved aside.
  at(link, f, aside) {
    if (this.curved) {
      const sign = link.direction === "left" ? -1 : 1;
      const r = this.radius + sign * ((this.both ? (this.detailed ? 22 : 10) : 0) + aside);
      return this.polar(this.angle(link.from) + sign * 2 * Math.PI * f / this.n, r);
    }
    return this.bentAt(link, f, this.bends[link.index], aside);
  }

  // bentAt returns the point of a link at fraction f of its length if its middle is moved by bend to its right.
  bentAt(link, f, bend, aside) {
    const a = this.centre(link.from), b = this.centre(link.to);
    const length = Math.hypot(b.x - a.x, b.y - a.y), off = (this.detailed ? 10 : 0) + aside + 4 * f * (1 - f) * (bend ?? 0);
    return { x: a.x + (b.x - a.x) * f - (b.y - a.y) / length * off,
      y: a.y + (b.y - a.y) * f + (b.x - a.x) / length * off };
  }

  // bend returns the least bend with which a link avoids the processes between its ends, to its right if possible;
  // undefined if there is none.
  bend(link) {
    const others = this.places.map((_, p) => p).filter(p => p !== link.from && p !== link.to);
    const free = bend => fractions.every(f => {
      const point = this.bentAt(link, f, bend, 0);
      return others.every(p => this.far(point, p));
    });
    return bends.find(free);
  }

  // far reports whether a point is outside the box of a process.
  far(point, p) {
    const c = this.centre(p);
    return Math.abs(point.x - c.x) > this.node.width / 2 + 4 || Math.abs(point.y - c.y) > this.node.height / 2 + 4;
  }

  // outside returns the fractions at which a link leaves its sender's box and enters its receiver's.
  outside(link) {
    let from = 0, to = 1;
    while (from < .48 && !this.far(this.at(link, from, 0), link.from)) from += .01;
    while (to > .52 && !this.far(this.at(link, to, 0), link.to)) to -= .01;
    return { from, to };
  }

  drawLink(link) {
    const range = this.outside(link);
    const parts = this.detailed && this.curved ? 32 : this.bends[link.index] ? 16 : 4;
    const points = Array.from({ length: parts + 1 }, (_, i) => {
      const p = this.at(link, range.from + (range.to - range.from) * i / parts, 0);
      return p.x.toFixed(1) + " " + p.y.toFixed(1);
    });
    const line = s("path", { class: "link", d: "M" + points.join("L") });
    const end = this.at(link, range.to, 0), before = this.at(link, range.to - .02, 0);
    const turn = Math.atan2(end.y - before.y, end.x - before.x) * 180 / Math.PI;
    const tip = s("path",
      { class: "tip", d: this.detailed ? "M2 0L-11 -6L-11 6z" : "M2 0L-7 -4L-7 4z",
      transform: `translate(${end.x} ${end.y}) rotate(${turn})` });
    this.links.append(line, tip);
    return { range, line, tip };
  }

  drawProcess(p) {
    const c = this.centre(p), { width, height } = this.node;
    const title = s("title"), name = s("text", { class: "name" }), vars = s("text", { class: "vars" });
    const box = { x: -width / 2, y: -height / 2, width, height };
    const g = s("g", { transform: `translate(${c.x} ${c.y})`, "data-process": p }, title,
      s("rect", { class: "halo", x: box.x - 6, y: box.y - 6, width: width + 12, height: height + 12,
        rx: this.detailed ? 18 : 23 }),
      s("rect", { class: "box", ...box, rx: this.detailed ? 13 : 17 }));
    if (this.detailed) {
      const label = shortened(visible(String(this.system.names?.[p] ?? p)), 14);
      const wide = Math.max(26, 7.4 * label.length + 14);
      g.append(s("rect", { class: "badge", x: box.x - 13, y: box.y - 13, width: wide, height: 26, rx: 13 }),
        s("text", { class: "number", x: box.x - 13 + wide / 2, y: box.y + 4.5 }, label), name, vars);
    } else {
      name.setAttribute("y", 12);
      g.append(s("text", { class: "count", y: -1 }, p), name);
    }
    this.processes.append(g);
    return { g, title, name, vars };
  }

  // show shows the state at the position of a run.
  show(run, still) {
    const { state, flights } = run.here;
    if (this.detailed && this.measure(run, run.here)) this.layout();
    this.svg.classList.toggle("still", still);
    const move = run.position > 0 ? run.here.move : null;
    state.processes.forEach((process, p) => this.showProcess(p, process, move !== null && move.process === p,
      run.changed(p)));
    this.linkParts.forEach((part, l) => {
      part.line.classList.toggle("used", move !== null && move.link === l);
      part.tip.classList.toggle("used", move !== null && move.link === l);
    });
    this.showMessages(run, flights);
    this.state = state;
    this.showCard();
    this.svg.setAttribute("aria-label", this.words(state));
  }

  // choose shows all of the state of a process, unless it is shown already; -1 stands for none.
  choose(process) {
    this.chosen = this.chosen === process || this.detailed ? -1 : process;
    this.showCard();
  }

  // showCard shows the state of the chosen process, in letters that do not depend on the size of the picture.
  showCard() {
    this.card.replaceChildren();
    if (this.chosen < 0) return;
    const text = visible(`${processName(this.system, this.chosen)}: ${this.state.processes[this.chosen].exact}`);
    const { a: scale } = this.svg.getScreenCTM(), size = 14 / scale, { x, y } = this.centre(this.chosen);
    const width = Math.min(2 * this.margin.x, (.62 * text.length + 1.6) * size);
    const room = this.margin.x - width / 2, left = Math.min(room, Math.max(-room, x));
    const top = y + (y > 0 ? -1 : 1) * (this.node.height / 2 + 1.4 * size);
    this.card.append(
      s("rect", { x: left - width / 2, y: top - size, width, height: 2 * size, rx: size / 2, "stroke-width": 1.5 / scale }),
      s("text", { x: left, y: top + .34 * size, "font-size": size }, text));
  }

  // words describes a state to users who do not see it.
  words(state) {
    const { system } = this;
    const processes = state.processes.slice(0, 20).map((q, p) =>
      `${processName(system, p)}: ${q.name} ${q.vars.map(v => v.name + " " + v.text).join(", ")}`);
    const channels = state.channels.flatMap((texts, l) =>
      texts.map(text => `${text} from ${system.links[l].from} to ${system.links[l].to}`)).slice(0, 40);
    return visible([...processes,
      channels.length ? "in transit: " + channels.join("; ") : "no messages in transit"].join(". "));
  }

  // measure fits the boxes to a state, and reports whether they have to grow.
  measure(run, { state, flights }) {
    const f = this.fit, before = JSON.stringify(f);
    for (const q of state.processes) {
      const words = q.vars.map(v => visible(v.name + "=" + v.text));
      f.letters = Math.min(this.most, Math.max(f.letters, 1.35 * visible(q.name).length, ...words.map(w => w.length)));
      if (words.join(" ").length > 3 * f.letters) f.letters = Math.max(f.letters, 18);
      f.lines = Math.max(f.lines, brokenLines(words, f.letters).length);
    }
    for (const id of flights.flat()) f.pill = Math.max(f.pill, this.pillWidth(run.messages[id - 1]));
    return JSON.stringify(f) !== before;
  }

  showProcess(p, process, acting, changed) {
    const part = this.parts[p];
    const looks = "process " + process.role.colour + (acting ? " acting" : "");
    if (part.looks === looks && part.exact === process.exact && changed.size === 0 && !part.changed) return;
    Object.assign(part, { looks, exact: process.exact, changed: changed.size > 0 });
    part.g.setAttribute("class", looks);
    part.title.textContent = visible(`${processName(this.system, p)}: ${process.exact}`);
    if (!this.detailed) {
      part.name.textContent = visible(process.name)[0];
      return;
    }
    part.name.textContent = shortened(visible(process.name), this.fit.letters / 1.2);
    part.name.classList.toggle("changed", changed.has(""));
    const words = process.vars.map(v => ({ text: shortened(visible(v.name + "=" + v.text), this.fit.letters),
      changed: changed.has(v.name) }));
    const lines = brokenLines(words.map(w => w.text), this.fit.letters);
    const top = lines.length ? 4 - 8.5 * lines.length : 6;
    part.name.setAttribute("y", top);
    part.vars.replaceChildren();
    let i = 0;
    lines.forEach((line, l) => line.forEach((text, k) => {
      const attributes = { class: words[i++].changed ? "changed" : null };
      if (k === 0) Object.assign(attributes, { x: 0, y: top + 19 + 17 * l });
      part.vars.append(s("tspan", attributes, (k > 0 ? "\u00a0" : "") + text));
    }));
  }

  // tag tells messages with the same text apart: in a ring by number, elsewhere by link, since links cross.
  tag(message) {
    const link = this.system.links[message.link];
    return this.system.ring ? "#" + message.id : link.from + "→" + link.to;
  }

  pillWidth(message) {
    return 8.2 * Math.min(this.most, visible(message.text).length) + 6.2 * this.tag(message).length + 20;
  }

  newPill(message) {
    const g = s("g", { "data-message": message.id }), text = visible(message.text), label = this.tag(message);
    if (!this.detailed) {
      g.append(s("title", {}, text), s("circle", { r: 6 }));
    } else {
      const width = this.pillWidth(message);
      g.append(s("title", {}, `${label} ${text}`),
        s("rect", { x: -width / 2, y: -pillHeight / 2, width, height: pillHeight, rx: pillHeight / 2 }),
        s("text", { class: "text", x: -3.2 * label.length, y: 5 }, shortened(text, this.most)),
          s("text", { class: "serial", x: width / 2 - 9 - 3.1 * label.length, y: 4.5 }, label));
    }
    this.messages.append(g);
    return g;
  }

  // positions returns the positions of the messages of a channel, the oldest nearest to the receiver. They move aside
  // where a position is taken.
  positions(run, l, ids, taken) {
    const link = this.system.links[l], { from, to } = this.linkParts[l].range;
    return ids.map((id, i) => {
      const share = f => from + (to - from) * f;
      if (!this.detailed) return this.at(link, share((ids.length - i - .5) / ids.length), this.curved ? 0 : 7);
      const box = { width: this.pillWidth(run.messages[id - 1]), height: pillHeight };
      for (const { along, aside } of pillShifts) {
        if (aside < 0 && this.curved && this.both) continue;
        Object.assign(box,
          this.at(link, share((ids.length - i - .5 + along) / ids.length),
          aside + (this.curved && this.both ? 8 : 0)));
        if (this.inside(box) && !taken.some(other => overlapping(box, other))) break;
      }
      taken.push(box);
      return box;
    });
  }

  inside(box) {
    return Math.abs(box.x) + box.width / 2 < this.margin.x - 2 && Math.abs(box.y) + box.height / 2 < this.margin.y - 2;
  }

  showMessages(run, flights) {
    const taken = Array.from({ length: this.n },
      (_, p) => ({ ...this.centre(p), width: this.node.width + 10, height: this.node.height + 10 }));
    const here = new Set(flights.flat());
    for (const [id, pill] of this.pills) {
      if (!here.has(id)) this.drop(run, run.messages[id - 1], pill);
    }
    flights.forEach((ids, l) => this.positions(run, l, ids, taken).forEach((point, i) => {
      const message = run.messages[ids[i] - 1];
      let pill = this.pills.get(message.id);
      if (pill && pill.dataset.text !== message.text) {
        pill.remove();
        pill = undefined;
      }
      const fresh = run.position > 0 && message.sent === run.position;
      if (!pill) {
        pill = this.newPill(message);
        pill.dataset.text = message.text;
        this.pills.set(message.id, pill);
        if (fresh) {
          moveTo(pill, message.fault ? point : this.centre(this.system.links[l].from));
          pill.getBoundingClientRect(); // forces a layout, so that it moves from there
        }
      }
      const overtaken = message.overtaken > 0 && message.overtaken <= run.position;
      pill.dataset.link = l;
      pill.setAttribute("class", "pill" + (fresh ? " new" : "") + (overtaken ? " overtaken" : ""));
      moveTo(pill, point);
    }));
  }

  // drop removes the pill of a message that is no longer under way. The pill of one received in this step moves to the
  // receiver, that of a lost one fades.
  drop(run, message, pill) {
    this.pills.delete(Number(pill.dataset.message));
    if (!message?.received || message.received !== run.position
      || message.text !== pill.dataset.text) return pill.remove();
    if (!message.lost) moveTo(pill, this.centre(this.system.links[message.link].to));
    pill.classList.add(message.lost ? "lost" : "gone");
    setTimeout(() => pill.remove(), message.lost ? 1200 : 300);
  }
}

export const processName = (system, p) => system.names?.[p] ?? "process " + p;

function moveTo(pill, point) {
  pill.style.transform = `translate(${point.x.toFixed(1)}px, ${point.y.toFixed(1)}px)`;
}

function overlapping(a, b) {
  return Math.abs(a.x - b.x) < (a.width + b.width) / 2 + 4 && Math.abs(a.y - b.y) < (a.height + b.height) / 2 + 4;
}

function shortened(text, letters) {
  return text.length > Math.ceil(letters) ? text.slice(0, Math.ceil(letters) - 1) + "…" : text;
}

// brokenLines breaks words into lines of at most width letters where possible.
function brokenLines(words, width) {
  /** @type {string[][]} */
  const lines = [];
  let used = Infinity;
  for (const w of words) {
    if (used + 1 + w.length > width) {
      lines.push([]);
      used = -1;
    }
    lines[lines.length - 1].push(w);
    used += 1 + w.length;
  }
  return lines;
}

// pillShifts are ways to move a message from its position, along its link and aside, the shortest first.
const pillShifts = [];
for (let along = -.4; along < .45; along += .1) {
  for (let aside = 0; aside <= 160; aside += 5) {
    pillShifts.push({ along, aside, cost: 80 * Math.abs(along) + aside },
      { along, aside: -aside, cost: 80 * Math.abs(along) + aside + 1 });
  }
}
pillShifts.sort((a, b) => a.cost - b.cost);
