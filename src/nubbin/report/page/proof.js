// The proof: the result, in which each single removal tells how the test rejected it.

const MAX_LISTED = 2000;
const MAX_NAMED_CHARACTERS = 60;

// Returns the bytes of a file that are left in the result.
function leftOf(file) {
  const runs = runsOf(file, (born, died) => (died === NEVER ? "left" : ""));
  return runs.length ? bytesOf(file, runs[0], 0, runs[0].size) : new Uint8Array();
}

function shown(file, bytes) {
  return file.binary ? [...bytes].map((byte) => `${hex(byte, 2)} `).join("") : decoded(bytes);
}

// Returns the removals from a file.
function removalsFrom(file, index, removals) {
  const left = leftOf(file);
  const found = [];
  removals.file.forEach((each, at) => {
    if (each !== index) return;
    const [start, stop] = [removals.start[at], removals.stop[at]];
    const text = shown(file, left.subarray(start, stop));
    const named = text.length > MAX_NAMED_CHARACTERS ? `${text.slice(0, MAX_NAMED_CHARACTERS)}\u2026` : text;
    const time = removals.milliseconds[at];
    found.push({
      start, stop, rejected: removals.rejected[at], parts: [], what: removals.whole[at] ? "the whole file" : JSON.stringify(named),
      said: removals.outcomes[removals.outcome[at]] + (time === null ? "" : `, after ${span(time)}`),
    });
  });
  return found;
}

// Returns the places at which removals begin or end, with the shortest removal at each.
function pieces(size, removals) {
  const ends = [...new Set([0, size, ...removals.flatMap(({ start, stop }) => [start, stop])])];
  ends.sort((a, b) => a - b);
  const at = new Map(ends.map((end, index) => [end, index]));
  const owners = new Array(ends.length - 1).fill(null);
  // The longest first, so that the shortest has the last word.
  for (const removal of [...removals].sort((a, b) => b.stop - b.start - (a.stop - a.start))) {
    for (let index = at.get(removal.start); ends[index] < removal.stop; index++) owners[index] = removal;
  }
  return owners.map((owner, index) => ({ start: ends[index], stop: ends[index + 1], owner }));
}

function proofView(file, removals) {
  const left = leftOf(file);
  const pre = element("pre", "", "proof");
  pre.tabIndex = 0;
  for (const { start, stop, owner } of pieces(left.length, removals)) {
    const piece = element("span", shown(file, left.subarray(start, stop)));
    if (owner) {
      piece.className = owner.rejected ? "rejected" : "open";
      piece.removal = owner;
      owner.parts.push(piece);
    }
    pre.append(piece);
  }
  return pre;
}

// Tells of the removal that is under the pointer, or was touched last.
function telling(place) {
  const box = element("p", "", "tip");
  box.hidden = true;
  box.setAttribute("role", "status");
  let last = null;
  const mark = (removal, on) => removal?.parts.forEach((part) => part.classList.toggle("at", on));
  const show = (event) => {
    const removal = event.target.removal ?? null;
    if (removal === last) return;
    mark(last, false);
    mark(removal, true);
    last = removal;
    box.hidden = removal === null;
    if (removal) box.textContent = `without ${removal.what}: ${removal.said}`;
  };
  place.addEventListener("pointerover", show);
  place.addEventListener("click", show);
  return box;
}

// Returns a table of removals, for who has no pointer.
function listed(removals) {
  const table = element("table", "", "list");
  const row = table.createTHead().insertRow();
  for (const name of ["without", "what the test said"]) {
    row.append(element("th", name));
    row.lastChild.scope = "col";
  }
  const body = table.createTBody();
  for (const removal of removals.slice(0, MAX_LISTED)) {
    const cells = body.insertRow();
    cells.insertCell().append(element("code", removal.what));
    cells.insertCell().textContent = removal.said;
  }
  const more = removals.length - MAX_LISTED;
  if (more > 0) table.createCaption().textContent = `${number(more)} more are left out`;
  return table;
}

function startProof({ removals }, files) {
  const place = document.getElementById("removals");
  if (!removals.rejected.includes(1)) return;
  const found = new Map(files.map((file, index) => [file, removalsFrom(file, index, removals)]));
  const there = files.filter((file) => found.get(file).length);
  place.before(element("p", "Point at a piece of the result, or touch it, to see what the test said without it.", "note"));
  viewFiles(place, there, (file) => proofView(file, found.get(file)), areFirst);
  place.append(telling(place));
  place.after(folded("The same as a list", false, () => listed([...found.values()].flat())));
}
