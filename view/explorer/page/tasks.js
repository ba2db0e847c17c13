import { byId, visible } from "./dom.js";

// Tasks runs the actions that may take time or fail, one at a time.
export class Tasks {
  busy = false;

  // run runs an action, unless another one runs, and shows its error or the warning that it returns. The result says
  // whether it ran without an error.
  async run(action) {
    if (this.busy) return false;
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
    while (this.busy) await new Promise(resolve => setTimeout(resolve, 20));
  }
}

// showAlert shows a message above the page; an empty one hides it.
export function showAlert(text) {
  byId("alert").textContent = visible(text);
  byId("alert").hidden = text === "";
}
