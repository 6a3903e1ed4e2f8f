// The pages on the desk, as a row of small drawings.

import { html } from "./dom.js";
import { miniature } from "./picture.js";

export class Shelf {
  #root;
  #pick;
  #buttons = new Map();

  /** `pick(sheet)` is called with the sheet whose button is pressed. */
  constructor(root, pick) {
    this.#root = root;
    this.#pick = pick;
  }

  /** Buttons stay the same elements while their sheets lie there, so that none loses the focus. */
  draw(sheets, shown) {
    this.#root.hidden = sheets.length < 2;
    for (const [sheet, button] of this.#buttons) {
      if (sheets.includes(sheet)) continue;
      button.remove();
      this.#buttons.delete(sheet);
    }
    sheets.forEach((sheet, place) => {
      const button = this.#of(sheet);
      const there = this.#root.children[place] ?? null;
      if (there !== button) this.#root.insertBefore(button, there);
      if (button.className !== sheet.state) fill(button, sheet);
      if (sheet === shown) button.setAttribute("aria-current", "page");
      else button.removeAttribute("aria-current");
    });
  }

  #of(sheet) {
    let button = this.#buttons.get(sheet);
    if (!button) {
      button = html("button", { type: "button" });
      button.addEventListener("click", () => this.#pick(sheet));
      this.#buttons.set(sheet, button);
    }
    return button;
  }
}

function fill(button, { input, page, number, state }) {
  button.className = state;
  button.title = input.paged ? `${input.name}, page ${number}` : input.name;
  button.replaceChildren(
    page ? miniature(page) : html("span", { class: "miniature", "aria-hidden": "true" }),
    html("span", { "aria-hidden": "true" }, input.paged ? String(number) : input.name),
    html("span", { class: "unseen" }, state === "done" ? button.title : `${button.title}, ${state}`),
  );
}
