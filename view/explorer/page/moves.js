import { byId, capitalised, h, number } from "./dom.js";
import { processName } from "./network.js";
import { shortText } from "./chart.js";

// The MoveList lists the enabled actions of a state, by process.
export class MoveList {
  constructor(take) {
    this.take = take;
  }

  reset() {
    byId("enabled").textContent = "";
    byId("moves").replaceChildren();
  }

  show({ system, run }) {
    const { moves, modelError } = this.state = run.state;
    byId("enabled").textContent = moves.length ? number(moves.length) : "";
    const list = byId("moves");
    const focused = list.contains(document.activeElement);
    list.replaceChildren();
    if (modelError) list.append(h("p", { class: "error" }, "The model has an error here: ", modelError));
    if (moves.length === 0 && !modelError) list.append(h("p", { class: "empty" }, "Nothing: this is a terminal state."));
    let group;
    moves.forEach((move, i) => {
      const name = move.fault ? "" : processName(system, move.process);
      if (i === 0 || !sameActor(move, moves[i - 1])) {
        const title = move.fault ? "The environment" : capitalised(name);
        group = h("ul", { "aria-label": title });
        list.append(h("section", { class: move.fault ? "environment" : null }, h("h3", {}, title), group));
      }
      group.append(this.item(move, i, name));
    });
    if (focused) (list.querySelector("button") || byId("undo")).focus();
  }

  // item returns the entry of a move, whose text does not begin with the name of its process.
  item(move, i, name) {
    const key = i < 9 ? h("kbd", { title: "Key " + (i + 1) }, i + 1) : h("kbd", { class: "none" });
    let text = move.text;
    if (name && text.startsWith(name)) text = text.slice(name.length).replace(/^:? /, "");
    const attributes = { type: "button", class: "move " + move.kind, title: move.label, onclick: () => this.take(this.state, i) };
    return h("li", {}, h("button", attributes,
      key, h("span", { class: "sign", "aria-hidden": "true" }, move.sign || signs[move.kind] || "!"),
      h("span", { class: "what" }, shortText(text),
        move.chance ? h("span", { class: "chance" }, " with chance " + move.chance) : "",
        move.effect ? h("span", { class: "effect" }, "→ " + move.effect) : "")));
  }
}

// sameActor reports whether two moves are by the same process, or both by the environment.
const sameActor = (a, b) => (a.fault || b.fault ? a.fault && b.fault : a.process === b.process);

// signs has a sign for each kind of action except the faults of messages, which have their own.
const signs = {
  send: "↗", receive: "↙", event: "◆", internal: "·", crash: "✕", recover: "↺", tick: "◷",
};
