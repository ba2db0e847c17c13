import { byId } from "./dom.js";
import { Actions } from "./actions.js";
import { PageAddress } from "./address.js";
import { openBackend } from "./backend.js";
import { ChartPanel } from "./chartpanel.js";
import { loadGrammar } from "./colour.js";
import { Exploration } from "./exploration.js";
import { GraphPanel } from "./graphpanel.js";
import { showHeader } from "./header.js";
import { Keyboard, showKeyHelp, toggleHelp } from "./keyboard.js";
import { MoveList } from "./moves.js";
import { Player } from "./player.js";
import { PropertyPanel, Verdicts } from "./properties.js";
import { saveRun } from "./recording.js";
import { Selection, StepSearch } from "./selection.js";
import { SearchPanel } from "./search.js";
import { SpecPanel } from "./specpanel.js";
import { Stage } from "./stage.js";
import { Tabs } from "./tabs.js";
import { Tasks, showAlert } from "./tasks.js";
import { Toolbar } from "./toolbar.js";

// The page: an exploration, its pictures, and the actions of the user. This module connects them.
const backend = await openBackend();
const tasks = new Tasks();
const exploration = new Exploration(backend, { opened: showSystem, changed: showRun });
const actions = new Actions(exploration, tasks);
const player = new Player(exploration, actions);
const address = new PageAddress(exploration);
const views = [new Stage(), new Toolbar(), new MoveList((state, index) => actions.takeIn(state, index)), new Verdicts()];
const selection = new Selection(backend.live, () => tabs.show());
const chart = new ChartPanel(exploration, selection, position => actions.go(position));
new StepSearch(exploration, position => actions.go(position));
const graphs = new GraphPanel(exploration, code => actions.visit(code));
const search = new SearchPanel(backend, { replay: showFound, draft: () => exploration.editor?.opening() });
const tabs = new Tabs(exploration, { chart, spec: new SpecPanel(exploration),
  truth: new PropertyPanel(exploration, actions), graph: graphs, search: { show() {} } });

// showSystem shows what is known about a system before a state of it is.
function showSystem() {
  player.pause();
  for (const view of [...views, chart, graphs, search]) view.reset();
  showHeader(exploration.system);
}

/**
 * showRun shows the run at its position, and writes the address.
 * @param {boolean} still
 * @param {"push" | "replace" | "begin"} [write] the method of PageAddress to call
 */
function showRun(still, write) {
  for (const view of views) /** @type {any} */ (view).show(exploration, still);
  tabs.show();
  if (write) address[write]();
}

// showFound shows a run that a search has found, and the finding.
async function showFound(recording) {
  await tasks.run(() => exploration.replay(recording));
  await actions.last();
  tabs.select("chart");
}

// follow shows what the address names, after the running task, which may change the address.
async function follow(entry) {
  const fragment = location.hash.slice(1);
  await tasks.run(() => address.follow(fragment, entry));
}

function selectGraph(name) {
  graphs.select(name);
  tabs.select("graph");
}

function selectGraphByKey(name) {
  selectGraph(name);
  tabs.focus();
}

function typeCondition() {
  if (!backend.live) return;
  tabs.select("truth");
  byId("condition").focus();
}

async function addCondition() {
  if (await actions.addCondition(byId("condition").value.trim())) byId("condition").value = "";
}

function stop() {
  if (!byId("help").hidden) toggleHelp();
  player.pause();
  tasks.drop();
}

// listen connects the controls of the page with the actions.
function listen() {
  const save = format => tasks.run(() => saveRun(exploration, format, selection.value));
  const share = () => tasks.run(async () => { byId("now").textContent = await address.share(); });
  const withRun = {
    rewind: () => actions.first(), undo: () => actions.back(),
    redo: () => actions.forward(), latest: () => actions.last(),
    random: () => actions.random(), play: () => player.toggle(), origin: () => actions.origin(),
    "save-svg": () => save("svg"), "save-html": () => save("html"), "save-json": () => save("json"), share,
  };
  const always = {
    "help-button": toggleHelp, "catalogue-button": () => exploration.editor.catalogue.show(),
    "graph-all": () => selectGraph("all"), "graph-quotient": () => selectGraph("quotient"),
    "search-start": () => search.start("search"), "search-stop": () => search.stop(),
    check: () => search.start("check"), counterexample: () => search.start("counterexample"),
    probability: () => search.start("probability"),
  };
  const onClick = (id, action) => byId(id).addEventListener("click", action);
  for (const [id, action] of Object.entries(withRun)) onClick(id, () => exploration.run && action());
  for (const [id, action] of Object.entries(always)) onClick(id, () => action());
  byId("ask").addEventListener("submit", event => {
    event.preventDefault();
    addCondition();
  });
  byId("file").addEventListener("change", async event => {
    if (event.target.files.length) await actions.openFile(event.target.files[0]);
    event.target.value = "";
  });
  byId("initial").addEventListener("change", event => actions.visit(event.target.value));
  new ResizeObserver(() => { if (tabs.selected === "chart") tabs.show(); }).observe(byId("chart-panel"));
  new Keyboard({
    ArrowLeft: () => actions.back(), ArrowRight: () => actions.forward(),
    Home: () => actions.first(), End: () => actions.last(), r: () => actions.random(), " ": () => player.toggle(),
    c: () => tabs.select("chart", true), s: () => tabs.select("spec", true), p: () => tabs.select("truth", true),
    g: () => selectGraphByKey("all"), m: () => selectGraphByKey("quotient"), e: () => tabs.select("search", true),
    "/": typeCondition, "?": toggleHelp, Escape: stop,
  }, { exploration, tabs, take: index => actions.take(index), busy: () => tasks.waiting > 0 });
  window.addEventListener("popstate", event => { player.pause(); follow(event.state); });
}

// showControls hides the controls that this page does not have.
function showControls() {
  showKeyHelp();
  if (!backend.live) for (const id of ["tab-search", "ask", "open"]) byId(id).hidden = true;
  byId("save-html").hidden = !backend.save;
  for (const id of ["share", "catalogue-button", "language"]) byId(id).hidden = !backend.catalogue;
}

// openEditor opens the editor, with a draft unless it is null.
async function openEditor(draft) {
  const { DraftEditor } = await import("./drafteditor.js");
  exploration.editor = new DraftEditor(backend, {
    run: action => tasks.run(action),
    show: system => tasks.run(() => exploration.openChanged(system)),
    edit: () => tabs.select("spec"),
    search: kind => { tabs.select("search"); search.start(kind); },
  });
  await exploration.editor.begin(draft);
}

// openServed opens the system of a server or a file, with the editor and the recorded run that come with it.
async function openServed() {
  const named = location.hash !== "", { draft, trace, ...system } = await backend.system();
  exploration.open(system);
  if (draft) await openEditor(draft);
  await follow(null);
  if (trace && !named) await tasks.run(() => exploration.replay(trace));
  tabs.select("chart");
}

// openFirst opens the first system of a page without a server: of the link, of the text that was typed before, or of
// the first protocol of the catalogue.
async function openFirst() {
  await openEditor(null);
  const { editor } = exploration;
  /** @type {any} */
  let draft = null;
  let warning = "";
  try {
    ({ draft } = await address.read(location.hash.slice(1)));
  } catch (error) {
    warning = error.message;
  }
  const last = editor.drafts.last();
  if (last && last.text !== draft?.text) draft = last;
  else if (last) draft.id = last.id;
  const fresh = !draft;
  if (fresh) {
    const protocols = /** @type {any} */ (backend); // which only a page without a server has
    const [first] = await protocols.catalogue();
    draft = { ...first, text: await protocols.text(first.file) };
  }
  await editor.take(draft);
  try {
    exploration.open(await editor.openNow());
    await tasks.run(() => restoreDraft(draft));
  } catch (error) {
    warning ||= error.message;
  }
  if (fresh) await editor.catalogue.show();
  if (warning) showAlert(warning);
  tabs.select("spec");
}

// restoreDraft begins the run of a draft, or a run from an initial state if the draft names an unknown state.
async function restoreDraft(draft) {
  try {
    await exploration.restore(draft);
  } catch (error) {
    if (!draft.start) throw error;
    await exploration.restore({});
  }
}

async function main() {
  await loadGrammar();
  showControls();
  listen();
  if (backend.catalogue) await openFirst();
  else await openServed();
  document.documentElement.dataset.ready = "yes";
}

await main();
