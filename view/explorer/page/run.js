// A Run is a first state and steps, with the user's position in it. Every message has a number, which it keeps from its
// sending to its receipt.

export class Run {
  constructor(system, start) {
    this.begun = system.initial.includes(start.code); // whether it starts in an initial state
    this.messages = []; // by number, from 1
    this.start = { state: start, flights: this.flights(start.channels.map(() => []), start, 0) };
    this.steps = [];
    this.position = 0;
    this.finding = "";
    /** @type {string[]} */
    this.why = [];
    /** @type {{ stem: number, cycle: number } | null} */
    this.loop = null;
  }

  // tell sets what the run shows: a finding in a sentence, why in lines, and the lasso of an infinite run.
  tell({ finding = "", why = [], lasso = null }) {
    this.finding = finding;
    this.why = why;
    this.loop = lasso;
  }

  // told returns what the run shows.
  get told() {
    const { finding, why, loop } = this;
    return finding || loop ? { finding, why, ...(loop ? { lasso: loop } : {}) } : {};
  }

  // here is the entry at the position: its state, and flights, the numbers of the messages under way by link.
  get here() { return this.at(this.position); }
  at(position) { return position === 0 ? this.start : this.steps[position - 1]; }
  get state() { return this.here.state; }
  get length() { return this.steps.length; }

  // next is the position after this one. The loop of an infinite run, { stem, cycle }, leads back; an opened run
  // keeps its loop until another step is taken.
  get next() {
    if (this.loop?.cycle && this.position === this.length) return this.loop.stem + 1;
    return Math.min(this.length, this.position + 1);
  }
  repeats(position) { return this.loop !== null && this.loop.cycle > 0 && position > this.loop.stem; }

  // take adds a step after the position. It replaces the steps there, unless the next one is the same.
  take(step) {
    const known = this.steps[this.position];
    this.position++;
    if (known && known.index === step.index && known.state.code === step.state.code) return;
    this.steps.length = this.position - 1;
    this.tell({});
    this.messages = this.messages.filter(m => m.sent < this.position);
    for (const m of this.messages) {
      if (m.received >= this.position) Object.assign(m, { received: 0, lost: false });
      if (m.overtaken >= this.position) m.overtaken = 0;
    }
    const entry = { ...step };
    entry.flights = this.flights(this.at(this.position - 1).flights, step.state, this.position, entry);
    this.steps.push(entry);
  }

  // flights numbers the messages of a state. Of equal messages in a channel, the oldest counts as the one that left.
  flights(before, state, position, entry = {}) {
    entry.message = 0;
    entry.overtakes = [];
    return state.channels.map((texts, link) => {
      const old = before[link];
      const remaining = new Set();
      const missing = [];
      const left = new Map();
      for (const id of old) {
        const text = this.messages[id - 1].text;
        left.set(text, [...(left.get(text) || []), id]);
      }
      for (const text of [...texts].reverse()) {
        const id = (left.get(text) || []).pop();
        if (id) remaining.add(id);
        else missing.unshift(text);
      }
      for (const id of old) {
        if (remaining.has(id)) continue;
        const lost = Boolean(entry.move?.sign) || entry.move?.kind === "tick";
        Object.assign(this.messages[id - 1], { received: position, lost });
        entry.message = id;
        entry.overtakes = lost ? [] : old.filter(other => other < id && remaining.has(other));
        for (const other of entry.overtakes) this.messages[other - 1].overtaken ||= position;
      }
      const now = old.filter(id => remaining.has(id));
      if (entry.move?.sync && entry.move.link === link) {
        this.messages.push({ id: this.messages.length + 1, text: entry.move.message, link, sent: position,
          received: position, overtaken: 0 });
        entry.message = this.messages.length;
      }
      for (const text of missing) {
        this.messages.push({ id: this.messages.length + 1, text, link, sent: position, received: 0, overtaken: 0 });
        entry.message = this.messages.length;
        now.push(this.messages.length);
      }
      return now;
    });
  }

  // indices has the index of the move of each step up to the position; allIndices also those of the steps after it.
  get indices() { return this.allIndices.slice(0, this.position); }
  get allIndices() { return this.steps.map(e => e.index); }

  // changed returns the names of variables of a process that the last step changed; "" stands for its equation.
  changed(p) {
    const names = new Set();
    if (this.position === 0) return names;
    const before = this.at(this.position - 1).state.processes[p], now = this.state.processes[p];
    if (before.name !== now.name) names.add("");
    for (const v of now.vars) {
      if (!before.vars.some(w => w.name === v.name && w.text === v.text)) names.add(v.name);
    }
    return names;
  }
}
