// What is said about a page: who read it, how long each stage took, what to know about it.

import { html } from "./dom.js";

// They lie within "recognize", and are sums over the threads that read side by side.
const WITHIN = new Set(["pack", "recognizer runs", "decode"]);

// What `models` names for text that was not read, but taken from a PDF.
const OWN_TEXT = "pdf-text";

/** 1443.2 as "1.44 s", 9.25 as "9.3 ms". */
export function duration(milliseconds) {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(2)}\u202fs`;
  return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)}\u202fms`;
}

/** The stages as rows of a table, each with a bar; `queue` first, where the service says how long that was. */
export function stageRows(timings, queue) {
  const stages = Object.entries(timings).filter(([name]) => name !== "total");
  if (queue > 0) stages.unshift(["queue", queue]);
  // The parts stand below their whole.
  const parts = stages.filter(([name]) => WITHIN.has(name));
  const wholes = stages.filter(([name]) => !WITHIN.has(name));
  const rows = wholes.flatMap((stage) => (stage[0] === "recognize" ? [stage, ...parts] : [stage]));
  const longest = Math.max(...wholes.map(([, value]) => value), 1e-9);
  return rows.map(([name, value]) => {
    const bar = html("i", { class: "bar" });
    bar.style.width = `${Math.min((value / longest) * 100, 100)}%`;
    return html(
      "tr",
      { class: WITHIN.has(name) ? "within" : null },
      html("th", { scope: "row" }, name),
      html("td", { class: "bars", "aria-hidden": "true" }, bar),
      html("td", {}, duration(value)),
    );
  });
}

/** Where the page's text comes from, in a sentence or a few. */
export function servedBy(page, reader) {
  const names = page.models.split("+");
  const readers = names.filter((name) => name !== OWN_TEXT).join("+");
  const said = [];
  if (readers) said.push(`Read by ${readers}${reader.preset ? `, preset ${reader.preset}` : ""}.`);
  if (names.includes(OWN_TEXT)) said.push("Text that the PDF holds itself is the PDF's.");
  if ("decode" in page.timings) said.push("Pack, recognizer runs and decode are parts of recognize, summed over threads.");
  return said.join(" ");
}

/** What the user should know of this page, as sentences. */
export function notes(page, reader) {
  const said = [...page.warnings];
  if (reader.degraded) {
    said.unshift(`The service is busy: this page was read by its lighter preset, ${reader.preset}.`);
  }
  if (page.orientation) said.push(`The page lies turned by ${page.orientation}° and was read as it was written.`);
  return said;
}
