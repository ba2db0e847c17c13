import { checked } from "./link.js";
import { readRecording } from "./recording.js";

// Actions are what the user can do with the run. Each is a task, whose result it returns.
export class Actions {
  /** @param {import("./exploration.js").Exploration} exploration */
  constructor(exploration, tasks) {
    this.exploration = exploration;
    this.tasks = tasks;
  }

  get run() { return this.exploration.run; }

  // goTo moves to the position that find returns for the run, or to the nearest one that the run has.
  goTo(find) {
    return this.tasks.run(() => {
      if (!this.run) return "";
      const position = Math.max(0, Math.min(this.run.length, find(this.run)));
      return position === this.run.position ? "" : this.exploration.go(position);
    });
  }

  go(position) { return this.goTo(() => position); }
  forward() { return this.goTo(run => run.next); }
  back() { return this.goTo(run => run.position - 1); }
  first() { return this.goTo(() => 0); }
  last() { return this.goTo(run => run.length); }

  // take takes an enabled action of the state on the page when it begins, if there is one with this index.
  take(index) { return this.tasks.run(() => (this.run?.state.moves[index] ? this.exploration.take(index) : "")); }

  // takeIn takes an enabled action of a state, unless the run has gone on.
  takeIn(state, index) { return this.tasks.run(() => (this.run?.state === state ? this.exploration.take(index) : "")); }

  // random takes a random action. The result says whether there was one.
  async random() {
    let taken = false;
    const ended = await this.tasks.run(async () => {
      const length = this.run?.state.moves.length ?? 0;
      if (length > 0) await this.exploration.take(Math.floor(Math.random() * length));
      taken = length > 0;
    });
    return ended && taken;
  }

  visit(code) { return this.tasks.run(() => this.exploration.visit(code)); }
  origin() { return this.tasks.run(() => this.exploration.origin()); }
  seek(condition) { return this.tasks.run(() => this.exploration.seek(condition)); }

  addCondition(text) {
    if (text === "" || this.exploration.conditions.includes(text)) return false;
    return this.tasks.run(() => this.exploration.addCondition(text));
  }

  removeCondition(i) { return this.tasks.run(() => this.exploration.removeCondition(i)); }

  // openFile opens a file with a run, or with a draft and a run of it.
  openFile(file) {
    return this.tasks.run(async () => {
      const recording = await readRecording(file);
      if (!this.exploration.editor || typeof recording?.text !== "string") return this.exploration.replay(recording);
      return this.exploration.openDraft(checked(recording));
    });
  }
}
