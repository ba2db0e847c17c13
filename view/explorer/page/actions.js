import { checked } from "./link.js";
import { readRecording } from "./recording.js";

// Actions are what the user can do with the run. Each is a task, whose result it returns.
export class Actions {
  constructor(exploration, tasks) {
    Object.assign(this, { exploration, tasks });
  }

  get run() { return this.exploration.run; }

  // go moves to a position, or to the nearest one that the run has.
  go(position) {
    position = Math.max(0, Math.min(this.run.length, position));
    return position !== this.run.position && this.tasks.run(() => this.exploration.go(position));
  }

  forward() { return this.go(this.run.next); }
  back() { return this.go(this.run.position - 1); }
  first() { return this.go(0); }
  last() { return this.go(this.run.length); }

  take(index) { return this.tasks.run(() => this.exploration.take(index)); }

  random() {
    const n = this.run.state.moves.length;
    return n > 0 && this.take(Math.floor(Math.random() * n));
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
