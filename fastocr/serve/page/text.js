// The lines as text, in reading order: blocks of paragraphs of rows.

import { html, lineOf, reveal } from "./dom.js";
import { level, percent } from "./levels.js";

export class Text {
  #root;
  #page = null;
  #items = [];
  #seen = () => true;

  /** `hover(index)` and `pick(index)` as for `Picture`; picked is also what gets the focus. */
  constructor(root, { hover, pick }) {
    this.#root = root;
    root.addEventListener("pointerover", (event) => hover(lineOf(event)));
    root.addEventListener("pointerleave", () => hover(-1));
    root.addEventListener("focusin", (event) => lineOf(event) >= 0 && pick(lineOf(event)));
  }

  show(page) {
    this.#page = page;
    this.#items = page.lines.map(item);
    this.#seen = () => true;
    let paragraphs = 0;
    const rows = page.rows.map((members) => row(members.map((index) => this.#items[index])));
    const blocks = page.blocks.map((block) => {
      const parts = block.map((index) => {
        paragraphs += 1;
        const name = `Paragraph ${paragraphs}`;
        const members = page.paragraphs[index].map((member) => rows[member]);
        return html("div", { role: "group", "aria-label": name, class: "paragraph" }, ...members);
      });
      return html("div", { role: "presentation", class: "block" }, ...parts);
    });
    this.#root.replaceChildren(...blocks);
    this.#root.scrollTop = 0;
    if (this.#items.length) this.#items[0].tabIndex = 0;
  }

  /** A sentence instead of lines. */
  say(sentence) {
    this.#page = null;
    this.#items = [];
    this.#root.replaceChildren(html("p", { class: "nothing" }, sentence));
  }

  mark(index, kind) {
    this.#items.forEach((entry, at) => entry.classList.toggle(kind, at === index));
    if (index < 0) return;
    if (kind === "on") {
      this.#items.forEach((entry, at) => {
        entry.tabIndex = at === index ? 0 : -1;
        entry.setAttribute("aria-selected", String(at === index));
      });
    }
    const picked = this.#items[index];
    // On a phone the whole page scrolls, and does so for what was picked alone.
    if (this.#root.scrollHeight > this.#root.clientHeight) reveal(this.#root, picked);
    else if (kind === "on") picked.scrollIntoView({ block: "nearest" });
  }

  focus(index) {
    this.#items[index]?.focus({ preventScroll: true });
  }

  /** Shows the lines for which `seen(index)` holds. */
  filter(seen) {
    this.#seen = seen;
    this.#items.forEach((entry, index) => (entry.hidden = !seen(index)));
    for (const entry of this.#root.querySelectorAll(".row")) {
      entry.hidden = !entry.querySelector(".line:not([hidden])");
    }
  }

  /** The line that is `step` places after `from` among those that are shown, or `from`; -1 stands before the first. */
  beside(from, step) {
    for (let index = from + step; index >= 0 && index < this.#items.length; index += step) {
      if (this.#seen(index)) return index;
    }
    return from;
  }

  /** What is shown, the rows a line each, as the format "text" has it. */
  get text() {
    const shown = (index) => (this.#seen(index) ? this.#page.lines[index].text : "");
    const rows = (this.#page?.rows ?? []).map((members) => members.map(shown).filter(Boolean).join(" "));
    return rows.filter(Boolean).join("\n");
  }
}

function row(items) {
  const entry = html("div", { role: "presentation", class: "row" });
  items.forEach((member, at) => entry.append(at ? " " : "", member));
  return entry;
}

function item(line, index) {
  const name = level(line.confidence);
  const entry = html(
    "span",
    {
      role: "option",
      tabindex: "-1",
      "aria-selected": "false",
      class: `line ${name}`,
      dir: "auto",
      "data-line": index,
    },
    html("span", { class: line.text ? "words" : "words void" }, line.text || "no text"),
  );
  if (name !== "sure") {
    entry.append(html("small", {}, html("span", { class: "unseen" }, ", confidence "), percent(line.confidence)));
  }
  return entry;
}
