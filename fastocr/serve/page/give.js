// Text to the clipboard, bytes to a file.

/** Raises an Error with a sentence for the user where the browser allows no way. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return;
  } catch {
    // Not allowed, or no secure context, such as http://192.168.0.7:8080: the page has no clipboard of its own there.
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  const before = document.activeElement;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  before?.focus();
  if (!done) throw new Error("This browser does not let a page copy: select the text and copy it.");
}

/** Saves `blob` as a file of that name. */
export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has taken the address when the click is done; a minute is for those that take it later.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
