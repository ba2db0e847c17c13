import { planOf } from "./fileplan.js";

// The source of the page's data: a server, a program in a Web Worker or, in a file with all states, the file itself.

export async function openBackend() {
  const data = document.getElementById("data");
  if (data?.textContent) return new FileBackend(JSON.parse(data.textContent));
  return document.querySelector("meta[name=program]") ? new WorkerBackend() : new ServerBackend();
}

// A LiveBackend asks a program. Its method ask sends a request and returns the answer; task does so for a search, which
// has progress and can be stopped.
class LiveBackend {
  live = true;
  /** @type {any} */
  draft = null; // of the system that the page shows, which goes with every request about it

  /**
   * @param {string} action
   * @param {any} [question]
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  ask(action, question, signal) { throw new Error(`${action}: there is nobody to ask`, { cause: [question, signal] }); }

  /**
   * @param {string} action
   * @param {any} question
   * @param {(now: any) => void} [progress]
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  task(action, question, progress, signal) { return this.ask(action, [question, progress], signal); }

  async system() {
    const system = await this.ask("system");
    if (system.draft) this.draft = draftOf(system.draft);
    return system;
  }

  // open opens a draft; known is the text of the file that it comes from, if any.
  async open(draft, known) {
    const system = await this.ask("open", { ...draft, known });
    this.draft = draftOf(draft);
    return system;
  }

  // about returns a question with the draft that it is about, for the actions that are about one.
  about(action, question) {
    return this.draft && needsDraft.has(action) ? { draft: this.draft, ...question } : question;
  }

  // plan returns the layout of what is selected of a run, up to its position, as a chart that is room wide if possible.
  plan(_, run, room, selection) {
    return this.ask("plan", { code: run.start.state.code, moves: run.indices, room, selection });
  }
  state(code, conditions) { return this.ask("state", { code, conditions }); }
  seek(code, goal) { return this.task("seek", { code, goal }); }
  origin(code) { return this.task("origin", { code }); }
  replay(recording) { return this.ask("replay", recording); }
  graph() { return this.task("graph", {}); }
  quotient() { return this.task("quotient", {}); }
  async classOf(code) { return (await this.task("class", { code })).class; }
}

const draftOf = ({ file, text, settings }) => ({ file, text, settings });

const needsDraft = new Set(["plan", "state", "seek", "origin", "replay", "graph", "quotient", "class", "save", "search"]);

class ServerBackend extends LiveBackend {
  // It has no protocols to begin with.
  catalogue = null;
  text = null;

  async ask(action, asked, signal) {
    const question = this.about(action, asked), options = { method: question === undefined ? "GET" : "POST", signal };
    if (question !== undefined) {
      options.body = JSON.stringify(question);
      options.headers = { "Content-Type": "application/json" };
    }
    let response;
    try {
      response = await fetch("api/" + action, options);
    } catch {
      throw new Error(signal?.aborted ? "stopped" : "ringcheck does not answer; is it still running?");
    }
    if (action === "save" && response.ok) return response.blob();
    const answer = await response.json().catch(() => ({ error: response.statusText }));
    if (!response.ok) throw new Error(answer.error);
    return answer;
  }

  async task(action, question, progress, signal) {
    let done = false;
    const poll = async () => {
      while (!done && progress) {
        await new Promise(resolve => setTimeout(resolve, 300));
        const now = await this.ask("progress").catch(() => ({}));
        if (!done && now.running) progress(now);
      }
    };
    poll();
    try {
      return await this.ask(action, question, signal);
    } finally {
      done = true;
    }
  }

  save(code, moves, format, told, selection) {
    return this.ask("save", { code, moves, format, ...told, selection });
  }
}

// A Program is ringcheck in a Web Worker. It has one thread, so what takes too long is ended together with the worker,
// and a new one takes its place.
class Program {
  constructor(module) {
    this.module = module;
    this.number = 0;
    /** @type {((now: any) => void) | undefined} */
    this.progress = undefined;
    /** @type {Map<number, { resolve: (answer: any) => void, reject: (why: Error) => void }>} */
    this.waiting = new Map();
    this.worker = new Worker("worker.js");
    this.start();
  }

  // start connects the worker, after an earlier one has ended another one.
  start() {
    this.waiting = new Map();
    this.worker.onmessage = ({ data }) => this[data.kind](data);
    this.worker.onerror = event => { event.preventDefault(); this.died({ text: event.message }); };
    this.module.then(module => this.worker.postMessage(module));
  }

  answered({ id, text, ok }) {
    const waiting = this.waiting.get(id);
    if (!waiting) return;
    const { resolve, reject } = waiting;
    this.waiting.delete(id);
    const answer = JSON.parse(text);
    if (ok) resolve(answer);
    else reject(new Error(answer.error));
  }

  progressed({ text }) { this.progress?.(JSON.parse(text)); }

  died({ text }) {
    this.end(/memory/.test(text) ? "out of memory: a browser gives a program less than a machine has"
      : "ringcheck stopped unexpectedly and was started again: " + text);
  }

  // end ends the worker and all that it does.
  end(why) {
    this.worker.terminate();
    const waiting = [...this.waiting.values()];
    this.worker = new Worker("worker.js");
    this.start();
    for (const { reject } of waiting) reject(new Error(why));
  }

  async ask(action, question, patience = 0) {
    await this.module;
    const id = ++this.number, worker = this.worker;
    const timer = patience && setTimeout(() => worker === this.worker
      && this.end(`it took more than ${patience / 1000} s and was stopped`), patience);
    try {
      return await new Promise((resolve, reject) => {
        this.waiting.set(id, { resolve, reject });
        worker.postMessage({ id, action, text: question === undefined ? "" : JSON.stringify(question) });
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

const stopped = "stopped"; // why a program was ended by the user
const patience = 20000; // with what is to be quick, in milliseconds

// A WorkerBackend has two programs: one answers at once, the other searches and can be stopped.
class WorkerBackend extends LiveBackend {
  save = null; // the program cannot make pages

  constructor() {
    super();
    const module = compile("ringcheck.wasm");
    this.front = new Program(module);
    this.back = new Program(module);
  }

  ask(action, question) { return this.front.ask(action, this.about(action, question), patience); }

  async open(draft, known) {
    const system = await super.open(draft, known);
    if (this.back.waiting.size > 0) this.back.end(stopped); // it is about another system
    return system;
  }

  async task(action, asked, progress, signal) {
    const stop = () => this.back.end(stopped), { draft } = this, question = this.about(action, asked);
    this.back.progress = progress;
    signal?.addEventListener("abort", stop);
    try {
      for (;;) {
        try {
          return await this.back.ask(action, question);
        } catch (error) { // unless another request has been stopped
          if (error.message !== stopped || signal?.aborted || this.draft !== draft) throw error;
        }
      }
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  async catalogue() { return (await fetch("catalogue.json")).json(); }
  async text(file) { return (await fetch("specs/" + file)).text(); }
}

async function compile(name) {
  const response = await fetch(name);
  if (!response.ok) throw new Error(name + ": " + response.statusText);
  if (response.headers.get("Content-Type") === "application/wasm") return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

class FileBackend {
  live = false;
  catalogue = null;
  text = null;
  save = null;

  constructor(data) {
    this.data = data;
  }

  async system() { return this.data; }

  async state(code) {
    if (!Object.hasOwn(this.data.states, code)) throw new Error("this is not the address of a state of this system");
    return this.data.states[code];
  }

  async plan(system, run, room) { return planOf(system, run, room); }
  async graph() { return this.data.graph; }
  async quotient() { return this.data.quotient; }
  async classOf(code) { return this.data.classes[code] ?? -1; }

  // origin searches breadth first from the initial states.
  async origin(code) {
    const before = new Map(this.data.initial.map(c => [c, null]));
    for (const c of before.keys()) {
      if (c === code) break;
      this.data.states[c].moves.forEach(({ target }, index) => before.has(target) || before.set(target, { c, index }));
    }
    const steps = [];
    let start = code;
    while (before.get(start)) {
      const { c, index } = before.get(start);
      steps.unshift({ move: this.data.states[c].moves[index], index, state: await this.state(start) });
      start = c;
    }
    return { start: await this.state(start), steps };
  }
}
