// What is said about a page: who read it, how long each stage took, what to know about it.

import { html } from "./dom.js";

// They lie within "recognize", and are sums over the threads that read side by side.
const WITHIN = new Set(["pack", "recognizer runs", "decode"]);

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

/** One sentence on who read the page. */
export function servedBy(page, reader) {
  const preset = reader.preset ? `, preset ${reader.preset}` : "";
  return `Read by ${page.models}${preset}. Pack, recognizer runs and decode are parts of recognize, summed over threads.`;
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
