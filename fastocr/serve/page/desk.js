// What lies on the desk: the inputs in the order in which they came, their pages, and the one job that runs.

import { readDocument, readImage, ServiceError } from "./service.js";

const PAGED = /\.(pdf|tiff?)$/i;

/** A file, and how it is read. */
class Input {
  constructor(file, paged, name) {
    this.file = file;
    this.paged = paged;
    this.name = name;
    this.url = paged ? null : URL.createObjectURL(file);
    this.view = paged ? "typeset" : "picture";
    this.options = {};
    this.answer = null; // of an image, the bytes of its JSON
    this.pictures = new Map(); // of pages that the browser cannot show, as the service draws them
  }

  static async of(file) {
    const paged = /pdf|tiff/.test(file.type) || PAGED.test(file.name) || (await file.slice(0, 5).text()) === "%PDF-";
    return new Input(file, paged, file.name || "pasted picture");
  }
}

/** A page of an input: "waiting", "reading", "done" or "failed". */
class Sheet {
  constructor(input, number) {
    Object.assign(this, { input, number, state: "waiting", page: null, reader: null, error: null });
  }
}

export class Desk {
  sheets = [];
  #hooks;
  #waiting = [];
  #stop = null;

  /**
   * hooks: `began(what, sheet)` when a job starts, `changed(sheet)` when a page comes or fails, `ended()` when nothing
   * runs any more.
   */
  constructor(hooks) {
    this.#hooks = hooks;
  }

  get busy() {
    return this.#stop !== null;
  }

  /** Puts files on the desk and reads them one after the other; returns the first one's sheet. */
  async add(files, options) {
    const inputs = await Promise.all([...files].map((file) => Input.of(file)));
    const added = inputs.map((input) => this.#put(input, this.sheets.length, options));
    this.#go();
    return added[0];
  }

  /** Reads an input anew, in its place. */
  again(input, options) {
    const at = this.sheets.findIndex((sheet) => sheet.input === input);
    this.sheets = this.sheets.filter((sheet) => sheet.input !== input);
    const sheet = this.#put(input, at, options);
    this.#go();
    return sheet;
  }

  #put(input, at, options) {
    const sheet = new Sheet(input, 1);
    input.options = options(input);
    this.sheets.splice(at, 0, sheet);
    this.#waiting.push(sheet);
    return sheet;
  }

  /** Stops what runs and gives up what waits. */
  cancel() {
    this.#stop?.abort();
    for (const sheet of this.#waiting.splice(0)) this.#fail(sheet, new ServiceError("Cancelled before it was read."));
  }

  /** Runs `work(signal)` as the desk's one job; resolves to null where it was cancelled. */
  async run(what, sheet, work) {
    const stop = new AbortController();
    this.#stop = stop;
    this.#hooks.began(what, sheet);
    try {
      return await work(stop.signal);
    } catch (error) {
      if (error.name !== "AbortError") throw error;
      return null;
    } finally {
      this.#stop = null;
      if (this.#waiting.length) this.#go();
      else this.#hooks.ended();
    }
  }

  async #go() {
    if (this.busy || !this.#waiting.length) return;
    const sheet = this.#waiting.shift();
    await this.run("Reading", sheet, (signal) => this.#read(sheet, signal));
  }

  async #read(first, signal) {
    const { input } = first;
    let sheet = first;
    sheet.state = "reading";
    this.#hooks.changed(sheet);
    try {
      if (input.paged) {
        for await (const read of readDocument(input.file, input.options, signal)) {
          sheet ??= this.#follow(input);
          this.#fill(sheet, read);
          sheet = read.page.number < read.page.page_count ? this.#follow(input) : null;
        }
        if (sheet === first) throw new ServiceError("The service sent no page.");
        if (sheet) this.#drop(sheet);
      } else {
        const read = await readImage(input.file, input.options, signal);
        input.answer = read.answer;
        this.#fill(sheet, read);
      }
    } catch (error) {
      this.#fail(sheet ?? this.#follow(input), signal.aborted ? new ServiceError("Cancelled.") : error);
    }
  }

  /** A place for the next page of `input`. */
  #follow(input) {
    const at = this.sheets.findLastIndex((sheet) => sheet.input === input);
    const next = new Sheet(input, this.sheets[at].number + 1);
    next.state = "reading";
    this.sheets.splice(at + 1, 0, next);
    this.#hooks.changed(next);
    return next;
  }

  #fill(sheet, { page, reader }) {
    // The characters are most of a page, and nothing here shows them.
    page.lines = page.lines.map(({ text, confidence, direction, bounding_box }) => ({
      text,
      confidence,
      direction,
      bounding_box,
    }));
    Object.assign(sheet, { page, reader, number: page.number, state: "done", error: null });
    this.#hooks.changed(sheet);
  }

  #fail(sheet, error) {
    Object.assign(sheet, { state: "failed", error });
    this.#hooks.changed(sheet);
  }

  #drop(sheet) {
    this.sheets = this.sheets.filter((other) => other !== sheet);
    this.#hooks.changed(sheet);
  }
}
