// The slider: a step, and what it changed.

function changedIn(file, step) {
  return file.from === step || file.to === step
    || file.born.includes(step) || file.died.includes(step);
}

// Returns the kind of a segment in the view of a step.
const kindAt = (step) => (born, died) => {
  if (born > step || (died !== NEVER && died < step)) return "";
  if (died === step) return "gone";
  return born === step ? "written" : "same";
};

function showStep(data, files, step) {
  const { steps, passes, first } = data;
  const at = step - 1;
  const less = steps.bytes[at - 1] - steps.bytes[at];
  document.getElementById("step").textContent =
    `Candidate ${number(step)} of ${number(steps.bytes.length)}, by the pass \u201c${passes[steps.pass[at]]}\u201d, `
    + `query ${number(steps.queries[at])}, after ${span(steps.milliseconds[at])}: `
    + `${counted(steps.bytes[at], "byte")}, ${counted(Math.abs(less), "byte")} ${less < 0 ? "more" : "less"}`;
  const place = document.getElementById("changes");
  place.replaceChildren();
  if (!first || step <= first) {
    place.append(element("p", "This candidate is too large to be shown.", "note"));
    return;
  }
  const changed = files.filter((file) => changedIn(file, step));
  const show = (file) => view(file, runsOf(file, kindAt(step)), "same");
  const title = (file) => file.path + (file.to === step ? " (deleted)" : "");
  viewFiles(place, changed, show, (file, at) => file.to !== step && areFirst(file, at), title);
  if (!changed.length) place.append(element("p", "Only the packing of the files has changed.", "note"));
}

// Returns a function that moves the mark of a step in a chart.
function marker(chart, { steps }) {
  const { unit, end, left, width, top, height } = chart.dataset;
  const values = unit === "queries" ? steps.queries : steps.milliseconds.map((each) => each / 1000);
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("class", "marker");
  chart.append(line);
  return (step) => {
    const x = Number(left) + (Number(width) * values[step - 1]) / Number(end);
    line.setAttribute("d", `M${x.toFixed(1)} ${top}v${height}`);
  };
}

function startSteps(data, files) {
  const slider = document.getElementById("slider");
  if (!slider) return;
  const last = data.steps.bytes.length;
  const markers = [...document.querySelectorAll(".chart")].map((chart) => marker(chart, data));
  const show = () => {
    const step = Number(slider.value);
    showStep(data, files, step);
    for (const move of markers) move(step);
    document.getElementById("back").disabled = step === 2;
    document.getElementById("on").disabled = step === last;
  };
  const go = (distance) => { slider.value = Number(slider.value) + distance; show(); };
  slider.min = 2;
  slider.max = last;
  slider.value = Math.min(Math.max(2, data.first + 1), last);
  slider.addEventListener("input", show);
  document.getElementById("back").addEventListener("click", () => go(-1));
  document.getElementById("on").addEventListener("click", () => go(1));
  document.getElementById("controls").hidden = false;
  show();
}
