// newRing draws the processes on a circle, clockwise, with their links, and returns a function that shows a
// state. The links to the right lie on the outside of the ring, those to the left on the inside. In a complete
// graph each link is a line of its own, on the right hand of whoever travels along it.
function newRing(trace, svg) {
  const n = trace.processes;
  const ring = trace.topology === "ring";
  const both = trace.links.length > n;
  const colours = new Map(trace.roles.map(r => [r.name, r.colour]));
  const states = [trace.initial, ...trace.steps.map(s => s.state)].flatMap(s => s.processes);
  const timers = new Set(trace.timers);
  const words = state => Object.keys(state.vars).map(v => (timers.has(v) ? "◷" : "") + v + "=" + state.vars[v]);
  const letters = states.some(s => breakLines(words(s), 17).length > 2) ? 24 : 17; // of a line in a box
  const lines = Math.max(...states.map(s => breakLines(words(s), letters).length));
  const longest = Math.max(letters, ...states.flatMap(s => [s.name.length * 1.4, ...words(s).map(w => w.length)]));
  const node = { width: 8 * longest + 10, height: Math.max(72, 40 + 16 * lines) };
  const widest = Math.max(0, ...trace.messages.map(pillWidth));
  const radius = Math.max(200, 52 * n, n > 3 ? (node.width + 1.4 * widest) / 2 / Math.sin(Math.PI / n) : 0);
  const margin = { x: radius + node.width / 2 + 70, y: radius + node.height / 2 + 34 };
  svg.setAttribute("viewBox", [-margin.x, -margin.y, 2 * margin.x, 2 * margin.y].join(" "));

  // add appends an SVG element.
  function add(parent, name, attributes, text) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    if (text !== undefined) e.textContent = text;
    return parent.appendChild(e);
  }

  function pillWidth(message) {
    return 8.2 * message.text.length + 6.2 * ("#" + message.id).length + 18;
  }

  const angle = p => 2 * Math.PI * p / n - Math.PI / 2;
  const polar = (a, r) => ({ x: r * Math.cos(a), y: r * Math.sin(a) });
  const centre = p => polar(angle(p), radius);

  // at returns the point of a link at fraction f of the way, moved aside by some pixels.
  function at(link, f, aside) {
    if (ring) {
      const sign = link.direction === "right" ? 1 : -1;
      const r = radius + (both ? 24 * sign : 0) + sign * aside;
      return polar(angle(link.from) + sign * 2 * Math.PI * f / n, r);
    }
    const a = centre(link.from), b = centre(link.to);
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    const off = 11 + aside;
    return {
      x: a.x + (b.x - a.x) * f - (b.y - a.y) / length * off,
      y: a.y + (b.y - a.y) * f + (b.x - a.x) / length * off,
    };
  }

  // outside returns the fractions at which a link leaves its sender's box, and enters its receiver's.
  function outside(link) {
    const far = (point, p) => Math.abs(point.x - centre(p).x) > node.width / 2 + 5 || Math.abs(point.y - centre(p).y) > node.height / 2 + 5;
    let from = 0, to = 1;
    while (from < .5 && !far(at(link, from, 0), link.from)) from += .005;
    while (to > .5 && !far(at(link, to, 0), link.to)) to -= .005;
    return { from, to };
  }

  function drawLink(link) {
    const range = outside(link);
    const points = [];
    const parts = 48;
    for (let i = 0; i <= parts; i++) {
      const p = at(link, range.from + (range.to - range.from) * i / parts, 0);
      points.push(p.x.toFixed(1) + " " + p.y.toFixed(1));
    }
    const line = add(links, "path", { class: "link", d: "M" + points.join("L") });
    const end = at(link, range.to, 0), before = at(link, range.to - .02, 0);
    const turn = Math.atan2(end.y - before.y, end.x - before.x) * 180 / Math.PI;
    const tip = add(links, "path", {
      class: "tip", d: "M2 0L-12 -6.5L-12 6.5z", transform: `translate(${end.x} ${end.y}) rotate(${turn})`,
    });
    return { range, line, tip };
  }

  function drawProcess(p) {
    const c = centre(p);
    const { width, height } = node;
    const g = add(processes, "g", { "data-process": p, transform: `translate(${c.x} ${c.y})` });
    const title = add(g, "title", {});
    add(g, "rect", { class: "halo", x: -width / 2 - 6, y: -height / 2 - 6, width: width + 12, height: height + 12, rx: 20 });
    add(g, "rect", { class: "box", x: -width / 2, y: -height / 2, width, height, rx: 14 });
    add(g, "circle", { class: "badge", cx: -width / 2 + 6, cy: -height / 2 + 6, r: 14 });
    add(g, "text", { class: "number", x: -width / 2 + 6, y: -height / 2 + 11 }, p);
    return { g, title, name: add(g, "text", { class: "name" }), vars: add(g, "text", { class: "vars" }) };
  }

  const links = add(svg, "g", {});
  const processes = add(svg, "g", {});
  const messages = add(svg, "g", {});
  const count = add(links, "text", { class: "count", y: ring ? 12 : 1e4 });
  const caption = add(links, "text", { class: "caption", y: ring ? 38 : 1e4 });
  const linkParts = trace.links.map(drawLink);
  const processParts = Array.from({ length: n }, (_, p) => drawProcess(p));
  const pills = new Map(); // by message id

  // showProcess shows a local state; changed says which of its variables, and whether its name, are new.
  function showProcess(p, state, acting, changed) {
    const part = processParts[p];
    part.g.setAttribute("class", "process " + (colours.get(state.role) ?? "plain") + (acting ? " acting" : ""));
    part.title.textContent = (trace.names?.[p] ?? "process " + p) + ": " + state.exact;
    part.name.textContent = state.name;
    part.name.classList.toggle("changed", changed.has(null));
    part.vars.textContent = "";
    const names = Object.keys(state.vars);
    const broken = breakLines(words(state), letters);
    const top = 6 - 8 * broken.length; // the name's base line
    part.name.setAttribute("y", top);
    let i = 0;
    broken.forEach((line, l) => line.forEach((text, k) => {
      const attributes = changed.has(names[i++]) ? { class: "changed" } : {};
      if (k === 0) Object.assign(attributes, { x: 0, y: top + 19 + 16 * l });
      add(part.vars, "tspan", attributes, (k > 0 ? " " : "") + text);
    }));
  }

  // breakLines puts words on lines of at most so many letters where it can.
  function breakLines(words, width) {
    const lines = [];
    let used = width;
    for (const w of words) {
      if (used + 1 + w.length > width) {
        lines.push([]);
        used = -1;
      }
      lines[lines.length - 1].push(w);
      used += 1 + w.length;
    }
    return lines;
  }

  function newPill(message) {
    const g = add(messages, "g", { "data-message": message.id });
    const label = "#" + message.id;
    const width = pillWidth(message);
    add(g, "title", {}, label + " " + message.text + ", sent in step " + message.sent);
    add(g, "rect", { x: -width / 2, y: -14, width, height: 28, rx: 14 });
    add(g, "text", { class: "text", x: -3.2 * label.length, y: 5 }, message.text);
    add(g, "text", { class: "serial", x: width / 2 - 8 - 3.1 * label.length, y: 4.5 }, label);
    return g;
  }

  function move(pill, point) {
    pill.style.transform = `translate(${point.x.toFixed(1)}px, ${point.y.toFixed(1)}px)`;
  }

  // overlap reports whether two boxes with these centres touch.
  function overlap(a, b) {
    return Math.abs(a.x - b.x) < (a.width + b.width) / 2 + 4 && Math.abs(a.y - b.y) < (a.height + b.height) / 2 + 4;
  }

  // inside reports whether a box is in the picture.
  function inside(box) {
    return Math.abs(box.x) + box.width / 2 < margin.x - 4 && Math.abs(box.y) + box.height / 2 < margin.y - 4;
  }

  // shifts are ways to move a message from where it would be on its link, by a part of its share of the link
  // and aside, the shortest first.
  const shifts = [];
  for (let along = -.4; along < .45; along += .1) {
    for (let aside = 0; aside <= 160; aside += 4) {
      shifts.push({ along, aside, cost: 80 * Math.abs(along) + aside });
      if (!(ring && both)) shifts.push({ along, aside: -aside, cost: 80 * Math.abs(along) + aside });
    }
  }
  shifts.sort((a, b) => a.cost - b.cost);

  // place returns where the messages of a channel are, the oldest nearest to the receiver. Where the place is
  // taken they move aside: if there is a channel in the other direction, away from it.
  function place(l, ids, taken) {
    const link = trace.links[l];
    const { from, to } = linkParts[l].range;
    return ids.map((id, i) => {
      const box = { width: pillWidth(trace.messages[id - 1]), height: 28 };
      for (const { along, aside } of shifts) {
        const f = from + (to - from) * (ids.length - i - .5 + along) / ids.length;
        Object.assign(box, at(link, f, aside + (ring && both ? 10 : 0)));
        if (inside(box) && !taken.some(other => overlap(box, other))) break;
      }
      taken.push(box);
      return box;
    });
  }

  function showChannel(l, ids, step, taken) {
    const places = place(l, ids, taken);
    ids.forEach((id, i) => {
      const message = trace.messages[id - 1];
      let pill = pills.get(id);
      if (!pill) {
        pill = newPill(message);
        pills.set(id, pill);
        move(pill, message.sent === step && !message.duplicate ? centre(trace.links[l].from) : places[i]);
        pill.getBoundingClientRect(); // so that it travels from there
      }
      const by = (message.overtaken_by || []).some(other => trace.messages[other - 1].received <= step);
      pill.setAttribute("class", "message" + (message.sent === step ? " new" : "") + (by ? " overtaken" : ""));
      pill.setAttribute("data-link", l);
      move(pill, places[i]);
    });
  }

  // dropPills removes the pills of messages that are not under way; one that is received now goes there.
  function dropPills(underWay, step) {
    for (const [id, pill] of pills) {
      if (underWay.has(id)) continue;
      pills.delete(id);
      const message = trace.messages[id - 1];
      if (message.received !== step && message.lost !== step) {
        pill.remove();
        continue;
      }
      if (message.received === step) move(pill, centre(trace.links[message.link].to));
      pill.classList.add(message.lost === step ? "lost" : "gone");
      setTimeout(() => pill.remove(), message.lost === step ? 1200 : 300);
    }
  }

  // show shows a step: the state after it, who acts, the link that is used, and what is different.
  return function show(step, state, action, still) {
    svg.classList.toggle("still", still);
    count.textContent = step;
    caption.textContent = "of " + trace.length;
    state.processes.forEach((s, p) => {
      const changed = new Set(action ? action.changes.filter(c => c.process === p).map(c => c.var) : []);
      showProcess(p, s, action && action.process === p, changed);
    });
    const used = action && action.message ? trace.messages[action.message - 1].link : -1;
    linkParts.forEach((part, l) => {
      part.line.classList.toggle("used", l === used);
      part.tip.classList.toggle("used", l === used);
    });
    dropPills(new Set(state.channels.flatMap(c => c.ids)), step);
    const taken = state.processes.map((_, p) => ({ ...centre(p), width: node.width + 14, height: node.height + 14 }));
    state.channels.forEach((c, l) => showChannel(l, c.ids, step, taken));
  };
}
