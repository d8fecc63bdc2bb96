// A view: a text of which some parts are marked, and long dull parts are folded.

const CONTEXT_LINES = 3;  // shown beside what is marked
const CONTEXT_BYTES = 600;
const MAX_MARKED_BYTES = 6000;  // of one marked part
const MAX_OPENED_BYTES = 200000;  // by one click
const ROW_BYTES = 16;  // of a hex dump
const ELEMENTS = { gone: "del", written: "ins", kept: "mark" };

// Returns the runs of a file: a kind, and ranges of its bytes. `kindOf` gives the kind of a segment
// by the steps in which it came and went, or "" if it is not shown.
function runsOf(file, kindOf) {
  const runs = [];
  for (let at = 0; at < file.ends.length; at++) {
    const kind = kindOf(file.born[at], file.died[at]);
    if (!kind) continue;
    const start = at ? file.ends[at - 1] : 0;
    let last = runs[runs.length - 1];
    if (!last || last.kind !== kind) runs.push(last = { kind, ranges: [], size: 0 });
    const range = last.ranges[last.ranges.length - 1];
    if (range && range[1] === start) range[1] = file.ends[at];
    else last.ranges.push([start, file.ends[at]]);
    last.size += file.ends[at] - start;
  }
  return runs;
}

// Returns bytes of a run, by their places in it.
function bytesOf(file, run, from, to) {
  const parts = [];
  let at = 0;
  for (const [start, stop] of run.ranges) {
    const a = Math.max(from - at, 0);
    const b = Math.min(to - at, stop - start);
    if (a < b) parts.push(file.bytes.subarray(start + a, start + b));
    at += stop - start;
    if (at >= to) break;
  }
  if (parts.length === 1) return parts[0];
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let end = 0;
  for (const part of parts) { all.set(part, end); end += part.length; }
  return all;
}

class TextWriter {
  constructor(target) { this.target = target; }

  write(bytes, kind) {
    const name = ELEMENTS[kind];
    this.target.append(name ? element(name, decoded(bytes)) : decoded(bytes));
  }

  end() {}

  // Returns how many bytes at the start are the context of what stands before them.
  static head(bytes) {
    let lines = 0, at = 0;
    while (at < bytes.length && lines < CONTEXT_LINES) if (bytes[at++] === 10) lines++;
    while (at < bytes.length && CONTINUED(bytes[at])) at++;
    return at;
  }

  // Returns how many bytes at the end are the context of what follows.
  static tail(bytes) {
    let lines = 0, at = bytes.length;
    while (at > 0 && lines <= CONTEXT_LINES) if (bytes[--at] === 10) lines++;
    if (lines > CONTEXT_LINES) at++;
    while (at < bytes.length && CONTINUED(bytes[at])) at++;
    return bytes.length - at;
  }

  static size(bytes) {
    let lines = 0;
    for (const byte of bytes) if (byte === 10) lines++;
    return lines ? counted(lines, "line") : counted(bytes.length, "byte");
  }
}

class HexWriter {
  constructor(target) {
    this.target = target;
    this.row = [];
  }

  write(bytes, kind) {
    for (const byte of bytes) {
      this.row.push([byte, kind]);
      if (this.row.length === ROW_BYTES) this.end();
    }
  }

  end() {
    if (!this.row.length) return;
    this.spans(([byte]) => `${hex(byte, 2)} `);
    this.target.append("   ".repeat(ROW_BYTES - this.row.length) + " ");
    this.spans(([byte]) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : "."));
    this.target.append("\n");
    this.row = [];
  }

  spans(shown) {
    for (let at = 0, stop; at < this.row.length; at = stop) {
      const kind = this.row[at][1];
      for (stop = at; stop < this.row.length && this.row[stop][1] === kind; stop++);
      const text = this.row.slice(at, stop).map(shown).join("");
      const name = ELEMENTS[kind];
      this.target.append(name ? element(name, text) : text);
    }
  }

  static head(bytes) { return Math.min(bytes.length, CONTEXT_LINES * ROW_BYTES); }
  static tail(bytes) { return Math.min(bytes.length, CONTEXT_LINES * ROW_BYTES); }
  static size(bytes) { return counted(bytes.length, "byte"); }
}

// Writes some bytes of a run; the middle is folded if they are dull or very long. `head` and `tail`
// tell whether anything that is not dull is before and after them; `room` is for what is not dull.
function writeRun(writer, file, run, from, to, { dull, head, tail, room }) {
  const Writer = writer.constructor;
  const side = dull ? CONTEXT_BYTES : room / 2;
  const first = bytesOf(file, run, from, Math.min(to, from + side));
  const last = bytesOf(file, run, Math.max(from, to - side), to);
  const a = from + (dull ? head && Writer.head(first) : first.length);
  const b = to - (dull ? tail && Writer.tail(last) : last.length);
  if (b - a < 80) return writer.write(bytesOf(file, run, from, to), run.kind);
  writer.write(bytesOf(file, run, from, a), run.kind);
  writer.end();
  writer.target.append(fold(Writer, file, run, a, b));
  return writer.write(bytesOf(file, run, b, to), run.kind);
}

// Returns a button that is replaced by some bytes of a run.
function fold(Writer, file, run, from, to) {
  const button = element("button", `\u22ef ${Writer.size(bytesOf(file, run, from, to))}`, "fold");
  button.type = "button";
  button.addEventListener("click", () => {
    const shown = document.createDocumentFragment();
    const writer = new Writer(shown);
    writeRun(writer, file, run, from, to, { dull: false, room: MAX_OPENED_BYTES });
    writer.end();
    button.replaceWith(shown);
  });
  return button;
}

// Returns a region with the runs of a file, of which one kind is dull.
function view(file, runs, dull) {
  const pre = element("pre", "", file.binary ? "hex" : "");
  pre.tabIndex = 0;  // so that keys scroll it
  const writer = new (file.binary ? HexWriter : TextWriter)(pre);
  runs.forEach((run, at) => {
    const [head, tail] = [at > 0, at < runs.length - 1];
    writeRun(writer, file, run, 0, run.size, { dull: run.kind === dull, head, tail, room: MAX_MARKED_BYTES });
  });
  writer.end();
  return pre;
}

// Returns an element that a person opens and closes, filled when it is first opened.
function folded(title, open, make) {
  const details = element("details");
  details.append(element("summary", title));
  const fill = () => { if (details.open && details.childElementCount === 1) details.append(make()); };
  details.open = open;
  fill();
  details.addEventListener("toggle", fill);
  return details;
}

// Puts a view of each file into a place.
function viewFiles(place, files, show, isOpen, title = (file) => file.path) {
  const shown = files.map((file, at) => (
    file.alone ? show(file) : folded(title(file), isOpen(file, at), () => show(file))
  ));
  place.append(...shown);
}

const areFirst = (file, at) => at < 8;
