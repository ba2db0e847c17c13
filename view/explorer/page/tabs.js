import { byId } from "./dom.js";

// Tabs shows one of several panels. They are objects with a method show, by the names of their tabs.
export class Tabs {
  /** @param {import("./exploration.js").Exploration} exploration */
  constructor(exploration, panels) {
    this.exploration = exploration;
    this.panels = panels;
    this.names = Object.keys(panels);
    this.selected = Object.keys(panels)[0];
    for (const name of this.names) byId("tab-" + name).addEventListener("click", () => this.select(name));
  }

  select(name, focus = false) {
    this.selected = name;
    for (const tab of this.names) {
      const selected = tab === name;
      byId("tab-" + tab).setAttribute("aria-selected", String(selected));
      byId("tab-" + tab).tabIndex = selected ? 0 : -1;
      byId(tab + "-panel").hidden = !selected;
    }
    if (focus) this.focus();
    this.show();
  }

  focus() { byId("tab-" + this.selected).focus(); }

  // selectNext selects the next tab that is not hidden, or for step -1 the previous one.
  selectNext(step) {
    const names = this.names.filter(name => !byId("tab-" + name).hidden);
    this.select(names[(names.indexOf(this.selected) + step + names.length) % names.length], true);
  }

  // show shows the selected panel again, if there is a run.
  show() {
    if (this.exploration.run) this.panels[this.selected].show();
  }
}
