import { byId, visible } from "./dom.js";
import { Network } from "./network.js";

// The Stage shows the state at the position of the run, and the last action.
export class Stage {
  /** @type {Network | null} */
  network = null;

  reset() {
    this.network = null;
    byId("network").replaceChildren();
    byId("now").replaceChildren();
  }

  show({ system, run }, still) {
    this.network ??= new Network(byId("network"), system, { most: 30 });
    this.network.show(run, still);
    byId("now").textContent = visible(lastAction(run) + sharedVariables(run.state));
  }
}

function sharedVariables({ shared }) {
  return shared ? `. Shared: ${shared.map(v => `${v.name}=${v.text}`).join(", ")}` : "";
}

function lastAction(run) {
  if (run.position === 0) return run.begun ? "The initial state" : "A state given by its address";
  const { move, overtakes } = run.here, texts = overtakes.map(id => run.messages[id - 1].text);
  return move.text + (texts.length ? ", overtaking " + texts.join(", ") : "");
}
