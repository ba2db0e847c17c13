import { byId } from "./dom.js";

// The Toolbar shows the position in the run and which controls have an effect there.
export class Toolbar {
  reset() {
    for (const button of byId("toolbar").querySelectorAll("button")) button.disabled = true;
    byId("position").textContent = "";
  }

  show({ run }) {
    byId("position").textContent = `${run.position} / ${run.length}` + (run.loop?.cycle ? " ↻" : "");
    byId("rewind").disabled = byId("undo").disabled = run.position === 0;
    byId("latest").disabled = run.position === run.length;
    byId("redo").disabled = run.position === run.next;
    byId("play").title = run.loop ? "Follow the run, for ever (space)" : "Run at random (space)";
    byId("random").disabled = byId("play").disabled = run.state.moves.length === 0;
    byId("origin").disabled = run.begun || run.position > 0;
  }
}
