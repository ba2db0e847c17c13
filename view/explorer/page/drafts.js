import { checked } from "./link.js";

const storage = "ringcheck.drafts";
const manyDrafts = 8;

// Drafts stores the texts that the user has typed in the browser, the last one first, so that none is lost. Each has an
// id and the fragment of the address at which it was typed.
export class Drafts {
  id = ""; // of the text in the editor; empty until it is stored

  // all returns the stored texts.
  all() {
    try {
      return JSON.parse(localStorage.getItem(storage) ?? "[]").filter(d => typeof checked(d).text === "string");
    } catch {
      return [];
    }
  }

  // store stores the text in the editor. It throws an error if the browser refuses.
  store(draft) {
    const drafts = this.all();
    if (drafts[0]?.id !== this.id) drafts.unshift({});
    this.id ||= String(Date.now());
    drafts[0] = { ...draft, id: this.id, hash: location.hash };
    localStorage.setItem(storage, JSON.stringify(drafts.slice(0, manyDrafts)));
  }

  // isStored reports whether the text in the editor is the one stored last.
  isStored() { return this.id !== "" && this.all()[0]?.id === this.id; }

  // last returns the text that was typed at this address before the page was loaded again, or null.
  last() {
    const draft = this.all()[0];
    return !draft || location.hash !== "" && draft.hash !== location.hash ? null : draft;
  }
}
