// Elements from plain data.  What the service says becomes text nodes and nothing else.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

/** An HTML element; a child is a node or a string. */
export function html(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** The index of the line to which an event's target belongs, or -1. */
export function lineOf(event) {
  return Number(event.target.closest?.("[data-line]")?.dataset.line ?? -1);
}

/** Scrolls `box` until `node` is within it; the page itself stays where it is. */
export function reveal(box, node) {
  const outer = box.getBoundingClientRect();
  const inner = node.getBoundingClientRect();
  const by = (low, high, first, last) => (low < first || high > last ? (low + high - first - last) / 2 : 0);
  const left = by(inner.left, inner.right, outer.left, outer.right);
  const top = by(inner.top, inner.bottom, outer.top, outer.bottom);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (left || top) box.scrollBy({ left, top, behavior: still ? "instant" : "smooth" });
}
