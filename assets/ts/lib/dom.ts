/** The one element for `selector`. Throws when a template forgot it. */
export function one<T extends Element>(selector: string, root: ParentNode = document): T {
  const found = root.querySelector<T>(selector);
  if (!found) throw new Error(`no element for ${selector}`);
  return found;
}

/** Make an element with a class and text; text is never read as HTML. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = "",
  text?: string,
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Draw one icon of the sprite; the sprite's address comes from an icon the page already shows. */
export function makeIcon(name: string): SVGSVGElement {
  const base = document.querySelector("svg.icon use")?.getAttribute("href")?.split("#")[0] ?? "";
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `${base}#${name}`);
  svg.append(use);
  return svg;
}

/** A button that shows an icon and says `label` to screen readers and on hover. */
export function makeIconButton(icon: string, label: string): HTMLButtonElement {
  const button = make("button", "icon-button");
  button.type = "button";
  button.title = label;
  button.setAttribute("aria-label", label);
  button.append(makeIcon(icon));
  return button;
}

/** Call `act` at most once every `pauseMs` milliseconds; the last call in a pause is kept. */
export function throttle(act: () => void, pauseMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = -Infinity;
  return () => {
    if (timer !== undefined) return;
    const wait = Math.max(0, last + pauseMs - performance.now());
    timer = setTimeout(() => {
      timer = undefined;
      last = performance.now();
      act();
    }, wait);
  };
}

/** Call `act` once `pauseMs` milliseconds have passed without another call; `cancel` forgets one that waits. */
export function debounce(act: () => void, pauseMs: number): { (): void; cancel(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cancel = () => clearTimeout(timer);
  const soon = () => {
    cancel();
    timer = setTimeout(act, pauseMs);
  };
  return Object.assign(soon, { cancel });
}

/** Whether keys typed at `target` are text. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

/** Show those parts of `root` whose `data-when` is `state` (loading, empty, error or full), and hide the others. */
export function showPart(root: ParentNode, state: string): void {
  for (const part of root.querySelectorAll<HTMLElement>("[data-when]")) {
    part.hidden = part.dataset.when !== state;
  }
}
