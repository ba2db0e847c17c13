import { byId, h } from "./dom.js";

// The Catalogue is a dialog with the protocols to begin with and the stored texts.
export class Catalogue {
  // choose is called with the chosen entry; a protocol has no text, only the name of its file.
  constructor(backend, drafts, choose) {
    this.backend = backend;
    this.drafts = drafts;
    this.choose = choose;
  }

  async show() {
    const list = await this.backend.catalogue(), items = entries => entries.map(e => this.item(e));
    byId("catalogue-list").replaceChildren(...items(list.filter(p => p.look)), ...items(this.drafts.all().map(stored)));
    byId("catalogue-more").replaceChildren(...items(list.filter(p => !p.look)));
    byId("catalogue").showModal();
  }

  item(entry) {
    const choose = () => {
      byId("catalogue").close();
      this.choose(entry);
    };
    return h("li", {}, h("button", { type: "button", onclick: choose },
      h("b", {}, entry.title), h("span", {}, entry.about),
      entry.look ? h("span", { class: "look" }, "Look: ", entry.look) : ""));
  }
}

// stored returns the entry of a stored text.
function stored(draft) {
  const name = /^\s*protocol\s+(\S+)/m.exec(draft.text)?.[1] ?? "without a name";
  const lines = draft.text.split("\n").length;
  return { ...draft, title: "Your text: " + name, about: lines + " lines, kept in this browser" };
}
