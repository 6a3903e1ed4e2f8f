// The picture with its boxes, or the text set in the places where it was read.

import { html, lineOf, reveal, svg } from "./dom.js";
import { level } from "./levels.js";

// Of a box's length, what its text fills; of its height, the least and the most that letters have.
const FILLED = 0.96;
const LETTERS = [0.6, 0.95];
// Of the letters' size, how far below the middle of the box they stand.
const BASELINE = 0.35;

const ruler = document.createElement("canvas").getContext("2d");
ruler.font = "100px sans-serif";

export class Picture {
  #stage;
  #frame = null;
  #size = [1, 1];
  #boxes = [];
  #zoom = "page";

  /** `hover(index)` and `pick(index)` are called with a line's index, or -1 for none. */
  constructor(stage, { hover, pick }) {
    this.#stage = stage;
    stage.addEventListener("pointerover", (event) => hover(lineOf(event)));
    stage.addEventListener("pointerleave", () => hover(-1));
    stage.addEventListener("click", (event) => lineOf(event) >= 0 && pick(lineOf(event)));
    new ResizeObserver(() => this.#fit()).observe(stage);
  }

  /** Nothing, or while the page is being read the picture alone. */
  wait(source) {
    this.#boxes = [];
    this.#frame = html("div", { class: "sheet waiting" });
    if (source) {
      const image = html("img", { src: source.url, alt: "" });
      image.addEventListener("load", () => {
        this.#size = [image.naturalWidth, image.naturalHeight];
        this.#fit();
      });
      image.addEventListener("error", () => image.remove());
      this.#frame.append(image);
    }
    this.#size = [620, 877];
    this.#stage.replaceChildren(this.#frame);
    this.#fit();
  }

  /**
   * The page's boxes over its picture; without one, its text in place.
   * source: {url, half}, or null; half: the picture is the left half of the image at `url`.
   * unseen: called where the browser cannot show the image, or shows it with other sides than the service saw.
   */
  show(page, source, { name, unseen }) {
    this.#size = [Math.max(page.width, 1), Math.max(page.height, 1)];
    this.#frame = html("div", { class: source ? "sheet" : "sheet typeset" });
    if (source) this.#frame.append(pictured(page, source, name, unseen));
    // The centre of the first pixel is (0, 0).
    const drawing = svg("svg", {
      viewBox: `-0.5 -0.5 ${this.#size.join(" ")}`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    });
    this.#boxes = page.lines.map((line, index) => {
      const group = svg("g", { class: `box ${level(line.confidence)}`, "data-line": index });
      group.append(svg("polygon", { points: line.bounding_box.map((point) => point.join(",")).join(" ") }));
      if (!source && line.text) group.append(set(line));
      return group;
    });
    drawing.append(...this.#boxes);
    this.#frame.append(drawing);
    this.#stage.replaceChildren(this.#frame);
    this.#fit();
  }

  /** "page", "width" or "actual". */
  set zoom(mode) {
    this.#zoom = mode;
    this.#fit();
  }

  /** Puts the class `kind` on that line's box alone. */
  mark(index, kind) {
    this.#boxes.forEach((box, at) => box.classList.toggle(kind, at === index));
    if (index >= 0) reveal(this.#stage, this.#boxes[index]);
  }

  /** Shows the boxes of the lines for which `seen(index)` holds. */
  filter(seen) {
    this.#boxes.forEach((box, index) => box.classList.toggle("gone", !seen(index)));
  }

  #fit() {
    if (!this.#frame) return;
    const [width, height] = this.#size;
    const style = getComputedStyle(this.#stage);
    const room = [
      this.#stage.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight),
      this.#stage.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom),
    ];
    // A small picture is shown up to twice as large.
    const scale = {
      page: Math.min(room[0] / width, room[1] / height, 2),
      width: Math.min(room[0] / width, 2),
      actual: 1,
    }[this.#zoom];
    this.#frame.style.width = `${Math.max(width * scale, 1)}px`;
    this.#frame.style.height = `${Math.max(height * scale, 1)}px`;
  }
}

function pictured(page, source, name, unseen) {
  const image = html("img", { src: source.url, alt: name, class: source.half ? "half" : null });
  image.addEventListener("error", unseen);
  image.addEventListener("load", () => {
    const width = source.half ? image.naturalWidth / 2 : image.naturalWidth;
    const ratio = (width / image.naturalHeight) * (page.height / page.width);
    if (ratio < 0.98 || ratio > 1.02) unseen();
  });
  return image;
}

/** The line's text, as wide as its box and along its upper side. */
function set(line) {
  const [a, b, c, d] = line.bounding_box;
  const x = (a[0] + b[0] + c[0] + d[0]) / 4;
  const y = (a[1] + b[1] + c[1] + d[1]) / 4;
  const down = line.direction === "ttb";
  const sides = [Math.hypot(b[0] - a[0], b[1] - a[1]), Math.hypot(d[0] - a[0], d[1] - a[1])];
  const [length, height] = down ? sides.reverse() : sides;
  const angle = (Math.atan2(b[1] - a[1], b[0] - a[0]) * 180) / Math.PI;
  const wanted = (length * FILLED) / (ruler.measureText(line.text).width / 100);
  const letters = Math.min(Math.max(wanted, height * LETTERS[0]), height * LETTERS[1]);
  const attributes = {
    class: down ? "down" : null,
    direction: line.direction === "rtl" ? "rtl" : "ltr",
    "font-size": letters.toFixed(2),
    "text-anchor": "middle",
    transform: `translate(${x} ${y}) rotate(${angle})`,
    dy: down ? null : (letters * BASELINE).toFixed(2),
  };
  // A single letter would be stretched to its box.
  if ([...line.text].length > 1) {
    attributes.textLength = (length * FILLED).toFixed(2);
    attributes.lengthAdjust = "spacingAndGlyphs";
  }
  return svg("text", attributes, line.text);
}

/** A small drawing of where the page has text. */
export function miniature(page) {
  const width = Math.max(page.width, 1);
  const height = Math.max(page.height, 1);
  const path = page.lines.map((line) => `M${line.bounding_box.map((point) => point.join(" ")).join("L")}Z`);
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "miniature", "aria-hidden": "true" },
    svg("path", { d: path.join("") }),
  );
}
