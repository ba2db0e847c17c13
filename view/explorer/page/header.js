import { byId, h, visible } from "./dom.js";

// showHeader shows the title, the settings, the colours and the initial states of a system.
export function showHeader({ title, settings, roles, initial }) {
  document.title = visible(`${title}, ${settings}`);
  byId("title").textContent = visible(title);
  byId("settings").textContent = visible(settings);
  byId("legend").replaceChildren(...roles.map(r => h("li", {}, h("span", { class: "swatch " + r.colour }), r.word)));
  const list = byId("initial");
  list.hidden = initial.length < 2;
  list.replaceChildren(...initial.map((code, i) => h("option", { value: code }, `initial state ${i + 1}`)));
}
