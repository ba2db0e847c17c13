// The page steps through a run: step 0 is the initial state. The current step is the fragment of the address.
(function () {
  "use strict";
  const element = id => document.getElementById(id);
  const trace = JSON.parse(element("trace").textContent);
  const show = newRing(trace, element("ring"));
  let current = -1;
  // The steps from loop on are repeated for ever; 0 if none are.
  const loop = trace.lasso && trace.lasso.cycle > 0 ? trace.lasso.stem + 1 : 0;
  const forward = () => go(loop && current === trace.length ? loop : current + 1);

  const overtakes = step => step > 0 && trace.steps[step - 1].kind === "receive"
    && (trace.messages[trace.steps[step - 1].message - 1].overtakes || []).length > 0;

  function go(step) {
    step = Math.max(0, Math.min(trace.length, step));
    if (step === current) return;
    const still = current < 0 || Math.abs(step - current) > 1;
    const action = step > 0 ? trace.steps[step - 1] : null;
    show(step, action ? action.state : trace.initial, action, still);
    tell(action);
    mark(current, step);
    element("slider").value = step;
    element("position").textContent = step + " / " + trace.length;
    element("first").disabled = element("back").disabled = step === 0;
    element("last").disabled = step === trace.length;
    element("forward").disabled = step === trace.length && !loop;
    current = step;
    if (location.hash !== "#" + step) history.replaceState(null, "", "#" + step);
  }

  // tell says what happens in a step.
  function tell(action) {
    element("action").textContent = action ? action.text : "initial state";
    const changes = element("changes");
    changes.textContent = "";
    for (const c of action ? action.changes : []) {
      const item = document.createElement("li");
      item.textContent = (c.var === null ? "" : c.var + ": ") + (c.from ?? "–") + " → " + (c.to ?? "–");
      changes.append(item);
    }
  }

  // mark moves the mark in the list of steps.
  function mark(before, step) {
    if (before >= 0) element("step-" + before).removeAttribute("aria-current");
    const item = element("step-" + step);
    item.setAttribute("aria-current", "step");
    // Only the list scrolls, not the page.
    const list = element("steps");
    const { offsetTop: top, offsetHeight: height } = item.parentElement;
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + height > list.scrollTop + list.clientHeight) list.scrollTop = top + height - list.clientHeight;
  }

  // seek goes to the nearest step in a direction in which a message overtakes, if there is one.
  function seek(direction) {
    for (let s = current + direction; s >= 0 && s <= trace.length; s += direction) {
      if (overtakes(s)) return go(s);
    }
  }

  function toggleHelp() {
    const help = element("help");
    help.hidden = !help.hidden;
    element("help-button").setAttribute("aria-expanded", String(!help.hidden));
  }

  const keys = {
    ArrowRight: forward,
    ArrowLeft: () => go(current - 1),
    PageDown: forward,
    PageUp: () => go(current - 1),
    Home: () => go(0),
    End: () => go(trace.length),
    o: () => seek(1),
    O: () => seek(-1),
    "?": toggleHelp,
  };
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  element("first").onclick = keys.Home;
  element("back").onclick = keys.ArrowLeft;
  element("forward").onclick = keys.ArrowRight;
  element("last").onclick = keys.End;
  element("help-button").onclick = toggleHelp;
  element("slider").oninput = event => go(Number(event.target.value));

  function follow() {
    const step = Number(location.hash.slice(1));
    go(Number.isInteger(step) ? step : 0);
  }
  window.addEventListener("hashchange", follow);
  follow();
})();
