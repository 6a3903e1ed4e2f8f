// The question for the service's token.

/** Asks for it, saying `why`; resolves to the token, or to null where the user gives none. */
export function askToken(at, why) {
  at["ask-why"].textContent = why;
  at.ask.returnValue = "cancel";
  at.ask.showModal();
  return new Promise((resolve) => {
    const closed = () => {
      resolve(at.ask.returnValue === "ok" ? at.token.value : null);
      at.token.value = "";
    };
    at.ask.addEventListener("close", closed, { once: true });
  });
}
