import { byId, h, number, plural, visible } from "./dom.js";
import { drawLevels } from "./graph.js";

// SearchPanel runs searches, one at a time, and shows their progress and what they find.
export class SearchPanel {
  // replay shows a run. draft returns the text and the settings to search, after the page shows their system.
  constructor(backend, { replay, draft }) {
    this.backend = backend;
    this.replay = replay;
    this.draft = draft;
    this.stopping = null;
    this.turn = 0;
  }

  // reset forgets what was found, since another system is shown.
  reset() {
    this.stop();
    this.running(false); // so that what was stopped says nothing about the new system
    byId("search-text").textContent = "Not explored yet.";
    byId("results").replaceChildren();
    this.counts([]);
  }

  stop() { this.stopping?.abort(); }

  // start runs a search: "search", "check", "counterexample" or "probability".
  async start(kind, question = {}) {
    this.stop();
    const number = ++this.turn, draft = await this.draft();
    if (number !== this.turn) return;
    const turn = this.stopping = new AbortController();
    let last = null;
    this.running(true);
    byId("search-text").textContent = "Exploring …";
    byId("results").replaceChildren();
    this.counts([]);
    try {
      const progress = p => { last = p; if (turn === this.stopping) this.showProgress(p); };
      const answer = await this.backend.task(kind, kind === "search" ? { draft } : { ...draft, ...question }, progress,
        turn.signal);
      if (turn === this.stopping) await this["show_" + kind](answer);
    } catch (error) {
      if (turn !== this.stopping) return;
      const bounds = last ? " The numbers are lower bounds." : "";
      byId("search-text").textContent = (turn.signal.aborted ? "Stopped." : visible(error.message)) + bounds;
      if (last) this.showProgress(last);
    } finally {
      if (turn === this.stopping) this.running(false);
    }
  }

  running(is) {
    byId("search-stop").disabled = !is;
    for (const id of ["search-start", "check", "counterexample", "probability"]) byId(id).disabled = is;
    if (!is) this.stopping = null;
  }

  // counts shows rows of numbers. Those of the progress go when there is a result.
  counts(rows) {
    byId("counts").replaceChildren(...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
    byId("levels").setAttribute("hidden", "");
  }

  showProgress(p) {
    const memory = number(Math.round(p.bytes / 2 ** 20)) + " MiB";
    this.counts([["states", number(p.states)], ["transitions", number(p.transitions)], ["levels", number(p.level + 1)],
      ["frontier", number(p.frontier)], ["memory", memory], ["time", p.seconds.toFixed(1) + " s"]]);
  }

  show_search(p) {
    byId("search-text").textContent = p.complete ? "Every reachable state was explored."
      : `Stopped: ${visible(limits[p.stopped] ?? p.stopped)}. The numbers are lower bounds.`;
    this.counts([["states", number(p.states)], ["transitions", number(p.transitions)], ["levels", number(p.level + 1)],
      ["terminal states", number(p.terminal)], ["time", p.seconds.toFixed(1) + " s"]]);
    if (p.levels?.length > 0) drawLevels(byId("levels"), p.levels);
  }

  ending(r) {
    return r.complete ? "" : ` It stopped before the end: ${visible(r.fault?.message ?? limits[r.stopped] ?? r.stopped ?? "")}. `
      + "The numbers are lower bounds, and what is not violated is unknown.";
  }

  show_check(r) {
    const verdict = r.holds === true ? "All properties hold." : r.holds === false ? "Violated." : "Not decided.";
    byId("search-text").textContent = verdict + this.ending(r);
    this.counts([["states", amount(r.states)], ["transitions", amount(r.transitions)],
      ["terminal states", amount(r.terminal_states)], ["levels", number(r.levels ?? 0)], ["time", r.seconds.toFixed(1) + " s"]]);
    byId("results").replaceChildren(...(r.properties ?? []).map(p => this.verdict(p)));
  }

  verdict(p) {
    const [name, sign] = p.holds === true ? ["true", "✓"] : p.holds === false ? ["violated", "✗"] : ["unknown", "?"];
    const shown = p.holds === false && !["reachable", "probability", "expected"].includes(p.kind)
      || p.kind === "reachable" && p.holds;
    const words = p.holds === true ? "holds" : p.holds === false ? "violated" : p.fault ? "no value, " + p.fault.message : "unknown";
    const length = p.trace_length !== null && p.trace_length !== undefined ? `, the first after ${plural(p.trace_length, "step")}` : "";
    const show = () => this.start("counterexample", { property: p.name, witness: p.kind === "reachable" });
    return h("li", { class: name }, h("span", { class: "sign", "aria-hidden": "true" }, sign),
      h("div", {}, h("b", {}, p.name), ` ${p.kind}: ${words}${length}`, p.doc ? h("p", {}, p.doc) : "",
        p.value ? h("p", {}, interval(p.value)) : "", (p.warnings ?? []).map(w => h("p", { class: "why" }, w.text))),
      shown ? h("button", { type: "button", "aria-label": "Show a run for " + visible(p.name), onclick: show }, "Show") : "");
  }

  async show_counterexample(r) {
    byId("search-text").textContent = visible(r.finding);
    this.counts(r.run ? [] : [["states", amount(r.states)], ["transitions", amount(r.transitions)]]);
    if (r.run) await this.replay(r.run);
  }

  show_probability(r) {
    const results = r.results ?? [], name = a => (a.query === "expected" ? "expected " + a.reward : a.query);
    byId("search-text").textContent = `Until ${visible(results[0]?.until ?? "the goal")}.` + this.ending(r);
    this.counts([["states", amount(r.states)], ["choices", amount(r.choices)], ["branches", amount(r.branches)],
      ["time", r.seconds.toFixed(1) + " s"]]);
    const distinct = list => [...new Set(list)], columns = distinct(results.map(a => a.scheduler));
    const cell = (row, column) => results.find(a => name(a) === row && a.scheduler === column);
    const value = a => h("td", {}, a ? interval(a) : "");
    const table = h("table", {},
      h("tr", {}, h("th", { scope: "col" }, "scheduler"), columns.map(c => h("th", { scope: "col" }, c))),
      distinct(results.map(name)).map(row => h("tr", {},
        h("th", { scope: "row" }, row), columns.map(c => value(cell(row, c))))));
    byId("results").replaceChildren(h("li", {},
      h("div", { class: "wide", role: "group", tabindex: 0, "aria-label": "Results by scheduler" }, table)));
  }
}

// limits are the words for the reasons why a search stopped.
const limits = { memory: "it ran out of the memory that it may use", states: "a limit on states" };

// amount writes a count, which is a decimal string above 2^53.
const amount = n => (typeof n === "string" ? BigInt(n) : Number(n ?? 0)).toLocaleString("en");

// interval writes a value with an upper bound of its error, as the command line does. An infinite bound is the text inf.
export function interval({ low, high, exact }) {
  if (exact) return exact;
  if (typeof low !== "number") return "∞";
  if (typeof high !== "number") return "at least " + decimal(low, 6);
  const middle = low + (high - low) / 2, half = (high - low) / 2;
  if (half === 0) return decimal(low, 17);
  const digits = Math.max(0, Math.min(17, -Math.floor(Math.log10(half)))), shown = Number(middle.toFixed(digits));
  const off = Math.max(shown - low, high - shown) + Number.EPSILON * Math.abs(middle);
  if (low === 0 && high < 1e-4) return "at most " + atMost(high);
  if (high < 1e-4 || high > 1e15) return `${middle.toPrecision(6)} ± ${atMost(Math.max(half, 1e-6 * middle))}`;
  return `${middle.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ± ${atMost(off)}`;
}

const decimal = (x, digits) => x.toLocaleString("en", { maximumSignificantDigits: digits });

// atMost writes an upper bound of one digit.
function atMost(x) {
  let power = Math.floor(Math.log10(x)), digit = Math.floor(x / 10 ** power) + 1;
  if (digit > 9) [digit, power] = [1, power + 1];
  return `${digit}e${power}`;
}
