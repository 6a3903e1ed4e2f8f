// The ways in: a file that is chosen, photographed, pasted or dropped, and the sample.

import { drawSample, sampleFile } from "./sample.js";

/** `open(files)` is called with what comes; `at` holds the elements of index.html by their id. */
export function takeIn(at, open) {
  const chosen = (event) => {
    open([...event.target.files]);
    event.target.value = ""; // the same file may be chosen again
  };
  for (const button of [at.choose, at.more]) button.addEventListener("click", () => at.file.click());
  at.photo.addEventListener("click", () => at.camera.click());
  for (const input of [at.file, at.camera]) input.addEventListener("change", chosen);

  drawSample(at.sample);
  for (const node of [at.try, at.sample]) {
    node.addEventListener("click", async () => open([await sampleFile(at.sample)]));
  }

  document.addEventListener("paste", (event) => {
    if (!event.clipboardData.files.length) return;
    event.preventDefault();
    open([...event.clipboardData.files]);
  });

  const carriesFiles = (event) => event.dataTransfer.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    at.drop.hidden = false;
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) at.drop.hidden = true;
  });
  document.addEventListener("drop", (event) => {
    at.drop.hidden = true;
    if (!carriesFiles(event)) return;
    event.preventDefault();
    open([...event.dataTransfer.files]);
  });
}
