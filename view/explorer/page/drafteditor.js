import { byId, h, plural, visible } from "./dom.js";
import { Catalogue } from "./catalogue.js";
import { Drafts } from "./drafts.js";
import { Editor } from "./editor.js";

const readDelay = 30, openDelay = 600; // milliseconds after the last key
const watchEvery = 1000; // milliseconds

// A DraftEditor edits a draft: a text, and the values of its parameters and options. The page shows the system of the
// draft as soon as it has no errors.
export class DraftEditor {
  // page has the methods show(system), which shows another system, run(action), which runs a task, edit(), which shows
  // the editor, and search(kind), which searches the system.
  constructor(backend, page) {
    Object.assign(this, { backend, page, drafts: new Drafts(), opening: 0 });
    this.draft = { file: "", text: "", settings: {} };
    this.catalogue = new Catalogue(backend, this.drafts, entry => this.choose(entry));
  }

  // begin shows the editor, with a draft unless it is null.
  async begin(about) {
    const complete = (text, line, character) => this.backend.ask("complete", { text, line, character });
    this.editor = new Editor(byId("editor"),
      { complete, changed: () => this.typed(), format: () => this.format(), run: () => this.open() });
    byId("draft").hidden = false;
    byId("spec").hidden = true;
    byId("keep").hidden = !about?.keep;
    byId("format").addEventListener("click", () => this.format());
    byId("keep").addEventListener("click", () => this.page.run(() => this.keep()));
    byId("settings-form").addEventListener("submit", event => event.preventDefault());
    byId("settings-form").addEventListener("change", event => this.set(event.target.name, event.target.value));
    if (about) this.take(about);
    if (about?.known !== undefined) this.watch(about.known);
  }

  // watch loads the text of the file when the file has changed, unless the text on the page has changed, too.
  async watch(known) {
    this.known = known;
    for (;; await new Promise(resolve => setTimeout(resolve, watchEvery))) {
      if (document.hidden) continue;
      const now = await this.backend.ask("changed").catch(() => null);
      if (!now || now.text === this.known) continue;
      const edited = this.draft.text !== this.known;
      this.known = now.text;
      if (now.text === this.draft.text) continue;
      if (edited) this.note(this.draft.file + " has changed, and so has the text here, which stays as it is.");
      else this.editor.replace(now.text);
    }
  }

  // take replaces the draft.
  take(chosen) {
    const { file = "", text, settings = {}, try: tries = [] } = chosen;
    this.chosen = chosen;
    this.draft = { file, text, settings: { ...settings } };
    this.taking = true;
    this.editor.load(text);
    this.taking = false;
    this.showSteps(tries);
    return this.read();
  }

  typed() {
    this.draft = { ...this.draft, text: this.editor.text };
    if (this.taking) return;
    this.note("");
    this.store();
    clearTimeout(this.soon);
    clearTimeout(this.later);
    this.soon = setTimeout(() => this.read(), readDelay);
    this.later = setTimeout(() => this.open(), openDelay);
  }

  // read asks what is wrong with the text. While an answer is under way, the next question waits.
  async read() {
    if (this.busy) return void (this.again = true);
    this.busy = true;
    try {
      do {
        this.again = false;
        const r = await this.backend.ask("read", { text: this.draft.text, file: this.draft.file });
        this.errors = r.errors ?? [];
        this.editor.diagnose([...this.errors, ...(r.warnings ?? []).map(w => ({ ...w, warning: true }))]);
        const [first] = this.errors, { length } = this.errors;
        this.status(first ? `${plural(length, "error")}: line ${first.pos.line}: ${first.message}` : "");
        if (!first) this.showForm([...r.params ?? [], ...r.options ?? []]);
      } while (this.again);
    } catch (error) {
      this.status(error.message);
    } finally {
      this.busy = false;
    }
  }

  // status shows what is wrong with the text, after what was last done with it.
  status(wrong, done = this.done) {
    Object.assign(this, { wrong, done });
    const go = () => this.errors?.[0] && this.editor.go(this.errors[0].pos);
    byId("draft-text").replaceChildren(h("span", {}, done ?? ""),
      wrong ? h("button", { type: "button", title: "Go there", onclick: go }, visible(wrong)) : "");
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
    this.draft.settings = Object.fromEntries(chosen.map(s => [s.name, value(s)]));
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
    const turn = ++this.opening, draft = this.draft, key = JSON.stringify(draft);
    if (key === this.opened || draft.text === "") return;
    await this.read();
    if (this.errors?.length || turn !== this.opening) return;
    try {
      const system = await this.backend.open(draft);
      if (turn !== this.opening) return;
      this.opened = key;
      this.status("");
      await this.page.show(system);
    } catch (error) {
      this.status(error.message);
    }
  }

  async format() {
    await this.page.run(async () => {
      const { text } = await this.backend.ask("format", { text: this.draft.text, file: this.draft.file });
      if (text !== this.draft.text) this.editor.replace(text);
    });
  }

  async keep() {
    const { text } = this.draft;
    await this.backend.ask("keep", this.draft);
    this.known = text;
    this.note("Saved to " + this.draft.file + ".");
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
    return { ...JSON.parse(this.opened ?? JSON.stringify(this.draft)), start: run.start.state.code, moves: run.indices };
  }

  // choose opens an entry of the catalogue.
  async choose(p) {
    this.drafts.id = p.id ?? "";
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
