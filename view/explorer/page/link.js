// Links hold a value in the fragment of an address: JSON, compressed, in base64url.

export const longLink = 8192;
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
  const { text, file = "", settings = {}, start = "", moves = [] } = value ?? {};
  const words = [text, file, start].every(w => typeof w === "string");
  if (!words || typeof settings !== "object" || settings === null || !Array.isArray(moves) || moves.length > 5000
    || !moves.every(Number.isInteger) || !Object.values(settings).every(v => ["string", "number", "boolean"].includes(typeof v))) {
    throw new Error("it holds something else");
  }
  return { text, file, settings, start, moves };
}
