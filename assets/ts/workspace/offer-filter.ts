import type { Selector } from "./selector";

/** What completes expressions comes when somebody is about to type one, or to colour the one there is. */
export function offerFilter(root: HTMLElement, runsUrl: string, selector: Selector): void {
  const input = root.querySelector<HTMLInputElement>("[data-expression] input");
  if (!input) return;
  const begin = async () => {
    const { enableFilter } = await import("./filter");
    enableFilter(runsUrl, selector);
    if (document.activeElement === input) input.dispatchEvent(new Event("focus"));
  };
  if (input.value) void begin();
  else input.addEventListener("focus", () => void begin(), { once: true });
}
