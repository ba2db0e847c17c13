import { byId } from "./dom.js";

// A Player takes random actions until it is paused, nothing can happen, or a property is violated. It follows an
// infinite run around its cycle instead.
export class Player {
  /** @param {import("./exploration.js").Exploration} exploration */
  constructor(exploration, actions) {
    this.exploration = exploration;
    this.actions = actions;
    this.playing = false;
    this.turn = 0;
  }

  async play() {
    const turn = ++this.turn;
    this.setPlaying(true);
    const step = this.exploration.run.loop ? () => this.repeat() : () => this.random();
    while (turn === this.turn && (await step())) {
      const delay = matchMedia("(prefers-reduced-motion: reduce)").matches ? 60 : 350;
      await new Promise(resolve => setTimeout(resolve, delay));
    }
    if (turn === this.turn) this.pause();
  }

  pause() {
    this.turn++;
    this.setPlaying(false);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  // repeat takes the next step of the run. The result says whether there was one; random's says whether to go on.
  async repeat() {
    const before = this.exploration.run.position;
    await this.actions.forward();
    return this.exploration.run.position !== before;
  }

  async random() {
    if (!await this.actions.random()) return false;
    const { state } = this.exploration.run;
    return state.moves.length > 0 && !state.properties.some(p => p.violated);
  }

  setPlaying(playing) {
    this.playing = playing;
    byId("play").setAttribute("aria-pressed", String(playing));
    byId("play").textContent = playing ? "Pause" : "Play";
  }
}
