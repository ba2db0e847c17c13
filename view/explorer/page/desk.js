import { byId, h, plural, visible } from "./dom.js";
import { checked, longLink, pack } from "./link.js";

// A Desk is where the spec is written: the editor, the form of its parameters and options, the list of protocols. The
// page shows the system that the text describes as soon as it is without errors.

const readDelay = 30, openDelay = 600; // milliseconds after the last key
const watchEvery = 1000; // milliseconds
const storage = "ringcheck.drafts";
const manyDrafts = 8;

export class Desk {
  // page has show(system) to show another system, and perform and complain of the page.
  constructor(backend, page) {
    Object.assign(this, { backend, page, draft: { file: "", text: "", settings: {} }, reading: 0, opening: 0 });
  }

  async begin(about) {
    const { Editor } = await import("./editor.js");
    const complete = (text, line, character) => this.backend.ask("complete", { text, line, character });
    this.editor = new Editor(byId("editor"),
      { complete, changed: () => this.typed(), format: () => this.format(), run: () => this.open() });
    byId("desk").hidden = false;
    byId("spec").hidden = true;
    byId("keep").hidden = !about?.keep;
    byId("format").addEventListener("click", () => this.format());
    byId("keep").addEventListener("click", () => this.page.perform(() => this.keep()));
    byId("settings-form").addEventListener("submit", event => event.preventDefault());
    byId("settings-form").addEventListener("change", event => this.set(event.target.name, event.target.value));
    if (about) this.take(about);
    if (about?.known !== undefined) this.watch(about.known);
  }

  // watch takes the text of the file when it has changed, unless the one on the page has, too.
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

  // take puts a draft on the desk.
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
    await this.page.perform(async () => {
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

  // store keeps the text in the browser, with those before it, since nothing that was typed may be lost.
  store() {
    if (!this.backend.catalogue) return;
    const drafts = stored();
    if (drafts[0]?.id !== this.id) drafts.unshift({});
    this.id ||= String(Date.now());
    drafts[0] = { ...this.draft, id: this.id, hash: location.hash };
    try {
      localStorage.setItem(storage, JSON.stringify(drafts.slice(0, manyDrafts)));
    } catch (error) {
      this.note("The browser does not keep this text: " + error.message);
    }
  }

  // rename notes the address of what was stored.
  rename() {
    if (this.id && stored()[0]?.id === this.id) this.store();
  }

  // last returns the text that was typed at this address before the page was loaded again.
  last() {
    const draft = stored()[0];
    if (!draft || location.hash !== "" && draft.hash !== location.hash) return null;
    this.id = draft.id;
    return draft;
  }

  // value is what a link holds: the draft and the run.
  value(run) {
    return { ...JSON.parse(this.opened ?? JSON.stringify(this.draft)), start: run.start.state.code, moves: run.indices };
  }

  async link(run) {
    const fragment = await pack(this.value(run));
    return fragment.length <= longLink ? fragment : null;
  }

  // share copies the address, or saves a file if it is too long.
  async share(run) {
    const fragment = await this.link(run);
    if (fragment) {
      history.replaceState(history.state, "", "#" + fragment);
      try {
        await navigator.clipboard.writeText(location.href); // which only pages of https and of this machine may
        return "The link to this state is in the clipboard.";
      } catch {
        return "The address of this page is the link to this state: copy it.";
      }
    }
    const link = h("a", { href: URL.createObjectURL(new Blob([JSON.stringify(this.value(run))])), download: "ringcheck.json" });
    link.click();
    URL.revokeObjectURL(link.href);
    return "The spec is too long for a link, so it was saved as a file, which Open reads.";
  }

  // Catalogue: the protocols to begin with.
  async showCatalogue() {
    const list = await this.backend.catalogue();
    const entry = p => h("li", {}, h("button", { type: "button", onclick: () => this.choose(p) },
      h("b", {}, p.title), h("span", {}, p.about), p.look ? h("span", { class: "look" }, "Look: ", p.look) : ""));
    const mine = stored().map(d => ({ ...d, title: "Your text: " + (/^\s*protocol\s+(\S+)/m.exec(d.text)?.[1] ?? "without a name"),
      about: d.text.split("\n").length + " lines, kept in this browser" }));
    byId("catalogue-list").replaceChildren(...list.filter(p => p.look).map(entry), ...mine.map(entry));
    byId("catalogue-more").replaceChildren(...list.filter(p => !p.look).map(entry));
    byId("catalogue").showModal();
  }

  async choose(p) {
    byId("catalogue").close();
    this.id = p.id;
    await this.page.perform(async () => {
      await this.take({ ...p, text: p.text ?? await this.backend.text(p.file) });
      this.page.edit(); // shows the editor
    });
    await this.open();
  }

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

function stored() {
  try {
    return JSON.parse(localStorage.getItem(storage) ?? "[]").filter(d => typeof checked(d).text === "string");
  } catch {
    return [];
  }
}
