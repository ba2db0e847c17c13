// Links hold a value in the fragment of an address: JSON, compressed, in base64url.

export const longLink = 8192;
export const longRun = 5000; // steps of a run in a link
const mark = "z.";
const most = 1 << 20; // bytes of JSON in a link, so that a small one cannot fill the memory

async function through(bytes, stream, limit) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > limit) {
      reader.cancel().catch(() => {});
      throw new Error("the link holds more than a megabyte");
    }
    parts.push(value);
  }
}

export async function pack(value) {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const small = await through(bytes, new CompressionStream("deflate-raw"), Infinity);
  let text = "";
  for (const byte of small) text += String.fromCharCode(byte);
  return mark + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export const isPacked = fragment => fragment.startsWith(mark);

export async function unpack(fragment) {
  try {
    if (fragment.length > 8 * longLink) throw new Error("it is too long");
    const text = atob(fragment.slice(mark.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, c => c.charCodeAt(0));
    return checked(JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"), most))));
  } catch (error) {
    throw new Error("this link cannot be read: " + (error.message || "it is damaged"));
  }
}

// checked returns a value with the members of a draft and a run if they have the right types.
export function checked(value) {
  const { text, file = "", settings = {}, start = "", moves = [], at = moves.length, finding = "", why = [],
    lasso = null } = value ?? {};
  const isText = w => typeof w === "string", isCount = i => Number.isInteger(i) && i >= 0;
  const words = [text, file, start, finding].every(isText) && Array.isArray(why) && why.every(isText)
    && (lasso === null || isCount(lasso.stem) && isCount(lasso.cycle)) && isCount(at);
  if (!words || typeof settings !== "object" || settings === null || !Array.isArray(moves) || moves.length > longRun
    || !moves.every(isCount) || !Object.values(settings).every(v => ["string", "number", "boolean"].includes(typeof v))) {
    throw new Error("it holds something else");
  }
  return linked({ text, file, settings, start, moves, at, finding, why, lasso });
}

// linked returns the members of a draft and a run in a fixed order, without those that say nothing: at is the position
// in the run, and finding, why and lasso are what it shows.
export function linked({ text, file, settings, start, moves, at, finding, why, lasso }) {
  return { text, file, settings, start, moves, ...(at < moves.length ? { at } : {}),
    ...(finding ? { finding, why } : {}), ...(lasso ? { lasso: { stem: lasso.stem, cycle: lasso.cycle } } : {}) };
}
