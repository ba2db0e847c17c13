// The page steps through a run: step 0 is the initial state. The fragment of the address is the current step.
const trace = JSON.parse(byId("trace").textContent);
const colours = new Map(trace.roles.map(r => [r.name, r.colour]));
const timers = new Set(trace.timers);
const caption = name => (timers.has(name) ? "◷" : "") + name;

// run is the trace in the form that Network shows.
const run = {
  position: 0,
  entries: [{ state: trace.initial }, ...trace.steps].map(newEntry),
  messages: trace.messages.map(m => ({
    ...m, received: m.received || m.lost, lost: m.lost > 0,
      overtaken: m.overtaken_by && Math.min(...m.overtaken_by.map(o => trace.messages[o - 1].received)),
  })),
  get here() { return this.entries[this.position]; },
  changed(p) { return new Set(this.here.changes.filter(c => c.process === p).map(c => (c.var === null ? ""
    : caption(c.var)))); },
};

function newEntry({ state, process, message, changes = [] }) {
  return {
    changes,
    move: process === undefined ? null : { process, link: message ? trace.messages[message - 1].link : -1 },
    flights: state.channels.map(c => c.ids),
    state: {
      channels: state.channels.map(c => c.messages),
      processes: state.processes.map(p => ({
        name: p.name, exact: p.exact, role: { colour: colours.get(p.role) ?? "plain" },
          vars: Object.entries(p.vars).map(([name, value]) => ({ name: caption(name), text: String(value) })),
      })),
    },
  };
}

const network = new Network(byId("ring"), trace);
for (const entry of run.entries) network.measure(run, entry);
network.layout();
const count = s("text", { class: "present", y: 12 }),
  total = s("text", { class: "caption", y: 38 }, "of " + trace.length);
if (network.curved) network.links.append(count, total);

let current = -1;
// loop is the first step of the cycle, 0 if there is none.
const loop = trace.lasso && trace.lasso.cycle > 0 ? trace.lasso.stem + 1 : 0;
const forward = () => go(loop && current === trace.length ? loop : current + 1);

const overtakes = step => step > 0 && trace.steps[step - 1].kind === "receive"
  && (trace.messages[trace.steps[step - 1].message - 1].overtakes || []).length > 0;

function go(step) {
  step = Math.max(0, Math.min(trace.length, step));
  if (step === current) return;
  const still = current < 0 || Math.abs(step - current) > 1;
  const action = step > 0 ? trace.steps[step - 1] : null;
  run.position = step;
  network.show(run, still);
  count.textContent = step;
  describe(action);
  mark(current, step);
  markRow(step);
  byId("slider").value = step;
  byId("position").textContent = step + " / " + trace.length;
  byId("first").disabled = byId("back").disabled = step === 0;
  byId("last").disabled = step === trace.length;
  byId("forward").disabled = step === trace.length && !loop;
  current = step;
  if (location.hash !== "#" + step) history.replaceState(null, "", "#" + step);
}

// describe shows the text and the changes of a step.
function describe(action) {
  byId("action").textContent = action ? action.text : "initial state";
  byId("changes").replaceChildren(...(action ? action.changes
    : []).map(c => h("li", {}, (c.var === null ? "" : c.var + ": ") + (c.from ?? "–") + " → " + (c.to ?? "–"))));
}

// mark moves the mark in the list of steps.
function mark(before, step) {
  if (before >= 0) byId("step-" + before).removeAttribute("aria-current");
  const item = byId("step-" + step);
  item.setAttribute("aria-current", "step");
  // Only the list scrolls, not the page.
  const list = byId("steps");
  const { offsetTop: top, offsetHeight: height } = item.parentElement;
  if (top < list.scrollTop) list.scrollTop = top;
  if (top + height > list.scrollTop + list.clientHeight) list.scrollTop = top + height - list.clientHeight;
}

// seek goes to the nearest step, in a direction, in which a message overtakes another, if there is one.
function seek(direction) {
  for (let s = current + direction; s >= 0 && s <= trace.length; s += direction) {
    if (overtakes(s)) return go(s);
  }
}

// chartRows are the rows of the chart, a group for each step.
const chart = byId("chart").shadowRoot;
const chartRows = chart ? [...chart.querySelectorAll(".guide")].map(guide => guide.parentElement) : [];
const present = s("rect", { x: 0, y: -19, width: "100%", height: 38, fill: "#0072b2", opacity: .13 });
byId("chart-button").hidden = chartRows.length === 0; // in a browser without declarative shadow trees

// rowOf returns the row of a step in the chart. A step that the chart leaves out has the row of the step before it.
function rowOf(step) {
  if (!trace.rows) return step;
  const row = trace.rows.findLastIndex(steps => steps.some(s => s <= step && (s === step || !isShown(step))));
  return Math.max(0, row);
}
const isShown = step => trace.rows.some(steps => steps.includes(step));

// markRow marks the row of the current step in the chart, and scrolls there.
function markRow(step) {
  if (chartRows.length === 0) return;
  chartRows[rowOf(step)].prepend(present);
  const list = byId("chart"), top = present.getBoundingClientRect().top - list.getBoundingClientRect().top;
  if (!list.hidden && (top < 0 || top > list.clientHeight - 40)) list.scrollTop += top - list.clientHeight / 2;
}

function toggleChart() {
  if (chartRows.length === 0) return;
  const shows = byId("chart").hidden;
  byId("chart").hidden = !shows;
  byId("ring").toggleAttribute("hidden", shows);
  byId("chart-button").setAttribute("aria-pressed", String(shows));
  markRow(current);
}

function toggleHelp() {
  const help = byId("help");
  help.hidden = !help.hidden;
  byId("help-button").setAttribute("aria-expanded", String(!help.hidden));
}

const keys = {
  ArrowRight: forward,
  ArrowLeft: () => go(current - 1),
  PageDown: forward,
  PageUp: () => go(current - 1),
  Home: () => go(0),
  End: () => go(trace.length),
  o: () => seek(1),
  O: () => seek(-1),
  c: toggleChart,
  "?": toggleHelp,
};
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
});
byId("first").onclick = keys.Home;
byId("back").onclick = keys.ArrowLeft;
byId("forward").onclick = keys.ArrowRight;
byId("last").onclick = keys.End;
byId("chart-button").onclick = toggleChart;
byId("help-button").onclick = toggleHelp;
byId("slider").oninput = event => go(Number(event.target.value));

function follow() {
  const step = Number(location.hash.slice(1));
  go(Number.isInteger(step) ? step : 0);
}
window.addEventListener("hashchange", follow);
follow();
