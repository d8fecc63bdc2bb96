// Puts the data of the page into it.

function startOriginal(data, files) {
  const place = document.getElementById("original");
  const kind = (born, died) => (born !== data.first ? "" : died === NEVER ? "kept" : "rest");
  const there = files.filter((file) => file.from === data.first);
  const kept = (file) => file.to === NEVER && file.died.includes(NEVER);
  const show = (file) => view(file, runsOf(file, kind), "rest");
  viewFiles(place, there.filter((file) => kept(file) || file.alone), show, areFirst);
  const gone = there.filter((file) => !kept(file) && !file.alone);
  if (!gone.length) return;
  place.append(folded(`${counted(gone.length, "file")} without kept text`, false, () => {
    const inside = element("div", "", "inside");
    viewFiles(inside, gone, show, () => false);
    return inside;
  }));
}

function startBest(data, files) {
  const left = files.filter((file) => file.to === NEVER);
  if (!left.length) return;
  const kind = (born, died) => (died !== NEVER ? "" : born === data.first ? "kept" : "written");
  const place = document.getElementById("best");
  place.replaceChildren();
  viewFiles(place, left, (file) => view(file, runsOf(file, kind), ""), areFirst);
}

const data = await unpacked(document.getElementById("payload").textContent);
const files = data.files.map(opened);
if (data.first) {
  startOriginal(data, files);
  startBest(data, files);
}
startSteps(data, files);
startProof(data, files);
