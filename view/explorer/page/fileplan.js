import { visible } from "./dom.js";

// The plan of a run on the page of a file. The page has all states but no program to ask, and its user can take any run,
// whose plan cannot be in the file. So this computes what view.NewPlan does in Go, apart from the positions of labels and
// from what shows less of long runs; a test compares both.

const rowHeight = 30, firstRow = 16, leastSpace = 58, mostSpace = 150, manyLanes = 8, letter = 0.61;

export function planOf(system, run, room) {
  const count = run.position, rows = Array.from({ length: count + 1 }, (_, i) => firstRow + rowHeight * i);
  const steps = run.steps.slice(0, count), messages = run.messages.filter(m => m.sent <= count);
  const lanes = placeLanes(system, steps, messages, room), height = rows[count] + 18;
  const single = rows.map((_, i) => [i]);
  const base = { ...lanes, height, rowHeight, rows, steps: single, numbers: single.map(String), top: 0, bottom: height };
  const acting = steps.map((step, i) => ({ ...step.move, y: rows[i + 1] }));
  return {
    ...base, about: "Message sequence chart", loop: null,
    heads: lanes.shown.map(p => ({ x: lanes.at[p], w: lanes.headWidth(p), text: lanes.name(p),
      role: run.state.processes[p].role })),
    bands: lanes.shown.map(p => ({ x: lanes.at[p], y: 0, z: height, role: run.state.processes[p].role })),
    ticks: acting.filter(m => m.kind === "tick").map(m => m.y),
    arrows: messages.filter(m => lanes.shows(system.links[m.link])).map(m => plannedArrow(system, base, run, m)),
    signs: acting.filter(m => m.process >= 0)
      .flatMap(m => actors(system, m).map(process => plannedSign(base, { ...m, process }))),
  };
}

// actors returns the processes that act in a move, in ascending order.
const actors = (system, { sync, process, link }) =>
  (sync ? [process, system.links[link].to].sort((p, q) => p - q) : [process]);

function placeLanes(system, steps, messages, room) {
  const all = Array.from({ length: system.processes }, (_, p) => p), folded = system.processes > manyLanes;
  const ends = l => [system.links[l].from, system.links[l].to];
  const involved = new Set(steps.flatMap(({ move }) => (move.link < 0 ? [move.process] : ends(move.link))));
  const shown = folded ? all.filter(p => involved.has(p)) : all;
  const name = p => visible(system.names?.[p] ?? String(p));
  const headWidth = p => Math.max(34, name(p).length * 14 * letter + 14);
  const crossing = l => !folded && seam(system, l);
  const margin = messages.some(m => crossing(system.links[m.link])) ? 26 : 10, lanes = Math.max(1, shown.length);
  const label = Math.max(0, ...messages.map(m => visible(m.text).length * 12 * letter + 26));
  const space = Math.max(leastSpace, ...all.map(p => headWidth(p) + 8),
    Math.min(mostSpace, label, (room - 2 * margin) / lanes));
  const width = 2 * margin + space * Math.max(2, lanes), at = [];
  shown.forEach((p, i) => { at[p] = margin + space / 2 + i * space; });
  return { shown, at, name, headWidth, crossing, width, left: 6, right: width - 6,
    shows: l => shown.includes(l.from) && shown.includes(l.to) };
}

// seam reports whether a link joins the last process of a ring and the first.
const seam = (system, { from, direction }) =>
  system.ring && (direction === "right" ? from === system.processes - 1 : direction === "left" && from === 0);

function plannedArrow(system, plan, run, m) {
  const link = system.links[m.link], { at, rows, left, right } = plan, last = rows.length - 1;
  const gone = m.received > 0 && m.received <= last, lost = gone && m.lost, tip = gone && !lost;
  const crosses = plan.crossing(link), x1 = at[link.from], x2 = at[link.to], y1 = rows[m.sent];
  const rightward = crosses ? link.direction === "right" : x1 <= x2;
  const y2 = gone ? rows[m.received] : rows[last] + 12, lines = [];
  if (!crosses) lines.push({ x1, y1, x2: lost ? (x1 + x2) / 2 : x2, y2, tip });
  else {
    const [out, into] = rightward ? [right, left] : [left, right];
    const middle = y1 + (y2 - y1) * (out - x1) / (out - x1 + x2 - into);
    lines.push(lost ? { x1, y1, x2: (x1 + out) / 2, y2, tip } : { x1, y1, x2: out, y2: middle, tip: false });
    if (!lost) lines.push({ x1: into, y1: middle, x2, y2, tip });
  }
  const { x2: x, y2: y } = lines[lines.length - 1];
  return { lines, open: !gone, overtaken: m.overtaken > 0 && m.overtaken <= last, about: m.text,
    marks: lost ? [{ x, y, path: "M-5 -5L5 5M5 -5L-5 5" }] : [],
    labels: m.sent > 0 ? [beside(plan, x1, y1 - 5, m.text, rightward, 9)] : [] };
}

// beside returns a text beside a lane, on the given side if there is room.
function beside({ width }, x, y, text, rightward, off) {
  const long = visible(text).length * 12 * letter + off;
  if (rightward ? x + long > width && x > long : x < long && x + long < width) rightward = !rightward;
  return { x: x + (rightward ? off : -off), y, anchor: rightward ? "start" : "end", text };
}

function plannedSign(plan, { process, kind, label, y }) {
  const x = plan.at[process], text = { event: label, crash: "crashes", recover: "recovers" }[kind];
  return { x, y, kind, label: text ? beside(plan, x, y + 4, text, true, 14) : null };
}
