import { h, s, visible } from "./dom.js";

// The run as a message sequence chart: time runs downward, and the line of a message leads from its sending to its
// receipt. Two lines of a link cross where one message overtakes another. A button beside each row goes to its step.

const chartRow = 30;
const chartHead = 44;

// Up to this many processes all have lanes; of more, only those that take part in the run.
const chartLaneLimit = 8;

const headName = (system, p) => visible(system.names?.[p] ?? String(p));
const headWidth = name => Math.max(34, 8.5 * name.length + 14);

// chartLanes places the processes: as far apart as their messages are long, if there is room, and their names anyway.
function chartLanes(system, run, room) {
  const { position } = run;
  const ends = ({ link, process }) => (link < 0 ? [process] : [system.links[link].from, system.links[link].to]);
  const involved = new Set(run.steps.slice(0, position).flatMap(e => ends(e.move)));
  const all = Array.from({ length: system.processes }, (_, p) => p);
  const folded = system.processes > chartLaneLimit;
  const shown = folded ? all.filter(p => involved.has(p)) : all;
  const longest = Math.max(4, ...run.messages.map(m => visible(m.text).length));
  const margin = system.ring && !folded ? 26 : 10;
  const head = Math.max(...all.map(p => headWidth(headName(system, p))));
  const gap = Math.max(58, head + 8, Math.min(150, 7.3 * longest + 26, (room - 2 * margin) / Math.max(1, shown.length)));
  const place = new Map(shown.map((p, i) => [p, margin + gap / 2 + i * gap]));
  return { shown, folded, at: p => place.get(p) ?? margin, width: 2 * margin + gap * Math.max(2, shown.length) };
}

// drawHeads returns the heads of the lanes.
export function drawHeads(system, run, room) {
  const lanes = chartLanes(system, run, room);
  return s("svg",
    { class: "chart heads", width: lanes.width, height: chartHead, viewBox: `0 0 ${lanes.width} ${chartHead}`,
    "aria-hidden": "true" }, heads(lanes, system, run));
}

function heads(lanes, system, run) {
  return lanes.shown.map(p => {
    const name = headName(system, p), width = headWidth(name);
    return s("g",
      { class: "head " + run.state.processes[p].role.colour, transform: `translate(${lanes.at(p)} ${chartHead - 18})` },
      s("rect", { x: -width / 2, y: -14, width, height: 28, rx: 8 }), s("text", { y: 5 }, name));
  });
}

// drawChart returns the picture of a run up to its position, room wide if possible, with the heads of the lanes or not.
export function drawChart(system, run, room, withHeads) {
  const lanes = chartLanes(system, run, room);
  const rows = run.position;
  const head = withHeads ? chartHead : 0;
  const y = step => head + 16 + step * chartRow;
  const bottom = y(rows) + 18;
  const svg = s("svg",
    { class: "chart", width: lanes.width, height: bottom, viewBox: `0 0 ${lanes.width} ${bottom}`, role: "img",
    "aria-label": "Message sequence chart" });
  const back = svg.appendChild(s("g")), lines = svg.appendChild(s("g")), front = svg.appendChild(s("g"));
  for (const p of lanes.shown) {
    back.append(s("line", { class: "lane", x1: lanes.at(p), y1: head, x2: lanes.at(p), y2: bottom }));
  }
  if (withHeads) front.append(...heads(lanes, system, run));
  back.append(s("rect", { class: "present", x: 0, y: y(rows) - chartRow / 2, width: lanes.width, height: chartRow }));
  for (const m of run.messages) {
    if (m.sent <= rows) drawMessage(system, lanes, y, rows, m, lines, front);
  }
  for (let i = 1; i <= rows; i++) drawAction(lanes, y(i), run.at(i).move, front);
  return svg;
}

// crossesSeam says whether a link joins the last process of a ring and the first.
const crossesSeam = (system, { from, direction }) =>
  system.ring && (direction === "right" ? from === system.processes - 1 : direction === "left" && from === 0);

function drawMessage(system, lanes, y, rows, m, lines, front) {
  const link = system.links[m.link];
  if (lanes.folded && !(lanes.shown.includes(link.from) && lanes.shown.includes(link.to))) return;
  const gone = m.received > 0 && m.received <= rows, lost = gone && m.lost, arrived = gone && !lost;
  const y1 = y(m.sent), y2 = gone ? y(m.received) : y(rows) + 12;
  const x1 = lanes.at(link.from), x2 = lost ? (lanes.at(link.from) + lanes.at(link.to)) / 2 : lanes.at(link.to);
  const seam = crossesSeam(system, link) && !lanes.folded && !lost;
  const right = seam ? link.direction === "right" : x2 > x1;
  const overtaken = m.overtaken > 0 && m.overtaken <= rows ? " overtaken" : "";
  const kind = "message" + (arrived ? "" : " pending") + overtaken;
  const segment = (ax, ay, bx, by, tip) => lines.append(s("line", { class: kind, x1: ax, y1: ay, x2: bx, y2: by }),
    ...(tip ? [arrowTip(ax, ay, bx, by, kind)] : []));
  if (seam) { // leaves at one margin and enters at the other
    const out = right ? lanes.width - 6 : 6, into = right ? 6 : lanes.width - 6;
    const middle = (y1 + y2) / 2;
    segment(x1, y1, out, middle);
    segment(into, middle, x2, y2, arrived);
  } else {
    segment(x1, y1, x2, y2, arrived);
  }
  if (lost) front.append(s("path", { class: "lost", d: `M${x2 - 6} ${y2 - 6}l12 12m0 -12l-12 12` }));
  if (m.sent > 0) front.append(label(lanes, x1, y1 - 5, m.text, right, "label" + overtaken));
}

// label writes a text beside a lane, on the given side if there is room.
function label(lanes, x, y, text, right, kind, off = 9) {
  const width = 7.6 * visible(text).length + 12;
  if (right ? x + width > lanes.width && x > width : x < width && x + width < lanes.width) right = !right;
  return s("text", { class: kind, x: x + (right ? off : -off), y, "text-anchor": right ? "start" : "end" }, text);
}

// arrowTip returns the tip of an arrow from (x1, y1) to (x2, y2).
export function arrowTip(x1, y1, x2, y2, kind) {
  const angle = Math.atan2(y2 - y1, x2 - x1) * 180 / Math.PI;
  return s("path",
    { class: "tip " + kind, d: "M0 0L-10 -4.5L-10 4.5z", transform: `translate(${x2} ${y2}) rotate(${angle})` });
}

function drawAction(lanes, y, move, front) {
  if (move.kind === "tick") {
    front.append(s("line", { class: "tick", x1: 0, y1: y, x2: lanes.width, y2: y }),
      s("text", { class: "label tick", x: 4, y: y - 4 }, "tick"));
  }
  if (move.process < 0) return;
  const x = lanes.at(move.process);
  if (move.kind === "event") {
    front.append(s("path", { class: "event", d: `M${x} ${y - 9}l9 9l-9 9l-9 -9z` }),
      label(lanes, x, y + 4, move.label, true, "label event", 14));
  } else if (move.kind === "crash") {
    front.append(s("path", { class: "lost", d: `M${x - 7} ${y - 7}l14 14m0 -14l-14 14` }),
      label(lanes, x, y + 4, "crash", true, "label", 14));
  } else if (move.kind === "recover") {
    front.append(s("circle", { class: "event", cx: x, cy: y, r: 7 }),
      label(lanes, x, y + 4, "recovers", true, "label", 14));
  } else if (move.kind === "internal") {
    front.append(s("circle", { class: "internal", cx: x, cy: y, r: 4.5 }));
  } else {
    front.append(s("circle", { class: "end", cx: x, cy: y, r: 3 }));
  }
}

// shortText leaves out the word "process" before numbers.
export const shortText = text => text.replace(/process (?=\d)/g, "");

// stepList returns the buttons beside the rows.
export function stepList(run, go) {
  const list = h("ol", { start: 0, "aria-label": "Steps" });
  for (let i = 0; i <= run.position; i++) {
    const text = i === 0 ? (run.begun ? "initial state" : "a state") : shortText(run.at(i).move.text);
    const overtaking = i > 0 && run.at(i).overtakes.length > 0;
    const overtaken = overtaking
      ? ", overtaking " + run.at(i).overtakes.map(id => run.messages[id - 1].text).join(", ") : "";
    list.append(h("li", { class: run.repeats(i) ? "loop" : null, title: run.repeats(i) ? "repeated for ever" : null },
      h("button", {
      type: "button", "aria-current": i === run.position ? "step" : null, class: overtaking ? "overtaking" : null,
      title: text + overtaken, onclick: () => go(i),
    }, h("span", { class: "index" }, i), h("span", {}, text))));
  }
  return list;
}
