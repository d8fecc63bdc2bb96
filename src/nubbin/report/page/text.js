// The texts of a page: bytes, as they are shown.

// What hides, reorders or rings a bell is shown as an escape.
const UNPRINTABLE = /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const CONTINUED = (byte) => (byte & 0xc0) === 0x80;
const NEVER = -1;  // no step: it is never removed
const decoder = new TextDecoder();

const hex = (number, digits) => number.toString(16).padStart(digits, "0");
const escaped = (char) => {
  const code = char.charCodeAt(0);
  return code < 256 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`;
};

const number = (value) => value.toLocaleString("en");
const counted = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

function span(milliseconds) {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function decoded(bytes) {
  return decoder.decode(bytes).replace(UNPRINTABLE, escaped);
}

function element(name, text = "", className = "") {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
}

async function unpacked(base64) {
  const packed = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

// Returns the bytes of a file that was ever so, and where its segments end.
function opened(file) {
  const bytes = Uint8Array.from(file.text, (char) => char.charCodeAt(0));
  const length = Int32Array.from(file.segments.length);
  const ends = new Int32Array(length.length);
  let end = 0;
  length.forEach((size, at) => { ends[at] = end += size; });
  return {
    path: file.path, alone: file.alone, binary: file.binary, from: file.born, to: file.died, bytes, ends,
    born: Int32Array.from(file.segments.born), died: Int32Array.from(file.segments.died),
  };
}
