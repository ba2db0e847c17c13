// The Web Worker of a page without a server: it runs ringcheck.wasm, which calls started, answered and progressed.
importScripts("wasm_exec.js");

const waiting = [];
let ready = false;
let said = "";

function started() {
  ready = true;
  for (const m of waiting.splice(0)) answer(m.id, m.action, m.text);
}
const answered = (id, text, ok) => postMessage({ kind: "answered", id, text, ok });
const progressed = text => postMessage({ kind: "progressed", text });

onmessage = async ({ data }) => {
  if (!(data instanceof WebAssembly.Module)) {
    if (ready) answer(data.id, data.action, data.text);
    else waiting.push(data);
    return;
  }
  Object.assign(globalThis, { started, answered, progressed });
  fs.writeSync = (_, bytes) => { // what the Go runtime says at its end
    said = (said + new TextDecoder().decode(bytes)).slice(0, 500);
    return bytes.length;
  };
  const go = new Go();
  try {
    await go.run(await WebAssembly.instantiate(data, go.importObject));
    postMessage({ kind: "died", text: said.split("\n")[0] });
  } catch (error) {
    postMessage({ kind: "died", text: said.split("\n")[0] || String(error) });
  }
};
