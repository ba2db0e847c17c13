import { byId, h, number, visible } from "./dom.js";
import { drawLevels } from "./graph.js";

// SearchPanel shows the progress of the search for all states, and polls it while it runs.
export class SearchPanel {
  constructor(backend, complain) {
    Object.assign(this, { backend, complain, polling: 0 });
  }

  show() {
    if (this.polling === 0 && this.backend.live) this.poll();
  }

  async start() {
    await this.backend.startSearch();
    this.poll();
  }

  async stop() {
    this.showProgress(await this.backend.stopSearch());
  }

  async poll() {
    const turn = ++this.polling;
    let p;
    do {
      try {
        p = await this.backend.search();
      } catch (error) {
        this.complain(error.message);
        break;
      }
      this.showProgress(p);
      if (p.running) await new Promise(resolve => setTimeout(resolve, 300));
    } while (p.running && turn === this.polling);
    if (turn === this.polling) this.polling = 0;
  }

  showProgress(p) {
    byId("search-start").disabled = p.running;
    byId("search-stop").disabled = !p.running;
    const begun = p.running || p.states > 0 || p.complete || p.stopped;
    byId("search-text").textContent = !begun ? "Not explored yet." : p.running ? "Exploring …"
      : p.complete ? "Every reachable state was explored."
      : "Stopped: " + visible(p.stopped) + ". The numbers are lower bounds.";
    const memory = number(Math.round(p.bytes / 2 ** 20)) + " MiB";
    const rows = begun ? [
      ["states", number(p.states)], ["transitions", number(p.transitions)], ["levels", number(p.level + 1)],
      ...(p.running ? [["frontier", number(p.frontier)], ["memory", memory]]
        : [["terminal states", number(p.terminal)]]),
      ["time", p.seconds.toFixed(1) + " s"]] : [];
    byId("counts").replaceChildren(...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
    if (p.levels && p.levels.length > 0) drawLevels(byId("levels"), p.levels);
    else byId("levels").setAttribute("hidden", "");
  }
}
