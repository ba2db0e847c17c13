import { byId, h, plural, visible } from "./dom.js";
import { Catalogue } from "./catalogue.js";
import { Drafts } from "./drafts.js";
import { Editor } from "./editor.js";
import { linked } from "./link.js";

const readDelay = 30, openDelay = 600; // milliseconds after the last key
const watchEvery = 1000; // milliseconds

// A DraftEditor edits a draft: a text, and the values of its parameters and options. The page shows the system of the
// draft as soon as it has no errors.
export class DraftEditor {
  // page has the methods show(system), which shows another system, run(action), which runs a task, edit(), which shows
  // the editor, and search(kind), which searches the system.
  constructor(backend, page) {
    this.backend = backend;
    this.page = page;
    this.drafts = new Drafts();
    this.turn = 0;
    /** @type {any[]} */
    this.errors = []; // of the text
    this.done = ""; // what was last done with the text
    /** @type {any} */
    this.editor = null; // see begin
    this.draft = { file: "", text: "", settings: {} };
    this.opened = null; // the draft of the system on the page
    this.known = undefined; // the text of the file that the text here comes from, if it comes from a file
    this.seen = undefined; // the last text that the file was seen to have
    this.saves = 0; // a text of the file that was asked for before a save says nothing
    this.catalogue = new Catalogue(backend, this.drafts, entry => this.choose(entry));
  }

  // begin shows the editor, with a draft unless it is null.
  async begin(about) {
    const complete = (text, line, character) => this.backend.ask("complete", { text, line, character });
    this.editor = new Editor(byId("editor"),
      { complete, changed: () => this.typed(), save: () => this.save(), run: () => this.open() });
    byId("draft").hidden = false;
    byId("spec").hidden = true;
    this.keeps = Boolean(about?.keep);
    byId("keep").hidden = !this.keeps;
    if (!this.keeps) byId("format").title += " (Ctrl-S)";
    byId("format").addEventListener("click", () => this.format());
    byId("keep").addEventListener("click", () => this.save());
    byId("settings-form").addEventListener("submit", event => event.preventDefault());
    byId("settings-form").addEventListener("change", event => this.set(event.target.name, event.target.value));
    if (about) {
      this.take(about);
      this.opened = this.draft;
    }
    if (about?.known !== undefined) this.watch(about.known);
    window.addEventListener("beforeunload", event => { if (this.keeps && this.unsaved) event.preventDefault(); });
  }

  // watch loads the text of the file when the file has changed, or asks if the text on the page has changed, too.
  async watch(known) {
    this.known = this.seen = known;
    this.showUnsaved();
    for (;; await new Promise(resolve => setTimeout(resolve, watchEvery))) {
      if (document.hidden) continue;
      const { saves } = this, now = await this.backend.ask("changed").catch(() => null);
      if (!now || saves !== this.saves || now.text === this.seen) continue;
      this.seen = now.text;
      if (now.text === this.known) this.settle();
      else if (this.unsaved && now.text !== this.draft.text) this.askAbout(now.text);
      else this.takeFile(now.text);
    }
  }

  get unsaved() { return this.known !== undefined && this.draft.text !== this.known; }

  // showUnsaved marks a text that differs from its file.
  showUnsaved() {
    if (!this.keeps) return;
    byId("keep").textContent = this.unsaved ? "Save •" : "Save";
    byId("keep").title = (this.unsaved ? "Not saved yet. " : "") + `Lay out the text and write ${this.draft.file} (Ctrl-S)`;
    document.title = (this.unsaved ? "• " : "") + document.title.replace(/^• /, "");
  }

  // askAbout asks what to do with a text of the file that another program has written since the text here was loaded.
  askAbout(text) {
    const button = (name, action) => h("button", { type: "button", onclick: action }, name);
    byId("conflict").replaceChildren(
      h("span", {}, `${this.draft.file} was changed by another program, and so was the text here.`),
      button("Take the text of the file", () => this.takeFile(text)),
      button("Keep the text here", () => { this.known = text; this.settle(); }));
    byId("conflict").hidden = false;
  }

  // takeFile puts the text of the file into the editor, where that can be undone.
  takeFile(text) {
    this.known = text;
    if (text !== this.draft.text) this.editor.replace(text);
    this.settle();
  }

  // settle hides the question, and marks the text if it is not saved.
  settle() {
    byId("conflict").hidden = true;
    this.showUnsaved();
  }

  // take replaces the draft.
  take(chosen) {
    const { file = "", text, settings = {}, try: tries = [] } = chosen;
    this.chosen = chosen;
    this.drafts.id = chosen.id ?? "";
    this.draft = { file, text, settings: { ...settings } };
    this.editor.load(text);
    this.showSteps(tries);
    return this.read();
  }

  typed() {
    this.draft = { ...this.draft, text: this.editor.text };
    this.note("");
    this.showUnsaved();
    this.store();
    clearTimeout(this.soon);
    clearTimeout(this.later);
    this.soon = setTimeout(() => this.read(), readDelay);
    this.later = setTimeout(() => this.open(), openDelay);
  }

  // read asks what is wrong with the text. While an answer is under way, the next question waits.
  read() {
    this.again = true;
    return this.reading ??= this.readAgain().finally(() => { this.reading = null; });
  }

  async readAgain() {
    try {
      while (this.again) {
        this.again = false;
        const r = await this.backend.ask("read", { text: this.draft.text, file: this.draft.file });
        this.errors = r.errors ?? [];
        this.editor.diagnose([...this.errors, ...(r.warnings ?? []).map(w => ({ ...w, warning: true }))]);
        const [first] = this.errors, { length } = this.errors;
        this.status(first ? `${plural(length, "error")}: line ${first.pos.line}: ${first.message}` : "");
        if (!first) this.showForm([...r.params ?? [], ...r.options ?? []]);
      }
    } catch (error) {
      this.status(error.message);
    }
  }

  // status shows what is wrong with the text, after what was last done with it.
  status(wrong, done = this.done) {
    this.wrong = wrong;
    this.done = done;
    const go = () => this.errors?.[0] && this.editor.go(this.errors[0].pos);
    byId("draft-text").replaceChildren(h("span", {}, done ?? ""),
      wrong ? h("button", { type: "button", title: "Go there", onclick: go }, visible(wrong)) : "");
    const stale = Boolean(wrong) && this.opened !== null && !same(this.draft, this.opened);
    byId("stale").hidden = !stale;
    byId("stale").textContent = stale ? `This page shows the last version without errors. ${visible(wrong)}` : "";
  }

  note(done) {
    this.status(this.wrong, done);
  }

  // showForm shows a field for each parameter and option. A parameter without a default gets a value, and values of what
  // the text does not declare any more go.
  showForm(settings) {
    const least = s => (Number(s.lo) > 3 ? s.lo : "3"), given = this.draft.settings;
    const value = s => given[s.name] ?? (s.default || least(s));
    const chosen = settings.filter(s => s.name in given || !s.default);
    const draft = { ...this.draft, settings: Object.fromEntries(chosen.map(s => [s.name, value(s)])) };
    if (this.opened === this.draft) this.opened = draft;
    this.draft = draft;
    const shape = JSON.stringify(settings);
    if (shape !== this.shape) {
      this.shape = shape;
      byId("settings-form").replaceChildren(...settings.map(s => h("label", { title: s.doc }, s.name, this.field(s))));
    }
    for (const s of settings) byId("setting-" + s.name).value = value(s);
  }

  field({ name, values, lo, hi }) {
    const attributes = { name, id: "setting-" + name };
    if (!lo) return h("select", attributes, (values ?? ["true", "false"]).map(v => h("option", { value: v }, v)));
    const number = /^\d+$/.test(lo) ? { min: lo } : {};
    if (/^\d+$/.test(hi)) number.max = hi;
    return h("input", { ...attributes, ...number, type: "number", inputmode: "numeric", placeholder: `${lo}..${hi}` });
  }

  set(name, value) {
    const settings = { ...this.draft.settings, [name]: value };
    if (value === "") delete settings[name];
    this.draft = { ...this.draft, settings };
    this.store();
    return this.open();
  }

  // open shows the system of the draft, if it has changed and has no errors.
  async open() {
    clearTimeout(this.later);
    const turn = ++this.turn;
    if (same(this.draft, this.opened) || this.draft.text === "") return;
    await this.read();
    if (this.errors?.length || turn !== this.turn) return;
    const { draft } = this;
    try {
      const system = await this.backend.open(draft, this.known);
      if (turn !== this.turn) return;
      this.opened = draft;
      this.status("");
      await this.page.show(system);
      this.showUnsaved();
    } catch (error) {
      this.status(error.message);
    }
  }

  // openNow returns the system of the draft, which the page is about to show.
  async openNow() {
    const { draft } = this, system = await this.backend.open(draft, this.known);
    this.opened = draft;
    return system;
  }

  // opening opens the draft, and returns it for a search of its system.
  async opening() {
    await this.open();
    return this.draft;
  }

  format() {
    return this.page.run(() => this.layOut());
  }

  async layOut() {
    const { draft } = this, { text } = await this.backend.ask("format", { text: draft.text, file: draft.file });
    if (draft.text === this.draft.text && text !== draft.text) this.editor.replace(text);
  }

  // save lays the text out, if it has no errors, and writes it to its file, if it has one.
  save() {
    if (!this.keeps) return this.format();
    return this.page.run(async () => {
      await this.layOut().catch(() => {}); // the editor shows the errors of the text
      await this.keep();
    });
  }

  // keep writes the text to its file, unless another program has changed the file: then it asks.
  async keep() {
    const { draft } = this, { changed } = await this.backend.ask("keep", { ...draft, known: this.known });
    this.saves++;
    this.seen = changed ?? draft.text;
    if (changed !== undefined) return this.askAbout(changed);
    this.known = draft.text;
    this.settle();
    this.note("Saved to " + draft.file + ".");
  }

  // store stores the draft in the browser, on a page without a server.
  store() {
    if (!this.backend.catalogue) return;
    try {
      this.drafts.store(this.draft);
    } catch (error) {
      this.note("The browser does not keep this text: " + error.message);
    }
  }

  // rename stores the draft with the address of the page, if the draft is stored.
  rename() {
    if (this.drafts.isStored()) this.store();
  }

  // value returns the draft and the run, for a link or a file.
  value(run) {
    return linked({ ...this.opened ?? this.draft, start: run.start.state.code, moves: run.allIndices, at: run.position,
      ...run.told });
  }

  // choose opens an entry of the catalogue.
  async choose(p) {
    await this.page.run(async () => {
      await this.take({ ...p, text: p.text ?? await this.backend.text(p.file) });
      this.page.edit(); // shows the editor
    });
    await this.open();
  }

  // mark marks the lines that processes may do next, of which last has acted.
  mark(enabled, last) { this.editor.mark(enabled, last); }

  // showSteps lists what to try with a protocol.
  showSteps(tries) {
    byId("tries").hidden = tries.length === 0;
    byId("tries-list").replaceChildren(...tries.map(t => h("li", {}, h("span", {}, t.say + " "),
      h("button", { type: "button", "aria-label": "Do it: " + t.say, onclick: () => this.follow(t) }, "Do it"))),
      h("li", {}, h("button", { type: "button", onclick: () => this.choose(this.chosen) }, "Start over")));
  }

  async follow(t) {
    for (const [from, to] of t.change ?? []) {
      if (!this.editor.text.includes(from)) return this.note(`The text has no “${from}” any more.`);
      this.editor.replace(this.editor.text.replace(from, () => to));
    }
    this.draft = { ...this.draft, settings: { ...this.draft.settings, ...t.settings } };
    this.store();
    await this.open();
    if (t.then) this.page.search(t.then);
  }
}

// same reports whether two drafts are equal; null is none.
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
