// Required by each node of a traced test as it starts: notes the files that are read or looked up.
// The variable NUBBIN_TRACE names a folder, in which each process has a file with notes: what was done,
// and the path.
"use strict";
const fs = require("fs");
const path = require("path");
const { fileURLToPath } = require("url");

const seen = new Set();
const append = fs.appendFileSync;
const file = path.join(process.env.NUBBIN_TRACE, `${process.pid}.notes`);

function note(kind, given) {
  try {
    if (kind === "runs") return append(file, `${kind} ${given}\n`);
    const name = given instanceof URL ? fileURLToPath(given) : String(given);
    const text = path.resolve(name);
    if (typeof given === "number" || seen.has(kind + text) || text.includes("\n")) return;
    seen.add(kind + text);
    append(file, `${kind} ${text}\n`);
  } catch {
    // Whatever happens, the program goes on as if it were not traced.
  }
}

function trace(kind, api, names) {
  for (const name of names) {
    const real = api[name];
    if (typeof real !== "function") continue;
    const traced = function (first, ...rest) {
      note(kind, first);
      return Reflect.apply(real, this, [first, ...rest]);
    };
    api[name] = Object.assign(traced, real);
  }
}

note("runs", `node ${process.versions.node}`);
const kinds = {
  look: ["access", "exists", "lstat", "realpath", "stat"],
  open: ["open", "readFile", "readlink"],
};
for (const [kind, names] of Object.entries(kinds)) {
  trace(kind, fs, names);
  trace(kind, fs, names.map((name) => `${name}Sync`));
  trace(kind, fs.promises, names);
}
trace("open", fs, ["createReadStream"]);
// What require loads does not come by here, but is on its list.
process.on("exit", () => Object.keys(require.cache).forEach((name) => note("open", name)));
