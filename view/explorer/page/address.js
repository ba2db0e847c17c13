import { isPacked, longLink, longRun, pack, unpack } from "./link.js";
import { download } from "./recording.js";

// A PageAddress keeps the address of the page and the history of the browser. The fragment of the address is the code
// of the state. On a page without a server, it is the draft with the run, unless they are too long for a link.
export class PageAddress {
  /** @param {import("./exploration.js").Exploration} exploration */
  constructor(exploration) {
    this.exploration = exploration;
    this.session = Math.random().toString(36).slice(2);
    this.writes = 0;
    this.drafts = Boolean(exploration.backend.catalogue);
  }

  // push and replace write the address as a new entry of the history, or in place of the last one.
  push() { this.write("pushState"); }
  replace() { this.write("replaceState"); }

  // begin writes the address of a new run.
  begin() {
    if (this.exploration.run.length || location.hash) this.push();
    else this.replace();
  }

  write(method) {
    const { run, systems, editor } = this.exploration;
    const entry = { session: this.session, systems, position: run.position }, write = ++this.writes;
    history[method](entry, "", "#" + run.state.code);
    if (!this.drafts) return;
    const { hash } = location;
    this.link().then(fragment => { // takes a moment, in which the user may follow another link
      if (fragment && write === this.writes && hash === location.hash) history.replaceState(entry, "", "#" + fragment);
      editor.rename();
    });
  }

  // link returns the fragment with the draft and the run, or null if it is too long.
  async link() {
    const { editor, run } = this.exploration;
    if (run.length > longRun) return null;
    const fragment = await pack(editor.value(run));
    return fragment.length <= longLink ? fragment : null;
  }

  // share copies the address with the draft and the run, or saves a file if it is too long. The result says which.
  async share() {
    const fragment = await this.link();
    if (!fragment) {
      const { editor, run } = this.exploration;
      download(new Blob([JSON.stringify(editor.value(run))]), "ringcheck.json");
      return "The spec is too long for a link, so it was saved as a file, which Open reads.";
    }
    history.replaceState(history.state, "", "#" + fragment);
    try {
      await navigator.clipboard.writeText(location.href); // which only pages of https and of this machine may
      return "The link to this state is in the clipboard.";
    } catch {
      return "The address of this page is the link to this state: copy it.";
    }
  }

  // read returns what a fragment names: the code of a state, or a draft with a run.
  async read(fragment) {
    if (!this.drafts || !fragment) return { code: fragment };
    return isPacked(fragment) ? { draft: await unpack(fragment) } : { code: fragment };
  }

  // follow shows what a fragment names. Entry is the entry of the history, or null: the position of the run that it
  // names is taken from it. The result is a warning.
  async follow(fragment, entry) {
    const { exploration } = this, { run } = exploration;
    const { code, draft } = await this.read(fragment);
    if (draft && run && JSON.stringify(draft) === JSON.stringify(exploration.editor.value(run))) return "";
    if (run && entry?.session === this.session && entry.systems === exploration.systems
      && entry.position <= run.length) {
      if (entry.position !== run.position) await exploration.go(entry.position);
      return "";
    }
    if (draft) return exploration.openDraft(draft);
    if (run && run.state.code === code) return "";
    return exploration.visit(code || exploration.system.initial[0]);
  }
}
