import { byId, h, number, plural, visible } from "./dom.js";
import { openBackend } from "./backend.js";
import { Run } from "./run.js";
import { Network } from "./network.js";
import { drawChart, drawHeads, shortText, stepList } from "./chart.js";
import { StateGraph } from "./graph.js";
import { QuotientGraph } from "./quotient.js";
import { SearchPanel } from "./search.js";
import { coloured, loadGrammar } from "./colour.js";

// The page: a run (run.js), its pictures, and the user's actions. The address of the page names the state.
const backend = await openBackend();
const session = Math.random().toString(36).slice(2);
const conditions = [];
const manyProcesses = 12; // a picture of more processes has no text in processes and messages
let system, run, network, desk;
let busy = false, playing = 0, shownTab = "chart", shownGraph = "all";
const search = new SearchPanel(backend, { replay: showFound, draft: () => desk?.draft ?? {} });

// perform runs an action that may take time or fail, one at a time.
async function perform(action) {
  if (busy) return false;
  busy = true;
  document.body.classList.add("busy");
  try {
    await action();
    complain("");
    return true;
  } catch (error) {
    complain(error.message);
    return false;
  } finally {
    busy = false;
    document.body.classList.remove("busy");
  }
}

function complain(text) {
  byId("alert").textContent = visible(text);
  byId("alert").hidden = text === "";
}

// go moves to a position of the run.
async function go(position) {
  position = Math.max(0, Math.min(run.length, position));
  if (position === run.position) return;
  const still = Math.abs(position - run.position) > 1;
  await perform(async () => {
    await refresh(run.at(position));
    run.position = position;
    show(still);
    address("replaceState");
  });
}

// refresh requests the values of the conditions in a state that was visited before.
async function refresh(entry) {
  if (entry.state.conditions.length !== conditions.length || entry.asked !== conditions.join("\n")) {
    entry.state = await backend.state(entry.state.code, conditions);
    entry.asked = conditions.join("\n");
  }
}

// take takes an enabled action.
async function take(index) {
  return perform(async () => {
    const move = run.state.moves[index], state = await backend.state(move.target, conditions);
    run.take({ move, index, state, asked: conditions.join("\n") });
    show(false);
    address("pushState");
  });
}

async function random() {
  const n = run.state.moves.length;
  return n > 0 && take(Math.floor(Math.random() * n));
}

const forward = () => go(run.next);

// play takes random actions until it is stopped, nothing can happen, or a property is violated. An infinite run it
// follows around its cycle instead.
async function play() {
  const turn = ++playing;
  byId("play").setAttribute("aria-pressed", "true");
  byId("play").textContent = "Pause";
  const step = run.loop ? async () => { const at = run.position; await forward(); return run.position !== at; }
    : async () => (await random()) && run.state.moves.length > 0 && !run.state.properties.some(p => p.violated);
  while (turn === playing && (await step())) {
    const delay = matchMedia("(prefers-reduced-motion: reduce)").matches ? 60 : 350;
    await new Promise(resolve => setTimeout(resolve, delay));
  }
  if (turn === playing) pause();
}

function pause() {
  playing++;
  byId("play").setAttribute("aria-pressed", "false");
  byId("play").textContent = "Play";
}

// address makes the address of the page that of the state.
function address(how) {
  const state = { session, shown, position: run.position }, turn = ++addressed;
  history[how](state, "", "#" + run.state.code);
  if (!backend.catalogue) return;
  const { hash } = location;
  desk.link(run).then(fragment => { // takes a moment, in which somebody may follow another link
    if (fragment && turn === addressed && hash === location.hash) history.replaceState(state, "", "#" + fragment);
    desk.rename();
  });
}

let addressed = 0;

// aim returns what an address names: a state or, in a link, a draft and a run of it.
async function aim(fragment) {
  if (!backend.catalogue || !fragment) return { code: fragment };
  const { isPacked, unpack } = await import("./link.js");
  return isPacked(fragment) ? { draft: await unpack(fragment) } : { code: fragment };
}

// restore shows the run that a draft holds.
async function restore({ start, moves }) {
  let state = await backend.state(start || system.initial[0], conditions);
  const first = state, steps = [];
  for (const index of moves ?? []) {
    const move = state.moves[index];
    if (!move) break;
    state = await backend.state(move.target, conditions);
    steps.push({ move, index, state, asked: conditions.join("\n") });
  }
  begin(first, steps);
}

// follow goes to the state that the address names: a position of the run, or another state. What the page is doing ends
// first, and may change the address.
async function follow(state) {
  const fragment = location.hash.slice(1);
  await until(() => !busy);
  await perform(async () => {
    const { code, draft } = await aim(fragment);
    if (draft && run && JSON.stringify(draft) === JSON.stringify(desk.value(run))) return;
    if (run && state?.session === session && state.shown === shown && state.position <= run.length) {
      return void setTimeout(() => go(state.position));
    }
    if (draft) {
      await desk.take(draft);
      await introduce(await backend.open(desk.draft));
      return restore(draft);
    }
    if (run && run.state.code === code) return;
    await visit(code || system.initial[0]);
  });
}

// visit starts a new run in a state.
async function visit(code) {
  let start;
  try {
    start = await backend.state(code, conditions);
  } catch (error) {
    if (run) throw error;
    start = await backend.state(system.initial[0], conditions); // shows a state below the error
    setTimeout(() => complain(error.message));
  }
  begin(start, []);
}

// begin shows a new run at the end of its steps.
function begin(start, steps) {
  if (run) run.restart(start);
  else run = new Run(system, start);
  run.begun = system.initial.includes(start.code);
  for (const step of steps) run.take(step);
  network ||= new Network(byId("network"), system, { detailed: system.processes <= manyProcesses, most: 30 });
  show(true);
  address(run.length || location.hash ? "pushState" : "replaceState");
}

function show(still) {
  network.show(run, still);
  const move = run.position > 0 ? run.here.move : null;
  const overtakes = move ? run.here.overtakes.map(id => run.messages[id - 1].text) : [];
  const action = move ? move.text + (overtakes.length ? ", overtaking " + overtakes.join(", ") : "")
    : run.begun ? "The initial state" : "A state given by its address";
  byId("now").textContent = visible(action);
  byId("position").textContent = `${run.position} / ${run.length}` + (run.loop?.cycle ? " ↻" : "");
  byId("rewind").disabled = byId("undo").disabled = run.position === 0;
  byId("latest").disabled = run.position === run.length;
  byId("redo").disabled = run.position === run.next;
  byId("play").title = run.loop ? "Follow the run, for ever (space)" : "Run at random (space)";
  byId("random").disabled = byId("play").disabled = run.state.moves.length === 0;
  byId("origin").disabled = run.begun || run.position > 0;
  showMoves();
  showVerdicts();
  showTab();
}

// signs has a sign for each kind of action but the faults of messages, which have their own.
const signs = {
  send: "↗", receive: "↙", event: "◆", internal: "·", crash: "✕", recover: "↺", tick: "◷",
};

const capitalised = text => text[0].toUpperCase() + text.slice(1);

// withoutSubject returns the text of a move without the name of the process at its beginning.
function withoutSubject(move) {
  const name = network.name(move.process);
  return move.text.startsWith(name) ? move.text.slice(name.length).replace(/^:? /, "") : move.text;
}

function showMoves() {
  const { moves, fault } = run.state;
  byId("enabled").textContent = moves.length ? number(moves.length) : "";
  const list = byId("moves");
  const focused = list.contains(document.activeElement);
  list.replaceChildren();
  if (fault) list.append(h("p", { class: "fault" }, "The model has a fault here: ", fault));
  if (moves.length === 0 && !fault) list.append(h("p", { class: "empty" }, "Nothing: this is a terminal state."));
  let group;
  moves.forEach((move, i) => {
    if (i === 0 || !(move.fault && moves[i - 1].fault) && (move.fault || move.process !== moves[i - 1].process)) {
      const name = move.fault ? "The environment" : capitalised(network.name(move.process));
      group = h("ul", { "aria-label": name });
      list.append(h("section", { class: move.fault ? "environment" : null }, h("h3", {}, name), group));
    }
    const key = i < 9 ? h("kbd", { title: "Key " + (i + 1) }, i + 1) : h("kbd", { class: "none" });
    const text = shortText(move.fault ? move.text : withoutSubject(move));
    const attributes = { type: "button", class: "move " + move.kind, title: move.label, onclick: () => take(i) };
    group.append(h("li", {}, h("button", attributes,
      key, h("span", { class: "sign", "aria-hidden": "true" }, move.sign || signs[move.kind] || "!"),
      h("span", { class: "what" }, text,
        move.chance ? h("span", { class: "chance" }, " with chance " + move.chance) : "",
        move.effect ? h("span", { class: "effect" }, "→ " + move.effect) : ""))));
  });
  if (focused) (list.querySelector("button") || byId("undo")).focus();
}

function truth(value) {
  if (value.error) return ["unknown", "?", "has no value here: " + value.error];
  return value.value ? ["true", "✓", "true"] : ["false", "✗", "false"];
}

function showVerdicts() {
  const chips = [];
  system.properties.forEach((p, i) => {
    const value = run.state.properties[i];
    if (value.violated) chips.push(h("li", { class: "violated" }, "violated: " + p.name));
  });
  conditions.forEach((text, i) => {
    const value = run.state.conditions[i];
    if (!value) return;
    const [name, sign, words] = truth(value);
    chips.push(h("li", { class: name, title: words }, sign + " " + text));
  });
  byId("verdicts").replaceChildren(...chips);
}

const tabs = ["chart", "spec", "truth", "graph", "search"];

function selectTab(name, focus) {
  shownTab = name;
  for (const tab of tabs) {
    const selected = tab === name;
    byId("tab-" + tab).setAttribute("aria-selected", String(selected));
    byId("tab-" + tab).tabIndex = selected ? 0 : -1;
    byId(tab + "-panel").hidden = !selected;
  }
  if (focus) byId("tab-" + name).focus();
  showTab();
}

const showPanel = { chart: showChart, spec: showSpec, truth: showTruth, graph: showGraph, search: () => {} };

function showTab() {
  if (run) showPanel[shownTab]();
}

function showChart() {
  byId("finding").textContent = visible(run.finding);
  byId("chart").replaceChildren(h("div", { class: "steps" }, h("div", { class: "corner" }), stepList(run, go)),
    h("div", { class: "lanes" }, drawHeads(system, run, chartRoom()), drawChart(system, run, chartRoom(), false)));
  const panel = byId("chart");
  panel.scrollTop = panel.scrollHeight;
}

// chartRoom is the width that the panel has for the chart: the list of steps takes a third, and what is left over.
function chartRoom() {
  const width = byId("chart").clientWidth;
  return width - Math.max(130, width / 3) - 4;
}

function showSpec() {
  const panel = byId("spec");
  if (!desk && !panel.firstChild) {
    panel.append(h("ol", {},
      system.source.map((line, i) => h("li", {}, h("span", { class: "at" }), h("span", { class: "line" }, i + 1),
        h("code", {}, coloured(line || " ").map(p => h("span", { class: p.kind || null }, p.text)))))));
  }
  const at = new Map();
  run.state.processes.forEach((process, p) => {
    for (const line of process.lines) at.set(line, [...(at.get(line) || []), p]);
  });
  const last = run.position > 0 ? run.here.move.process : -1;
  if (desk) return desk.editor.mark(at, last);
  [...panel.firstChild.children].forEach((item, i) => {
    const here = at.get(i + 1) || [];
    item.className = here.length ? "next" : "";
    item.firstChild.replaceChildren(...(here.length > 8 ? [h("b", {}, here.length + "×")]
      : here.map(p => h("b", { class: p === last ? "acting" : null, title: `process ${p} may do this next` }, p))));
  });
  const first = panel.querySelector(".next");
  if (!first) return;
  const below = first.offsetTop - panel.scrollTop;
  if (below < 0 || below > panel.clientHeight - 40) panel.scrollTop = first.offsetTop - panel.clientHeight / 3;
}

function showTruth() {
  byId("conditions").replaceChildren(...conditions.map((text, i) => {
    const value = run.state.conditions[i] || { error: "" };
    const [name, sign, words] = truth(value);
    return h("li", { class: name }, h("span", { class: "sign", title: words }, sign), h("code", {}, text),
      h("button", { type: "button", onclick: () => seek(text) }, "Run to it"),
      h("button", { type: "button", "aria-label": "Remove " + visible(text), onclick: () => forget(i) }, "×"),
      value.error ? h("p", { class: "why" }, value.error) : "");
  }));
  byId("properties").replaceChildren(...system.properties.map((p, i) => {
    const value = run.state.properties[i];
    const allowed = value.value === false && !value.violated;
    const [name, sign, words] = allowed ? ["allowed", "–", "false here, which is no violation"] : truth(value);
    return h("li", { class: value.violated ? "violated" : name }, h("span", { class: "sign", title: words }, sign),
      h("div", {}, h("b", {}, p.name), ` ${p.kind}`, p.doc ? h("p", {}, p.doc) : "",
        !allowed ? "" : h("p", {}, p.kind === "terminal" ? "This is judged in terminal states, and this is none."
          : "It is false in this state, which is no violation."),
        value.violated ? h("p", { class: "why" }, "violated in this state") : ""));
  }));
}

async function addCondition(text) {
  if (text === "" || conditions.includes(text)) return;
  const entry = run.here;
  await perform(async () => {
    const state = await backend.state(entry.state.code, [...conditions, text]);
    const value = state.conditions.at(-1);
    if (value.invalid) throw new Error(value.error);
    conditions.push(text);
    Object.assign(entry, { state, asked: conditions.join("\n") });
    byId("condition").value = "";
    show(true);
  });
}

async function forget(i) {
  conditions.splice(i, 1);
  await perform(async () => {
    await refresh(run.here);
    show(true);
  });
}

// seek extends the run by a shortest one to a state in which a condition holds.
async function seek(text) {
  await perform(async () => {
    const { steps } = await backend.seek(run.state.code, text);
    if (steps.length === 0) throw new Error("it holds here");
    for (const step of steps) run.take(step);
    await refresh(run.here);
    show(true);
    address("pushState");
  });
}

async function fromStart() {
  await perform(async () => {
    const { start, steps } = await backend.origin(run.state.code);
    begin(start, steps);
    await refresh(run.here);
    show(true);
  });
}

async function openFile(file) {
  await perform(async () => {
    let recording;
    try {
      recording = JSON.parse(await file.text());
    } catch {
      throw new Error("this is not a run: want a file as counterexample --json writes it");
    }
    if (!desk || typeof recording?.text !== "string") return replay(recording);
    const { checked } = await import("./link.js"), draft = checked(recording);
    await desk.take(draft);
    await introduce(await backend.open(desk.draft));
    await restore(draft);
  });
}

async function replay(recording) {
  const { start, steps, lasso } = await backend.replay(recording);
  begin(start, steps);
  run.position = 0;
  run.loop = lasso ?? null;
  await refresh(run.here);
  show(true);
  address("replaceState");
}

// showFound shows the run that a search has found, and what it shows.
async function showFound(recording, finding) {
  await replay(recording);
  run.finding = finding;
  await go(run.length);
  selectTab("chart");
}

async function save(format) {
  await perform(async () => {
    let blob;
    if (backend.save) {
      blob = await backend.save(run.start.state.code, run.indices, format);
    } else {
      blob = format === "svg" ? new Blob([new XMLSerializer().serializeToString(drawChart(system, run, 0, true))])
        : new Blob([JSON.stringify(recorded())]);
    }
    const link = h("a",
      { href: URL.createObjectURL(blob), download: `${system.title.replace(/[^\w-]+/g, "-")}.${format}` });
    link.click();
    URL.revokeObjectURL(link.href);
  });
}

// recorded returns the run as a recording, which can be opened again.
function recorded() {
  const state = entry => ({ processes: entry.state.processes.map(p => ({ exact: p.exact })) });
  return { title: system.title, initial: state(run.start),
    steps: run.steps.slice(0, run.position).map(e => ({ action: e.move.label, state: state(e) })) };
}

// graphs are the two graphs of the panel, for the system that is shown. A drawing is undefined before its graph is first
// shown, and null while it is being made or if there is none.
const graphs = {
  all: { element: "graph", ask: () => backend.graph(), make: allStates,
    mark: async drawing => drawing.mark(run.state.code) },
  quotient: { element: "quotient", ask: () => backend.quotient(), make: minimised,
    mark: async drawing => drawing.mark(await backend.classOf(run.state.code)) },
};

function selectGraph(name) {
  shownGraph = name;
  for (const other of Object.keys(graphs)) byId("graph-" + other).setAttribute("aria-pressed", String(other === name));
  selectTab("graph");
}

async function showGraph() {
  const name = shownGraph, graph = graphs[name];
  const draw = () => {
    if (shownGraph !== name || graphs[name] !== graph) return;
    byId("graph-text").replaceChildren(...[graph.text].flat());
    for (const other of Object.values(graphs)) {
      byId(other.element).toggleAttribute("hidden", other !== graph || !graph.drawing);
    }
  };
  if (graph.drawing === undefined) {
    Object.assign(graph, { drawing: null, text: "Making the graph …" });
    draw();
    try {
      const answer = await graph.ask();
      if (answer.large) throw new Error(capitalised(answer.large));
      if (graphs[name] !== graph) return; // another system is shown by now
      graph.make(graph, answer, draw);
    } catch (error) {
      Object.assign(graph, { drawing: null, text: visible(error.message) });
    }
  }
  draw();
  if (graph.drawing) await graph.mark(graph.drawing).catch(error => complain(error.message));
}

// visitNode goes to a state clicked in a graph.
const visitNode = code => perform(() => visit(code));

let stateGraph; // of every system, since it listens to the canvas

function allStates(graph, all, draw) {
  graph.drawing = stateGraph ??= new StateGraph(byId("graph"), visitNode);
  draw(); // shows the canvas, whose size show() needs
  graph.drawing.show(all);
  const count = mark => number(all.nodes.filter(n => n.mark === mark).length);
  const sizes = [plural(all.nodes.length, "state"), plural(all.edges.length, "transition"),
    plural(graph.drawing.levels.length, "level")];
  graph.text = [sizes.join(", ") + ". ",
    h("span", { class: "dot terminal" }), `${count("terminal")} terminal `, h("span", { class: "dot violated" }),
      `${count("violated")} violate an invariant. Click a state to go there.`];
}

function minimised(graph, quotient) {
  const classes = plural(quotient.nodes.length, "class").replace("classs", "classes");
  const size = `${classes} of states, ${plural(quotient.edges.length, "transition")} `;
  if (quotient.nodes.length > 150 || quotient.edges.length > 400) {
    const advice = "ringcheck minimize --out writes them to a file.";
    throw new Error(`${size}modulo branching bisimilarity: too many to draw. ${advice}`);
  }
  graph.drawing = new QuotientGraph(byId("quotient"), visitNode);
  graph.drawing.show(quotient);
  graph.text = [size + "modulo branching bisimilarity, where only events are visible: all that can be observed. ",
    h("span", { class: "dot terminal" }), "terminal. Click a class to go to the first of its states."];
}

const keyHelp = [
  ["1 … 9", "take an enabled action"], ["←  →", "undo, redo"], ["Home  End", "rewind, last step"],
  ["r", "one random action"], ["space", "run at random, pause"], ["c  s  p  e", "run, spec, properties, search"],
  ["g  m", "all states, minimised"], ["/", "type a condition"], ["?", "show or hide this"],
];

function toggleHelp() {
  const help = byId("help");
  help.hidden = !help.hidden;
  byId("help-button").setAttribute("aria-expanded", String(!help.hidden));
}

const keys = {
  ArrowLeft: () => go(run.position - 1),
  ArrowRight: forward,
  Home: () => go(0),
  End: () => go(run.length),
  r: random,
  " ": togglePlay,
  c: () => selectTab("chart", true),
  s: () => selectTab("spec", true),
  p: () => selectTab("truth", true),
  g: () => { selectGraph("all"); byId("tab-graph").focus(); },
  m: () => { selectGraph("quotient"); byId("tab-graph").focus(); },
  e: () => selectTab("search", true),
  "/": () => { if (backend.live) { selectTab("truth"); byId("condition").focus(); } },
  "?": toggleHelp,
  Escape: () => { if (!byId("help").hidden) toggleHelp(); pause(); },
};

function togglePlay() {
  if (byId("play").getAttribute("aria-pressed") === "true") pause();
  else play();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target;
  if (target.id === "editor") return; // what is typed there
  if (target.matches("input, select, textarea")) {
    if (event.key === "Escape") target.blur();
    return;
  }
  if (target.role === "tab" || target.getAttribute("role") === "tab") {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      event.preventDefault();
      const shown = tabs.filter(t => !byId("tab-" + t).hidden);
      return selectTab(shown[(shown.indexOf(shownTab) + step + shown.length) % shown.length], true);
    }
  }
  if (event.key === " " && target.matches("button, label")) return; // presses it
  if (!run) return; // no state could be shown
  if (/^[1-9]$/.test(event.key) && run.state.moves.length >= Number(event.key)) {
    event.preventDefault();
    return take(Number(event.key) - 1);
  }
  if (!Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
}

let shown = 0; // counts the systems

// introduce shows what there is to know about a system before it is explored. The run of another system ends.
async function introduce(next) {
  pause();
  system = next;
  run = network = undefined;
  for (const id of ["moves", "network", "verdicts", "chart", "now"]) byId(id).replaceChildren();
  for (const button of byId("toolbar").querySelectorAll("button")) button.disabled = true;
  byId("position").textContent = byId("enabled").textContent = "";
  shown++;
  search.reset();
  for (const name of Object.keys(graphs)) graphs[name] = { ...graphs[name], drawing: undefined };
  document.title = visible(`${system.title}, ${system.settings}`);
  byId("title").textContent = visible(system.title);
  byId("settings").textContent = visible(system.settings);
  const explained = r => h("li", {}, h("span", { class: "swatch " + r.colour }), r.word);
  byId("legend").replaceChildren(...system.roles.map(explained));
  const list = byId("initial");
  list.hidden = system.initial.length < 2;
  list.replaceChildren(...system.initial.map((code, i) => h("option", { value: code }, `initial state ${i + 1}`)));
}

// change shows the system of a changed text, with the steps of the run so far if it still has them.
async function change(next) {
  await until(() => !busy);
  await perform(async () => {
    const old = run?.begun && run.position > 0 ? recorded() : null;
    await introduce(next);
    conditions.length = 0;
    const again = old && await backend.replay(old).catch(() => null);
    if (again) begin(again.start, again.steps);
    else begin(await backend.state(system.initial[0], conditions), []);
  });
}

async function until(condition) {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 20));
}

function prepare() {
  byId("help").append(h("dl", {},
    keyHelp.flatMap(([key, does]) => [h("dt", {}, key.split("  ").map(k => h("kbd", {}, k))), h("dd", {}, does)])));
  const withRun = { rewind: keys.Home, undo: keys.ArrowLeft, redo: keys.ArrowRight, latest: keys.End, random,
    play: togglePlay, origin: fromStart,
    "save-svg": () => save("svg"), "save-html": () => save("html"), "save-json": () => save("json"),
    share: () => perform(async () => { byId("now").textContent = await desk.share(run); }) };
  const always = { "help-button": toggleHelp, "catalogue-button": () => desk.showCatalogue(),
    "graph-all": () => selectGraph("all"), "graph-quotient": () => selectGraph("quotient"),
    "search-start": () => search.start("search"), "search-stop": () => search.stop(),
    check: () => search.start("check"), counterexample: () => search.start("counterexample"),
    probability: () => search.start("probability") };
  for (const [id, action] of Object.entries(withRun)) byId(id).addEventListener("click", () => run && action());
  for (const [id, action] of Object.entries(always)) byId(id).addEventListener("click", action);
  for (const tab of tabs) byId("tab-" + tab).addEventListener("click", () => selectTab(tab));
  byId("ask").addEventListener("submit", event => {
    event.preventDefault();
    addCondition(byId("condition").value.trim());
  });
  byId("file").addEventListener("change", async event => {
    if (event.target.files.length) await openFile(event.target.files[0]);
    event.target.value = "";
  });
  byId("initial").addEventListener("change", () => perform(() => visit(byId("initial").value)));
  if (!backend.live) for (const id of ["tab-search", "ask", "open"]) byId(id).hidden = true;
  byId("save-html").hidden = !backend.save;
  for (const id of ["share", "catalogue-button", "language"]) byId(id).hidden = !backend.catalogue;
  new ResizeObserver(() => { if (run && shownTab === "chart") showChart(); }).observe(byId("chart-panel"));
  document.addEventListener("keydown", onKey);
  window.addEventListener("popstate", event => { pause(); follow(event.state); });
}

// withDesk begins with an editor, which has a draft, if there is one, on it.
async function withDesk(draft) {
  const { Desk } = await import("./desk.js");
  const edit = () => { selectTab("spec"); };
  const start = kind => { selectTab("search"); search.start(kind); };
  desk = new Desk(backend, { show: change, perform, edit, search: start });
  await desk.begin(draft);
}

// openFirst opens the first system of a page without a server: that of the link, of the text that was typed before, or of
// the first protocol of the list.
async function openFirst() {
  await withDesk(null);
  let draft = null, why = "";
  try {
    ({ draft } = await aim(location.hash.slice(1)));
  } catch (error) {
    why = error.message;
  }
  const last = desk.last();
  if (last && last.text !== draft?.text) draft = last;
  const fresh = !draft;
  if (fresh) {
    const [first] = await backend.catalogue();
    draft = { ...first, text: await backend.text(first.file) };
  }
  await desk.take(draft);
  const system = await backend.open(desk.draft).catch(error => { why ||= error.message; return null; });
  desk.opened = system && JSON.stringify(desk.draft);
  return { system, draft, why, fresh };
}

async function main() {
  await loadGrammar();
  prepare();
  const named = location.hash !== "";
  if (backend.catalogue) {
    const { system: first, draft, why, fresh } = await openFirst();
    if (first) {
      await introduce(first);
      await perform(() => restore(draft).catch(error => {
        if (!draft.start) throw error;
        return restore({}); // the address of its state is wrong
      }));
    }
    if (fresh) await desk.showCatalogue();
    if (why) complain(why);
  } else {
    const first = await backend.system();
    await introduce(first);
    if (first.desk) await withDesk(first.desk);
    await follow(null);
    if (first.trace && !named) await perform(() => replay(first.trace));
  }
  selectTab(backend.catalogue ? "spec" : "chart");
  document.documentElement.dataset.ready = "yes";
}

await main();
