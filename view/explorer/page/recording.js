import { h, s } from "./dom.js";
import { paintChart } from "./chart.js";

// A recording is a run as a file: the labels of its steps, and the states of the processes.

// recorded returns the recording of a run up to its position, and what it shows.
export function recorded(system, run, told) {
  const state = entry => ({ processes: entry.state.processes.map(p => ({ exact: p.exact })),
    shared: entry.state.shared && Object.fromEntries(entry.state.shared.map(v => [v.name, v.text])) });
  return { title: system.title, ...told, initial: state(run.start),
    steps: run.steps.slice(0, run.position).map(e => ({ action: e.move.label, state: state(e) })) };
}

export async function readRecording(file) {
  try {
    return JSON.parse(await file.text());
  } catch {
    throw new Error("this is not a run: want a file as counterexample --json writes it");
  }
}

// saveRun saves a run as a file, whose pictures show what is selected. Without a program, the formats are svg and json.
export async function saveRun({ backend, system, run }, format, selection) {
  const told = run.position === run.length ? run.told : {};
  let blob;
  if (backend.save) {
    blob = await backend.save(run.start.state.code, run.indices, format, told, selection);
  } else if (format === "svg") {
    const picture = styled(paintChart(await backend.plan(system, run, 0), true));
    blob = new Blob([new XMLSerializer().serializeToString(picture)]);
  } else {
    blob = new Blob([JSON.stringify(recorded(system, run, told))]);
  }
  download(blob, `${system.title.replace(/[^\w-]+/g, "-")}.${format}`);
}

// styled adds the rules of the page for charts to a picture, with the colours of now.
function styled(picture) {
  const now = getComputedStyle(document.documentElement), rules = [...document.styleSheets].flatMap(sheet => [...sheet.cssRules]);
  const text = rules.map(rule => rule.cssText).filter(rule => rule.startsWith(".chart"))
    .join("\n").replace(/var\((--\w[\w-]*)\)/g, (_, name) => now.getPropertyValue(name));
  picture.prepend(s("style", {}, text));
  return picture;
}

// download saves data as a file with a name.
export function download(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}
