import { h } from "./dom.js";

const deepest = 40; // the greatest enlargement

// A Zoom lets a user enlarge a picture and move it: with buttons, a double click, the wheel with Ctrl (which a pinch on a
// touchpad also is), and by dragging.
export class Zoom {
  // buttons says whether there are buttons beside the picture.
  constructor(svg, buttons) {
    this.svg = svg;
    this.level = 1;
    this.middle = { x: 0, y: 0 };
    this.whole = { width: 1, height: 1 };
    this.held = null;
    svg.parentElement.querySelector(":scope > .zoom")?.remove();
    if (buttons) {
      const button = (text, name, act) => h("button", { type: "button", title: name, "aria-label": name, onclick: act },
        text);
      svg.after(h("div", { class: "zoom", role: "group", "aria-label": "Size of the picture" },
        button("+", "Enlarge", () => this.by(1.5)), button("−", "Reduce", () => this.by(1 / 1.5)),
        button("⤢", "Show all", () => this.show(this.whole))));
    }
    svg.ondblclick = event => this.by(2, this.point(event));
    svg.onwheel = event => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.by(Math.exp(-event.deltaY / 200), this.point(event));
    };
    svg.onpointerdown = event => { this.held = this.level > 1 ? this.point(event) : null; };
    svg.onpointermove = event => {
      if (!this.held || event.buttons === 0) return;
      const here = this.point(event);
      this.move({ x: this.middle.x + this.held.x - here.x, y: this.middle.y + this.held.y - here.y });
    };
    svg.onpointerup = svg.onpointerleave = () => { this.held = null; };
  }

  // show shows all of a picture of some size, whose middle is the origin.
  show(whole) {
    this.whole = whole;
    this.level = 1;
    this.held = null;
    this.move({ x: 0, y: 0 });
  }

  // by enlarges the picture by a factor. A point stays where it is.
  by(factor, point = this.middle) {
    const level = Math.min(deepest, Math.max(1, this.level * factor)), share = this.level / level;
    this.level = level;
    this.move({ x: point.x + (this.middle.x - point.x) * share, y: point.y + (this.middle.y - point.y) * share });
  }

  // move shows the surroundings of a point, as far as they are inside the picture.
  move(point) {
    const { width, height } = this.whole, w = width / this.level, high = height / this.level;
    const within = (value, room) => Math.min(room, Math.max(-room, value));
    this.middle = { x: within(point.x, (width - w) / 2), y: within(point.y, (height - high) / 2) };
    this.svg.setAttribute("viewBox", [this.middle.x - w / 2, this.middle.y - high / 2, w, high].join(" "));
    this.svg.style.touchAction = this.level > 1 ? "none" : "";
  }

  // point returns where in the picture an event is.
  point(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return { x, y };
  }
}
