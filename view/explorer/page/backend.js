// The source of the page's data: a server or, in a file with all states, the file itself.

export async function openBackend() {
  const data = document.getElementById("data");
  return data ? new FileBackend(JSON.parse(data.textContent)) : new ServerBackend();
}

class ServerBackend {
  live = true;

  async ask(method, path, question) {
    const options = { method };
    if (question !== undefined) {
      options.body = JSON.stringify(question);
      options.headers = { "Content-Type": "application/json" };
    }
    let response;
    try {
      response = await fetch("api/" + path, options);
    } catch {
      throw new Error("ringcheck does not answer; is it still running?");
    }
    if (path === "save" && response.ok) return response.blob();
    const answer = await response.json().catch(() => ({ error: response.statusText }));
    if (!response.ok) throw new Error(answer.error);
    return answer;
  }

  system() { return this.ask("GET", "system"); }
  state(code, conditions) { return this.ask("POST", "state", { code, conditions }); }
  seek(code, goal) { return this.ask("POST", "seek", { code, goal }); }
  origin(code) { return this.ask("POST", "origin", { code }); }
  replay(recording) { return this.ask("POST", "replay", recording); }
  graph() { return this.ask("POST", "graph", {}); }
  quotient() { return this.ask("POST", "quotient", {}); }
  async classOf(code) { return (await this.ask("POST", "class", { code })).class; }
  save(code, moves, format) { return this.ask("POST", "save", { code, moves, format }); }
  startSearch() { return this.ask("POST", "search", {}); }
  search() { return this.ask("GET", "search"); }
  stopSearch() { return this.ask("DELETE", "search"); }
}

class FileBackend {
  live = false;

  constructor(data) {
    this.data = data;
  }

  async system() { return this.data; }

  async state(code) {
    if (!Object.hasOwn(this.data.states, code)) throw new Error("this is not the address of a state of this system");
    return this.data.states[code];
  }

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
