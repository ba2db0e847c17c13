import { Run } from "./run.js";
import { recorded } from "./recording.js";

// An Exploration is the system on the page, a run of it, and the conditions whose values the page shows. Only its
// methods change them. The run is null until a state of the system is known. The editor is null if the page has none.
export class Exploration {
  // opened is called when another system is shown. changed(still, write) is called when the run or the conditions have
  // changed: the picture moves unless still, and write is the method of PageAddress to call, if any.
  constructor(backend, { opened, changed }) {
    this.backend = backend;
    this.opened = opened;
    this.changed = changed;
    /** @type {any} */
    this.editor = null;
    /** @type {any} */
    this.system = null;
    this.systems = 0; // how many were shown
    /** @type {Run} */
    this.run = /** @type {any} */ (null);
    /** @type {string[]} */
    this.conditions = [];
  }

  // open shows a system without a run, before one begins.
  open(system) {
    this.system = system;
    this.run = /** @type {any} */ (null);
    this.systems++;
    this.opened();
  }

  // begin begins a run with the steps, at the end of them.
  begin(start, steps) {
    this.run = new Run(this.system, start);
    for (const step of steps) this.run.take(step);
    this.changed(true, "begin");
  }

  // restore begins the run of a draft: a state, the index of the move of each step, what the run shows, and the position.
  /** @param {{ start?: string, moves?: number[], at?: number, [shown: string]: any }} draft */
  async restore({ start, moves, at = moves?.length ?? 0, ...shown }) {
    const first = await this.backend.state(start || this.system.initial[0], this.conditions), steps = [];
    let state = first;
    for (const index of moves ?? []) {
      if (!state.moves[index]) break;
      const step = await this.step(state, index);
      steps.push(step);
      state = step.state;
    }
    this.begin(first, steps);
    const whole = steps.length === (moves ?? []).length;
    if (whole) this.run.tell(shown);
    if (whole && at < steps.length) await this.go(at);
    else this.changed(true, "replace");
  }

  // openDraft puts a draft into the editor, and shows its system and its run.
  async openDraft(draft) {
    await this.editor.take(draft);
    this.open(await this.editor.openNow());
    await this.restore(draft);
  }

  // openChanged shows the system of a changed text, with the steps of the run so far if it still has them.
  async openChanged(system) {
    const old = this.run?.begun && this.run.position > 0 ? recorded(this.system, this.run, {}) : null;
    this.open(system);
    this.conditions = [];
    const again = old && await this.backend.replay(old).catch(() => null);
    if (again) this.begin(again.start, again.steps);
    else this.begin(await this.backend.state(this.system.initial[0], this.conditions), []);
  }

  // visit begins a run in a state. If there was no run and the state is unknown, the run begins in an initial state,
  // and the result is a warning.
  async visit(code) {
    let state, warning = "";
    try {
      state = await this.backend.state(code, this.conditions);
    } catch (error) {
      if (this.run) throw error;
      state = await this.backend.state(this.system.initial[0], this.conditions);
      warning = error.message;
    }
    this.begin(state, []);
    return warning;
  }

  // replay begins a recorded run, at its start.
  async replay(recording) {
    const { start, steps, ...shown } = await this.backend.replay(recording);
    this.begin(start, steps);
    this.run.position = 0;
    this.run.tell(shown);
    await this.evaluate(this.run.here);
    this.changed(true, "replace");
  }

  // origin begins a shortest run from an initial state to this one.
  async origin() {
    const { start, steps } = await this.backend.origin(this.run.state.code);
    this.begin(start, steps);
    await this.evaluate(this.run.here);
    this.changed(true);
  }

  // go moves to a position of the run.
  async go(position) {
    const still = Math.abs(position - this.run.position) > 1;
    await this.evaluate(this.run.at(position));
    this.run.position = position;
    this.changed(still, "replace");
  }

  // take takes an enabled action.
  async take(index) {
    this.run.take(await this.step(this.run.state, index));
    this.changed(false, "push");
  }

  // seek extends the run by a shortest one to a state in which a condition holds.
  async seek(condition) {
    const { steps } = await this.backend.seek(this.run.state.code, condition);
    if (steps.length === 0) throw new Error("it holds here");
    for (const step of steps) this.run.take(step);
    await this.evaluate(this.run.here);
    this.changed(true, "push");
  }

  // addCondition adds a condition, unless it is invalid.
  async addCondition(text) {
    const conditions = [...this.conditions, text], entry = this.run.here;
    const state = await this.backend.state(entry.state.code, conditions);
    const value = state.conditions.at(-1);
    if (value.invalid) throw new Error(value.error);
    this.conditions = conditions;
    Object.assign(entry, { state, conditions });
    this.changed(true);
  }

  async removeCondition(i) {
    this.conditions = this.conditions.filter((_, j) => j !== i);
    await this.evaluate(this.run.here);
    this.changed(true);
  }

  // step returns the step by a move of a state.
  async step({ moves }, index) {
    const { conditions } = this, move = moves[index];
    return { move, index, state: await this.backend.state(move.target, conditions), conditions };
  }

  // evaluate requests the values of the conditions in the state of an entry of the run, unless it has them.
  async evaluate(entry) {
    const { conditions } = this;
    if (entry.conditions === conditions) return;
    entry.state = await this.backend.state(entry.state.code, conditions);
    entry.conditions = conditions;
  }
}
