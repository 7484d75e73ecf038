import type { Selector } from "./selector";

/** What completes expressions comes when somebody is about to type one, or to colour the one there is. */
export function offerFilter(input: HTMLInputElement, url: string, selector: Selector): void {
  const begin = async () => {
    let isEntered = false; // while the module comes
    const note = (event: Event) => {
      isEntered ||= event.type === "blur" || (event as KeyboardEvent).key === "Enter";
    };
    const events = ["keydown", "blur"];
    for (const name of events) input.addEventListener(name, note);
    const { enableFilter } = await import("./filter");
    for (const name of events) input.removeEventListener(name, note);
    const typed = input.value;
    const apply = enableFilter(url, selector);
    if (isEntered) {
      input.value = typed;
      void apply();
    } else if (document.activeElement === input) input.dispatchEvent(new Event("focus"));
  };
  if (input.value) void begin();
  else input.addEventListener("focus", () => void begin(), { once: true });
}
