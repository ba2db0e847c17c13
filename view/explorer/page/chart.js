import { h, s } from "./dom.js";

// The run as a message sequence chart: time runs downward, and the line of a message leads from its sending to its
// receipt. Two lines of a link cross where one message overtakes another. A button beside each row goes to its step. The
// chart paints a plan, which view.NewPlan computes.

const headHeight = 44;

// paintHeads returns the heads of the lanes.
export function paintHeads({ width, heads }) {
  return s("svg", { class: "chart heads", width, height: headHeight, viewBox: `0 0 ${width} ${headHeight}`,
    "aria-hidden": "true" }, heads.map(paintHead));
}

function paintHead({ x, w, text, role }) {
  return s("g", { class: "head " + role.colour, transform: `translate(${x} ${headHeight - 18})` },
    s("rect", { x: -w / 2, y: -14, width: w, height: 28, rx: 8 }), s("text", { y: 5 }, text));
}

// presentRow returns the row of the last step of a run, or the last row if the plan does not show this step.
function presentRow({ steps, rows }) {
  const last = Math.max(...steps.flat()), row = steps.findIndex(list => list.includes(last));
  return rows[row];
}

// paintChart returns the picture of a plan, in which the last step is the present, with the heads of the lanes or not.
export function paintChart(plan, withHeads) {
  const { width, rowHeight } = plan, top = withHeads ? -headHeight : 0, height = plan.height - top;
  return s("svg",
    { class: "chart", width, height, viewBox: `0 ${top} ${width} ${height}`, role: "img", "aria-label": plan.about },
    plan.bands.map(b => s("line", { class: "lane", x1: b.x, y1: b.y, x2: b.x, y2: b.z })),
    s("rect", { class: "present", x: 0, y: presentRow(plan) - rowHeight / 2, width, height: rowHeight }),
    plan.ticks.map(y => paintTick(plan, y)),
    plan.arrows.flatMap(paintLines), plan.arrows.flatMap(paintMarks), plan.signs.flatMap(paintSign),
    withHeads ? s("g", { transform: `translate(0 ${-headHeight})` }, plan.heads.map(paintHead)) : "");
}

function paintTick({ left, right }, y) {
  return s("g", { class: "tick" }, s("line", { x1: left, y1: y, x2: right, y2: y }),
    s("text", { x: left, y: y - 4 }, "tick"));
}

const kindOfArrow = a => (a.overtaken ? " overtaken" : "") + (a.lines.some(l => l.tip) ? "" : " pending");

function paintLines(a) {
  const kind = "message" + kindOfArrow(a);
  return a.lines.flatMap(l => [s("line", { class: kind, x1: l.x1, y1: l.y1, x2: l.x2, y2: l.y2 }),
    ...(l.tip ? [arrowTip(l.x1, l.y1, l.x2, l.y2, kind)] : [])]);
}

function paintMarks(a) {
  return [...a.marks.map(m => s("path", { class: "lost", d: m.path, transform: `translate(${m.x} ${m.y})` })),
    ...a.labels.map(l => paintLabel(l, a.overtaken ? "overtaken" : ""))];
}

const paintLabel = ({ x, y, anchor, text }, kind) => s("text", { class: "label " + kind, x, y, "text-anchor": anchor }, text);

// shapes has the name and the attributes of the element for the sign of each kind of action.
const shapes = {
  event: ["path", { class: "event", d: "M0 -9l9 9l-9 9l-9 -9z" }], crash: ["path", { class: "lost", d: "M-7 -7l14 14m0 -14l-14 14" }],
  recover: ["circle", { class: "event", r: 7 }], internal: ["circle", { class: "internal", r: 4.5 }],
  send: ["circle", { class: "end", r: 3 }], receive: ["circle", { class: "end", r: 3 }],
};

function paintSign({ x, y, kind, label }) {
  const [name, attributes] = shapes[kind];
  return [s(name, { ...attributes, transform: `translate(${x} ${y})` }), ...(label ? [paintLabel(label, kind)] : [])];
}

// arrowTip returns the tip of an arrow from (x1, y1) to (x2, y2).
export function arrowTip(x1, y1, x2, y2, kind) {
  const angle = Math.atan2(y2 - y1, x2 - x1) * 180 / Math.PI;
  return s("path",
    { class: "tip " + kind, d: "M0 0L-10 -4.5L-10 4.5z", transform: `translate(${x2} ${y2}) rotate(${angle})` });
}

// shortText leaves out the word "process" before numbers.
export const shortText = text => text.replace(/process (?=\d)/g, "");

// stepList returns the buttons beside the rows, each of which has steps and their numbers as a text. A button goes to the
// last step of its row.
export function stepList(run, { steps, numbers }, go) {
  const list = h("ol", { start: 0, "aria-label": "Steps" }), present = Math.max(...steps.flat());
  steps.forEach((row, at) => {
    const last = row.at(-1), loops = row.some(i => run.repeats(i));
    const overtaking = row.flatMap(i => (i > 0 ? run.at(i).overtakes : []));
    const overtaken = overtaking.length > 0
      ? ", overtaking " + overtaking.map(id => run.messages[id - 1].text).join(", ") : "";
    const text = row.map(i => stepText(run, i)).join("; ");
    list.append(h("li", { class: loops ? "loop" : null, title: loops ? "repeated for ever" : null },
      h("button", {
        type: "button", "aria-current": row.includes(present) ? "step" : null,
        class: overtaken ? "overtaking" : null, title: text + overtaken, onclick: () => go(last),
      }, h("span", { class: "index" }, numbers[at]), h("span", {}, text))));
  });
  return list;
}

function stepText(run, i) {
  if (i === 0) return run.begun ? "initial state" : "a state";
  return shortText(run.at(i).move.text);
}
