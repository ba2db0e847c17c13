import { byId, h } from "./dom.js";

const keyHelp = [
  ["1 … 9", "take an enabled action"], ["←  →", "undo, redo"], ["Home  End", "rewind, last step"],
  ["r", "one random action"], ["space", "run at random, pause"], ["c  s  p  e", "run, spec, properties, search"],
  ["g  m", "all states, minimised"], ["/", "type a condition"], ["?", "show or hide this"],
];

// showKeyHelp writes the meanings of the keys.
export function showKeyHelp() {
  byId("help").append(h("dl", {},
    keyHelp.flatMap(([key, does]) => [h("dt", {}, key.split("  ").map(k => h("kbd", {}, k))), h("dd", {}, does)])),
  h("label", {}, h("input", { type: "checkbox", id: "single-keys", checked: singleKeys.on,
    onchange: event => { singleKeys.on = event.target.checked; } }), " Letters, digits and signs do something"));
}

const keyStorage = "ringcheck.keys"; // of the browser: "off" if keys with a single character do nothing

const singleKeys = {
  get on() {
    try {
      return localStorage.getItem(keyStorage) !== "off";
    } catch {
      return true;
    }
  },
  set on(value) {
    try {
      localStorage.setItem(keyStorage, value ? "on" : "off");
    } catch {
      // A browser that stores nothing has them on when the page is opened again.
    }
  },
};

export function toggleHelp() {
  const help = byId("help");
  help.hidden = !help.hidden;
  byId("help-button").setAttribute("aria-expanded", String(!help.hidden));
}

// A Keyboard does what the keys mean, except in fields of text.
export class Keyboard {
  // keys has a function for each key. The keys 1 to 9 take an enabled action, and arrows on a tab select the next one.
  // busy says whether actions wait: then a key that is held down does nothing.
  constructor(keys, { exploration, take, tabs, busy }) {
    this.keys = keys;
    this.exploration = exploration;
    this.take = take;
    this.tabs = tabs;
    this.busy = busy;
    document.addEventListener("keydown", event => this.onKey(event));
  }

  onKey(event) {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.id === "editor") return; // which has its own keys
    if (target.matches("input, select, textarea")) {
      if (key === "Escape") target.blur();
      return;
    }
    if (key.length === 1 && !singleKeys.on) return;
    const action = this.action(target, key);
    if (!action) return;
    event.preventDefault();
    if (!event.repeat || !this.busy()) action();
  }

  // action returns the function of a key that is pressed on an element, if it has one.
  action(target, key) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (step && target.getAttribute("role") === "tab") return () => this.tabs.selectNext(step);
    if (key === " " && target.matches("button, label")) return null; // presses it
    const { run } = this.exploration;
    if (!run) return null; // no state could be shown
    if (/^[1-9]$/.test(key)) return () => this.take(Number(key) - 1);
    return Object.hasOwn(this.keys, key) ? this.keys[key] : null;
  }
}
