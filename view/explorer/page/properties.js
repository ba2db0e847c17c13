import { byId, h, visible } from "./dom.js";

// The PropertyPanel shows the values of the conditions and of the properties of the spec in a state.
export class PropertyPanel {
  /** @param {import("./exploration.js").Exploration} exploration */
  constructor(exploration, actions) {
    this.exploration = exploration;
    this.actions = actions;
  }

  show() {
    const { system, run, conditions } = this.exploration, { state } = run;
    byId("conditions").replaceChildren(...conditions.map((text, i) =>
      this.condition(text, state.conditions[i] || { error: "" }, i)));
    byId("properties").replaceChildren(...system.properties.map((p, i) => propertyItem(p, state.properties[i])));
  }

  condition(text, value, i) {
    const seek = () => this.actions.seek(text), remove = () => this.actions.removeCondition(i);
    const [name, sign, words] = truth(value);
    return h("li", { class: name }, h("span", { class: "sign", title: words }, sign), h("code", {}, text),
      h("button", { type: "button", onclick: seek }, "Run to it"),
      h("button", { type: "button", "aria-label": "Remove " + visible(text), onclick: remove }, "×"),
      value.error ? h("p", { class: "why" }, value.error) : "");
  }
}

function propertyItem(p, value) {
  const allowed = value.value === false && !value.violated;
  const [name, sign, words] = allowed ? ["allowed", "–", "false here, which is no violation"] : truth(value);
  return h("li", { class: value.violated ? "violated" : name }, h("span", { class: "sign", title: words }, sign),
    h("div", {}, h("b", {}, p.name), ` ${p.kind}`, p.doc ? h("p", {}, p.doc) : "",
      !allowed ? "" : h("p", {}, p.kind === "terminal" ? "This is judged in terminal states, and this is none."
        : "It is false in this state, which is no violation."),
      value.violated ? h("p", { class: "why" }, "violated in this state") : ""));
}

// Verdicts shows the violated properties and the conditions above every panel.
export class Verdicts {
  reset() { byId("verdicts").replaceChildren(); }

  show({ system, run, conditions }) {
    const { state } = run;
    const violated = system.properties.filter((_, i) => state.properties[i].violated);
    const known = conditions.map((text, i) => ({ text, value: state.conditions[i] })).filter(({ value }) => value);
    byId("verdicts").replaceChildren(
      ...violated.map(p => h("li", { class: "violated" }, "violated: " + p.name)),
      ...known.map(({ text, value }) => {
        const [name, sign, words] = truth(value);
        return h("li", { class: name, title: words }, sign + " " + text);
      }));
  }
}

// truth returns the class, the sign and the words for a value of a property or a condition.
function truth(value) {
  if (value.error) return ["unknown", "?", "has no value here: " + value.error];
  return value.value ? ["true", "✓", "true"] : ["false", "✗", "false"];
}
