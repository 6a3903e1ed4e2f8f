// The page: what the elements of index.html do.

import { Desk } from "./desk.js";
import { html } from "./dom.js";
import { duration, notes, servedBy, stageRows } from "./facts.js";
import { FORMATS } from "./formats.js";
import { copy, save } from "./give.js";
import { takeIn } from "./intake.js";
import { level, percent } from "./levels.js";
import { Picture } from "./picture.js";
import { models, onUnauthorized, written } from "./service.js";
import { Shelf } from "./shelf.js";
import { Text } from "./text.js";
import { askToken } from "./token.js";

const at = Object.fromEntries([...document.querySelectorAll("[id]")].map((node) => [node.id, node]));
const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

let shown = null; // the sheet that is shown
let line = -1; // its line that is picked
let began = 0;
let focused = null; // when the job began: what a job disables loses the focus
let ticking = 0;

const links = { hover: (index) => mark(index, "over"), pick };
const picture = new Picture(at.stage, links);
const text = new Text(at.lines, links);
const shelf = new Shelf(at.shelf, show);
const desk = new Desk({
  began(what, sheet) {
    began = performance.now();
    focused = document.activeElement;
    clearInterval(ticking);
    const tick = () => {
      const total = sheet.input.paged ? shownCount(sheet.input) : "";
      at.doing.textContent = `${what} ${sheet.input.name}${total} · ${((performance.now() - began) / 1000).toFixed(1)} s`;
    };
    tick();
    ticking = setInterval(tick, 100);
    at.progress.hidden = false;
    allow();
    say(`${what} ${sheet.input.name}`);
  },
  changed(sheet) {
    shelf.draw(desk.sheets, shown);
    if (sheet === shown || !desk.sheets.includes(shown)) show(desk.sheets.includes(sheet) ? sheet : desk.sheets.at(-1));
    if (sheet.state === "done") say(`${sheet.page.lines.length} lines read in ${sheet.input.name}`);
  },
  ended() {
    clearInterval(ticking);
    at.progress.hidden = true;
    allow();
    if (document.activeElement === document.body) focused.focus({ preventScroll: true });
  },
});

/** There is one job at a time, and nothing to take away before a page is there. */
function allow() {
  at.work.setAttribute("aria-busy", String(desk.busy));
  at["read-again"].disabled = desk.busy;
  for (const node of [...at.save.elements, ...at.view.elements]) node.disabled = desk.busy || !shown?.page;
  at.copy.disabled = !shown?.page;
}

function shownCount(input) {
  const done = desk.sheets.filter((sheet) => sheet.input === input && sheet.page);
  return done.length ? `, ${done.length} of ${done[0].page.page_count} pages` : "";
}

function say(sentence) {
  at.live.textContent = sentence;
}

// Opening

function options(input) {
  const given = { charset: at.charset.value };
  if (input.paged) Object.assign(given, { pages: at.pages.value.trim(), password: at.password.value });
  return given;
}

async function open(files) {
  if (!files.length) return;
  at.work.setAttribute("aria-busy", "true");
  show(await desk.add(files, options));
}

takeIn(at, open);

// Showing

function show(sheet) {
  const other = shown?.input !== sheet.input;
  shown = sheet;
  line = -1;
  const { input, page } = sheet;
  document.body.dataset.view = "work";
  at.welcome.hidden = true;
  at.work.hidden = at.more.hidden = false;
  at.work.classList.toggle("of-pages", input.paged);
  at.name.textContent = input.paged ? `${input.name}, page ${sheet.number}` : input.name;
  at.name.title = at.name.textContent;
  problem(sheet.error);
  shelf.draw(desk.sheets, shown);
  drawFormats();
  if (page) {
    text.show(page);
    if (!page.lines.length) text.say("There is no text on this page.");
  } else {
    text.say({ waiting: "Waits for its turn.", reading: "Reading …", failed: "Nothing was read." }[sheet.state]);
  }
  drawPicture();
  drawFacts();
  allow();
  const lost = document.activeElement === document.body || at.welcome.contains(document.activeElement);
  if (other && lost) at.stage.focus({ preventScroll: true });
}

function drawPicture() {
  const sheet = shown;
  const { input, page, number } = sheet;
  for (const radio of at.view.elements) radio.checked = radio.value === input.view;
  if (!page) return picture.wait(input.url ? { url: input.url } : null);
  const drawing = input.pictures.get(number);
  const there = input.url ? { url: input.url } : drawing ? { url: drawing, half: true } : null;
  picture.show(page, input.view === "picture" ? there : null, {
    name: input.name,
    unseen() {
      // The browser cannot show it: from now on the service draws it.
      Object.assign(input, { url: null, view: "typeset" });
      if (shown === sheet) drawPicture();
    },
  });
  if (input.view === "picture" && !there) fetchPicture(sheet);
  filter();
}

async function fetchPicture(sheet) {
  const { input, number } = sheet;
  const wanted = { ...input.options, output_format: "picture", ...(input.paged ? { pages: String(number) } : {}) };
  const blob = await attempt("Drawing", (signal) => written(input.file, input.paged, wanted, signal));
  if (blob) input.pictures.set(number, URL.createObjectURL(blob));
  else input.view = "typeset";
  if (shown === sheet) drawPicture();
}

function drawFacts() {
  const { page, reader } = shown;
  const lines = page?.lines ?? [];
  for (const name of ["sure", "check", "doubt"]) {
    at[`count-${name}`].textContent = page ? lines.filter((entry) => level(entry.confidence) === name).length : "";
  }
  const said = page ? notes(page, reader) : [];
  at.note.hidden = !said.length;
  at.note.textContent = said.join(" ");
  const timings = page?.timings ?? {};
  at.times.hidden = !("total" in timings);
  at.took.textContent = "total" in timings ? duration(timings.total) : "";
  at.served.textContent = page ? servedBy(page, reader) : "";
  at.stages.tBodies[0].replaceChildren(...stageRows(timings, reader?.queue_ms ?? 0));
  at.readout.textContent = page ? `${lines.length} lines · ${page.width} × ${page.height} px` : "";
}

function problem(error) {
  at.problem.hidden = !error;
  if (!error) return;
  at.again.hidden = error !== shown?.error;
  at.sentence.textContent = error.message;
  const wait = error.retryAfter ? `Try again in ${error.retryAfter} s. ` : "";
  at.reference.textContent = wait + (error.requestId ? `Request ${error.requestId}` : "");
  if (error.code === "wrong_password") {
    at.options.open = true;
    at.password.focus();
  }
}

at.dismiss.addEventListener("click", () => problem(null));
at.again.addEventListener("click", () => again());

function again() {
  show(desk.again(shown.input, options));
}

for (const radio of at.view.elements) {
  radio.addEventListener("change", () => {
    shown.input.view = radio.value;
    drawPicture();
  });
}
for (const radio of at.zoom.elements) {
  radio.addEventListener("change", () => zoom(radio.value));
}

function zoom(mode) {
  for (const radio of at.zoom.elements) radio.checked = radio.value === mode;
  picture.zoom = mode;
  at.stage.dataset.zoom = mode;
  if (line >= 0) picture.mark(line, "on");
}

// Lines

function mark(index, kind) {
  picture.mark(index, kind);
  text.mark(index, kind);
  const told = index >= 0 ? index : line;
  const entry = shown?.page?.lines[told];
  if (!entry) return;
  at.readout.textContent = `Line ${told + 1} of ${shown.page.lines.length} · ${percent(entry.confidence)} · ${entry.text}`;
}

function pick(index) {
  if (index === line) return;
  line = index;
  mark(index, "on");
  if (document.activeElement === at.stage) say(`${shown.page.lines[index].text}, ${at.readout.textContent.split(" · ")[1]}`);
}

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !shown?.page) return;
  const last = shown.page.lines.length;
  let to = line;
  if (event.key in STEPS) to = text.beside(line, STEPS[event.key]);
  else if (event.key === "Home") to = text.beside(-1, 1);
  else if (event.key === "End") to = text.beside(last, -1);
  else if (event.key === "PageDown" || event.key === "PageUp") {
    const next = desk.sheets[desk.sheets.indexOf(shown) + (event.key === "PageDown" ? 1 : -1)];
    if (!next) return;
    show(next);
    event.currentTarget.focus();
  } else if (event.key === "Enter" && line >= 0) zoom(at.stage.dataset.zoom === "actual" ? "page" : "actual");
  else return;
  event.preventDefault();
  if (to < 0 || to === line) return;
  if (event.currentTarget === at.lines) text.focus(to);
  else pick(to);
}

at.lines.addEventListener("keydown", keys);
at.stage.addEventListener("keydown", keys);

function filter() {
  const minimum = Number(at.minimum.value);
  at["minimum-shown"].textContent = percent(minimum);
  if (!shown?.page) return;
  const seen = (index) => shown.page.lines[index].confidence >= minimum;
  picture.filter(seen);
  text.filter(seen);
}

at.minimum.addEventListener("input", filter);
at.settings.addEventListener("submit", (event) => {
  event.preventDefault();
  again();
});

// Taking it away

at.copy.addEventListener("click", async () => {
  try {
    await copy(text.text);
    at.copy.textContent = "Copied";
    say("The text was copied");
    setTimeout(() => (at.copy.textContent = "Copy"), 2000);
  } catch (error) {
    problem(error);
  }
});

document.addEventListener("copy", (event) => {
  const within = at.work.contains(document.activeElement) && !document.activeElement.matches("input, textarea");
  if (!within || line < 0 || !getSelection().isCollapsed) return;
  event.clipboardData.setData("text/plain", shown.page.lines[line].text);
  event.preventDefault();
});

function drawFormats() {
  const kept = at.format.value || "text";
  at.format.replaceChildren(
    ...FORMATS.map((form) => {
      const which = form.single && shown.input.paged ? ", this page" : "";
      return html("option", { value: form.name }, form.label + which);
    }),
  );
  at.format.value = kept;
}

at.save.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = FORMATS.find((entry) => entry.name === at.format.value);
  const { input, number } = shown;
  const minimum = Number(at.minimum.value);
  const one = form.single && input.paged;
  const name = input.name.replace(/\.[^.]*$/, "") + (one ? `-page-${number}` : "") + form.suffix;
  if (form.name === "json" && input.answer && !minimum) return save(input.answer, name);
  const wanted = { ...input.options, output_format: form.name };
  if (minimum) wanted.min_confidence = String(minimum);
  if (one) wanted.pages = String(number);
  const blob = await attempt("Writing", (signal) => written(input.file, input.paged, wanted, signal));
  if (blob) save(blob, name);
});

/** Runs a job for the shown sheet; what goes wrong is said, and gives null. */
async function attempt(what, work) {
  if (desk.busy) return null;
  problem(null);
  try {
    return await desk.run(what, shown, work);
  } catch (error) {
    problem(error);
    return null;
  }
}

// Stopping, and the token

at.cancel.addEventListener("click", () => desk.cancel());
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && desk.busy && !at.ask.open) desk.cancel();
});

onUnauthorized((why) => askToken(at, why));

at.curl.textContent = `curl -F image=@page.png ${new URL("v2/ocr", document.baseURI)}`;
models().then(({ engines: [usual, light] }) => {
  at.about.textContent = light ? `${usual.preset}, ${light.preset} when busy` : usual.preset;
  at.about.title = usual.models;
}, problem);
