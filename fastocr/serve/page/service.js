// The requests to the service.  Addresses are relative, so that the page also works behind a proxy's prefix.

const TOKEN = "fastocr.token";
const NO_ANSWER =
  "The service broke off the connection: it may have stopped, or the file may be larger than it takes.";

/** What is wrong, in the service's own sentence. */
export class ServiceError extends Error {
  constructor(message, { code = "", requestId = "", retryAfter = 0 } = {}) {
    super(message);
    Object.assign(this, { code, requestId, retryAfter });
  }
}

let ask = async () => null;
let asked = null;

/** `question(why)` is called where the service wants a token; it resolves to one, or to null for none. */
export function onUnauthorized(question) {
  ask = question;
}

async function fetched(path, init) {
  try {
    return await fetch(path, init);
  } catch (error) {
    throw error.name === "AbortError" ? error : new ServiceError(NO_ANSWER);
  }
}

async function refusal(response) {
  const retryAfter = Number(response.headers.get("Retry-After")) || 0;
  try {
    return told((await response.json()).error, retryAfter);
  } catch {
    // Not the service's answer, but that of something between it and this page.
    return new ServiceError(`The answer was ${response.status} ${response.statusText}.`, { retryAfter });
  }
}

/** The error of the service's JSON. */
function told({ code, message, request_id: requestId }, retryAfter = 0) {
  return new ServiceError(message, { code, requestId, retryAfter });
}

async function request(path, init = {}) {
  for (;;) {
    const token = sessionStorage.getItem(TOKEN);
    const headers = token === null ? {} : { Authorization: `Bearer ${token}` };
    const response = await fetched(path, { ...init, headers, cache: "no-store" });
    if (response.ok) return response;
    const error = await refusal(response);
    if (response.status !== 401) throw error;
    // Several requests may be refused at once: the question is put once.
    asked ??= ask(token === null ? "" : error.message).finally(() => (asked = null));
    const given = await asked;
    if (given === null) throw error;
    sessionStorage.setItem(TOKEN, given);
  }
}

function post(path, field, file, options, signal) {
  const body = new FormData();
  for (const [name, value] of Object.entries(options)) if (value !== "") body.append(name, value);
  body.append(field, file, file.name);
  return request(path, { method: "POST", body, signal });
}

/** What the answer's head says of who read it. */
function reader(response) {
  return {
    preset: response.headers.get("X-Fastocr-Preset") ?? "",
    degraded: response.headers.get("X-Fastocr-Degraded") === "true",
  };
}

/** What the service has loaded, as GET /v2/models tells it. */
export async function models() {
  return (await request("v2/models")).json();
}

/** One image: its page, who read it, and the answer's bytes as they came. */
export async function readImage(file, options, signal) {
  const response = await post("v2/ocr", "image", file, options, signal);
  const answer = await response.blob();
  const page = JSON.parse(await answer.text());
  return { page, reader: { ...reader(response), ...page.service }, answer };
}

/** The pages of a document, as they come. */
export async function* readDocument(file, options, signal) {
  const response = await post("v2/ocr/document", "document", file, options, signal);
  for await (const line of lines(response.body)) {
    const page = JSON.parse(line);
    if (page.error) throw told(page.error);
    yield { page, reader: { ...reader(response), ...page.service } };
  }
}

async function* lines(body) {
  const source = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await source.read();
      const parts = (rest + (value ?? "")).split("\n");
      rest = done ? "" : parts.pop();
      for (const part of parts) if (part.trim()) yield part;
      if (done) return;
    }
  } catch (error) {
    throw error instanceof TypeError ? new ServiceError(NO_ANSWER) : error;
  } finally {
    source.cancel().catch(() => {});
  }
}

/** The input in another format, as the bytes of a file. */
export async function written(file, paged, options, signal) {
  const response = paged
    ? await post("v2/ocr/document", "document", file, options, signal)
    : await post("v2/ocr", "image", file, options, signal);
  return response.blob();
}
