import { byId, visible } from "./dom.js";

// Tasks runs the actions that may take time or fail, one after the other.
export class Tasks {
  busy = false;
  waiting = 0; // the number of actions that have not ended
  /** @type {Promise<any>} */
  last = Promise.resolve(); // until all actions have ended
  turn = 0;

  // run runs an action after those before it, and shows its error or the warning that it returns. The result says
  // whether it ran without an error.
  run(action) {
    const { turn } = this;
    this.waiting++;
    const result = this.last.then(() => turn === this.turn && this.perform(action)).finally(() => this.waiting--);
    this.last = result;
    return result;
  }

  // drop drops the actions that have not begun.
  drop() { this.turn++; }

  async perform(action) {
    this.setBusy(true);
    try {
      showAlert((await action()) ?? "");
      return true;
    } catch (error) {
      showAlert(error.message);
      return false;
    } finally {
      this.setBusy(false);
    }
  }

  setBusy(busy) {
    this.busy = busy;
    document.body.classList.toggle("busy", busy);
  }

  // idle waits until no action runs.
  async idle() {
    while (this.waiting > 0) await this.last;
  }
}

// showAlert shows a message above the page; an empty one hides it.
export function showAlert(text) {
  byId("alert").textContent = visible(text);
  byId("alert").hidden = text === "";
}
